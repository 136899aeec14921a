// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "k8s/client/client.hpp"
#include "k8s/client/transport.hpp"

namespace valle::tests {

/// What the next exchange brings: a response, a failure, or lines and then one of the two.
struct ScriptedExchange {
  int status = 200;
  std::string body = "{}";
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::vector<std::string> lines = {};
  std::optional<k8s::TransportFailure> failure = {};
};

/// A transport that plays a script, without network or waiting. When the script is over it requests `finished`'s stop,
/// so that a loop under test comes to its end, and every exchange is cancelled.
class ScriptedApi final : public k8s::Transport {
 public:
  ScriptedApi& then(ScriptedExchange exchange) {
    script_.push_back(std::move(exchange));
    return *this;
  }
  ScriptedApi& then_json(std::string body) { return then({.body = std::move(body)}); }
  ScriptedApi& then_status(int code, const std::string& reason, const std::string& message = "scripted") {
    return then({.status = code, .body = status(code, reason, message)});
  }
  ScriptedApi& then_lines(std::vector<std::string> lines) { return then({.lines = std::move(lines)}); }
  ScriptedApi& then_cut(std::vector<std::string> lines = {}) {
    return then({.lines = std::move(lines), .failure = {{k8s::TransportFailure::Kind::unreachable, "cut"}}});
  }
  ScriptedApi& then_failure(k8s::TransportFailure::Kind kind) { return then({.failure = {{kind, "scripted"}}}); }

  k8s::TransportResult<k8s::Response> send(const k8s::Request& request, std::stop_token) override {
    return play(request, nullptr);
  }
  k8s::TransportResult<k8s::Response> stream(const k8s::Request& request, const k8s::LineSink& line,
                                             std::stop_token) override {
    return play(request, &line);
  }

  [[nodiscard]] std::vector<k8s::Request> seen() const {
    const std::scoped_lock lock{mutex_};
    return seen_;
  }
  /// Blocks until somebody asks for more than the script holds.
  void wait_for_end() const {
    std::unique_lock lock{mutex_};
    ended_.wait(lock, [this] { return over_; });
  }
  std::stop_source finished;

  static std::string status(int code, const std::string& reason, const std::string& message = "scripted") {
    return k8s::Json{
        {"kind", "Status"}, {"status", "Failure"}, {"code", code}, {"reason", reason}, {"message", message}}
        .dump();
  }

 private:
  k8s::TransportResult<k8s::Response> play(const k8s::Request& request, const k8s::LineSink* line) {
    ScriptedExchange next;
    {
      const std::scoped_lock lock{mutex_};
      if (script_.empty()) {
        over_ = true;
        finished.request_stop();
        ended_.notify_all();
        return tl::unexpected{k8s::TransportFailure{k8s::TransportFailure::Kind::cancelled, "the script is over"}};
      }
      seen_.push_back(request);
      next = std::move(script_.front());
      script_.pop_front();
    }
    for (const auto& text : next.lines) {
      if (line && (*line)(text) == k8s::Flow::enough) return k8s::Response{.status = 200};
    }
    if (next.failure) return tl::unexpected{*next.failure};
    const bool streamed = line && next.status == 200;
    return k8s::Response{next.status, next.headers, streamed ? std::string{} : next.body};
  }

  std::deque<ScriptedExchange> script_;
  mutable std::mutex mutex_;
  mutable std::condition_variable ended_;
  std::vector<k8s::Request> seen_;
  bool over_ = false;
};

}  // namespace valle::tests
