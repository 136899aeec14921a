// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "connectors/secret/secret.hpp"
#include "scheduler/units/time.hpp"

/// The process's log: one line an event on standard error, `2026-11-30T22:10:00.123Z info event=listening
/// url=http://…`. Values with blanks, quotes or control characters are quoted. info = a state changed; debug = each
/// request. Safe from any thread.
namespace valle::service::runtime::log {

enum class Level { debug, info, warning, error, off };

/// `debug`, `info`, `warning` (or `warn`), `error`, `off`.
[[nodiscard]] scheduler::Result<Level> parse_level(std::string_view text);

struct Field {
  std::string_view key;  ///< snake_case
  std::string value;

  Field(std::string_view k, std::string_view v) : key{k}, value{v} {}
  Field(std::string_view k, const char* v) : key{k}, value{v} {}
  Field(std::string_view k, const std::string& v) : key{k}, value{v} {}
  template <std::integral T>
  Field(std::string_view k, T v) : key{k}, value{std::to_string(v)} {}
  Field(std::string_view k, bool v) : key{k}, value{v ? "true" : "false"} {}
  Field(std::string_view k, double v);
  Field(std::string_view k, scheduler::Instant v) : key{k}, value{scheduler::format_instant(v)} {}
  Field(std::string_view, const connectors::Secret&) = delete;
};
using Fields = std::initializer_list<Field>;

void set_level(Level level);  ///< info until set
[[nodiscard]] bool enabled(Level level);

void write(Level level, std::string_view event, Fields fields);
inline void debug(std::string_view event, Fields fields = {}) { write(Level::debug, event, fields); }
inline void info(std::string_view event, Fields fields = {}) { write(Level::info, event, fields); }
inline void warning(std::string_view event, Fields fields = {}) { write(Level::warning, event, fields); }
inline void error(std::string_view event, Fields fields = {}) { write(Level::error, event, fields); }

/// Tests: every line goes to `sink` (without time) instead of standard error; an empty one restores that.
void set_sink(std::function<void(std::string_view line)> sink);

}  // namespace valle::service::runtime::log
