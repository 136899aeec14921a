// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <ostream>
#include <vector>

#include "connectors/files/files.hpp"
#include "service/cli/command.hpp"
#include "service/cli/source_ingest.hpp"
#include "service/store/intensity_repository.hpp"
#include "service/store/migrator.hpp"

namespace valle::service::cli {

using namespace scheduler;

namespace {

void print_counts(std::ostream& out, std::string_view what, const store::RowCounts& counts) {
  const std::size_t all = counts.added + counts.revised + counts.unchanged + counts.outdated;
  if (all == 0) return;
  out << "  " << what << ": " << counts.added << " new";
  if (counts.revised > 0) out << ", " << counts.revised << " revised";
  if (counts.unchanged > 0) out << ", " << counts.unchanged << " unchanged";
  if (counts.outdated > 0) out << ", " << counts.outdated << " older than what is known";
  out << '\n';
}

}  // namespace

void print_ingested(std::ostream& out, const Zone& zone, const store::StoreReport& report) {
  out << zone.name() << '\n';
  print_counts(out, "measured", report.measured);
  print_counts(out, "forecast", report.forecast);
  print_counts(out, "prices", report.prices);
  print_counts(out, "forecasts of the grid", report.grid_forecasts);
  for (const auto& [reason, count] : report.rejected) out << "  refused, " << to_text(reason) << ": " << count << '\n';
}

void add_ingest(CLI::App& app, Action& chosen) {
  struct Flags {
    std::vector<std::string> files;
    std::string source;
    std::string config;
    std::string database;
  };
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand(
      "ingest",
      "store intensity and price files, or what a source says now, in a database\n\n"
      "  valle ingest --intensity FR.csv ES.csv --database valle.db\n"
      "  valle ingest --source energy-charts --config valle.yaml --database valle.db\n\n"
      "The zone is the file's name before the first dot. Columns: datetime_utc, or datetime with an offset;\n"
      "gco2_kwh_lifecycle, gco2_kwh or carbon_intensity; gco2_kwh_direct; end, price_eur_mwh, estimated.\n"
      "Downloads of Electricity Maps and Carbon Aware SDK JSON are read as they are. Reading a file twice changes\n"
      "nothing; empty, zero and implausible values are counted and left out. A source is asked once for what the\n"
      "service would ask it now: the last day of measured values, or ten days after a pause, forecasts and prices.");
  auto* files =
      command->add_option("--intensity", flags->files, "files, or folders with *.csv and *.json")->expected(1, 1000);
  auto* source = command->add_option("--source", flags->source, "the kind of a source in the configuration");
  command->add_option("--config", flags->config, "the configuration file with this source")->needs(source);
  files->excludes(source);
  command->add_option("--database", flags->database, "the SQLite file; made if it does not exist")->required();
  command->callback([&chosen, flags] {
    chosen = [flags](const Surroundings& surroundings) {
      if (!flags->source.empty()) {
        return ingest_from_source({flags->source, flags->config, flags->database}, surroundings);
      }
      if (flags->files.empty()) {
        throw CommandFailed{
            {Errc::invalid_request, "give --intensity with files, or --source with --config", "ingest"}};
      }
      const Instant now = surroundings.clock.now();
      const std::vector<std::filesystem::path> paths{flags->files.begin(), flags->files.end()};
      const auto zones = must(connectors::read_intensity_files(paths, now));
      auto database = must(store::open_store(flags->database));
      store::IntensityRepository repository{*database};
      for (const connectors::ZoneFiles& zone : zones) {
        print_ingested(surroundings.out, zone.zone,
                       must(repository.store(std::string{connectors::k_files_source}, zone.zone, zone.harvest, now)));
      }
      return Exit::done;
    };
  });
}

}  // namespace valle::service::cli
