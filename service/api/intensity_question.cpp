// SPDX-License-Identifier: Apache-2.0
#include "service/api/intensity_question.hpp"

#include <algorithm>
#include <utility>

namespace valle::service::api {
namespace {

using scheduler::Fraction;
using scheduler::Instant;
using scheduler::Interval;
using scheduler::ReadingKind;
using scheduler::Result;
using scheduler::Scope;
using scheduler::Zone;

constexpr std::string_view k_intensity[] = {"zone", "from", "to", "kind", "scope", "source"};
constexpr std::string_view k_prices[] = {"zone", "from", "to"};
constexpr std::string_view k_forecast[] = {"zone", "issuedAt", "scope", "source"};
constexpr std::string_view k_kinds[] = {"measured", "forecast"};
constexpr std::string_view k_scopes[] = {"lifecycle", "direct"};

/// A zone is needed; this stands for it until the first error is seen.
Zone needed_zone(MemberReader& reader) {
  auto zone = reader.zone("zone");
  reader.need("zone", "one zone, such as FR");
  return zone ? *std::move(zone) : Zone::of("X");
}

/// [from, to): half-open, at most a year, by default from yesterday to the day after tomorrow, and at least that long
/// where one end is given.
Interval range(MemberReader& reader, Instant now) {
  const auto from = reader.instant("from", Fraction::up);
  const auto to = reader.instant("to", Fraction::down);
  const Instant begin = from.value_or(std::min(now, to.value_or(now)) - k_default_back);
  const Instant end = to.value_or(std::max(now, begin) + k_default_ahead);
  const Interval range{begin, end};
  if (range.empty()) {
    reader.refuse("to", "to must lie after from");
  } else if (range.length() > k_longest_range) {
    reader.refuse("to", "at most " + scheduler::format_duration(k_longest_range) + " are shown at once");
  }
  return range;
}

std::optional<Scope> scope(MemberReader& reader) {
  const auto index = reader.word("scope", k_scopes);
  return index ? std::optional{*index == 0 ? Scope::lifecycle : Scope::direct} : std::nullopt;
}

template <class Question>
Result<Question> unless_failed(FirstError& first, Question question) {
  if (first.failed()) return tl::unexpected{first.take()};
  return question;
}

}  // namespace

std::span<const std::string_view> intensity_parameters() { return k_intensity; }
std::span<const std::string_view> price_parameters() { return k_prices; }
std::span<const std::string_view> forecast_parameters() { return k_forecast; }

Result<app::RowsQuestion> read_rows_question(std::span<const MemberReader::Parameter> query, Instant now) {
  FirstError first;
  auto reader = MemberReader::of_query(query, k_intensity, first);
  app::RowsQuestion question{.zone = needed_zone(reader), .window = range(reader, now), .now = now};
  if (const auto index = reader.word("kind", k_kinds)) {
    question.kind = *index == 0 ? ReadingKind::measured : ReadingKind::forecast;
  }
  question.scope = scope(reader);
  question.source = reader.text("source");
  return unless_failed(first, std::move(question));
}

Result<PriceQuestion> read_price_question(std::span<const MemberReader::Parameter> query, Instant now) {
  FirstError first;
  auto reader = MemberReader::of_query(query, k_prices, first);
  PriceQuestion question{.zone = needed_zone(reader), .window = range(reader, now)};
  return unless_failed(first, std::move(question));
}

Result<ForecastQuestion> read_forecast_question(std::span<const MemberReader::Parameter> query) {
  FirstError first;
  auto reader = MemberReader::of_query(query, k_forecast, first);
  ForecastQuestion question{.zone = needed_zone(reader)};
  question.issued_at = reader.instant("issuedAt");
  question.scope = scope(reader);
  question.source = reader.text("source");
  return unless_failed(first, std::move(question));
}

}  // namespace valle::service::api
