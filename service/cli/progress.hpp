// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "service/cli/cli.hpp"

namespace valle::service::cli {

/// A progress bar on a terminal for work that takes over a second; silent in a pipe. One thread.
class Progress final {
 public:
  explicit Progress(const Surroundings& surroundings);
  /// Clears the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `share` of `what` is done, 0…1.
  void show(const std::string& what, double share);

 private:
  const Surroundings& surroundings_;
  std::chrono::sys_seconds began_;
  bool shown_ = false;
};

}  // namespace valle::service::cli
