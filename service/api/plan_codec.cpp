// SPDX-License-Identifier: Apache-2.0
#include "service/api/plan_codec.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "scheduler/solve/explain.hpp"
#include "service/api/member_reader.hpp"

namespace valle::service::api {
namespace {

using namespace scheduler;

constexpr std::array<std::string_view, 11> k_plan_members{
    "overload",    "placements",   "unplaced",   "carbonGrams", "lowerBoundGrams", "gapPercent",
    "runNowGrams", "savedPercent", "slotPrices", "moved",       "solver"};
constexpr std::array<std::string_view, 12> k_placement_members{"job",         "site",       "start",     "end",
                                                               "mode",        "segments",   "energyKwh", "facilityKwh",
                                                               "carbonGrams", "priceGrams", "nextBest",  "blockedBy"};
constexpr std::array<std::string_view, 2> k_segment_members{"start", "end"};
constexpr std::array<std::string_view, 4> k_unplaced_members{"job", "code", "detail", "finishByThatWorks"};

constexpr NumberRange k_grams{.low = 0, .high = 9e15};  // 9e18 mg
constexpr NumberRange k_kwh{.low = 0, .high = 9e12};    // 9e18 mWh

Emissions emissions_from_grams(double grams) {
  return Emissions::of_base(static_cast<std::int64_t>(grams * 1e3 + 0.5));
}

// --- writing --------------------------------------------------------------------------------------------------------

/// What the service adds to close slots of unknown intensity is no resource of the user's.
bool is_own_resource(std::string_view name) { return name.starts_with("valle.sh/"); }

void write_reason(JsonWriter& json, const Problem& problem, const PlacementReason& reason) {
  json.member("priceGrams", reason.price);
  if (reason.next_best) {
    json.key("nextBest").begin_object().member("site", problem.sites[reason.next_best->site].name);
    json.member("start", reason.next_best->start).member("carbonGrams", reason.next_best->emissions).end_object();
  }
  if (!reason.blocked || is_own_resource(reason.blocked->resource)) return;
  const auto& [wished, slot, resource, jobs] = *reason.blocked;
  json.key("blockedBy").begin_array().begin_object();
  json.member("site", problem.sites[wished.site].name).member("start", wished.start);
  json.member("carbonGrams", wished.emissions).member("slot", slot);
  json.member("resource", resource.empty() ? std::string_view{"rampWatts"} : std::string_view{resource});
  json.key("jobs").begin_array();
  for (const std::size_t job : jobs) json.value(problem.jobs[job].id);
  json.end_array().end_object().end_array();
}

void write_prices(JsonWriter& json, const SlotPrices& prices) {
  json.begin_object().member("start", prices.start).member("slot", prices.slot).key("rows").begin_array();
  for (const SlotPrices::Row& row : prices.rows) {
    if (is_own_resource(row.resource)) continue;
    json.begin_object().member("site", row.site);
    json.member("resource", row.resource.empty() ? std::string_view{"rampWatts"} : std::string_view{row.resource});
    json.key("gramsPerUnitHour").begin_array();
    for (const double grams : row.grams_per_unit_hour)
      json.value(Emissions::of_base(std::llround(std::min(grams, 9e14) * 1e3)));
    json.end_array().end_object();
  }
  json.end_array().end_object();
}

void write_overload(JsonWriter& json, const Overload& overload) {
  json.begin_object().member("leftOutAtLeast", static_cast<std::int64_t>(overload.left_out_at_least));
  json.key("full").begin_array();
  for (const auto& [site, resource, interval] : overload.full) {
    if (is_own_resource(resource)) continue;
    json.begin_object().member("site", site).member("resource", resource.empty() ? std::string{"rampWatts"} : resource);
    json.member("start", interval.begin).member("end", interval.end).end_object();
  }
  json.end_array().key("missing").begin_array();
  for (const auto& [resource, unit_hours] : overload.missing) {
    if (is_own_resource(resource)) continue;
    json.begin_object().member("resource", resource.empty() ? std::string{"rampWatts"} : resource);
    json.member("unitHours", Amount::of_base(std::llround(std::min(unit_hours, 9e14) * 1e3))).end_object();
  }
  json.end_array().end_object();
}

void write_move(JsonWriter& json, const Problem& problem, const Move& move) {
  json.begin_object().member("job", problem.jobs[move.job].id).member("reason", to_text(move.reason));
  json.member("savedGrams", move.saved).end_object();
}

void write_placement(JsonWriter& json, const Problem& problem, const Placement& placement,
                     const PlacementReason& reason) {
  const Job& job = problem.jobs[placement.job];
  json.begin_object().member("job", job.id).member("site", problem.sites[placement.site].name);
  json.member("start", placement.start()).member("end", placement.end());
  const std::string& mode = job.modes[placement.mode].name;
  if (mode.empty()) {
    json.null_member("mode");
  } else {
    json.member("mode", mode);
  }
  json.key("segments").begin_array();
  for (const Interval& segment : placement.segments) {
    json.begin_object().member("start", segment.begin).member("end", segment.end).end_object();
  }
  json.end_array().member("energyKwh", placement.energy).member("facilityKwh", placement.facility_energy);
  json.member("carbonGrams", placement.emissions);
  if (!job.fixed) write_reason(json, problem, reason);
  json.end_object();
}

void write_unplaced(JsonWriter& json, const Problem& problem, const Unplaced& unplaced) {
  json.begin_object().member("job", problem.jobs[unplaced.job].id).member("code", to_text(unplaced.code));
  json.member("detail", unplaced.detail);
  if (unplaced.finish_by_that_works) json.member("finishByThatWorks", *unplaced.finish_by_that_works);
  json.end_object();
}

// --- reading --------------------------------------------------------------------------------------------------------

class PlanReader {
 public:
  Result<ClaimedPlan> run(const Json& document) {
    MemberReader reader = MemberReader::of_object(document, "", k_plan_members, first_);
    reader.need("placements", "where and when jobs run");
    const Json* placements = reader.array("placements", ProblemLimits::k_jobs);
    for (std::size_t i = 0; placements != nullptr && i < placements->size() && !first_.failed(); ++i) {
      read_placement((*placements)[i], pointer_to("/placements", i));
    }
    const Json* unplaced = reader.array("unplaced", ProblemLimits::k_jobs);
    for (std::size_t i = 0; unplaced != nullptr && i < unplaced->size() && !first_.failed(); ++i) {
      MemberReader inner =
          MemberReader::of_object((*unplaced)[i], pointer_to("/unplaced", i), k_unplaced_members, first_);
      inner.need("job", "which job is left out");
      plan_.unplaced.push_back(inner.text("job", ProblemLimits::k_name).value_or(""));
    }
    plan_.emissions = grams_of(reader, "carbonGrams");
    plan_.run_now = grams_of(reader, "runNowGrams");
    plan_.lower_bound = grams_of(reader, "lowerBoundGrams");
    if (first_.failed()) return tl::unexpected{first_.take()};
    return std::move(plan_);
  }

