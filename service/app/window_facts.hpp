// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "service/app/intensity_book.hpp"

namespace valle::service::app {

/// What must be said about a series when it answers for a window (kind, age, estimated share, grade). `series` is one
/// of those of `known`.
[[nodiscard]] ChosenSeries chosen_series(const KnownSeries& known,
                                         const std::shared_ptr<const scheduler::IntensitySeries>& series,
                                         std::size_t zone, scheduler::Interval window, scheduler::Instant now);

/// Who says what `combined` holds at `t`.
[[nodiscard]] std::string source_at(const KnownSeries& known, scheduler::Instant t);

/// The newest step that has begun by `now`.
[[nodiscard]] std::optional<scheduler::Step> newest_step(const scheduler::IntensitySeries& measured,
                                                         scheduler::Instant now, Estimates estimates);

}  // namespace valle::service::app
