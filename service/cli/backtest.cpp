// SPDX-License-Identifier: Apache-2.0
#include "service/app/backtest.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "connectors/traces/trace.hpp"
#include "service/app/backtest_forecast.hpp"
#include "service/app/trace_problem.hpp"
#include "service/cli/book_flags.hpp"
#include "service/cli/command.hpp"
#include "service/cli/progress.hpp"
#include "service/cli/solver_flags.hpp"
#include "service/cli/table.hpp"
#include "service/runtime/executors.hpp"
#include "service/store/migrator.hpp"

namespace valle::service::cli {

using namespace scheduler;

namespace {

struct Flags {
  std::string trace;
  BookFlags book;
  std::string start;
  std::vector<std::string> zones{"FR", "ES", "DE"};
  std::string home;
  std::string slack = "24h";
  std::string slot = "1h";
  std::string horizon = "7d";
  std::vector<std::string> capacity;
  double power_watts = 0;
  std::vector<std::string> policies{"run-now", "greedy", "plan", "clairvoyant"};
  std::string forecast = "perfect";
  SolverFlags solver{.effort = "quick"};
  bool json = false;
};

std::map<std::string, Amount> capacity_of(const std::vector<std::string>& texts) {
  std::map<std::string, Amount> capacity;
  for (const std::string& text : texts) {
    const std::size_t sign = text.find('=');
    const auto amount = connectors::parse_quantity(sign == std::string::npos ? "" : text.substr(sign + 1));
    if (sign == 0 || !amount || !capacity.insert({text.substr(0, sign), *amount}).second) {
      must(Result<void>{refuse(Errc::invalid_request,
                               "'" + text + "' is not a limit such as gpu=64, each resource once", "--capacity")});
    }
  }
  return capacity;
}

Zone zone_flag(std::string_view flag, const std::string& text) {
  auto zone = Zone::make(text);
  if (!zone) zone.error().pointer = flag;
  return must(std::move(zone));
}

app::TraceSetting setting_of(const Flags& flags, const connectors::Trace& trace, Instant now) {
  std::vector<Zone> zones;
  for (const std::string& text : flags.zones) {
    const Zone zone = zone_flag("--zones", text);
    if (std::find(zones.begin(), zones.end(), zone) != zones.end()) {
      must(Result<void>{refuse(Errc::invalid_request, zone.name() + " comes twice", "--zones")});
    }
    zones.push_back(zone);
  }
  const Zone home = flags.home.empty() ? zones.front() : zone_flag("--home", flags.home);
  if (std::find(zones.begin(), zones.end(), home) == zones.end()) {
    must(Result<void>{refuse(Errc::unknown_zone, home.name() + " is not among --zones", "--home")});
  }
  app::TraceSetting setting{.start = instant_flag("--start", flags.start),
                            .zones = std::move(zones),
                            .home = home,
                            .slot = duration_flag("--slot", flags.slot),
                            .slack = duration_flag("--slack", flags.slack),
                            .capacity = capacity_of(flags.capacity),
                            .power_per_unit = power_from_watts(flags.power_watts),
                            .now = now};
  if (flags.power_watts == 0) {
    const bool gpus =
        std::any_of(trace.jobs.begin(), trace.jobs.end(), [](const auto& j) { return j.gpus > Amount{}; });
    setting.power_per_unit = gpus ? power_from_watts(400) : app::k_power_per_core;
  }
  return setting;
}

app::BacktestOptions options_of(const Flags& flags) {
  using app::Policy;
  app::BacktestOptions options{.policies = {},
                               .foresight = flags.forecast == "perfect" ? app::Foresight::perfect
                                            : flags.forecast == "lag24" ? app::Foresight::lag24
                                                                        : app::Foresight::told,
                               .forecast = {},
                               .horizon = duration_flag("--horizon", flags.horizon),
                               .solve = flags.solver.options()};
  for (const Policy policy : {Policy::run_now, Policy::greedy, Policy::plan, Policy::clairvoyant}) {
    const auto& names = flags.policies;
    if (std::find(names.begin(), names.end(), app::to_text(policy)) != names.end()) options.policies.push_back(policy);
  }
  return options;
}

/// What `--forecast` names, with the database that it reads.
struct Told {
  std::unique_ptr<store::Database> database;
  std::unique_ptr<store::IntensityRepository> repository;
  app::SlotForecast forecast;
};

Told open_told(const Flags& flags, const Problem& problem, const app::IntensityBook& book) {
  Told told;
  if (flags.forecast == "own") told.forecast = must(app::own_slot_forecast(problem, book));
  if (flags.forecast != "provider") return told;
  if (flags.book.database.empty()) {
    must(Result<void>{refuse(Errc::invalid_request,
                             "provider needs --database: that is where forecasts are kept as they were issued",
                             "--forecast")});
  }
  told.database = must(store::open_reader(flags.book.database));
  told.repository = std::make_unique<store::IntensityRepository>(*told.database);
  told.forecast = must(app::provider_slot_forecast(problem, book, *told.repository));
  return told;
}

/// Against run-now if that was asked for; else against nothing.
std::optional<double> saved_percent(const std::vector<app::PolicyOutcome>& outcomes,
                                    const app::PolicyOutcome& outcome) {
  const auto base = std::find_if(outcomes.begin(), outcomes.end(),
                                 [](const auto& one) { return one.policy == app::Policy::run_now; });
  if (base == outcomes.end() || base->plan.emissions == Emissions{}) return std::nullopt;
  return 100.0 * (1.0 - grams(outcome.plan.emissions) / grams(base->plan.emissions));
}

double rounded(double value, double scale) { return std::round(value * scale) / scale; }

nlohmann::ordered_json json_of(const std::vector<app::PolicyOutcome>& outcomes) {
  nlohmann::ordered_json policies = nlohmann::ordered_json::array();
  for (const app::PolicyOutcome& outcome : outcomes) {
    const auto saved = saved_percent(outcomes, outcome);
    nlohmann::ordered_json row{{"policy", app::to_text(outcome.policy)},
                               {"carbonGrams", rounded(grams(outcome.plan.emissions), 1e3)}};
    row["savedPercent"] = saved ? nlohmann::ordered_json(rounded(*saved, 1e4)) : nlohmann::ordered_json(nullptr);
    row["deadlinesMissed"] = outcome.late;
    row["neverPlaced"] = outcome.never_placed;
    row["ranAwayFromHome"] = outcome.moved;
    row["meanWait"] = format_duration(outcome.mean_wait);
    policies.push_back(std::move(row));
  }
  return policies;
}

std::string hours_and_minutes(Duration duration) {
  const auto minutes = duration.count() / 60;
  return std::to_string(minutes / 60) + " h " + (minutes % 60 < 10 ? "0" : "") + std::to_string(minutes % 60);
}

void print_for_people(std::ostream& out, const Flags& flags, const app::TraceSetting& setting,
                      const app::TraceProblem& traced, const std::vector<app::PolicyOutcome>& outcomes) {
  const Problem& problem = traced.problem;
  out << fixed(static_cast<double>(problem.jobs.size()), 0) << " jobs from " << format_instant(problem.start)
      << ", home " << setting.home.name() << ", slack " << format_duration(setting.slack) << ", "
      << watts(setting.power_per_unit) << " W a " << (traced.gpus ? "GPU" : "core")
      << " where the trace says nothing\n";
  for (const std::string& text : flags.capacity) out << "limit at each site: " << text << '\n';
  if (flags.capacity.empty()) out << "no capacity limit (see --capacity)\n";
  for (const std::string& resource : traced.idle_capacity) {
    out << "note: no job of this trace asks for " << resource << ", so its limit never binds\n";
  }
  out << '\n';
  Table table{{"policy", "kg CO2e", "saved", "deadlines missed", "mean wait", "away from home"},
              {"<", ">", ">", ">", ">", ">"}};
  for (const app::PolicyOutcome& outcome : outcomes) {
    const auto saved = saved_percent(outcomes, outcome);
    table.row({std::string{app::to_text(outcome.policy)}, fixed(grams(outcome.plan.emissions) / 1000, 3),
               saved ? fixed(*saved, 2) + " %" : "", fixed(static_cast<double>(outcome.late), 0),
               hours_and_minutes(outcome.mean_wait), fixed(static_cast<double>(outcome.moved), 0)});
  }
  out << table.text()
      << "\nEvery job is run by every policy; late ones as soon as there is room after their deadline.\n"
      << "Each plan was checked slot by slot (valle check) against capacity, windows and carbon.\n";
  for (const app::PolicyOutcome& outcome : outcomes) {
    if (outcome.never_placed > 0) {
      out << "note: " << app::to_text(outcome.policy) << " left " << outcome.never_placed
          << " jobs without room until the data end; their carbon is missing\n";
    }
  }
}

Exit backtest(const Flags& flags, const Surroundings& surroundings) {
  const Instant now = surroundings.clock.now();
  const auto trace = must(connectors::read_trace(flags.trace, instant_flag("--start", flags.start)));
  const app::TraceSetting setting = setting_of(flags, trace, now);
  const auto book = open_book(flags.book, now);
  const app::TraceProblem traced = must(app::problem_of_trace(trace, setting, *book));
  auto options = options_of(flags);
  const auto told = open_told(flags, traced.problem, *book);
  options.forecast = told.forecast;
  runtime::WorkQueue threads{{.name = "solver", .threads = flags.solver.threads}};
  runtime::QueueParallel parallel{threads};
  std::vector<app::PolicyOutcome> outcomes;
  {
    Progress progress{surroundings};
    outcomes = app::run_backtest(traced.problem, options, parallel, [&](app::Policy policy, double share) {
      progress.show(std::string{app::to_text(policy)}, share);
    });
  }
  if (flags.json) {
    surroundings.out
        << nlohmann::ordered_json{{"jobs", traced.problem.jobs.size()}, {"policies", json_of(outcomes)}}.dump(2)
        << '\n';
  } else {
    print_for_people(surroundings.out, flags, setting, traced, outcomes);
  }
  return Exit::done;
}

}  // namespace

void add_backtest(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand(
      "backtest",
      "what would valle have saved on a trace of real jobs, on intensity that was measured?\n\n"
      "  valle backtest --trace jobs.csv --intensity intensity/ --start 2021-06-07T00:00:00Z \\\n"
      "                 --zones FR,ES,DE --home ES --slack 24h --capacity gpu=64\n\n"
      "run-now      at home as soon as there is room: what happens without valle\n"
      "greedy       on arrival, each job takes the cheapest start that still has room\n"
      "plan         valle: each slot, all jobs that have arrived are planned together\n"
      "clairvoyant  one plan that knows every job from the beginning\n\n"
      "A trace is CSV (job_id, arrival_s or submitted_at, duration_s, gpus, cpus; optional power_watts, energy_kwh,\n"
      "finish_by, owner) or the output of kubectl get jobs -A -o json.");
  command->add_option("--trace", flags->trace, "the jobs")->required();
  flags->book.add_to(*command);
  command->add_option("--start", flags->start, "the instant from which arrival_s counts")->required();
  command->add_option("--zones", flags->zones, "a site in each of these zones")->delimiter(',')->capture_default_str();
  command->add_option("--home", flags->home, "where jobs run without valle (default: the first zone)");
  command->add_option("--slack", flags->slack, "how much later than at once a job may end")->capture_default_str();
  command->add_option("--slot", flags->slot, "length of a planning slot")->capture_default_str();
  command->add_option("--horizon", flags->horizon, "how far plan looks ahead")->capture_default_str();
  command->add_option("--capacity", flags->capacity, "limits at each site: gpu=64,cpu=512")->delimiter(',');
  command->add_option("--power-watts", flags->power_watts, "of a GPU (default 400), or of a core without GPUs (10)")
      ->check(CLI::Range(1e-3, 1e6));
  command->add_option("--policy", flags->policies, "which policies to run")
      ->delimiter(',')
      ->check(CLI::IsMember({"run-now", "greedy", "plan", "clairvoyant"}))
      ->capture_default_str();
  command
      ->add_option("--forecast", flags->forecast,
                   "what plan believes about the future: own (valle's, from what was known), provider (as issued, from "
                   "--database), perfect, or lag24 (yesterday)")
      ->check(CLI::IsMember({"own", "provider", "perfect", "lag24"}))
      ->capture_default_str();
  flags->solver.add_to(*command);
  command->add_flag("--json", flags->json, "print JSON");
  command->callback([&chosen, flags] {
    chosen = [flags](const Surroundings& surroundings) { return backtest(*flags, surroundings); };
  });
}

}  // namespace valle::service::cli