 private:
  static std::optional<Emissions> grams_of(MemberReader& reader, std::string_view name) {
    const auto grams = reader.number(name, k_grams);
    return grams ? std::optional{emissions_from_grams(*grams)} : std::nullopt;
  }
  static std::optional<Energy> energy_of(MemberReader& reader, std::string_view name) {
    const auto kwh = reader.number(name, k_kwh);
    return kwh ? std::optional{energy_from_kwh(*kwh)} : std::nullopt;
  }

  void read_placement(const Json& json, const std::string& place) {
    MemberReader reader = MemberReader::of_object(json, place, k_placement_members, first_);
    reader.need("job", "which job runs");
    reader.need("site", "where it runs");
    ClaimedPlan::Claim claim;
    claim.job = reader.text("job", ProblemLimits::k_name).value_or("");
    claim.site = reader.text("site", ProblemLimits::k_name).value_or("");
    const bool without_mode = json.is_object() && json.contains("mode") && json.at("mode").is_null();
    if (!without_mode) claim.mode = reader.text("mode", ProblemLimits::k_name);
    claim.energy = energy_of(reader, "energyKwh");
    claim.facility_energy = energy_of(reader, "facilityKwh");
    claim.emissions = grams_of(reader, "carbonGrams");
    read_segments(reader, claim);
    plan_.placements.push_back(std::move(claim));
  }

