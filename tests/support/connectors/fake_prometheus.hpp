// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "connectors/transport/http_transport.hpp"
#include "tests/support/connectors/scripted_transport.hpp"

namespace valle::tests {

/// A Prometheus that knows some series. It answers metric names, raw samples of a metric (all of its series: whoever
/// asks must tell pods apart himself) and which pods a board's series name. Remembers the queries.
class FakePrometheus final : public connectors::HttpTransport {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;
  using Values = std::vector<std::pair<double, std::string>>;

  FakePrometheus& has(std::string metric, Labels labels, Values values) {
    labels.insert(labels.begin(), {"__name__", std::move(metric)});
    series_.push_back({std::move(labels), std::move(values)});
    return *this;
  }
  FakePrometheus& warns(std::string text) {
    warning_ = std::move(text);
    return *this;
  }
  /// From now on this is the reply to every query for samples.
  FakePrometheus& says(int status, std::string type, std::string body) {
    forced_ = connectors::HttpReply{status, std::move(type), {}, std::move(body)};
    return *this;
  }
  [[nodiscard]] const std::vector<std::string>& queries() const { return queries_; }

  Result get(const connectors::HttpRequest&) override {
    std::set<std::string> names;
    for (const Known& known : series_) names.insert(known.labels.front().second);
    return reply({{"status", "success"}, {"data", names}});
  }

  Result post(const connectors::HttpRequest& request) override {
    const std::string query = query_value(request, "query");
    queries_.push_back(query);
    if (forced_) return {.reply = forced_, .failure = {}};
    const bool counts = query.starts_with("count by");
    auto result = nlohmann::json::array();
    if (query.starts_with("sum("))
      return reply({{"status", "success"}, {"data", {{"resultType", "vector"}, {"result", result}}}});
    for (const Known& known : series_) {
      if (query.find(known.labels.front().second + "{") == std::string::npos) continue;
      result.push_back(counts ? counted(known, query) : raw(known));
      if (result.back().is_null()) result.erase(result.size() - 1);
    }
    nlohmann::json answer{{"status", "success"},
                          {"data", {{"resultType", counts ? "vector" : "matrix"}, {"result", result}}}};
    if (!warning_.empty()) answer["warnings"] = {warning_};
    return reply(answer);
  }

 private:
  struct Known {
    Labels labels;
    Values values;
  };
  static nlohmann::json raw(const Known& known) {
    nlohmann::json series{{"metric", nlohmann::json::object()}, {"values", nlohmann::json::array()}};
    for (const auto& [name, value] : known.labels) series["metric"][name] = value;
    for (const auto& [at, value] : known.values) series["values"].push_back({at, value});
    return series;
  }
  static nlohmann::json counted(const Known& known, const std::string& query) {
    const bool by_exported = query.find("exported_pod=") != std::string::npos;
    nlohmann::json metric = nlohmann::json::object();
    bool named = false;
    for (const auto& [name, value] : known.labels) {
      for (const char* kept : {"UUID", "exported_pod", "exported_namespace", "pod", "namespace"}) {
        if (name == kept) metric[name] = value;
      }
      named = named || name == (by_exported ? "exported_pod" : "pod");
    }
    if (!named) return nullptr;
    return {{"metric", metric}, {"value", {known.values.back().first, "3"}}};
  }
  static Result reply(const nlohmann::json& body) {
    return {.reply = connectors::HttpReply{200, "application/json", {}, body.dump()}, .failure = {}};
  }

  std::vector<Known> series_;
  std::string warning_;
  std::optional<connectors::HttpReply> forced_;
  std::vector<std::string> queries_;
};

}  // namespace valle::tests
