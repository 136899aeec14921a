// SPDX-License-Identifier: Apache-2.0
#include "service/cli/cli.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <ostream>

#include "service/cli/command.hpp"

namespace valle::service::cli {

using namespace scheduler;

namespace {

constexpr auto k_description =
    "valle plans batch jobs that may wait into the hours and regions with the cleanest electricity.\n"
    "\n"
    "  valle serve                                          the service: REST on http://127.0.0.1:8080\n"
    "  valle best-slot --duration 6h --max-wait 24h         when and where should this job run?\n"
    "  valle plan --problem problem.json                    many jobs together, under capacity\n"
    "  valle backtest --trace jobs.csv --intensity DIR --start T\n"
    "                                                       what would valle have saved on this trace?\n"
    "  valle explain NAMESPACE/NAME --server URL            why does this Kubernetes job wait?\n"
    "  valle report --week 2026-W48 --format html           what was saved in a week?\n"
    "  valle forecast --zone FR --intensity DIR             the coming hours, from the zone's own past\n"
    "\n"
    "Every command explains itself: valle COMMAND --help.\n"
    "Times are RFC 3339 with an offset (2026-11-30T22:00:00Z), durations 6h30m, PT6H30M or seconds.\n"
    "Exit codes: 0 done, 1 the answer is no, 2 wrong usage or input, 3 the world failed.";

/// The world's failures are told apart from the user's, and both from an answer that is "no".
Exit exit_of(Errc code) {
  switch (code) {
    case Errc::window_too_short:
    case Errc::infeasible:
    case Errc::no_intensity_data: return Exit::answer_is_no;
    case Errc::source_unavailable:
    case Errc::not_leader:
    case Errc::deadline_exceeded:
    case Errc::rate_limited:
    case Errc::storage_failed: return Exit::world_failed;
    case Errc::invalid_request:
    case Errc::unknown_field:
    case Errc::unknown_zone:
    case Errc::unknown_site:
    case Errc::too_large:
    case Errc::unauthorized:
    case Errc::forbidden:
    case Errc::not_found:
    case Errc::method_not_allowed:
    case Errc::conflict: return Exit::wrong_input;
  }
  return Exit::world_failed;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void print_error(std::ostream& err, const Error& error) {
  err << "valle: " << (error.pointer.empty() ? "" : error.pointer + ": ") << one_line(error.detail) << '\n';
}

/// In the list of commands each has one line; its own help ends with the examples.
void keep_first_line(CLI::App& command) {
  const std::string description = command.get_description();
  const auto end = std::min(description.find('\n'), description.size());
  command.description(description.substr(0, end));
  command.footer(description.substr(std::min(description.find_first_not_of('\n', end), description.size())));
}

int run(CLI::App& app, Action& chosen, std::vector<std::string> arguments, const Surroundings& surroundings) {
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    const auto chosen_commands = app.get_subcommands();
    surroundings.out << (chosen_commands.empty() ? app.help() : chosen_commands.front()->help("valle"));
    return static_cast<int>(Exit::done);
  } catch (const CLI::ParseError& wrong) {
    const auto chosen_commands = app.get_subcommands();
    const std::string place = chosen_commands.empty() ? "" : chosen_commands.front()->get_name() + ": ";
    surroundings.err << "valle: " << place << one_line(wrong.what()) << " (see valle "
                     << (chosen_commands.empty() ? "" : chosen_commands.front()->get_name() + " ") << "--help)\n";
    return static_cast<int>(Exit::wrong_input);
  }
  if (!chosen) {
    surroundings.out << app.help();
    return static_cast<int>(Exit::wrong_input);
  }
  try {
    return static_cast<int>(chosen(surroundings));
  } catch (const CommandFailed& failed) {
    print_error(surroundings.err, failed.error());
    return static_cast<int>(exit_of(failed.error().code));
  }
}

}  // namespace

Instant instant_flag(std::string_view flag, const std::string& text) {
  auto instant = parse_instant(text);
  if (!instant) instant.error().pointer = flag;
  return must(std::move(instant));
}

Duration duration_flag(std::string_view flag, const std::string& text) {
  auto duration = parse_duration(text);
  if (!duration) duration.error().pointer = flag;
  return must(std::move(duration));
}

int run_cli(const std::vector<std::string>& arguments, const Surroundings& surroundings) {
  CLI::App app{k_description, "valle"};
  app.require_subcommand(0, 1);
  app.set_help_flag("-h,--help", "show this text");
  app.get_formatter()->column_width(34);
  Action chosen;
  add_serve(app, chosen);
  add_best_slot(app, chosen);
  add_plan(app, chosen);
  add_check(app, chosen);
  add_ingest(app, chosen);
  add_import_energy(app, chosen);
  add_backtest(app, chosen);
  add_forecast(app, chosen);
  add_report(app, chosen);
  add_import_runs(app, chosen);
  add_explain(app, chosen);
  add_release(app, chosen);
  add_measure(app, chosen);
  add_calibrate(app, chosen);
  add_estimate(app, chosen);
  add_share_idle(app, chosen);
  add_migrate(app, chosen);
  add_backup(app, chosen);
  add_check_config(app, chosen);
  add_version(app, chosen);
  for (CLI::App* command : app.get_subcommands({})) keep_first_line(*command);
  try {
    return run(app, chosen, arguments, surroundings);
  } catch (const std::exception& broken) {
    surroundings.err << "valle: " << one_line(broken.what()) << '\n';
    return static_cast<int>(Exit::world_failed);
  }
}

}  // namespace valle::service::cli
