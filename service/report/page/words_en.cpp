// SPDX-License-Identifier: Apache-2.0
#include "service/report/page/words.hpp"

namespace valle::service::report {

const Words& english() {
  static constexpr Words words{
      .tag = "en",
      .decimal = ".",
      .thousands = ",",
      .percent = "\u00a0%",
      .days = "d",
      .hours = "h",
      .minutes = "min",
      .weekdays = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"},
      .months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
      .date = "{0} {1} {2}",
      .title = "Weekly carbon report",
      .week = "Week {0}, {1} to {2} (time zone {3})",
      .revision = "Revision {0}",
      .supersedes = "replaces revision {0}, which is kept",
      .filter = "only the jobs of {0}",
      .nothing_finished = "No job finished in this week.",
      .nothing_assessed = "No job of this week could be assessed: energy or the grid's intensity is unknown.",
      .summary_saved =
          "The assessed jobs emitted {0} CO₂e. Run at once and at home, they would have emitted {1}: {2} "
          "({3}) were saved.",
      .summary_lost =
          "The assessed jobs emitted {0} CO₂e. Run at once and at home, they would have emitted {1}: {2} "
          "({3}) more than that were emitted.",
      .uncertainty = "The saving is known to ± {0}: ± {1} from the meters, ± {2} from the grid's numbers.",
      .not_proven = "That is less than the uncertainty of ± {0}: no saving is proven.",
      .left_out = "Jobs without energy or intensity data, in no figure of carbon: {0}.",
      .saved = "Saved",
      .emitted = "Emitted",
      .baseline = "At once, at home",
      .energy = "Energy",
      .at_the_meter = "at the building's meter",
      .jobs = "Jobs",
      .shifted = "Moved in time or place",
      .deadlines = "Deadlines missed",
      .deadlines_met = "of {0} jobs with a deadline",
      .mean_wait = "Mean wait",
      .split = "Where the saving comes from",
      .by_time = "Waiting for cleaner hours",
      .by_place = "Cleaner regions",
      .by_efficiency = "Power caps",
      .planned = "Foreseen when the jobs were released",
      .split_note = "Each part on realised intensity, hour by hour; the three sum to the saving.",
      .week_picture = "The grid in this week, and what ran when",
      .week_note = "Lines: carbon intensity of each zone. Bars: energy of the reported jobs in each hour, by site.",
      .intensity_axis = "g CO₂e/kWh",
      .energy_axis = "kWh in the hour",
      .day_picture = "Saved by day",
      .day_note = "By the day on which a job finished. Below the line: more was emitted than at once and at home.",
      .owner_picture = "Saved by owner",
      .owner_note = "Owners with the largest savings or losses.",
      .wait_picture = "Waits and deadlines",
      .wait_note = "Jobs with a latest start, by how much of the allowed wait they used. The last bar: began too late.",
      .wait_axis = "share of the allowed wait, %",
      .jobs_axis = "jobs",
      .late = "late",
      .no_owner = "(no owner)",
      .other_owners = "(others)",
      .no_data = "There is nothing to show.",
      .owners = "Owners",
      .owner = "Owner",
      .assessed = "assessed",
      .saved_share = "Saved, share",
      .largest = "Jobs that matter most",
      .largest_note =
          "The largest savings, and below them the largest losses. All rows stand in the JSON and CSV forms.",
      .job = "Job",
      .site = "Ran at (home)",
      .site_alone = "Site",
      .started = "Started",
      .wait = "Waited",
      .inventory = "Inventory",
      .inventory_note =
          "What was used and emitted at each site. A saving compares with what did not happen: it is never "
          "subtracted from these figures.",
      .zone = "Zone",
      .location_based = "Location-based",
      .market_based = "Market-based",
      .factor = "Contractual factor",
      .no_factor = "none given",
      .without_intensity = "not counted: {0} without realised intensity",
      .coverage = "Coverage",
      .coverage_energy = "Run time with energy",
      .coverage_intensity = "Energy with intensity",
      .measured = "measured",
      .estimated = "estimated",
      .unknown = "unknown",
      .fallback = "yearly factor",
      .missing = "missing",
      .method = "Method",
      .data = "Intensity data",
      .made_by =
          "Made by valle {0}. The method is stated in docs/ACCOUNTING.md, so that each row can be repeated by hand.",
  };
  return words;
}

}  // namespace valle::service::report
