// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace valle::service::runtime {

/// SIGINT and SIGTERM as something to wait for. Create the one instance in main before any other thread starts: threads
/// inherit that they don't take these signals. A second signal ends the process at once with 128 + its number. SIGPIPE
/// is ignored.
class Shutdown final {
 public:
  Shutdown();
  ~Shutdown();
  Shutdown(const Shutdown&) = delete;
  Shutdown& operator=(const Shutdown&) = delete;

  /// Blocks until a signal or request(); returns the signal's number, 0 for request().
  int wait();
  /// Asks for the end from inside, e.g. when a listener fails. From any thread.
  void request();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The steps of a clean end, run in the order given, each logged with its time; an exception in one does not keep the
/// next from running.
struct StopStep {
  std::string name;
  std::function<void()> run;
};
void run_stop_steps(const std::vector<StopStep>& steps);

}  // namespace valle::service::runtime
