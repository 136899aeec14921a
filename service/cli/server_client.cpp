// SPDX-License-Identifier: Apache-2.0
#include "service/cli/server_client.hpp"

#include <nlohmann/json.hpp>

#include "connectors/json/json.hpp"
#include "connectors/transport/cpprest_transport.hpp"
#include "service/cli/command.hpp"
#include "service/http/problem.hpp"
#include "service/runtime/version.hpp"

namespace valle::service::cli {

using namespace scheduler;
namespace json = connectors::json;

namespace {

Error error_of(const std::string& url, const connectors::HttpReply& reply) {
  const auto problem = json::parse(reply.body);
  const auto code = problem ? json::text(*problem, "code") : std::nullopt;
  const auto known = code ? http::errc_from_code(*code) : std::nullopt;
  if (!known) {
    return {Errc::source_unavailable, "answered " + std::to_string(reply.status) + ", which is not valle's way", url};
  }
  return {*known, std::string{json::text(*problem, "detail").value_or(*code)},
          std::string{json::text(*problem, "pointer").value_or("")}};
}

}  // namespace

std::string ask_server(const std::string& url, const std::string& path,
                       const std::vector<std::pair<std::string, std::string>>& query) {
  const auto transport =
      connectors::make_cpprest_transport({.user_agent = "valle/" + std::string{runtime::version()}, .threads = 1});
  auto result = transport->get({.base_url = url, .path = path, .query = query, .headers = {}});
  if (!result.reply) {
    must(Result<void>{
        refuse(Errc::source_unavailable, result.failure->detail + " (is valle serve running there?)", url)});
  }
  if (result.reply->status != 200) throw CommandFailed{error_of(url, *result.reply)};
  return std::move(result.reply->body);
}

}  // namespace valle::service::cli
