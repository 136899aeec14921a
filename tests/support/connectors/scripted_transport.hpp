// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "connectors/retry/surroundings.hpp"

namespace valle::tests {

/// Time that passes only when somebody waits. Remembers every pause.
class VirtualWaiter final : public connectors::Waiter {
 public:
  bool wait(std::chrono::milliseconds pause) override {
    const std::scoped_lock lock{mutex_};
    pauses_.push_back(pause);
    elapsed_ += pause;
    return !stopping_;
  }
  [[nodiscard]] std::chrono::milliseconds elapsed() const override {
    const std::scoped_lock lock{mutex_};
    return elapsed_;
  }
  void stop() {
    const std::scoped_lock lock{mutex_};
    stopping_ = true;
  }
  [[nodiscard]] std::vector<std::chrono::milliseconds> pauses() const {
    const std::scoped_lock lock{mutex_};
    return pauses_;
  }

 private:
  mutable std::mutex mutex_;
  std::chrono::milliseconds elapsed_{0};
  std::vector<std::chrono::milliseconds> pauses_;
  bool stopping_ = false;
};

/// Answers from a script, in order; remembers every request. Past the end of the script it answers 500.
class ScriptedTransport final : public connectors::HttpTransport {
 public:
  Result get(const connectors::HttpRequest& request) override {
    const std::scoped_lock lock{mutex_};
    requests_.push_back(request);
    if (script_.empty()) return reply(500, "text/plain", "the script is over");
    auto result = std::move(script_.front());
    script_.pop_front();
    return result;
  }

  /// The same script; a request does not tell how it was sent.
  Result post(const connectors::HttpRequest& request) override { return get(request); }

  ScriptedTransport& then(int status, std::string type, std::string body,
                          std::vector<std::pair<std::string, std::string>> headers = {}) {
    script_.push_back(reply(status, std::move(type), std::move(body), std::move(headers)));
    return *this;
  }
  ScriptedTransport& then_json(std::string body) { return then(200, "application/json", std::move(body)); }
  ScriptedTransport& then_failure(connectors::TransportFailure::Kind kind) {
    script_.push_back({.reply = {}, .failure = connectors::TransportFailure{kind, "as scripted"}});
    return *this;
  }

  [[nodiscard]] const std::vector<connectors::HttpRequest>& requests() const { return requests_; }

 private:
  static Result reply(int status, std::string type, std::string body,
                      std::vector<std::pair<std::string, std::string>> headers = {}) {
    return {.reply = connectors::HttpReply{status, std::move(type), std::move(headers), std::move(body)},
            .failure = {}};
  }
  std::mutex mutex_;
  std::deque<Result> script_;
  std::vector<connectors::HttpRequest> requests_;
};

/// The value of a query parameter; "-" if it is not there.
inline std::string query_value(const connectors::HttpRequest& request, std::string_view name) {
  for (const auto& [key, value] : request.query) {
    if (key == name) return value;
  }
  return "-";
}

inline std::string header_value(const connectors::HttpRequest& request, std::string_view name) {
  for (const auto& [key, value] : request.headers) {
    if (key == name) return value;
  }
  return "-";
}

}  // namespace valle::tests
