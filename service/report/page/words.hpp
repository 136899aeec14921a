// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/error.hpp"

namespace valle::service::report {

/// The languages that people can read a report in.
enum class Language { en, es, fr, de };

/// `en`, `es`, `fr`, `de`; anything else is refused at `pointer`.
[[nodiscard]] scheduler::Result<Language> parse_language(std::string_view text, std::string pointer = {});
[[nodiscard]] std::string_view to_text(Language language);

/// All that a report says, in one language. `{0}`, `{1}`… stand for what `filled` puts in.
struct Words {
  std::string_view tag;  ///< of the document's language
  std::string_view decimal, thousands, percent;
  std::string_view days, hours, minutes;     ///< short units of time
  std::array<std::string_view, 7> weekdays;  ///< short, from Monday
  std::array<std::string_view, 12> months;   ///< short
  std::string_view date;                     ///< {0} day, {1} month, {2} year

  std::string_view title, week, revision, supersedes, filter;
  // The summary.
  std::string_view nothing_finished, nothing_assessed, summary_saved, summary_lost, uncertainty, not_proven, left_out;
  // Key figures.
  std::string_view saved, emitted, baseline, energy, at_the_meter, jobs, shifted, deadlines, deadlines_met, mean_wait,
      cost;
  // The split.
  std::string_view split, by_time, by_place, by_efficiency, planned, split_note;
  // Pictures.
  std::string_view week_picture, week_note, intensity_axis, energy_axis, day_picture, day_note, owner_picture,
      owner_note;
  std::string_view wait_picture, wait_note, wait_axis, jobs_axis, late, no_owner, other_owners, no_data;
  // Tables.
  std::string_view owners, owner, assessed, saved_share, largest, largest_note, job, site, site_alone, started, wait;
  std::string_view inventory, inventory_note, zone, location_based, market_based, factor, no_factor, without_intensity;
  std::string_view coverage, coverage_energy, coverage_intensity, measured, estimated, unknown, fallback, missing;
  std::string_view method, data, made_by;
};
[[nodiscard]] const Words& words(Language language);

/// `text` with `{n}` replaced by `values[n]`.
[[nodiscard]] std::string filled(std::string_view text, const std::vector<std::string>& values);

// One file a language.
[[nodiscard]] const Words& english();
[[nodiscard]] const Words& spanish();
[[nodiscard]] const Words& french();
[[nodiscard]] const Words& german();

}  // namespace valle::service::report
