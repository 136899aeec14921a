// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "scheduler/model/reading.hpp"
#include "scheduler/model/zone.hpp"
#include "service/api/member_reader.hpp"
#include "service/app/intensity_book.hpp"

namespace valle::service::api {

/// The longest range of one question about rows.
inline constexpr scheduler::Duration k_longest_range = std::chrono::days{366};
/// Where a range is not given: so far back and so far ahead.
inline constexpr scheduler::Duration k_default_back = std::chrono::hours{24};
inline constexpr scheduler::Duration k_default_ahead = std::chrono::hours{48};

/// The parameters of the calls, for their check against openapi.json.
[[nodiscard]] std::span<const std::string_view> intensity_parameters();
[[nodiscard]] std::span<const std::string_view> price_parameters();
[[nodiscard]] std::span<const std::string_view> forecast_parameters();

[[nodiscard]] scheduler::Result<app::RowsQuestion> read_rows_question(std::span<const MemberReader::Parameter> query,
                                                                      scheduler::Instant now);

struct PriceQuestion {
  scheduler::Zone zone;
  scheduler::Interval window;
};
[[nodiscard]] scheduler::Result<PriceQuestion> read_price_question(std::span<const MemberReader::Parameter> query,
                                                                   scheduler::Instant now);

struct ForecastQuestion {
  scheduler::Zone zone;
  std::optional<scheduler::Instant> issued_at = {};  ///< as known then; nothing: the newest
  std::optional<scheduler::Scope> scope = {};
  std::optional<std::string> source = {};
};
[[nodiscard]] scheduler::Result<ForecastQuestion> read_forecast_question(
    std::span<const MemberReader::Parameter> query);

}  // namespace valle::service::api
