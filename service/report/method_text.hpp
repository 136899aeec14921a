// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace valle::service::report {

/// What the method block says in words; docs/ACCOUNTING.md says the same at length.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 8> k_method_texts{{
    {"baseline",
     "the same work begun at submission, at the home site, without power cap and without pauses; instant, site and PUE "
     "frozen at submission, profile as measured"},
    {"split",
     "B0 = baseline; B1 = the same work when it really ran, at home; B2 = the same where and when it really ran; A = "
     "as "
     "it was. time = B0 - B1, place = B1 - B2, efficiency = B2 - A, saved = B0 - A; each of the four rounded once, to "
     "the milligram"},
    {"intensityUse", "realised values only, never a forecast; hour by hour; one scope, basis and method for all sites"},
    {"boundaryRule",
     "one boundary a run, the first of job, wall, node, board, pod that every attempt has; figures of different "
     "boundaries are never added"},
    {"idle", "idle energy stands beside a run's energy where a meter tells it, and is in no sum"},
    {"attempts", "failed and evicted attempts belong to their job"},
    {"uncertainty",
     "half widths; energy: the meter's, scaled to the saving; intensity: of both windows, as independent; added over "
     "rows, which assumes that errors go the same way"},
    {"assumption", "work that waits for clean hours is taken not to be replaced by other work in the hours it leaves"},
}};

inline constexpr std::string_view k_posted_rule = "total as told by the caller, constant power over the run";
inline constexpr std::string_view k_inventory_note =
    "what was used and emitted; savings are a comparison and are never subtracted from it";

}  // namespace valle::service::report
