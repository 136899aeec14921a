// SPDX-License-Identifier: Apache-2.0
#include "connectors/files/columns.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace valle::connectors {
namespace {

enum class Meaning {
  time_utc,
  time_with_offset,
  end,
  lifecycle,
  direct,
  price,
  estimated,
  estimation_method,
  zone,
  other,
};

/// Lower case, with `₂` as 2 and blanks around cut off.
std::string plain(std::string_view name) {
  while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with("\xE2\x82\x82")) {
      out += '2';
      i += 2;
    } else {
      const char c = name[i];
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  return out;
}

Meaning meaning_of(std::string_view name) {
  struct Word {
    std::string_view name;
    Meaning meaning;
  };
  constexpr std::array<Word, 19> k_words{{
      {"datetime_utc", Meaning::time_utc},
      {"datetime (utc)", Meaning::time_utc},
      {"datetime", Meaning::time_with_offset},
      {"timestamp", Meaning::time_with_offset},
      {"end", Meaning::end},
      {"gco2_kwh_lifecycle", Meaning::lifecycle},
      {"gco2_kwh", Meaning::lifecycle},
      {"carbon_intensity", Meaning::lifecycle},
      {"carbon intensity gco2eq/kwh (life cycle)", Meaning::lifecycle},
      {"carbon intensity gco2eq/kwh (lca)", Meaning::lifecycle},
      {"gco2_kwh_direct", Meaning::direct},
      {"carbon intensity gco2eq/kwh (direct)", Meaning::direct},
      {"price_eur_mwh", Meaning::price},
      {"estimated", Meaning::estimated},
      {"data estimated", Meaning::estimated},
      {"data estimation method", Meaning::estimation_method},
      {"zone id", Meaning::zone},
      {"zone_id", Meaning::zone},
      {"zone", Meaning::zone},
  }};
  const std::string wanted = plain(name);
  const auto found =
      std::find_if(k_words.begin(), k_words.end(), [&](const Word& word) { return word.name == wanted; });
  return found == k_words.end() ? Meaning::other : found->meaning;
}

}  // namespace

scheduler::Result<Columns> find_columns(std::span<const std::string_view> header) {
  using scheduler::Errc;
  Columns columns{.count = header.size()};
  std::optional<std::size_t> utc;
  std::optional<std::size_t> with_offset;
  const auto slot_of = [&](Meaning meaning) -> std::optional<std::size_t>* {
    switch (meaning) {
      case Meaning::time_utc: return &utc;
      case Meaning::time_with_offset: return &with_offset;
      case Meaning::end: return &columns.end;
      case Meaning::lifecycle: return &columns.lifecycle;
      case Meaning::direct: return &columns.direct;
      case Meaning::price: return &columns.price;
      case Meaning::estimated: return &columns.estimated;
      case Meaning::estimation_method: return &columns.estimation_method;
      case Meaning::zone: return &columns.zone;
      case Meaning::other: break;
    }
    return nullptr;
  };
  for (std::size_t i = 0; i < header.size(); ++i) {
    auto* slot = slot_of(meaning_of(header[i]));
    if (slot == nullptr) continue;
    if (slot->has_value()) {
      return scheduler::refuse(Errc::invalid_request, "the columns '" + std::string{header[**slot]} + "' and '" +
                                                          std::string{header[i]} + "' mean the same");
    }
    *slot = i;
  }
  if (!utc && !with_offset) {
    return scheduler::refuse(
        Errc::invalid_request,
        "no time column: one of datetime_utc, datetime or timestamp is needed, separated by commas");
  }
  if (!columns.lifecycle && !columns.direct && !columns.price) {
    return scheduler::refuse(
        Errc::invalid_request,
        "no value column: one of gco2_kwh_lifecycle, gco2_kwh, carbon_intensity, gco2_kwh_direct or "
        "price_eur_mwh is needed");
  }
  columns.time_is_utc = utc.has_value();
  columns.time = utc ? *utc : *with_offset;
  return columns;
}

}  // namespace valle::connectors
