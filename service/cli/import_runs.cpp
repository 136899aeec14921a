// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>

#include "service/app/places.hpp"
#include "service/app/run_table_file.hpp"
#include "service/cli/command.hpp"
#include "service/cli/input_file.hpp"
#include "service/cli/ledger_flags.hpp"
#include "service/cli/progress.hpp"
#include "service/store/migrator.hpp"
#include "service/store/run_repository.hpp"

namespace valle::service::cli {

using namespace scheduler;

namespace {

constexpr std::size_t k_batch = 10'000;
/// So many refused lines are shown; the others are counted.
constexpr std::size_t k_shown = 20;

/// Stores runs in batches and tells of what is not taken.
class Import {
 public:
  Import(store::Database& database, const std::string& file, const Surroundings& surroundings)
      : ledger_{database}, file_{file}, surroundings_{surroundings} {}

  void take(std::size_t line, Run run) {
    runs_.push_back(std::move(run));
    lines_.push_back(line);
    if (runs_.size() == k_batch) store();
  }

  void refuse(const app::RefusedLine& refused) {
    if (++refused_ <= k_shown) {
      surroundings_.err << "valle: " << file_ << ':' << refused.line << ": " << refused.why << '\n';
    }
  }

  void store() {
    const auto posted = must(ledger_.post(runs_, store::OnConflict::leave_out));
    added_ += posted.added;
    unchanged_ += posted.unchanged;
    for (const std::size_t index : posted.conflicts) {
      refuse({lines_[index], "a run " + runs_[index].id + " is there already, with another content"});
    }
    runs_.clear();
    lines_.clear();
  }

  Exit finish() {
    store();
    if (refused_ > k_shown) surroundings_.err << "valle: and " << refused_ - k_shown << " more\n";
    surroundings_.out << file_ << ": " << added_ << " runs stored, " << unchanged_ << " known, " << refused_
                      << " lines refused\n";
    return refused_ == 0 ? Exit::done : Exit::wrong_input;
  }

 private:
  store::RunRepository ledger_;
  const std::string& file_;
  const Surroundings& surroundings_;
  std::vector<Run> runs_;
  std::vector<std::size_t> lines_;
  std::size_t added_ = 0, unchanged_ = 0, refused_ = 0;
};

}  // namespace

void add_import_runs(CLI::App& app, Action& chosen) {
  struct Flags {
    std::string file;
    LedgerFlags ledger;
  };
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand(
      "import-runs",
      "put finished runs from elsewhere into the ledger, for the weekly report\n\n"
      "  valle import-runs runs.csv --database valle.db\n"
      "Columns by name: id, submitted_at, started_at, finished_at, site; optional home_site, owner, energy_kwh,\n"
      "uncertainty_kwh, start_by, label, gpus, outcome. Times need an offset. Lines that can't be read are named and\n"
      "left out, the others are stored; a run that is there already with the same content is left as it is.");
  command->add_option("FILE", flags->file, "a CSV file")->required();
  flags->ledger.add_to(*command);
  command->callback([&chosen, flags] {
    chosen = [flags](const Surroundings& surroundings) {
      std::ifstream text = open_input(flags->file);
      std::error_code ignored;
      const auto size =
          static_cast<double>(std::max<std::uintmax_t>(1, std::filesystem::file_size(flags->file, ignored)));
      const runtime::Config config = ledger_config(flags->ledger, surroundings);
      const auto database = must(store::open_store(config.database));
      const auto book = must(app::IntensityBook::load(store::IntensityRepository{*database}, config.source_order()));
      const auto sites = app::Places{config}.sites(*book);
      Progress progress{surroundings};
      Import import{*database, flags->file, surroundings};
      auto read = app::RunTable::read(
          text, sites, surroundings.clock.now(),
          [&](std::size_t line, Run run) {
            import.take(line, std::move(run));
            if (line % 1000 == 0) progress.show("importing", static_cast<double>(text.tellg()) / size);
          },
          [&](const app::RefusedLine& refused) { import.refuse(refused); });
      if (!read) read.error().pointer = flags->file + (read.error().pointer.empty() ? "" : ":" + read.error().pointer);
      must(std::move(read));
      return import.finish();
    };
  });
}

}  // namespace valle::service::cli
