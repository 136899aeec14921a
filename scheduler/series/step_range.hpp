// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <utility>

#include "scheduler/model/reading.hpp"

namespace valle::scheduler {

class IntensitySeries;

/// One known step of a series: a constant intensity over [interval.begin, interval.end).
struct Step {
  Interval interval;
  CarbonIntensity value;
  ReadingKind kind = ReadingKind::measured;
  bool estimated = false;
  friend bool operator==(const Step&, const Step&) = default;
};

/// Some steps of a series one after the other, as a random access range of `Step` by value: a series keeps no `Step`,
/// it makes each as it is read. Must not outlive the series.
class StepRange {
 public:
  class Iterator {
   public:
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using value_type = Step;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Step;

    Iterator() = default;
    Iterator(const IntensitySeries& series, std::size_t index)
        : series_{&series}, index_{static_cast<difference_type>(index)} {}

    Step operator*() const;
    Step operator[](difference_type n) const { return *(*this + n); }
    Iterator& operator+=(difference_type n) { return index_ += n, *this; }
    Iterator& operator-=(difference_type n) { return *this += -n; }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this -= 1; }
    Iterator operator++(int) { return std::exchange(*this, *this + 1); }
    Iterator operator--(int) { return std::exchange(*this, *this - 1); }
    friend Iterator operator+(Iterator it, difference_type n) { return it += n; }
    friend Iterator operator+(difference_type n, Iterator it) { return it += n; }
    friend Iterator operator-(Iterator it, difference_type n) { return it -= n; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) { return a.index_ - b.index_; }
    friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.index_ <=> b.index_; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }

   private:
    const IntensitySeries* series_ = nullptr;
    difference_type index_ = 0;
  };

  /// Steps [first, last) of the series.
  StepRange(const IntensitySeries& series, std::size_t first, std::size_t last)
      : begin_{series, first}, end_{series, last} {}

  [[nodiscard]] Iterator begin() const { return begin_; }
  [[nodiscard]] Iterator end() const { return end_; }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
  [[nodiscard]] bool empty() const { return begin_ == end_; }
  [[nodiscard]] Step front() const { return *begin_; }
  [[nodiscard]] Step back() const { return *(end_ - 1); }
  [[nodiscard]] Step operator[](std::size_t n) const { return begin_[static_cast<std::ptrdiff_t>(n)]; }

 private:
  Iterator begin_;
  Iterator end_;
};

}  // namespace valle::scheduler
