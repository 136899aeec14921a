// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/error.hpp"
#include "scheduler/units/time.hpp"
#include "service/cli/cli.hpp"

namespace CLI {
class App;
}

namespace valle::service::cli {

/// What a command does once its flags are read.
using Action = std::function<Exit(const Surroundings&)>;

/// Ends a command with an error; `run_cli` prints it as one line and turns the code into an exit code.
class CommandFailed final {
 public:
  explicit CommandFailed(scheduler::Error error) : error_{std::move(error)} {}
  [[nodiscard]] const scheduler::Error& error() const { return error_; }

 private:
  scheduler::Error error_;
};

/// The value, or the end of the command with its error.
template <class T>
T must(scheduler::Result<T> result) {
  if (!result) throw CommandFailed{std::move(result).error()};
  return *std::move(result);
}
inline void must(scheduler::Result<void> result) {
  if (!result) throw CommandFailed{std::move(result).error()};
}

/// The value of a flag, or the end of the command with the flag's name in front of the error.
[[nodiscard]] scheduler::Instant instant_flag(std::string_view flag, const std::string& text);
[[nodiscard]] scheduler::Duration duration_flag(std::string_view flag, const std::string& text);

/// Each adds one subcommand to `app` and returns what it does; the flags' storage lives in the action.
void add_serve(CLI::App& app, Action& chosen);
void add_best_slot(CLI::App& app, Action& chosen);
void add_plan(CLI::App& app, Action& chosen);
void add_check(CLI::App& app, Action& chosen);
void add_ingest(CLI::App& app, Action& chosen);
void add_import_energy(CLI::App& app, Action& chosen);
void add_backtest(CLI::App& app, Action& chosen);
void add_forecast(CLI::App& app, Action& chosen);
void add_report(CLI::App& app, Action& chosen);
void add_import_runs(CLI::App& app, Action& chosen);
void add_explain(CLI::App& app, Action& chosen);
void add_release(CLI::App& app, Action& chosen);
void add_measure(CLI::App& app, Action& chosen);
void add_calibrate(CLI::App& app, Action& chosen);
void add_estimate(CLI::App& app, Action& chosen);
void add_share_idle(CLI::App& app, Action& chosen);
void add_migrate(CLI::App& app, Action& chosen);
void add_backup(CLI::App& app, Action& chosen);
void add_check_config(CLI::App& app, Action& chosen);
void add_version(CLI::App& app, Action& chosen);

}  // namespace valle::service::cli
