// SPDX-License-Identifier: Apache-2.0
#include "connectors/retry/retry.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <string>

namespace valle::connectors {
namespace {

using scheduler::Duration;
using scheduler::Outcome;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr seconds k_longest_wish = hours{24};
constexpr unsigned k_most_doublings = 16;

/// Between half of `size` and `size`.
template <class Time>
Time jittered(Time size, std::uint64_t seed) {
  const auto half = size.count() / 2;
  return Time{size.count() - static_cast<typename Time::rep>(scrambled(seed) % static_cast<std::uint64_t>(half + 1))};
}

template <class Time>
Time doubled(Time first, unsigned times, Time longest) {
  return std::min(longest, first * (std::int64_t{1} << std::min(times, k_most_doublings)));
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that HTTP still allows to be written.
std::optional<scheduler::Instant> parse_http_date(std::string_view text) {
  constexpr std::array<std::string_view, 12> k_months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (text.size() != 29 || text.substr(3, 2) != ", " || text.substr(25) != " GMT") return std::nullopt;
  const auto month = std::find(k_months.begin(), k_months.end(), text.substr(8, 3));
  if (month == k_months.end()) return std::nullopt;
  const auto number = std::to_string(month - k_months.begin() + 1);
  const std::string date = std::string{text.substr(12, 4)} + (number.size() == 1 ? "-0" : "-") + number + "-" +
                           std::string{text.substr(5, 2)} + "T" + std::string{text.substr(17, 8)} + "Z";
  const auto instant = scheduler::parse_instant(date);
  return instant ? std::optional{*instant} : std::nullopt;
}

}  // namespace

std::uint64_t scrambled(std::uint64_t number) {
  number += 0x9E3779B97F4A7C15U;
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9U;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EBU;
  return number ^ (number >> 31);
}

std::optional<milliseconds> pause_before_retry(const RetryPolicy& policy, const Attempt& attempt, std::uint64_t seed) {
  if (attempt.outcome != Outcome::unavailable && attempt.outcome != Outcome::rate_limited) return std::nullopt;
  if (attempt.made >= policy.most_attempts) return std::nullopt;
  milliseconds pause = jittered(doubled(policy.first_pause, attempt.made - 1, policy.longest_pause), seed);
  if (attempt.retry_after) pause = std::max<milliseconds>(pause, *attempt.retry_after);
  // A provider that limits us without saying for how long is not asked again at once.
  if (attempt.outcome == Outcome::rate_limited && !attempt.retry_after) return std::nullopt;
  if (pause >= attempt.time_left) return std::nullopt;
  return pause;
}

Duration pause_after(Outcome outcome, unsigned failures, std::optional<seconds> retry_after, std::uint64_t seed) {
  const unsigned doublings = failures > 0 ? failures - 1 : 0;
  const auto growing = [&](Duration first, Duration longest) {
    return jittered(doubled(first, doublings, longest), seed);
  };
  Duration pause{0};
  switch (outcome) {
    case Outcome::data:
    case Outcome::not_offered: return Duration{0};
    case Outcome::no_data: pause = minutes{15}; break;
    case Outcome::unavailable: pause = growing(minutes{1}, minutes{30}); break;
    case Outcome::bad_answer: pause = growing(minutes{5}, hours{1}); break;
    case Outcome::rate_limited: pause = growing(minutes{15}, hours{2}); break;
    case Outcome::authentication: pause = growing(minutes{15}, hours{1}); break;
    // Not shortened by jitter: an hour and a day are promised as the least.
    case Outcome::blocked: pause = doubled<Duration>(hours{1}, doublings, hours{8}); break;
    case Outcome::not_covered: pause = hours{24}; break;
    case Outcome::budget_spent:
    case Outcome::misconfigured: pause = minutes{1}; break;
  }
  // An honest Retry-After replaces our guess, but never a firewall's hour or a plan's day.
  if (retry_after) {
    const Duration wish = std::clamp<Duration>(*retry_after, Duration{1}, k_longest_wish);
    const bool ours_is_a_guess = outcome == Outcome::rate_limited || outcome == Outcome::budget_spent;
    pause = ours_is_a_guess ? wish : std::max(pause, wish);
  }
  return pause;
}

std::optional<seconds> parse_retry_after(std::string_view text, scheduler::Instant now) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::uint64_t count = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (!text.empty() && end == text.data() + text.size() && fault != std::errc::invalid_argument) {
    const bool huge =
        fault == std::errc::result_out_of_range || count > static_cast<std::uint64_t>(k_longest_wish.count());
    return huge ? k_longest_wish : seconds{static_cast<std::int64_t>(count)};
  }
  const auto date = parse_http_date(text);
  if (!date) return std::nullopt;
  return std::clamp<seconds>(*date - now, seconds{0}, k_longest_wish);
}

}  // namespace valle::connectors
