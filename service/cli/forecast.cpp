// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>

#include "scheduler/forecast/evaluation.hpp"
#include "service/api/own_forecast_codec.hpp"
#include "service/app/own_history.hpp"
#include "service/cli/book_flags.hpp"
#include "service/cli/command.hpp"
#include "service/cli/progress.hpp"
#include "service/cli/table.hpp"

namespace valle::service::cli {

using namespace scheduler;
using forecast::Forecaster;
using forecast::Knowledge;

namespace {

constexpr Duration k_hour{3600};
constexpr std::int64_t k_most_issues = 1'000'000;

struct Flags {
  std::string zone;
  std::string issued_at;
  std::string horizon = "48h";
  std::string from;
  std::string to;
  std::string every = "3h";
  bool evaluate = false;
  bool replay = false;
  bool json = false;
  BookFlags book;
};

/// The command's flags, read and found to go together.
struct Asked {
  Zone zone;
  Duration horizon;
  Duration every;
  std::optional<Instant> issued_at;
  Interval window{};
};

[[noreturn]] void fail(std::string flag, std::string what) {
  throw CommandFailed{{.code = Errc::invalid_request, .detail = std::move(what), .pointer = std::move(flag)}};
}

Asked read(const Flags& flags) {
  auto zone = Zone::make(flags.zone);
  if (!zone) zone.error().pointer = "--zone";
  Asked asked{.zone = must(std::move(zone)),
              .horizon = duration_flag("--horizon", flags.horizon),
              .every = duration_flag("--every", flags.every),
              .issued_at = {}};
  if (asked.horizon <= Duration{0} || asked.horizon > k_hour * forecast::k_longest_horizon) {
    fail("--horizon", "must be more than 0 and at most 168h");
  }
  const bool over_time = flags.evaluate || flags.replay;
  if (flags.evaluate && flags.replay) fail("--evaluate", "goes without --replay");
  if (over_time && !flags.issued_at.empty()) fail("--issued-at", "goes without --evaluate and --replay");
  if (over_time && (flags.from.empty() || flags.to.empty()))
    fail("--from", "--evaluate and --replay need --from and --to");
  if (!over_time && (!flags.from.empty() || !flags.to.empty())) fail("--from", "goes with --evaluate or --replay");
  if (!flags.issued_at.empty()) asked.issued_at = instant_flag("--issued-at", flags.issued_at);
  if (!over_time) return asked;
  asked.window = {instant_flag("--from", flags.from), instant_flag("--to", flags.to)};
  if (asked.window.empty()) fail("--to", "must be later than --from");
  if (asked.every <= Duration{0}) fail("--every", "must be more than 0");
  if (asked.window.length() / asked.every >= k_most_issues) fail("--every", "more than 1,000,000 forecasts");
  return asked;
}

forecast::Hour hours_of(Duration horizon) { return (horizon + k_hour - Duration{1}) / k_hour; }

void print_for_people(std::ostream& out, const api::OwnForecastAnswer& answer) {
  out << answer.history.hours.zone << ", issued " << format_instant(answer.issued_at) << ", grade "
      << api::own_grade_text(answer.history, answer.forecast) << ": " << answer.forecast.reason << "\n\n";
  Table table{{"hour", "g/kWh", "low", "high"}, {"<", ">", ">", ">"}};
  for (std::size_t hour = 0; hour < answer.forecast.hours.size(); ++hour) {
    const auto& value = answer.forecast.hours[hour];
    table.row({format_instant(answer.forecast.begin + std::chrono::hours{hour}), fixed(value.mean, 1),
               fixed(value.low, 1), fixed(value.high, 1)});
  }
  out << table.text() << "\nEight of ten values are expected between low and high.\n";
}

Exit one(const Asked& asked, bool json, const app::OwnHistory& history, const Surroundings& surroundings) {
  Forecaster forecaster{history.hours};
  const Instant issued_at = asked.issued_at.value_or(surroundings.clock.now());
  const Knowledge knowledge = asked.issued_at ? Knowledge::replayed : Knowledge::arrived;
  const auto forecast = must(forecaster.forecast(issued_at, knowledge, hours_of(asked.horizon)));
  const api::OwnForecastAnswer answer{history, issued_at, asked.horizon, forecast};
  if (json) {
    surroundings.out << api::own_forecast_json(answer) << '\n';
  } else {
    print_for_people(surroundings.out, answer);
  }
  return Exit::done;
}

Exit replay(const Asked& asked, const app::OwnHistory& history, const Surroundings& surroundings) {
  Forecaster forecaster{history.hours};
  Progress progress{surroundings};
  for (Instant at = asked.window.begin; at < asked.window.end; at += asked.every) {
    const auto forecast = must(forecaster.forecast(at, Knowledge::replayed, hours_of(asked.horizon)));
    surroundings.out << api::own_forecast_json({history, at, asked.horizon, forecast}) << '\n';
    progress.show("replay", static_cast<double>((at - asked.window.begin).count()) /
                                static_cast<double>(asked.window.length().count()));
  }
  return Exit::done;
}

void print_for_people(std::ostream& out, const Asked& asked, const forecast::Evaluation& evaluation) {
  out << asked.zone.name() << ", " << format_instant(asked.window.begin) << " to " << format_instant(asked.window.end)
      << ", " << evaluation.issues
      << " issues\n\nShare of the clairvoyant saving in %: decided once / asked each hour / with leave to\npause, "
         "asked each hour\n";
  std::vector<std::string> jobs{"method"};
  std::vector<std::string> horizons{"method"};
  for (const auto& share : evaluation.methods.front().shares) {
    jobs.push_back(std::to_string(share.length) + "h, " + std::to_string(share.slack) + "h slack");
  }
  for (const auto& error : evaluation.methods.front().errors) {
    horizons.push_back(std::to_string(error.from) + "-" + std::to_string(error.to) + " h");
  }
  const std::vector<std::string> align{"<", ">", ">", ">", ">", ">", ">"};
  Table shares{jobs, align};
  Table errors{horizons, align};
  for (const auto& method : evaluation.methods) {
    std::vector<std::string> share_cells{method.method};
    std::vector<std::string> error_cells{method.method};
    for (const auto& share : method.shares) {
      share_cells.push_back(fixed(share.once, 1) + " / " + fixed(share.replanned, 1) + " / " +
                            fixed(share.interruptible, 1));
    }
    for (const auto& error : method.errors) {
      error_cells.push_back(fixed(error.absolute, 1) + " (" + fixed(error.percent, 1) + ")");
    }
    shares.row(share_cells);
    errors.row(error_cells);
  }
  out << shares.text() << "\nMean error in g/kWh (and in %) by hours ahead\n"
      << errors.text() << "\n"
      << fixed(evaluation.inside_band_percent, 1)
      << " % of the measured values lie between low and high (80 is right).\n";
}

Exit evaluate(const Asked& asked, bool json, const app::OwnHistory& history, const Surroundings& surroundings) {
  Forecaster forecaster{history.hours};
  forecast::Evaluation evaluation;
  {
    Progress progress{surroundings};
    evaluation =
        forecast::evaluate(forecaster, asked.window, [&progress](double share) { progress.show("evaluate", share); });
  }
  if (evaluation.methods.empty()) {
    throw CommandFailed{{.code = Errc::no_intensity_data,
                         .detail = "no hour of " + asked.zone.name() + " is known between --from and --to"}};
  }
  if (json) {
    surroundings.out << api::evaluation_json(asked.zone.name(), asked.window, evaluation) << '\n';
  } else {
    print_for_people(surroundings.out, asked, evaluation);
  }
  return Exit::done;
}

Exit run(const Flags& flags, const Surroundings& surroundings) {
  const Asked asked = read(flags);
  const auto book = open_book(flags.book, surroundings.clock.now());
  const app::OwnHistory history = must(app::own_history(*book, asked.zone));
  if (flags.evaluate) return evaluate(asked, flags.json, history, surroundings);
  if (flags.replay) return replay(asked, history, surroundings);
  return one(asked, flags.json, history, surroundings);
}

}  // namespace

void add_forecast(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand(
      "forecast",
      "the coming hours of a zone, from its own past and day-ahead prices\n\n"
      "  valle forecast --zone FR --intensity intensity/\n"
      "  valle forecast --zone FR --intensity intensity/ --issued-at 2022-06-01T12:00:00Z --horizon 48h --json\n"
      "  valle forecast --zone FR --intensity intensity/ --replay --from 2022-06-01T00:00:00Z --to "
      "2022-06-08T00:00:00Z\n"
      "  valle forecast --zone FR --intensity intensity/ --evaluate --from 2022-01-01T00:00:00Z --to "
      "2023-01-01T00:00:00Z\n\n"
      "With --issued-at, --replay and --evaluate a forecast uses what was known then: an hour's intensity one hour "
      "after\n"
      "its end, a day's prices from 13:00 Europe/Paris of the day before.");
  command->add_option("--zone", flags->zone, "the zone")->required();
  command->add_option("--issued-at", flags->issued_at,
                      "forecast as of this instant (default: now, with all that is there)");
  command->add_option("--horizon", flags->horizon, "how far, at most 168h")->capture_default_str();
  flags->book.add_to(*command);
  command->add_flag("--evaluate", flags->evaluate, "how good were forecasts from --from to --to, beside simple ones?");
  command->add_flag("--replay", flags->replay, "one JSON object a line for each issue from --from to --to");
  command->add_option("--from", flags->from, "the first issue");
  command->add_option("--to", flags->to, "issues end before this instant");
  command->add_option("--every", flags->every, "the time between two issues of --replay")->capture_default_str();
  command->add_flag("--json", flags->json, "print JSON");
  command->callback(
      [&chosen, flags] { chosen = [flags](const Surroundings& surroundings) { return run(*flags, surroundings); }; });
}

}  // namespace valle::service::cli
