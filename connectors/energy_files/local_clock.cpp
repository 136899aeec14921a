// SPDX-License-Identifier: Apache-2.0
#include "connectors/energy_files/local_clock.hpp"

#include <date/tz.h>

#include <array>
#include <charconv>
#include <exception>

#include "connectors/csv/csv.hpp"

namespace valle::connectors::energy {
namespace {

using scheduler::Errc;
using scheduler::Instant;
using scheduler::refuse;
using scheduler::Result;

constexpr std::size_t k_length = 19;  // YYYY-MM-DDThh:mm:ss

std::optional<int> digits(std::string_view text) {
  int value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size() || value < 0) return {};
  return value;
}

/// The text's date and time as if it were UTC.
std::optional<date::local_seconds> local_of(std::string_view text) {
  if (text.size() < k_length || text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != ' ') ||
      text[13] != ':' || text[16] != ':') {
    return {};
  }
  constexpr std::array<std::pair<std::size_t, std::size_t>, 6> k_parts{
      {{0, 4}, {5, 2}, {8, 2}, {11, 2}, {14, 2}, {17, 2}}};
  std::array<int, 6> values{};
  for (std::size_t i = 0; i < k_parts.size(); ++i) {
    const auto value = digits(text.substr(k_parts[i].first, k_parts[i].second));
    if (!value) return {};
    values[i] = *value;
  }
  const auto day = date::year{values[0]} / values[1] / values[2];
  if (!day.ok() || values[0] < 1970 || values[0] > 2261 || values[3] > 23 || values[4] > 59 || values[5] > 59) {
    return {};
  }
  return date::local_days{day} + std::chrono::hours{values[3]} + std::chrono::minutes{values[4]} +
         std::chrono::seconds{values[5]};
}

/// ".123456" or ",123" or nothing.
bool is_fraction(std::string_view text) {
  if (text.empty()) return true;
  return (text[0] == '.' || text[0] == ',') && text.size() > 1 && text.size() <= 10 &&
         text.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

}  // namespace

Result<LocalClock> LocalClock::make(const std::string& zone) {
  LocalClock clock;
  if (zone == "UTC") return clock;
  try {
    clock.zone_ = date::locate_zone(zone);
    clock.name_ = zone;
    // The system's file is read at first use: a broken one shows now.
    (void)clock.zone_->get_info(date::sys_seconds{});
  } catch (const std::exception&) {
    return refuse(Errc::invalid_request,
                  "there is no time zone " + csv::quoted(zone) + "; it is named like Europe/Madrid");
  }
  return clock;
}

Result<LocalClock::Reading> LocalClock::read(std::string_view text, std::optional<Instant> not_before) const {
  text = csv::trimmed(text);
  if (const auto with_offset = scheduler::parse_instant(text)) return Reading{.at = *with_offset};
  const auto local = local_of(text);
  if (!local || !is_fraction(text.substr(k_length))) {
    return refuse(Errc::invalid_request, csv::quoted(text) + " is no date and time");
  }
  if (zone_ == nullptr) return Reading{.at = Instant{local->time_since_epoch()}};
  const auto info = zone_->get_info(*local);
  const Instant first{local->time_since_epoch() - info.first.offset};
  if (info.result == date::local_info::unique) return Reading{.at = first};
  if (info.result == date::local_info::nonexistent) {
    return refuse(Errc::invalid_request, csv::quoted(text) + ": clocks in " + name_ + " never showed this time");
  }
  const Instant second{local->time_since_epoch() - info.second.offset};
  return Reading{.at = not_before && first < *not_before ? second : first, .ambiguous = true};
}

}  // namespace valle::connectors::energy
