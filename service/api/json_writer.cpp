// SPDX-License-Identifier: Apache-2.0
#include "service/api/json_writer.hpp"

#include <algorithm>
#include <charconv>

namespace valle::service::api {
namespace {

bool must_be_escaped(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }

void append_escaped(std::string& out, std::string_view text) {
  if (std::none_of(text.begin(), text.end(), must_be_escaped)) {  // nearly always
    out += text;
    return;
  }
  constexpr std::string_view k_hex = "0123456789abcdef";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
    } else {
      out += "\\u00";
      out += k_hex[static_cast<std::size_t>(c) >> 4];
      out += k_hex[static_cast<std::size_t>(c) & 15];
    }
  }
}

void append_digits(std::string& out, std::uint64_t number, std::size_t least) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  const auto count = static_cast<std::size_t>(end - buffer);
  if (count < least) out.append(least - count, '0');
  out.append(buffer, count);
}

}  // namespace

void JsonWriter::separate() {
  if (!first_) text_ += ',';
  first_ = false;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  text_ += bracket;
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  text_ += '"';
  append_escaped(text_, name);
  text_ += "\":";
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  text_ += '"';
  append_escaped(text_, text);
  text_ += '"';
  return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
  separate();
  char buffer[24];
  text_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
  return *this;
}

JsonWriter& JsonWriter::value(scheduler::Instant instant) { return value(scheduler::format_instant(instant)); }

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}

JsonWriter& JsonWriter::fixed(std::int64_t count, int decimals) {
  separate();
  std::uint64_t scale = 1;
  for (int i = 0; i < decimals; ++i) scale *= 10;
  const std::uint64_t size = count < 0 ? 0 - static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
  if (count < 0) text_ += '-';
  append_digits(text_, size / scale, 1);
  text_ += '.';
  append_digits(text_, size % scale, static_cast<std::size_t>(decimals));
  return *this;
}

}  // namespace valle::service::api
