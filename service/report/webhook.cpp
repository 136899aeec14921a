// SPDX-License-Identifier: Apache-2.0
#include "service/report/webhook.hpp"

#include <algorithm>
#include <chrono>

namespace valle::service::report {
namespace {

using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;

constexpr std::chrono::seconds k_time_to_take{60};
constexpr std::size_t k_largest_answer = 1u << 20;  // nobody reads it

}  // namespace

Delivery::Send webhook_sender(connectors::HttpTransport& transport) {
  return [&transport](const std::string& url, const std::string& json) -> Result<void> {
    const auto path = std::min(url.find('/', url.find("://") + 3), url.size());
    const auto result = transport.post({.base_url = url.substr(0, path),
                                        .path = url.substr(path),
                                        .json = json,
                                        .timeout = k_time_to_take,
                                        .largest_body = k_largest_answer});
    if (result.failure) return refuse(Errc::source_unavailable, "the webhook: " + result.failure->detail);
    if (result.reply->status / 100 != 2) {
      return refuse(Errc::source_unavailable, "the webhook answered " + std::to_string(result.reply->status));
    }
    return {};
  };
}

}  // namespace valle::service::report
