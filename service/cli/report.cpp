// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "service/cli/command.hpp"
#include "service/cli/ledger_flags.hpp"
#include "service/cli/server_client.hpp"
#include "service/report/reports.hpp"
#include "service/store/migrator.hpp"

namespace valle::service::cli {

using namespace scheduler;

namespace {

struct Flags {
  std::string week;
  std::string format = "json";
  std::string language = "en";
  std::string owner;
  std::int64_t revision = 0;  ///< 0: made from what is known now
  std::string server;
  LedgerFlags ledger;
};

Exit ask(const Flags& flags, const Surroundings& surroundings) {
  std::vector<std::pair<std::string, std::string>> query{{"format", flags.format}, {"lang", flags.language}};
  if (!flags.owner.empty()) query.emplace_back("owner", flags.owner);
  if (flags.revision != 0) query.emplace_back("revision", std::to_string(flags.revision));
  must(report::parse_week(flags.week, "--week"));
  surroundings.out << ask_server(flags.server, "/v1/reports/weekly/" + flags.week, query);
  return Exit::done;
}

report::DocumentQuestion question_of(const Flags& flags) {
  report::DocumentQuestion question;
  question.week = must(report::parse_week(flags.week, "--week"));
  question.format = report::format_from_text(flags.format).value();
  question.language = must(report::parse_language(flags.language, "--lang"));
  if (!flags.owner.empty()) question.owner = flags.owner;
  if (flags.revision != 0) question.revision = flags.revision;
  return question;
}

Exit make(const Flags& flags, const Surroundings& surroundings) {
  const auto question = question_of(flags);
  const runtime::Config config = ledger_config(flags.ledger, surroundings);
  const auto database = must(store::open_store(config.database));
  const auto book = must(app::IntensityBook::load(store::IntensityRepository{*database}, config.source_order()));
  const auto sites = app::Places{config}.sites(*book);
  auto drafting = must(report::Drafting::draft(
      *database, question, {.config = config.report, .book = *book, .sites = sites, .now = surroundings.clock.now()}));
  must(drafting.keep(*database));
  report::Document document = std::move(drafting).finished();
  std::string piece;
  while (document.next(piece)) surroundings.out << piece;
  return Exit::done;
}

}  // namespace

void add_report(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand("report",
                                     "what a week's jobs used and emitted, and what waiting and moving saved\n\n"
                                     "  valle report --week 2026-W48 --format html --lang de > week.html\n"
                                     "  valle report --week 2026-W48 --format csv --database valle.db\n"
                                     "  valle report --week 2026-W48 --revision 1 --server http://valle.valle:8080\n"
                                     "A number that has changed since the last time makes a new revision; earlier "
                                     "ones stay.");
  command->add_option("--week", flags->week, "the ISO week, like 2026-W48")->required();
  command->add_option("--format", flags->format, "json, csv, html or md")
      ->check(CLI::IsMember({"json", "csv", "html", "md"}))
      ->capture_default_str();
  command->add_option("--lang", flags->language, "en, es, fr or de, for html and md")->capture_default_str();
  command->add_option("--owner", flags->owner, "only the jobs of this owner");
  command->add_option("--revision", flags->revision, "as it was then")->check(CLI::Range(1, 1'000'000'000));
  flags->ledger.add_to(*command);
  command->add_option("--server", flags->server, "ask a running valle instead of a database");
  command->callback([&chosen, flags] {
    chosen = [flags](const Surroundings& surroundings) {
      if (flags->server.empty()) return make(*flags, surroundings);
      if (!flags->ledger.database.empty()) {
        throw CommandFailed{{Errc::invalid_request, "give --database or --server, not both", "--server"}};
      }
      return ask(*flags, surroundings);
    };
  });
}

}  // namespace valle::service::cli
