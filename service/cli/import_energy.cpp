// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>
#include <utility>

#include "connectors/energy_files/any_file.hpp"
#include "service/app/energy_import.hpp"
#include "service/app/places.hpp"
#include "service/cli/command.hpp"
#include "service/runtime/config.hpp"
#include "service/store/intensity_repository.hpp"
#include "service/store/migrator.hpp"
#include "service/store/run_repository.hpp"

namespace valle::service::cli {

using namespace scheduler;
namespace energy = connectors::energy;

namespace {

/// So many runs are matched and written together.
constexpr std::size_t k_batch = 10'000;
/// So many lines about what found no place are shown; the others are counted.
constexpr std::size_t k_shown = 20;

struct Flags {
  std::vector<std::string> files;
  std::string job;
  std::string site;
  std::string time_zone = "UTC";
  std::string window;
  std::string config;
  std::string database = "valle.db";
};

/// Stores runs in batches and tells of those that find no place.
class Import {
 public:
  Import(store::Database& database, app::EnergyImportRules rules, const Surroundings& surroundings)
      : ledger_{database}, import_{ledger_, std::move(rules)}, surroundings_{surroundings} {}

  void take(energy::ToolRun run) {
    waiting_.push_back(std::move(run));
    if (waiting_.size() == k_batch) store();
  }

  void store() {
    const auto done = must(import_.take(std::exchange(waiting_, {})));
    attached_ += done.attached;
    added_ += done.added;
    unchanged_ += done.unchanged;
    for (const auto& each : done.left) tell(each.name + ": " + each.reason);
  }

  void tell(const std::string& refusal) {
    if (++refused_ <= k_shown) surroundings_.err << "valle: " << refusal << '\n';
  }

  Exit finish() {
    if (refused_ > k_shown) surroundings_.err << "valle: and " << refused_ - k_shown << " more\n";
    surroundings_.out << attached_ << " runs put to jobs of the ledger, " << added_ << " stored as runs of their own, "
                      << unchanged_ << " known, " << refused_ << " left out\n";
    return refused_ == 0 ? Exit::done : Exit::wrong_input;
  }

 private:
  store::RunRepository ledger_;
  app::EnergyImport import_;
  const Surroundings& surroundings_;
  std::vector<energy::ToolRun> waiting_;
  std::size_t attached_ = 0;
  std::size_t added_ = 0;
  std::size_t unchanged_ = 0;
  std::size_t refused_ = 0;
};

Exit import_files(const Flags& flags, const Surroundings& surroundings) {
  auto clock = energy::LocalClock::make(flags.time_zone);
  if (!clock) clock.error().pointer = "--time-zone";
  const energy::CodeCarbonOptions options{.clock = must(std::move(clock))};
  runtime::ConfigSources sources;
  if (!flags.config.empty()) sources.file = flags.config;
  sources.environment = {surroundings.environment.begin(), surroundings.environment.end()};
  sources.flags["database"] = flags.database;
  const runtime::Config config = must(runtime::load_config(sources));
  const auto database = must(store::open_store(config.database));
  app::EnergyImportRules rules{.job = flags.job, .site = flags.site};
  if (!flags.site.empty()) {
    const auto book = must(app::IntensityBook::load(store::IntensityRepository{*database}, config.source_order()));
    rules.sites = app::Places{config}.sites(*book);
    const bool known = std::any_of(rules.sites.begin(), rules.sites.end(),
                                   [&flags](const auto& site) { return site.name == flags.site; });
    if (!known) throw CommandFailed{{Errc::unknown_site, "there is no site " + flags.site, "--site"}};
  }
  Import import{*database, std::move(rules), surroundings};
  for (const auto& file : flags.files) {
    const auto summary = must(energy::read_energy_file(
        file, options, flags.window, [&import](energy::ToolRun run) { import.take(std::move(run)); }));
    import.store();
    for (const auto& each : summary.first_refused) {
      import.tell(file + ":" + std::to_string(each.line) + ": " + each.reason);
    }
  }
  return import.finish();
}

}  // namespace

void add_import_energy(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand(
      "import-energy",
      "put energy that other tools have measured to the ledger's jobs\n\n"
      "  valle import-energy emissions.csv --time-zone Europe/Madrid --database valle.db\n"
      "  valle import-energy measurement.json --job lab/train-7 --database valle.db\n"
      "CodeCarbon's emissions.csv, CarbonTracker's …_output.log, Zeus' CSV and Measurement JSON, told by their "
      "content.\n"
      "A run belongs to the job that its project_name or run_id names, by id or NAMESPACE/NAME, and that ran then; "
      "with\n"
      "--site one that matches no job becomes a run of its own. Their carbon is never taken, their PUE is divided "
      "out;\n"
      "predictions and rows that contradict themselves are left out and named. Reading a file twice changes nothing.");
  command->add_option("FILE", flags->files, "files")->required()->expected(1, 1000);
  command->add_option("--job", flags->job, "the job that all of it belongs to, by id or NAMESPACE/NAME");
  command->add_option("--site", flags->site, "where runs ran that match no job");
  command->add_option("--time-zone", flags->time_zone, "of the clock by which the tool wrote its times")
      ->capture_default_str();
  command->add_option("--window", flags->window, "of Zeus' windows only those of this name");
  command->add_option("--config", flags->config, "the configuration with the sites");
  command->add_option("--database", flags->database, "the SQLite file")->capture_default_str();
  command->callback([&chosen, flags] {
    chosen = [flags](const Surroundings& surroundings) { return import_files(*flags, surroundings); };
  });
}

}  // namespace valle::service::cli
