// SPDX-License-Identifier: Apache-2.0
#include "service/api/problem_codec.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "service/api/json_writer.hpp"
#include "service/api/member_reader.hpp"

namespace valle::service::api {
namespace {

using namespace scheduler;
using Limits = ProblemLimits;

constexpr std::array<std::string_view, 6> k_problem_members{"start", "slot", "slots", "sites", "jobs", "eurPerTonne"};
constexpr std::array<std::string_view, 8> k_site_members{"name",        "zone",      "pue",      "capacity",
                                                         "gramsPerKwh", "rampWatts", "kwhPerGb", "eurPerMwh"};
constexpr std::array<std::string_view, 14> k_job_members{
    "id",       "earliestStart", "finishBy",      "duration", "powerWatts", "demand", "sites",
    "homeSite", "priority",      "interruptible", "modes",    "fixed",      "group",  "transferGb"};
constexpr std::array<std::string_view, 3> k_mode_members{"name", "powerWatts", "duration"};
constexpr std::array<std::string_view, 2> k_fixed_members{"site", "start"};
constexpr std::array<std::string_view, 4> k_interruption_members{"minRun", "restart", "restartEnergyKwh", "maxPauses"};

std::string lower_case(std::string_view text) {
  std::string lower{text};
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

/// Reads the whole document, goes on after a fault and keeps the first one.
class ProblemReader {
 public:
  explicit ProblemReader(const IntensitySupply& supply) : supply_{supply} {}

  Result<Problem> run(const Json& document) {
    MemberReader reader = MemberReader::of_object(document, "", k_problem_members, first_);
    reader.need("start", "the start of the first slot");
    reader.need("slots", "how many slots there are");
    reader.need("sites", "where jobs may run");
    reader.need("jobs", "what is to be planned");
    problem_.start = reader.instant("start").value_or(Instant{});
    problem_.slot = reader.duration("slot", Duration{1}, Limits::k_slot).value_or(Duration{3600});
    problem_.slots =
        static_cast<std::size_t>(reader.integer("slots", 0, static_cast<std::int64_t>(Limits::k_slots)).value_or(0));
    problem_.eur_per_tonne = reader.number("eurPerTonne", {.low = 0, .high = Limits::k_eur_per_tonne_high}).value_or(0);
    if (first_.failed()) return tl::unexpected{first_.take()};  // profiles are read by the number of slots
    const Json* sites = reader.array("sites", Limits::k_sites);
    for (std::size_t s = 0; sites != nullptr && s < sites->size(); ++s) read_site((*sites)[s], s);
    if (first_.failed()) return tl::unexpected{first_.take()};
    const Json* jobs = reader.array("jobs", Limits::k_jobs);
    if (jobs != nullptr) problem_.jobs.reserve(jobs->size());
    for (std::size_t j = 0; jobs != nullptr && j < jobs->size() && !first_.failed(); ++j) read_job((*jobs)[j], j);
    if (first_.failed()) return tl::unexpected{first_.take()};
    if (auto valid = validate(problem_); !valid) return tl::unexpected{std::move(valid.error())};
    return std::move(problem_);
  }

 private:
  void refuse_at(std::string pointer, std::string detail, Errc code = Errc::invalid_request) {
    first_.record({code, std::move(detail), std::move(pointer)});
  }

  // --- sites ------------------------------------------------------------------------------------------------------

  void read_site(const Json& json, std::size_t s) {
    const std::string place = pointer_to("/sites", s);
    MemberReader reader = MemberReader::of_object(json, place, k_site_members, first_);
    reader.need("name", "the site's name");
    reader.need("zone", "its grid zone, such as FR");
    const auto name = reader.text("name", Limits::k_name);
    const auto zone = reader.zone("zone");
    if (!name || !zone) return;
    Site site{.name = *name, .zone = *zone, .capacity = {}, .intensity = {}};
    site.pue = ratio_from_number(reader.number("pue", {.low = 1, .high = number(Limits::k_pue)}).value_or(1));
    if (const Json* capacity = reader.object("capacity")) read_capacity(*capacity, reader.pointer("capacity"), site);
    if (const auto ramp = reader.number("rampWatts", {.low = 0, .high = watts(Limits::k_power)})) {
      site.ramp = power_from_watts(*ramp);
    }
    site.energy_per_gb =
        energy_from_kwh(reader.number("kwhPerGb", {.low = 0, .high = kwh(Limits::k_energy_per_gb)}).value_or(0));
    const double dearest = eur_per_mwh(Limits::k_price);
    site.price = profile(reader, "eurPerMwh", {.low = -dearest, .high = dearest}, price_from_eur_per_mwh);
    site.intensity = profile(reader, "gramsPerKwh", {.low = 0, .high = grams_per_kwh(Limits::k_intensity)},
                             intensity_from_grams_per_kwh);
    if (!reader.has("gramsPerKwh") && !first_.failed()) supply_intensity(site, place);
    if (!site_index_.try_emplace(lower_case(site.name), problem_.sites.size()).second) {
      refuse_at(reader.pointer("name"), "two sites have this name");
    }
    problem_.sites.push_back(std::move(site));
  }

  void supply_intensity(Site& site, const std::string& place) {
    auto supplied = supply_(site.zone, problem_);
    if (supplied) {
      site.intensity = *std::move(supplied);
      return;
    }
    Error error = std::move(supplied.error());
    error.pointer = pointer_to(place, "gramsPerKwh");
    first_.record(std::move(error));
  }

  void read_capacity(const Json& json, const std::string& place, Site& site) {
    for (const auto& [resource, value] : json.items()) {
      const std::string here = pointer_to(place, resource);
      ResourceCapacity capacity{resource, {}};
      if (value.is_array()) {
        capacity.per_slot = numbers(value, here, k_amounts, capacity_from_number);
      } else if (const auto all = number_at(value, here, k_amounts)) {
        capacity.per_slot.assign(problem_.slots, capacity_from_number(*all));
      }
      site.capacity.push_back(std::move(capacity));
    }
  }

  template <class Convert>
  auto profile(MemberReader& reader, std::string_view name, const NumberRange& range, Convert convert)
      -> std::vector<decltype(convert(0.0))> {
    const Json* array = reader.array(name, Limits::k_slots);
    if (array == nullptr) return {};
    return numbers(*array, reader.pointer(name), range, convert);
  }

  /// One number a slot.
  template <class Convert>
  auto numbers(const Json& array, const std::string& place, const NumberRange& range, Convert convert)
      -> std::vector<decltype(convert(0.0))> {
    std::vector<decltype(convert(0.0))> values;
    if (array.size() != problem_.slots) {
      refuse_at(place, std::to_string(array.size()) + " values for " + std::to_string(problem_.slots) +
                           " slots: one a slot is needed");
      return values;
    }
    values.reserve(array.size());
    for (std::size_t t = 0; t < array.size(); ++t) {
      const auto value = number_at(array[t], place, range, t);
      if (!value) break;
      values.push_back(convert(*value));
    }
    return values;
  }

  /// `element` is part of the place only if the number is refused.
  std::optional<double> number_at(const Json& json, const std::string& place, const NumberRange& range,
                                  std::optional<std::size_t> element = {}) {
    if (json.is_number()) {
      const double value = json.get<double>();
      if (range.low <= value && value <= range.high) return value;
    }
    std::string what =
        json.is_number() ? "out of range: from " : "a number is needed, not " + std::string{json.type_name()};
    if (json.is_number()) what += in_words(range.low) + " to " + in_words(range.high);
    if (json.is_null()) what += "; a missing value is not zero";
    refuse_at(element ? pointer_to(place, *element) : place, std::move(what));
    return {};
  }

  static std::string in_words(double number) {
    std::array<char, 32> buffer{};
    return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr};
  }

  /// To whole thousandths: capacity down and demand up, so that rounding never lets a job in. 0.3 · 1000 counts as 300.
  static Amount capacity_from_number(double number) {
    return Amount::of_base(static_cast<std::int64_t>(std::floor(number * 1000 + 1e-6)));
  }
  static Amount demand_from_number(double number) {
    return Amount::of_base(static_cast<std::int64_t>(std::ceil(number * 1000 - 1e-6)));
  }

  // --- jobs -------------------------------------------------------------------------------------------------------

  void read_job(const Json& json, std::size_t j) {
    MemberReader reader = MemberReader::of_object(json, pointer_to("/jobs", j), k_job_members, first_);
    reader.need("id", "the job's name");
    reader.need("finishBy", "when it must be done");
    Job job{.id = reader.text("id", Limits::k_name).value_or(""),
            .earliest_start = reader.instant("earliestStart", Fraction::up).value_or(problem_.start),
            .finish_by = reader.instant("finishBy").value_or(problem_.start),
            .modes = {},
            .demand = {},
            .sites = {},
            .home_site = 0};
    read_modes(reader, job);
    if (const Json* demand = reader.object("demand")) {
      for (const auto& [resource, value] : demand->items()) {
        const auto amount = number_at(value, pointer_to(reader.pointer("demand"), resource), k_amounts);
        if (amount) job.demand.push_back({resource, demand_from_number(*amount)});
      }
    }
    read_places(reader, job);
    job.priority = static_cast<int>(reader.integer("priority", -Limits::k_priority, Limits::k_priority).value_or(0));
    if (const Json* rule = reader.object("interruptible"))
      read_interruption(*rule, reader.pointer("interruptible"), job);
    job.group = reader.text("group", Limits::k_name).value_or("");
    job.transfer_gb = reader.number("transferGb", {.low = 0, .high = Limits::k_transfer_gb}).value_or(0);
    problem_.jobs.push_back(std::move(job));
  }

  std::optional<Mode> read_mode(MemberReader& reader, std::string name) {
    reader.need("duration", "how long it runs");
    reader.need("powerWatts", "its mean power");
    const auto duration = reader.duration("duration", Duration{1}, Limits::k_duration);
    const auto power = reader.number("powerWatts", k_amount_range);
    if (!duration || !power) return {};
    return Mode{std::move(name), std::max(power_from_watts(*power), Power::of_base(1)), *duration};
  }

  void read_modes(MemberReader& reader, Job& job) {
    if (!reader.has("modes") || reader.has("duration") || reader.has("powerWatts")) {
      if (const auto plain = read_mode(reader, "")) job.modes.push_back(*plain);
    }
    const Json* modes = reader.array("modes", Limits::k_modes);
    if (modes != nullptr && modes->empty())
      reader.refuse("modes", "an empty list: leave it out, or give at least one mode");
    for (std::size_t m = 0; modes != nullptr && m < modes->size(); ++m) {
      MemberReader inner =
          MemberReader::of_object((*modes)[m], pointer_to(reader.pointer("modes"), m), k_mode_members, first_);
      inner.need("name", "the mode's name");
      const auto name = inner.text("name", Limits::k_name);
      if (const auto mode = read_mode(inner, name.value_or(""))) job.modes.push_back(*mode);
    }
  }

  void read_places(MemberReader& reader, Job& job) {
    if (const auto names = reader.names("sites")) {
      for (std::size_t i = 0; i < names->size(); ++i) {
        if (const auto site = site_named((*names)[i], [&] { return pointer_to(reader.pointer("sites"), i); })) {
          job.sites.push_back(*site);
        }
      }
    } else {
      for (std::size_t s = 0; s < problem_.sites.size(); ++s) job.sites.push_back(s);
    }
    job.home_site = job.sites.empty() ? 0 : job.sites.front();
    if (const auto home = reader.text("homeSite", Limits::k_name)) {
      job.home_site = site_named(*home, [&] { return reader.pointer("homeSite"); }).value_or(0);
    }
    const Json* fixed = reader.object("fixed");
    if (fixed == nullptr) return;
    MemberReader inner = MemberReader::of_object(*fixed, reader.pointer("fixed"), k_fixed_members, first_);
    inner.need("site", "where it runs");
    inner.need("start", "when it started or will start");
    const auto name = inner.text("site", Limits::k_name);
    const auto site = name ? site_named(*name, [&] { return inner.pointer("site"); }) : std::nullopt;
    const auto start = inner.instant("start");
    if (site && start) job.fixed = FixedStart{*site, *start};
  }

  template <class Place>
  std::optional<std::size_t> site_named(const std::string& name, Place place) {
    const auto found = site_index_.find(lower_case(name));
    if (found != site_index_.end()) return found->second;
    refuse_at(place(), "the problem has no site \"" + name + "\"", Errc::unknown_site);
    return {};
  }

  void read_interruption(const Json& json, std::string place, Job& job) {
    MemberReader reader = MemberReader::of_object(json, std::move(place), k_interruption_members, first_);
    Interruption rule;
    rule.min_run = reader.duration("minRun", Duration{0}, Limits::k_duration).value_or(Duration{0});
    rule.restart = reader.duration("restart", Duration{0}, Limits::k_duration).value_or(Duration{0});
    rule.restart_energy =
        energy_from_kwh(reader.number("restartEnergyKwh", {.low = 0, .high = kwh(Limits::k_energy)}).value_or(0));
    if (const auto most = reader.integer("maxPauses", 0, Limits::k_pauses)) rule.max_pauses = static_cast<int>(*most);
    job.interruption = rule;
  }

  static constexpr NumberRange k_amounts{.low = 0, .high = 1e12};

  const IntensitySupply& supply_;
  FirstError first_;
  Problem problem_{};
  std::unordered_map<std::string, std::size_t> site_index_;
};

// --- writing --------------------------------------------------------------------------------------------------------

/// A count of thousandths as a JSON number.
std::string decimal(Amount amount) {
  JsonWriter json;
  json.value(Power::of_base(amount.base()));  // a power has three decimals too
  return json.take();
}

template <class Value>
void write_profile(JsonWriter& json, std::string_view name, const std::vector<Value>& values) {
  json.key(name).begin_array();
  for (const Value& value : values) json.value(value);
  json.end_array();
}

void write_site(JsonWriter& json, const Site& site) {
  json.begin_object().member("name", site.name).member("zone", site.zone.name()).member("pue", site.pue);
  json.key("capacity").begin_object();
  for (const ResourceCapacity& capacity : site.capacity) {
    json.key(capacity.resource).begin_array();
    for (const Amount amount : capacity.per_slot) json.raw(decimal(amount));
    json.end_array();
  }
  json.end_object();
  write_profile(json, "gramsPerKwh", site.intensity);
  if (site.ramp) json.member("rampWatts", *site.ramp);
  if (site.energy_per_gb != Energy{}) json.member("kwhPerGb", site.energy_per_gb);
  if (!site.price.empty()) write_profile(json, "eurPerMwh", site.price);
  json.end_object();
}

void write_interruption(JsonWriter& json, const Interruption& rule) {
  json.key("interruptible").begin_object().member("minRun", rule.min_run).member("restart", rule.restart);
  json.member("restartEnergyKwh", rule.restart_energy);
  if (rule.max_pauses) json.member("maxPauses", std::int64_t{*rule.max_pauses});
  json.end_object();
}

void write_modes(JsonWriter& json, const Job& job) {
  auto mode = job.modes.begin();
  if (mode->name.empty()) {
    json.member("duration", mode->duration).member("powerWatts", mode->power);
    ++mode;
  }
  if (mode == job.modes.end()) return;
  json.key("modes").begin_array();
  for (; mode != job.modes.end(); ++mode) {
    json.begin_object().member("name", mode->name).member("powerWatts", mode->power).member("duration", mode->duration);
    json.end_object();
  }
  json.end_array();
}

std::string shortest(double number) {
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr};
}

void write_job(JsonWriter& json, const Problem& problem, const Job& job) {
  json.begin_object().member("id", job.id);
  json.member("earliestStart", job.earliest_start).member("finishBy", job.finish_by);
  write_modes(json, job);
  json.key("demand").begin_object();
  for (const ResourceDemand& demand : job.demand) json.key(demand.resource).raw(decimal(demand.amount));
  json.end_object();
  json.key("sites").begin_array();
  for (const std::size_t site : job.sites) json.value(problem.sites[site].name);
  json.end_array().member("homeSite", problem.sites[job.home_site].name);
  json.member("priority", std::int64_t{job.priority});
  if (job.interruption) write_interruption(json, *job.interruption);
  if (job.fixed) {
    json.key("fixed").begin_object().member("site", problem.sites[job.fixed->site].name);
    json.member("start", job.fixed->start).end_object();
  }
  if (!job.group.empty()) json.member("group", job.group);
  if (job.transfer_gb > 0) json.key("transferGb").raw(shortest(job.transfer_gb));
  json.end_object();
}

}  // namespace

