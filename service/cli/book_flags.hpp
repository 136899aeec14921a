// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "service/app/intensity_book.hpp"
#include "service/cli/command.hpp"

namespace CLI {
class App;
}

namespace valle::service::cli {

/// Where a command takes its intensity from: `--intensity`, `--database`, both, or neither (the bundled sample).
struct BookFlags {
  std::vector<std::string> intensity;
  std::string database;

  void add_to(CLI::App& command);
  [[nodiscard]] bool given() const { return !intensity.empty() || !database.empty(); }
};

/// The book of what the flags name. Files are ranked before the database's other sources. Ends the command if a file or
/// the database can't be read.
[[nodiscard]] std::shared_ptr<const app::IntensityBook> open_book(const BookFlags& flags, scheduler::Instant now);

}  // namespace valle::service::cli
