// SPDX-License-Identifier: Apache-2.0
#include "service/cli/book_flags.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>

#include "connectors/files/files.hpp"
#include "connectors/sample/sample.hpp"
#include "service/store/migrator.hpp"

namespace valle::service::cli {

using namespace scheduler;

namespace {

using Book = std::shared_ptr<const app::IntensityBook>;

const std::vector<std::string> k_files_first{std::string{connectors::k_files_source}};

Book with_sample(const Book& book, Instant now) {
  const auto sample = connectors::make_sample_source();
  Book result = book;
  for (const std::string_view name : {"DE", "ES", "FR"}) {
    Harvest all;
    for (const Signal signal : {Signal::measured, Signal::forecast, Signal::price}) {
      SourceAnswer answer = sample->fetch({.zone = Zone::of(name),
                                           .signal = signal,
                                           .wanted = {now - std::chrono::days{7}, now + std::chrono::days{7}},
                                           .now = now});
      all.intensity.insert(all.intensity.end(), answer.harvest.intensity.begin(), answer.harvest.intensity.end());
      all.prices.insert(all.prices.end(), answer.harvest.prices.begin(), answer.harvest.prices.end());
    }
    result = must(result->with(sample->name(), sample->attribution(), all));
  }
  return result;
}

}  // namespace

void BookFlags::add_to(CLI::App& command) {
  command
      .add_option("--intensity", intensity,
                  "files, or folders with *.csv and *.json; the zone is the name before the first dot")
      ->expected(1, 1000);
  command.add_option("--database", database, "a database of valle");
}

Book open_book(const BookFlags& flags, Instant now) {
  Book book = std::make_shared<const app::IntensityBook>(k_files_first);
  if (!flags.database.empty()) {
    auto database = must(store::open_reader(flags.database));
    const store::IntensityRepository repository{*database};
    book = must(app::IntensityBook::load(repository, k_files_first));
  }
  if (!flags.intensity.empty()) {
    const std::vector<std::filesystem::path> paths{flags.intensity.begin(), flags.intensity.end()};
    for (const connectors::ZoneFiles& zone : must(connectors::read_intensity_files(paths, now))) {
      book = must(book->with(std::string{connectors::k_files_source}, "", zone.harvest));
    }
  }
  return flags.given() ? book : with_sample(book, now);
}

}  // namespace valle::service::cli
