// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/channels.hpp"

#include <algorithm>
#include <array>

namespace valle::scheduler {
namespace {

constexpr std::array<std::string_view, 7> k_domains{"psys", "package", "core", "uncore", "pp0", "pp1", "dram"};

/// `package-0` and `core_3` are channels of a domain.
std::string_view domain_of(std::string_view channel) { return channel.substr(0, channel.find_first_of("-_:")); }

bool is_known(std::string_view domain) {
  return std::find(k_domains.begin(), k_domains.end(), domain) != k_domains.end();
}

}  // namespace

bool holds(std::string_view outer, std::string_view inner) {
  const std::string_view a = domain_of(outer);
  const std::string_view b = domain_of(inner);
  if (a == "psys") return b != "psys" && is_known(b);
  if (a == "package") return b == "core" || b == "uncore" || b == "pp0" || b == "pp1";
  return false;
}

Result<void> check_domains(std::span<const std::string> chosen) {
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (!is_known(chosen[i])) return refuse(Errc::invalid_request, "'" + chosen[i] + "' is no power domain");
    for (std::size_t j = 0; j < chosen.size(); ++j) {
      if (i != j && chosen[i] == chosen[j]) return refuse(Errc::invalid_request, chosen[i] + " stands twice");
      if (holds(chosen[i], chosen[j]))
        return refuse(Errc::invalid_request, chosen[i] + " contains " + chosen[j] + ": their sum is no energy");
    }
  }
  return {};
}

double watts_of_outermost(std::span<const Channel> channels) {
  double watts = 0;
  for (const Channel& channel : channels) {
    const auto inside = [&](const Channel& other) { return holds(other.name, channel.name); };
    if (std::none_of(channels.begin(), channels.end(), inside)) watts += channel.watts;
  }
  return watts;
}

}  // namespace valle::scheduler
