// SPDX-License-Identifier: Apache-2.0
// valle migrate, valle backup: care of the database file.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "service/cli/command.hpp"
#include "service/store/migrator.hpp"

namespace valle::service::cli {

using namespace scheduler;

void add_migrate(CLI::App& app, Action& chosen) {
  auto file = std::make_shared<std::string>("valle.db");
  auto* command = app.add_subcommand(
      "migrate",
      "bring a database to this program's schema, or make a new one; a copy is left beside it first\n"
      "(valle serve does the same when it starts)");
  command->add_option("--database", *file, "the SQLite file")->capture_default_str();
  command->callback([&chosen, file] {
    chosen = [file](const Surroundings& surroundings) {
      auto database = must(store::Database::open(*file, store::Access::write));
      const store::MigrationReport report = must(store::migrate(*database));
      if (report.backup) surroundings.out << "backup: " << report.backup->string() << '\n';
      surroundings.out << *file << ": schema " << report.to
                       << (report.from == report.to ? ", nothing to do" : ", was " + std::to_string(report.from))
                       << '\n';
      return Exit::done;
    };
  });
}

void add_backup(CLI::App& app, Action& chosen) {
  struct Flags {
    std::string database = "valle.db";
    std::string to;
  };
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand(
      "backup", "write a compact, consistent copy of a database, also while valle serve works with it");
  command->add_option("FILE", flags->to, "the copy; must not exist yet")->required();
  command->add_option("--database", flags->database, "the SQLite file")->capture_default_str();
  command->callback([&chosen, flags] {
    chosen = [flags](const Surroundings& surroundings) {
      auto database = must(store::Database::open(flags->database, store::Access::read));
      must(database->backup_to(flags->to));
      surroundings.out << flags->to << ": complete\n";
      return Exit::done;
    };
  });
}

}  // namespace valle::service::cli
