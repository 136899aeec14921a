// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "scheduler/account/sums.hpp"
#include "scheduler/units/time.hpp"
#include "scheduler/units/units.hpp"
#include "service/report/document.hpp"

namespace valle::service::report {

/// Everything that a page says, in one language.
struct Texts {
  std::string_view tag;  ///< of HTML's lang
  char decimal_mark;
  std::string_view thousands_mark;
  std::string_view title, week, revision, supersedes, made_at, time_zone, only_owner;
  std::string_view saved, emitted, baseline, energy, facility, jobs, shifted, not_assessed, deadlines_met, missed;
  std::string_view by_time, by_place, by_efficiency, mean_wait, uncertainty, planned;
  std::string_view sentence;       ///< "{saved} … {percent} … {uncertainty}"
  std::string_view sentence_loss;  ///< the same for a negative saving
  std::string_view within_error;   ///< a saving smaller than its uncertainty
  std::string_view nothing;        ///< a week without jobs
  std::string_view intensity_picture, intensity_caption, by_day, by_owner, waits, waits_caption, no_deadlines;
  std::string_view owner, site, home, zone, started, wait, job, share_of_wait, number_of_jobs;
  std::string_view most_saved, most_lost, inventory, inventory_note, location_based, market_based, not_given;
  std::string_view method, coverage, measured, estimated, unknown, fallback, energy_seconds, intensity_energy;
  std::string_view method_baseline, method_split, method_realised, method_boundary, method_uncertainty;
  std::string_view without_intensity, figures, source, rule, sampling, others, no_name, footer;
  std::string_view days[7];  ///< Monday first, short
};
[[nodiscard]] const Texts& texts(Language language);

/// `1,234.5` with the language's marks. `count` has `decimals` digits behind the point; `shown` ≤ decimals are written,
/// rounded half away from zero.
[[nodiscard]] std::string number_text(const Texts& texts, scheduler::Wide count, int decimals, int shown);
/// Milligrams as g, kg or t, with the unit: three to five digits.
[[nodiscard]] std::string emissions_text(const Texts& texts, scheduler::Wide milligrams);
/// mWh as Wh, kWh or MWh.
[[nodiscard]] std::string energy_text(const Texts& texts, scheduler::Wide milliwatt_hours);
/// Ten-thousandths of a percent, one decimal.
[[nodiscard]] std::string percent_text(const Texts& texts, scheduler::Wide part, scheduler::Wide whole);
/// `5 h 30 min`, `2 d 4 h`
[[nodiscard]] std::string wait_text(scheduler::Duration duration);
/// Replaces each `{name}`.
[[nodiscard]] std::string filled(std::string_view pattern,
                                 std::initializer_list<std::pair<std::string_view, std::string>> values);
/// The sentence at the top of a page.
[[nodiscard]] std::string summary(const Texts& texts, const scheduler::Totals& totals);

}  // namespace valle::service::report
