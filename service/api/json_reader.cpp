// SPDX-License-Identifier: Apache-2.0
#include "service/api/json_reader.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace valle::service::api {
namespace {

using scheduler::Errc;
using scheduler::Error;
using scheduler::refuse;

/// Builds the document from parser events, so that repeated members and nesting are seen before they are lost.
class DocumentBuilder final : public nlohmann::json_sax<Json> {
 public:
  DocumentBuilder(std::string_view text, const JsonLimits& limits) : text_{text}, limits_{limits} {}

  bool null() override { return add(Json(nullptr)); }
  bool boolean(bool value) override { return add(Json(value)); }
  bool number_integer(number_integer_t value) override { return add(Json(value)); }
  bool number_unsigned(number_unsigned_t value) override { return add(Json(value)); }
  bool number_float(number_float_t value, const string_t&) override { return add(Json(value)); }
  bool string(string_t& value) override { return add(Json(std::move(value))); }
  bool binary(binary_t&) override { return fail("binary values are not JSON"); }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (open_.back()->contains(name)) {
      error_ = Error{Errc::invalid_request, "the member \"" + name + "\" is given twice", pointer_to(place(), name)};
      return false;
    }
    keys_.back() = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    const auto read = text_.substr(0, std::min(position == 0 ? 0 : position - 1, text_.size()));
    const auto line_start = read.rfind('\n');
    const auto line = 1 + std::count(read.begin(), read.end(), '\n');
    const auto column = read.size() - (line_start == std::string_view::npos ? 0 : line_start + 1) + 1;
    return fail("malformed JSON near line " + std::to_string(line) + ", column " + std::to_string(column) +
                (read.size() == text_.size() ? ": the text ends too early" : ""));
  }

  std::optional<Error> error_;
  Json document_;

 private:
  /// The pointer of the container that is open.
  std::string place() const {
    std::string pointer;
    for (std::size_t depth = 1; depth < open_.size(); ++depth) {
      const Json& parent = *open_[depth - 1];
      pointer = parent.is_array() ? pointer_to(pointer, parent.size() - 1) : pointer_to(pointer, keys_[depth - 1]);
    }
    return pointer;
  }

  bool fail(std::string detail) {
    error_ = Error{Errc::invalid_request, std::move(detail)};
    return false;
  }

  bool add(Json value) { return place_value(std::move(value)) != nullptr; }

  Json* place_value(Json value) {
    if (++values_ > limits_.most_values) {
      fail("the document holds more than " + std::to_string(limits_.most_values) + " values");
      return nullptr;
    }
    if (open_.empty()) {
      document_ = std::move(value);
      return &document_;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[keys_.back()] = std::move(value));
  }

  bool open(Json container) {
    if (open_.size() >= limits_.deepest) {
      return fail("the document is nested deeper than " + std::to_string(limits_.deepest) + " levels");
    }
    Json* placed = place_value(std::move(container));
    if (placed == nullptr) return false;
    open_.push_back(placed);
    keys_.emplace_back();
    return true;
  }

  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  std::string_view text_;
  const JsonLimits& limits_;
  // A container's address is stable while it is open: its parent gains no element until it is closed.
  std::vector<Json*> open_;
  std::vector<std::string> keys_;  // parallel to open_: the member being read; empty for arrays
  std::size_t values_ = 0;
};

}  // namespace

scheduler::Result<Json> parse_json(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.largest_bytes) {
    return refuse(Errc::too_large, "the body has " + std::to_string(text.size()) + " bytes; at most " +
                                       std::to_string(limits.largest_bytes) + " are read");
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return refuse(Errc::invalid_request, "the body is empty; a JSON document is needed");
  }
  DocumentBuilder builder{text, limits};
  const bool complete = Json::sax_parse(text.begin(), text.end(), &builder);
  if (builder.error_) return tl::unexpected<Error>{*std::move(builder.error_)};
  if (!complete) return refuse(Errc::invalid_request, "malformed JSON");
  return std::move(builder.document_);
}

std::string pointer_to(std::string_view parent, std::string_view member) {
  std::string pointer{parent};
  pointer += '/';
  for (const char c : member) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
  return pointer;
}

std::string pointer_to(std::string_view parent, std::size_t index) {
  return std::string{parent} + '/' + std::to_string(index);
}

}  // namespace valle::service::api
