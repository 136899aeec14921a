// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "connectors/json/json.hpp"
#include "connectors/traces/trace_formats.hpp"

namespace valle::connectors {

using namespace scheduler;

namespace {

constexpr double k_largest_quantity = 1e9;

const json::Value* at(const json::Value* value, std::initializer_list<std::string_view> path) {
  for (const std::string_view name : path) {
    if (value == nullptr) return nullptr;
    value = json::member(*value, name);
  }
  return value;
}

/// What all containers of one pod ask of a resource; requests, or limits where there are none.
Result<Amount> asked_by_pod(const json::Value& job, std::string_view resource) {
  Amount sum;
  const auto* containers = json::list(at(&job, {"spec", "template", "spec", "containers"}));
  if (containers == nullptr) return sum;
  for (const json::Value& container : *containers) {
    const json::Value* quantity = at(&container, {"resources", "requests", resource});
    if (quantity == nullptr) quantity = at(&container, {"resources", "limits", resource});
    if (quantity == nullptr) continue;
    const auto amount =
        parse_quantity(quantity->is_string() ? quantity->get_ref<const std::string&>() : quantity->dump());
    if (!amount) return amount;
    sum += *amount;
  }
  return sum;
}

std::optional<Instant> instant_at(const json::Value& job, std::initializer_list<std::string_view> path) {
  const auto text = json::text(at(&job, path));
  if (!text) return std::nullopt;
  const auto instant = parse_instant(*text);
  return instant ? std::optional{*instant} : std::nullopt;
}

/// Pods that run side by side.
std::int64_t width_of(const json::Value& job) {
  const RawNumber parallelism = json::number(at(&job, {"spec", "parallelism"}));
  const bool known = parallelism.state == RawNumber::State::number && parallelism.value >= 1;
  return known ? static_cast<std::int64_t>(std::min(parallelism.value, 1e6)) : 1;
}

/// Nothing for a job that has not run to its end.
Result<std::optional<TraceJob>> read_job(const json::Value& item) {
  const auto submitted = instant_at(item, {"metadata", "creationTimestamp"});
  const auto started = instant_at(item, {"status", "startTime"});
  const auto finished = instant_at(item, {"status", "completionTime"});
  const auto name = json::text(at(&item, {"metadata", "name"}));
  if (!submitted || !started || !finished || !name || *finished <= *started) return std::nullopt;
  TraceJob job;
  job.owner = json::text(at(&item, {"metadata", "namespace"})).value_or("default");
  job.id = job.owner + "/" + std::string{*name};
  job.submitted_at = *submitted;
  job.duration = *finished - *started;
  for (const auto& [resource, target] :
       {std::pair{std::string_view{"cpu"}, &job.cpus}, {std::string_view{"nvidia.com/gpu"}, &job.gpus}}) {
    const auto amount = asked_by_pod(item, resource);
    if (!amount) return tl::unexpected{amount.error()};
    *target = *amount * width_of(item);
  }
  return job;
}

}  // namespace

Result<Amount> parse_quantity(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, double>, 6> k_suffixes{
      {{"m", 1e-3}, {"k", 1e3}, {"M", 1e6}, {"Ki", 1024.0}, {"Mi", 1048576.0}, {"", 1.0}}};
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view suffix{end, static_cast<std::size_t>(text.data() + text.size() - end)};
  if (fault == std::errc{}) {
    for (const auto& [name, factor] : k_suffixes) {
      if (suffix != name || !(value >= 0) || value * factor > k_largest_quantity) continue;
      return Amount::of_base(static_cast<std::int64_t>(std::ceil(value * factor * 1000 - 1e-6)));
    }
  }
  return refuse(Errc::invalid_request, "'" + std::string{text.substr(0, 40)} + "' is not a quantity such as 2 or 500m");
}

Result<Trace> read_kubernetes_jobs(const std::string& name, std::string_view text) {
  const auto document = json::parse(text);
  if (!document) return refuse(Errc::invalid_request, document.error().detail + ": " + document.error().pointer, name);
  const auto* items = json::list(*document, "items");
  if (items == nullptr) return refuse(Errc::invalid_request, "there is no list of items: not a kubectl listing", name);
  Trace trace;
  for (std::size_t i = 0; i < items->size(); ++i) {
    auto job = read_job((*items)[i]);
    if (!job) return refuse(Errc::invalid_request, job.error().detail, name + ":/items/" + std::to_string(i));
    if (!*job) {
      ++trace.unfinished;
      continue;
    }
    if (trace.jobs.size() == k_most_trace_jobs) return refuse(Errc::too_large, "more than 200,000 jobs", name);
    trace.jobs.push_back(**std::move(job));
  }
  return trace;
}

}  // namespace valle::connectors
