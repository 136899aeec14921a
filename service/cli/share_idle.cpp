// SPDX-License-Identifier: Apache-2.0
// valle share-idle: the idle energy of machines by who held their cores.
#include <CLI/CLI.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <ostream>

#include "connectors/energy_files/opencost.hpp"
#include "scheduler/units/decimal_text.hpp"
#include "service/api/json_writer.hpp"
#include "service/cli/command.hpp"
#include "service/cli/input_file.hpp"
#include "service/cli/table.hpp"
#include "service/runtime/config_values.hpp"

namespace valle::service::cli {

using namespace scheduler;
namespace opencost = connectors::energy;

namespace {

constexpr std::size_t k_longest_file = 64u << 20;

struct Flags {
  std::string allocations;
  std::string idle_kwh;
  std::string node;
  std::string carbon;
  bool json = false;
};

struct Share {
  double core_hours = 0;
  Energy idle;
};

std::map<std::string, Share> shares_of(const Flags& flags, Energy idle) {
  auto allocations =
      must(in_file(flags.allocations, opencost::read_allocations(whole_input(flags.allocations, k_longest_file))));
  if (!flags.node.empty()) {
    std::erase_if(allocations, [&](const auto& allocation) { return allocation.node != flags.node; });
  }
  std::map<std::string, Share> shares;
  for (const auto& [name, energy] : opencost::shared_by_cores(idle, allocations)) shares[name].idle = energy;
  for (const auto& allocation : allocations) {
    if (const auto found = shares.find(allocation.name); found != shares.end()) {
      found->second.core_hours += allocation.core_hours;
    }
  }
  if (shares.empty()) {
    throw CommandFailed{{Errc::invalid_request,
                         flags.node.empty()
                             ? "nobody held a core"
                             : "nobody held a core of " + flags.node + "; an answer to aggregate=pod names machines",
                         flags.allocations}};
  }
  return shares;
}

void print_json(std::ostream& out, const std::map<std::string, Share>& shares,
                const std::map<std::string, std::optional<double>>& carbon) {
  api::JsonWriter json;
  json.begin_object().key("shares").begin_array();
  for (const auto& [name, share] : shares) {
    json.begin_object().member("name", name).member("idleKwh", share.idle).end_object();
  }
  json.end_array();
  if (!carbon.empty()) {
    json.key("openCostCarbon").begin_array();
    for (const auto& [asset, kilograms] : carbon) {
      json.begin_object().member("asset", asset).key("kilograms");
      json.raw(kilograms ? decimal_text(std::llround(*kilograms * 1e6), 6) : "null").end_object();
    }
    json.end_array();
  }
  json.end_object();
  out << json.text() << '\n';
}

void print_tables(std::ostream& out, const std::map<std::string, Share>& shares,
                  const std::map<std::string, std::optional<double>>& carbon) {
  Table table{{"name", "core hours", "idle kWh"}, {"<", ">", ">"}};
  for (const auto& [name, share] : shares) table.row({name, fixed(share.core_hours, 2), fixed(kwh(share.idle), 6)});
  out << table.text();
  if (carbon.empty()) return;
  Table beside{{"asset", "kg CO2e by OpenCost's table"}, {"<", ">"}};
  for (const auto& [asset, kilograms] : carbon) beside.row({asset, kilograms ? fixed(*kilograms, 3) : "unknown"});
  out << '\n' << beside.text();
}

Exit share_idle(const Flags& flags, const Surroundings& surroundings) {
  const auto idle = runtime::parse_number_within(flags.idle_kwh, {0, 1e9});
  if (!idle) throw CommandFailed{{Errc::invalid_request, idle.error().detail, "--idle-kwh"}};
  const auto shares = shares_of(flags, energy_from_kwh(*idle));
  std::map<std::string, std::optional<double>> carbon;
  if (!flags.carbon.empty()) {
    carbon = must(in_file(flags.carbon, opencost::read_asset_carbon(whole_input(flags.carbon, k_longest_file))));
  }
  if (flags.json) {
    print_json(surroundings.out, shares, carbon);
  } else {
    print_tables(surroundings.out, shares, carbon);
  }
  return Exit::done;
}

}  // namespace

void add_share_idle(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand(
      "share-idle",
      "the idle energy of machines, shared by who held their cores (OpenCost)\n\n"
      "  curl 'http://opencost:9003/allocation?window=2026-11-23T00:00:00Z,2026-11-30T00:00:00Z&aggregate=namespace' "
      "\\\n"
      "    > allocation.json\n"
      "  valle share-idle --allocations allocation.json --idle-kwh 412.5\n"
      "The shares are in the ratio of core hours and sum to the whole. They are a convention, not a measurement: keep\n"
      "them as a line of their own beside the energy of jobs. What OpenCost itself calls idle or unallocated has "
      "none.");
  command->add_option("--allocations", flags->allocations, "the answer of GET /allocation")->required();
  command->add_option("--idle-kwh", flags->idle_kwh, "idle energy of the same machines and time")->required();
  command->add_option("--node", flags->node, "only this machine's allocations (aggregate=pod has them)");
  command->add_option("--carbon", flags->carbon,
                      "the answer of GET /assets/carbon, shown beside: its 0 means that the table lacks the machine");
  command->add_flag("--json", flags->json, "for programs");
  command->callback([&chosen, flags] {
    chosen = [flags](const Surroundings& surroundings) { return share_idle(*flags, surroundings); };
  });
}

}  // namespace valle::service::cli
