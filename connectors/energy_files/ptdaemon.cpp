// SPDX-License-Identifier: Apache-2.0
#include "connectors/energy_files/ptdaemon.hpp"

#include <algorithm>

#include "connectors/csv/csv.hpp"
#include "connectors/energy_files/line_source.hpp"
#include "connectors/energy_files/local_clock.hpp"
#include "connectors/energy_files/number_text.hpp"

namespace valle::connectors::energy {
namespace {

using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;
using scheduler::WattSample;

constexpr std::size_t k_most_samples = 1'000'000;
constexpr std::size_t k_longest_line = 4'096;
constexpr std::size_t k_most_fields = 256;
constexpr double k_most_watts = 1e7;

/// `MM-DD-YYYY hh:mm:ss.mmm` in UTC.
std::optional<std::chrono::sys_time<std::chrono::milliseconds>> instant_of(std::string_view text) {
  constexpr std::size_t k_length = 19;
  if (text.size() < k_length || text[2] != '-' || text[5] != '-' || text[10] != ' ') return {};
  const std::string ordered = std::string{text.substr(6, 4)} + "-" + std::string{text.substr(0, 5)} +
                              std::string{text.substr(10, k_length - 10)};
  const auto seconds = LocalClock{}.read(ordered);
  if (!seconds) return {};
  const auto fraction =
      text.size() == k_length ? std::optional{0.0} : number_of("0" + std::string{text.substr(k_length)});
  if (!fraction || *fraction < 0 || *fraction >= 1) return {};
  return seconds->at + std::chrono::milliseconds{static_cast<std::int64_t>(*fraction * 1000 + 0.5)};
}

}  // namespace

Result<WattmeterLog> read_ptdaemon(std::istream& file) {
  LineSource lines{file, k_longest_line};
  csv::Fields fields{k_most_fields};
  WattmeterLog log;
  std::string_view line;
  while (lines.next(line)) {
    if (lines.cut() || !line.starts_with("Time,") || !fields.split(line) || fields.all().size() < 4 ||
        fields.at(2) != "Watts") {
      continue;
    }
    const auto at = instant_of(fields.at(1));
    const auto watts = number_of(fields.at(3));
    if (!at || !watts || *watts < 0 || *watts > k_most_watts) {
      ++log.invalid;
      continue;
    }
    if (log.samples.size() == k_most_samples) return refuse(Errc::too_large, "more than 1,000,000 readings");
    log.samples.push_back({*at, scheduler::power_from_watts(*watts)});
  }
  if (log.samples.empty()) return refuse(Errc::invalid_request, "there is no reading of a wattmeter in the file");
  const auto earlier = [](const WattSample& a, const WattSample& b) { return a.at < b.at; };
  std::stable_sort(log.samples.begin(), log.samples.end(), earlier);
  const auto rest = std::unique(log.samples.begin(), log.samples.end(),
                                [](const WattSample& a, const WattSample& b) { return a.at == b.at; });
  log.repeated = static_cast<std::size_t>(log.samples.end() - rest);
  log.samples.erase(rest, log.samples.end());
  return log;
}

}  // namespace valle::connectors::energy
