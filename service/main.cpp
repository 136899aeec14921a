// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "service/cli/cli.hpp"
#include "service/runtime/clock.hpp"

int main(int argc, char** argv) {
  // A write beyond the largest file that is allowed (ulimit -f) fails like one on a full disk, instead of killing us.
  std::signal(SIGXFSZ, SIG_IGN);
  std::map<std::string, std::string> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text{*variable};
    if (const auto sign = text.find('='); sign != std::string::npos) {
      environment[text.substr(0, sign)] = text.substr(sign + 1);
    }
  }
  const valle::service::runtime::SystemClock clock;
  return valle::service::cli::run_cli({argv + 1, argv + argc}, {.out = std::cout,
                                                                .err = std::cerr,
                                                                .terminal = isatty(STDERR_FILENO) != 0,
                                                                .clock = clock,
                                                                .environment = std::move(environment)});
}
