// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "scheduler/query/best_slot.hpp"
#include "tests/support/scheduler/series_builders.hpp"

namespace valle::scheduler::testing {

/// A best-slot question that keeps its own series: `a_job_of(hours{2}).in(series(…)).between("…", "…").best()`.
class Question {
 public:
  explicit Question(Duration duration) : duration_{duration} {}

  Question& in(IntensitySeries series, double pue = 1) {
    series_.push_back(std::move(series));
    pues_.push_back(ratio_from_number(pue));
    return *this;
  }
  Question& between(std::string_view from, std::string_view until) {
    window_ = {at(from), at(until)};
    return *this;
  }
  Question& within(Interval window) {
    window_ = window;
    return *this;
  }
  Question& needing(double kwh) {
    energy_ = energy_from_kwh(kwh);
    return *this;
  }
  Question& options(std::size_t count, Duration apart = std::chrono::hours{1}) {
    options_ = count;
    apart_ = apart;
    return *this;
  }

  [[nodiscard]] std::vector<ZoneOption> zones() const {
    std::vector<ZoneOption> zones;
    for (std::size_t i = 0; i < series_.size(); ++i) zones.push_back({&series_[i], pues_[i]});
    return zones;
  }
  /// Calls `answer(question)` while what the question borrows is alive.
  template <class Answer>
  auto ask(Answer answer) const {
    const std::vector<ZoneOption> zones = this->zones();
    return answer(SlotQuestion{.window = window_,
                               .duration = duration_,
                               .energy = energy_,
                               .zones = zones,
                               .options = options_,
                               .options_apart = apart_});
  }
  [[nodiscard]] SlotAnswer answer() const {
    return ask([](const SlotQuestion& question) { return best_slot(question); });
  }
  [[nodiscard]] SlotAnswer answer(const Interruption& interruption) const {
    return ask([&](const SlotQuestion& question) { return best_interruptible_slot(question, interruption); });
  }
  [[nodiscard]] std::optional<Slot> run_at(std::string_view start, std::size_t zone = 0) const {
    return ask([&](const SlotQuestion& question) { return slot_at(question, zone, at(start)); });
  }

 private:
  Duration duration_;
  Interval window_{};
  Energy energy_ = energy_from_kwh(1);
  std::size_t options_ = 3;
  Duration apart_ = std::chrono::hours{1};
  std::vector<IntensitySeries> series_;
  std::vector<Ratio> pues_;
};

inline Question a_job_of(Duration duration) { return Question{duration}; }

/// `zone 0 2027-02-11T00:30:00Z 60.750`: what a slot is, in one line that a failing test prints well.
inline std::string in_short(const Slot& slot) {
  std::string text = "zone " + std::to_string(slot.zone);
  for (const Interval& segment : slot.segments) {
    text += " " + format_instant(segment.begin) + "+" + format_duration(segment.length());
  }
  const std::string mean = std::to_string(slot.mean.base());
  const std::string padded = mean.size() < 4 ? std::string(4 - mean.size(), '0') + mean : mean;
  return text + " " + padded.substr(0, padded.size() - 3) + "." + padded.substr(padded.size() - 3);
}

/// The best option in short, or "none".
inline std::string best_of(const SlotAnswer& answer) {
  return answer.options.empty() ? "none" : in_short(answer.options.front());
}

}  // namespace valle::scheduler::testing

namespace valle::scheduler {

inline void PrintTo(const Slot& slot, std::ostream* out) { *out << testing::in_short(slot); }

}  // namespace valle::scheduler
