// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scheduler/units/time.hpp"

namespace date {
class time_zone;
}

namespace valle::connectors::energy {

/// The clock on the wall of a place, for files whose times have no offset.
class LocalClock final {
 public:
  LocalClock() = default;  ///< UTC
  /// By IANA name. Refused: a zone that the system does not know.
  [[nodiscard]] static scheduler::Result<LocalClock> make(const std::string& zone);

  struct Reading {
    scheduler::Instant at{};
    bool ambiguous = false;  ///< clocks showed this twice
  };
  /// `2026-11-30T21:17:00` or with a blank, with or without a fraction. What clocks showed twice is taken for the first
  /// time, or for the second if the first lies before `not_before`. With an offset the offset counts. Refused: texts
  /// that are no time, and times that clocks never showed.
  [[nodiscard]] scheduler::Result<Reading> read(std::string_view text,
                                                std::optional<scheduler::Instant> not_before = {}) const;

 private:
  std::string name_ = "UTC";
  const date::time_zone* zone_ = nullptr;  // of the library's table, which lives for ever; null: UTC
};

}  // namespace valle::connectors::energy
