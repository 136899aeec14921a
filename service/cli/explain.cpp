// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "service/cli/command.hpp"
#include "service/cli/server_client.hpp"
#include "service/cli/table.hpp"

namespace valle::service::cli {

using namespace scheduler;
using nlohmann::json;

namespace {

std::string text_of(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

json asked(const std::string& server, const std::string& path,
           const std::vector<std::pair<std::string, std::string>>& query = {}) {
  auto answer = json::parse(ask_server(server, path, query), nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object()) throw CommandFailed{Error{Errc::source_unavailable, "the answer is not JSON", server}};
  return answer;
}

/// The id of the newest job of a cluster's object; other names are ids already.
std::string id_of(const std::string& server, const std::string& name) {
  if (name.find('/') == std::string::npos) return name;
  const json page = asked(server, "/v1/jobs", {{"kubernetes", name}, {"limit", "1000"}});
  const auto jobs = page.find("jobs");
  if (jobs == page.end() || !jobs->is_array() || jobs->empty()) {
    throw CommandFailed{Error{Errc::not_found, "valle knows no carbon-aware job of that name", name}};
  }
  return text_of(jobs->back(), "id");
}

void print(std::ostream& out, const std::string& name, const json& why) {
  out << name << " is " << text_of(why, "state") << ": " << text_of(why, "reason") << '\n';
  if (const auto warning = text_of(why, "warning"); !warning.empty()) out << "warning: " << warning << '\n';
  if (const auto slot = why.find("slot"); slot != why.end() && slot->is_object()) {
    out << "planned: " << text_of(*slot, "start") << " to " << text_of(*slot, "end") << " in "
        << text_of(*slot, "site");
    if (const auto grams = slot->find("carbonGrams"); grams != slot->end() && grams->is_number()) {
      out << ", " << fixed(grams->get<double>(), 1) << " g CO2e";
    }
    out << '\n';
  }
  out << "starts by: " << text_of(why, "startBy") << '\n';
  if (const auto options = why.find("options"); options != why.end() && options->is_array() && !options->empty()) {
    Table table{{"what else has room", "start", "g CO2e"}, {"<", "<", ">"}};
    for (const auto& option : *options) {
      table.row({text_of(option, "site"), text_of(option, "start"), fixed(option.value("carbonGrams", 0.0), 1)});
    }
    out << table.text();
  }
  if (const auto blocked = why.find("blockedBy"); blocked != why.end() && blocked->is_array() && !blocked->empty()) {
    Table table{{"cleaner, but full", "start", "resource", "held by"}, {"<", "<", "<", "<"}};
    for (const auto& each : *blocked) {
      std::string jobs;
      const auto holders = each.find("jobs");
      for (std::size_t i = 0; holders != each.end() && i < holders->size(); ++i) {
        if (i == 3) {
          jobs += " and " + std::to_string(holders->size() - i) + " more";
          break;
        }
        jobs += (i == 0 ? "" : ", ") + (*holders)[i].get<std::string>();
      }
      table.row({text_of(each, "site"), text_of(each, "start"), text_of(each, "resource"), jobs});
    }
    out << table.text();
  }
}

}  // namespace

void add_explain(CLI::App& app, Action& chosen) {
  struct Flags {
    std::string name;
    std::string server = "http://127.0.0.1:8080";
    bool as_json = false;
  };
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand("explain",
                                     "why does a job wait, and what else there was\n\n"
                                     "  valle explain lab/train --server http://valle.valle:8080\n"
                                     "  valle explain job-17");
  command->add_option("job", flags->name, "NAMESPACE/NAME of a Kubernetes job, or a job's id")->required();
  command->add_option("--server", flags->server, "the running valle")->capture_default_str();
  command->add_flag("--json", flags->as_json, "print the answer of REST");
  command->callback([&chosen, flags] {
    chosen = [flags](const Surroundings& surroundings) {
      const std::string id = id_of(flags->server, flags->name);
      const json why = asked(flags->server, "/v1/jobs/" + id + "/explanation");
      if (flags->as_json) {
        surroundings.out << why.dump() << '\n';
      } else {
        print(surroundings.out, flags->name, why);
      }
      return Exit::done;
    };
  });
}

}  // namespace valle::service::cli