  void read_segments(MemberReader& reader, ClaimedPlan::Claim& claim) {
    const Json* segments = reader.array("segments", ProblemLimits::k_slots);
    for (std::size_t i = 0; segments != nullptr && i < segments->size(); ++i) {
      MemberReader inner =
          MemberReader::of_object((*segments)[i], pointer_to(reader.pointer("segments"), i), k_segment_members, first_);
      inner.need("start", "when the segment begins");
      inner.need("end", "when the segment ends");
      const auto start = inner.instant("start"), end = inner.instant("end");
      if (start && end) claim.segments.push_back({*start, *end});
    }
    if (segments == nullptr) {
      reader.need("start", "when the run begins");
      reader.need("end", "when the run ends");
    }
    const auto start = reader.instant("start"), end = reader.instant("end");
    if (segments == nullptr) {
      if (start && end) claim.segments.push_back({*start, *end});
    } else if (!claim.segments.empty()) {
      if (start && *start != claim.segments.front().begin)
        reader.refuse("start", "start is not where the first segment begins");
      if (end && *end != claim.segments.back().end) reader.refuse("end", "end is not where the last segment ends");
    }
  }

  FirstError first_;
  ClaimedPlan plan_;
};

}  // namespace

void write_plan(JsonWriter& json, const Problem& problem, const Solution& solution, const SolverRun& run) {
  const Plan& plan = solution.plan;
  json.begin_object().key("placements").begin_array();
  const std::vector<PlacementReason> reasons = explain(problem, plan, solution.prices);
  for (std::size_t i = 0; i < reasons.size(); ++i) write_placement(json, problem, plan.placements[i], reasons[i]);
  json.end_array().key("unplaced").begin_array();
  for (const Unplaced& unplaced : plan.unplaced) write_unplaced(json, problem, unplaced);
  json.end_array();
  const Emissions bound = solution.lower_bound;
  json.member("carbonGrams", plan.emissions).member("lowerBoundGrams", bound);
  if (bound == Emissions{} && plan.emissions > bound) {
    json.null_member("gapPercent");  // no share of nothing
  } else {
    json.member("gapPercent", app::percent_of((plan.emissions - bound).base(), bound.base()));
  }
  json.member("runNowGrams", plan.run_now);
  json.member("savedPercent", app::percent_of((plan.run_now - plan.emissions).base(), plan.run_now.base()));
  write_prices(json.key("slotPrices"), solution.prices);
  if (!solution.moves.empty()) {
    json.key("moved").begin_array();
    for (const Move& move : solution.moves) write_move(json, problem, move);
    json.end_array();
  }
  if (solution.overload) write_overload(json.key("overload"), *solution.overload);
  json.key("solver").begin_object().member("elapsedMs", static_cast<std::int64_t>(run.elapsed.count()));
  json.member("threads", static_cast<std::int64_t>(run.threads)).member("seed", static_cast<std::int64_t>(run.seed));
  json.member("stoppedBy", to_text(solution.stopped_by)).end_object().end_object();
}

std::string write_plan(const Problem& problem, const Solution& solution, const SolverRun& run) {
  JsonWriter json;
  json.reserve(500 * (1 + solution.plan.placements.size()));
  write_plan(json, problem, solution, run);
  return json.take();
}

Result<ClaimedPlan> read_plan(const Json& document) { return PlanReader{}.run(document); }

Result<ClaimedPlan> parse_plan(std::string_view text) {
  auto document = parse_json(text, k_plan_limits);
  if (!document) return tl::unexpected{std::move(document.error())};
  return read_plan(*document);
}

std::string write_violations(const std::vector<Violation>& violations) {
  JsonWriter json;
  json.begin_object().key("violations").begin_array();
  for (const Violation& violation : violations) {
    json.begin_object().member("kind", to_text(violation.kind)).member("detail", violation.detail).end_object();
  }
  json.end_array().end_object();
  return json.take();
}

}  // namespace valle::service::api