IntensitySupply no_intensity_supply() {
  return [](const Zone& zone, const Problem&) -> Result<std::vector<CarbonIntensity>> {
    return refuse(Errc::no_intensity_data, "no intensity is known here for zone " + zone.name() + "; give gramsPerKwh");
  };
}

Result<Problem> read_problem(const Json& document, const IntensitySupply& supply) {
  return ProblemReader{supply}.run(document);
}

Result<Problem> parse_problem(std::string_view text, const IntensitySupply& supply) {
  auto document = parse_json(text, k_plan_limits);
  if (!document) return tl::unexpected{std::move(document.error())};
  return read_problem(*document, supply);
}

std::string write_problem(const Problem& problem) {
  JsonWriter json;
  json.begin_object().member("start", problem.start).member("slot", problem.slot);
  json.member("slots", static_cast<std::int64_t>(problem.slots));
  json.key("sites").begin_array();
  for (const Site& site : problem.sites) write_site(json, site);
  json.end_array().key("jobs").begin_array();
  for (const Job& job : problem.jobs) write_job(json, problem, job);
  json.end_array();
  if (problem.eur_per_tonne > 0) json.key("eurPerTonne").raw(shortest(problem.eur_per_tonne));
  json.end_object();
  return json.take();
}

}  // namespace valle::service::api
