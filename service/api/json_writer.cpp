// SPDX-License-Identifier: Apache-2.0
#include "service/api/json_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "scheduler/units/decimal_text.hpp"
#include "scheduler/units/instant_text.hpp"

namespace valle::service::api {
namespace {

/// The characters that may not stand in a text as they are.
constexpr auto k_must_be_escaped = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0; c < 0x20; ++c) table[c] = true;
  table['"'] = table['\\'] = true;
  return table;
}();

bool must_be_escaped(char c) { return k_must_be_escaped[static_cast<unsigned char>(c)]; }

void append_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view k_hex = "0123456789abcdef";
  for (const char c : text) {
    if (!must_be_escaped(c)) {
      out += c;
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else {
      out += "\\u00";
      out += k_hex[static_cast<std::size_t>(c) >> 4];
      out += k_hex[static_cast<std::size_t>(c) & 15];
    }
  }
}

/// The longest text that is put together here first: one append costs less than five.
constexpr std::size_t k_short = 60;

/// `before`, the text in quotes, `after`; both are a character at most.
void append_quoted(std::string& out, std::string_view before, std::string_view text, std::string_view after) {
  char buffer[k_short + 4];
  char* end = buffer;
  for (const char c : before) *end++ = c;
  *end++ = '"';
  bool plain = text.size() <= k_short;
  for (std::size_t i = 0; plain && i < text.size(); ++i) {
    *end++ = text[i];
    plain = !must_be_escaped(text[i]);
  }
  if (!plain) {
    out += before;
    out += '"';
    append_escaped(out, text);
    out += '"';
    out += after;
    return;
  }
  *end++ = '"';
  for (const char c : after) *end++ = c;
  out.append(buffer, end);
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
  append_quoted(text_, std::exchange(first_, true) ? "" : ",", name, ":");
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  append_quoted(text_, std::exchange(first_, false) ? "" : ",", text, "");
  return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
  separate();
  char buffer[24];
  text_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
  return *this;
}

JsonWriter& JsonWriter::value(scheduler::Instant instant) {
  text_ += std::exchange(first_, false) ? "\"" : ",\"";
  scheduler::append_instant(text_, instant);
  text_ += '"';
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}

JsonWriter& JsonWriter::fixed(std::int64_t count, int decimals) {
  if (!std::exchange(first_, false)) text_ += ',';
  scheduler::append_decimal(text_, count, decimals);
  return *this;
}

}  // namespace valle::service::api
