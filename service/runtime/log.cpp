// SPDX-License-Identifier: Apache-2.0
#include "service/runtime/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <memory>
#include <mutex>

namespace valle::service::runtime::log {
namespace {

std::atomic<Level> g_level{Level::info};

std::mutex g_sink_mutex;
std::function<void(std::string_view)> g_sink;

spdlog::logger& standard_error() {
  static const std::shared_ptr<spdlog::logger> logger = [] {
    auto made = std::make_shared<spdlog::logger>("valle", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %v", spdlog::pattern_time_type::utc);
    made->set_level(spdlog::level::trace);
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *logger;
}

std::string_view name_of(Level level) {
  switch (level) {
    case Level::debug: return "debug";
    case Level::info: return "info";
    case Level::warning: return "warning";
    case Level::error: return "error";
    case Level::off: break;
  }
  return "off";
}

bool needs_quotes(std::string_view value) {
  if (value.empty()) return true;
  for (const char c : value) {
    if (static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '=' || c == '\\' || c == '\x7f') return true;
  }
  return false;
}

/// One line stays one line: control characters are escaped, so that no value can forge an event.
void append_quoted(std::string& line, std::string_view value) {
  constexpr std::string_view k_hex = "0123456789abcdef";
  line += '"';
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (c == '\n') {
      line += "\\n";
    } else if (byte < ' ' || c == '\x7f') {
      line += "\\x";
      line += k_hex[byte >> 4];
      line += k_hex[byte & 15];
    } else {
      line += c;
    }
  }
  line += '"';
}

void append(std::string& line, std::string_view key, std::string_view value) {
  line += ' ';
  line += key;
  line += '=';
  if (needs_quotes(value)) {
    append_quoted(line, value);
  } else {
    line += value;
  }
}

}  // namespace

scheduler::Result<Level> parse_level(std::string_view text) {
  if (text == "debug") return Level::debug;
  if (text == "info") return Level::info;
  if (text == "warning" || text == "warn") return Level::warning;
  if (text == "error") return Level::error;
  if (text == "off") return Level::off;
  return scheduler::refuse(scheduler::Errc::invalid_request,
                           "'" + std::string{text} + "' is no log level; give debug, info, warning, error or off");
}

Field::Field(std::string_view k, double v) : key{k}, value{fmt::format("{:.6g}", v)} {}

void set_level(Level level) { g_level = level; }

bool enabled(Level level) { return level >= g_level.load(std::memory_order_relaxed) && level != Level::off; }

void write(Level level, std::string_view event, Fields fields) {
  if (!enabled(level)) return;
  std::string line{name_of(level)};
  append(line, "event", event);
  for (const Field& field : fields) append(line, field.key, field.value);
  {
    const std::scoped_lock lock{g_sink_mutex};
    if (g_sink) {
      g_sink(line);
      return;
    }
  }
  standard_error().log(spdlog::level::info, line);
}

void set_sink(std::function<void(std::string_view line)> sink) {
  const std::scoped_lock lock{g_sink_mutex};
  g_sink = std::move(sink);
}

}  // namespace valle::service::runtime::log
