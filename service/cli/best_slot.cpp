// SPDX-License-Identifier: Apache-2.0
#include "service/app/best_slot.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "service/api/best_slot_codec.hpp"
#include "service/cli/book_flags.hpp"
#include "service/cli/command.hpp"
#include "service/cli/server_client.hpp"
#include "service/cli/table.hpp"

namespace valle::service::cli {

using namespace scheduler;
using api::Json;

namespace {

/// A flag of the command and the request's member that it stands for.
struct Member {
  const char* flag;
  const char* member;
  const char* help;
};

constexpr Member k_members[] = {
    {"--duration", "duration", "how long the job runs: 6h, PT6H30M, 5400"},
    {"--finish-by", "finishBy", "the job must be done by this instant"},
    {"--latest-start", "latestStart", "the job must start by this instant"},
    {"--max-wait", "maxWait", "the job must start within this time"},
    {"--from", "earliestStart", "not before this instant (default: now); in the past: what would have been best"},
    {"--zones", "zones", "where it may run: FR,ES,DE (default: everywhere)"},
    {"--home", "homeZone", "where it would run without valle (default: the first zone)"},
    {"--energy-kwh", "energyKwh", "energy of the whole run, before PUE"},
    {"--power-watts", "powerWatts", "mean power of the run, instead of its energy"},
    {"--options", "options", "how many slots to show, 1 to 24 (default: 3)"},
    {"--min-saving-percent", "minSavingPercent", "start now unless waiting saves at least this much"},
    {"--interruptible", "interruptible",
     "the job may pause: '{\"minRun\":\"1h\",\"restart\":\"5m\",\"restartEnergyKwh\":0.2,\"maxPauses\":3}'"},
};

struct Flags {
  std::vector<std::pair<std::string, std::string>> query;  ///< as for GET /v1/best-slot
  BookFlags book;
  std::string server;
  bool json = false;
};

/// The flag behind a member, so that an error names what the user wrote.
std::string flag_of(const std::string& pointer) {
  for (const Member& member : k_members) {
    const std::string path = std::string{"/"} + member.member;
    if (pointer == path || pointer.starts_with(path + "/")) return member.flag;
  }
  return pointer;
}

std::string answer_of(const Flags& flags, Instant now) {
  if (!flags.server.empty()) return ask_server(flags.server, "/v1/best-slot", flags.query);
  const auto request = must(api::read_best_slot_query(flags.query));
  must(app::check(request));
  const auto book = open_book(flags.book, now);
  return api::best_slot_json(must(app::best_slot(request, *book, app::Places{}, now)));
}

std::string when(const Json& run) {
  const auto minute = [&run](const char* member) {
    std::string text = run.at(member).get<std::string>();  // 2026-11-30T22:00:00Z
    text[10] = ' ';
    return text.ends_with(":00Z") ? text.substr(0, 16) + "Z" : text;
  };
  return minute("start") + " – " + minute("end");
}

void add_row(Table& table, const Json& run, const std::string& note) {
  const auto saved = run.find("savedPercent");
  table.row({run.at("zone").get<std::string>(), when(run), fixed(run.at("gramsPerKwh").get<double>(), 1),
             fixed(run.at("carbonGrams").get<double>(), 1),
             saved == run.end() || saved->is_null() ? "" : fixed(saved->get<double>(), 1) + " %", note});
}

void print_pauses(std::ostream& out, const Json& best) {
  const auto segments = best.find("segments");
  if (segments == best.end() || segments->size() < 2) return;
  out << "\nIt runs in " << segments->size() << " pieces:\n";
  for (const Json& segment : *segments) out << "  " << when(segment) << '\n';
}

void print_for_people(std::ostream& out, const Json& answer) {
  const Json& best = answer.at("best");
  out << "Best: " << best.at("zone").get<std::string>() << ", " << when(best) << '\n'
      << answer.at("reason").get<std::string>() << "\n\n";
  Table table{{"zone", "run", "g/kWh", "g CO2e", "saved", ""}, {"<", "<", ">", ">", ">", "<"}};
  for (const Json& option : answer.at("options")) add_row(table, option, "");
  if (!answer.at("runNow").is_null()) add_row(table, answer.at("runNow"), "run now");
  if (answer.contains("worst") && !answer.at("worst").is_null()) add_row(table, answer.at("worst"), "worst");
  out << table.text();
  print_pauses(out, best);
  out << '\n';
  for (const Json& data : answer.at("data")) {
    out << data.at("zone").get<std::string>() << ": " << data.at("source").get<std::string>() << ", "
        << data.at("kind").get<std::string>() << ", known until " << data.at("knownUntil").get<std::string>() << '\n';
  }
  for (const Json& zone : answer.at("zonesLeftOut")) {
    out << "left out: " << zone.at("zone").get<std::string>() << ", " << zone.at("reason").get<std::string>() << '\n';
  }
  if (answer.at("limitedBy") == "data") out << "The data end before the window does: a later slot may be better.\n";
  const auto assumed = answer.find("energyAssumed");
  if (assumed != answer.end() && *assumed == true) {
    out << "Reckoned for 1 kWh in all: give --energy-kwh or --power-watts for this job's own figures.\n";
  }
}

}  // namespace

void add_best_slot(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand(
      "best-slot",
      "when and where should one job run? The exact minimum over all starts in its window\n\n"
      "  valle best-slot --duration 6h --max-wait 24h --zones FR,ES,DE --home ES --energy-kwh 12\n"
      "  valle best-slot --duration 90m --finish-by 2026-12-01T06:00:00Z --server http://127.0.0.1:8080\n"
      "  valle best-slot --duration 6h --max-wait 24h --intensity FR.csv DE.csv --json\n\n"
      "Asks the server, or the files and the database, or the bundled synthetic sample.");
  auto texts = std::make_shared<std::vector<std::string>>(std::size(k_members));
  std::vector<CLI::Option*> options;
  for (std::size_t i = 0; i < std::size(k_members); ++i) {
    options.push_back(command->add_option(k_members[i].flag, (*texts)[i], k_members[i].help));
  }
  flags->book.add_to(*command);
  auto* server = command->add_option("--server", flags->server, "a running valle: http://127.0.0.1:8080");
  server->excludes("--intensity")->excludes("--database");
  command->add_flag("--json", flags->json, "print the REST answer");
  command->callback([&chosen, flags, texts, options] {
    for (std::size_t i = 0; i < options.size(); ++i) {
      if (options[i]->count() > 0) flags->query.emplace_back(k_members[i].member, (*texts)[i]);
    }
    chosen = [flags](const Surroundings& surroundings) {
      try {
        const std::string answer = answer_of(*flags, surroundings.clock.now());
        if (flags->json) {
          surroundings.out << answer << '\n';
        } else {
          print_for_people(surroundings.out, Json::parse(answer));
        }
      } catch (const CommandFailed& failed) {
        Error error = failed.error();
        error.pointer = flag_of(error.pointer);
        throw CommandFailed{std::move(error)};
      }
      return Exit::done;
    };
  });
}

}  // namespace valle::service::cli
