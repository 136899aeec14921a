// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/model/zone.hpp"
#include "scheduler/units/time.hpp"
#include "service/api/json_reader.hpp"

namespace valle::service::api {

/// Keeps the first refusal of a reading that goes on after it, so that readers need no branch a member.
class FirstError {
 public:
  void record(scheduler::Error error) {
    if (!error_) error_ = std::move(error);
  }
  [[nodiscard]] bool failed() const { return error_.has_value(); }
  /// Precondition: failed().
  [[nodiscard]] scheduler::Error take() { return *std::move(error_); }

 private:
  std::optional<scheduler::Error> error_;
};

struct NumberRange {
  enum class Low { included, excluded };
  double low = 0;
  double high = std::numeric_limits<double>::max();
  Low low_is = Low::included;
};
/// 0 < x ≤ 1e9: energyKwh, powerWatts.
inline constexpr NumberRange k_amount_range{.low = 0, .high = 1e9, .low_is = NumberRange::Low::excluded};

/// The most names of a list.
inline constexpr std::size_t k_most_names = 64;

/// Reads the members of a JSON object, or the parameters of a query, by the same rules, so that GET and POST accept
/// exactly the same values. A getter returns nothing if the member is absent or refused; the first refusal, with its
/// JSON pointer and what would be right, is left in `FirstError`. Names outside `known` are refused at once
/// (`unknown-field`, with the nearest known name). Null is refused like any wrong type: leave the member out.
/// Borrows its input, `known` and `first`.
class MemberReader {
 public:
  using Parameter = std::pair<std::string, std::string>;  ///< name and value, percent-decoded

  [[nodiscard]] static MemberReader of_object(const Json& value, std::string pointer,
                                              std::span<const std::string_view> known, FirstError& first);
  [[nodiscard]] static MemberReader of_query(std::span<const Parameter> parameters,
                                             std::span<const std::string_view> known, FirstError& first);

  [[nodiscard]] bool has(std::string_view name) const;

  /// 1 to `longest` bytes without control characters.
  [[nodiscard]] std::optional<std::string> text(std::string_view name, std::size_t longest = 256);
  /// One of the words; its index.
  [[nodiscard]] std::optional<std::size_t> word(std::string_view name, std::span<const std::string_view> words);
  [[nodiscard]] std::optional<double> number(std::string_view name, const NumberRange& range);
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name, std::int64_t low, std::int64_t high);
  [[nodiscard]] std::optional<bool> boolean(std::string_view name);
  [[nodiscard]] std::optional<scheduler::Instant> instant(std::string_view name,
                                                          scheduler::Fraction fraction = scheduler::Fraction::down);
  /// A text in one of the three notations, or a JSON number of whole seconds; low ≤ d ≤ high.
  [[nodiscard]] std::optional<scheduler::Duration> duration(std::string_view name, scheduler::Duration low,
                                                            scheduler::Duration high);
  [[nodiscard]] std::optional<scheduler::Zone> zone(std::string_view name);
  /// 1 to 64 zones without a repeat: an array of names, or names with commas in a query.
  [[nodiscard]] std::optional<std::vector<scheduler::Zone>> zones(std::string_view name);
  /// 1 to 64 names without a repeat (case ignored).
  [[nodiscard]] std::optional<std::vector<std::string>> names(std::string_view name);
  /// The array at `name`, at most `most` long. In a query: its JSON text.
  [[nodiscard]] const Json* array(std::string_view name, std::size_t most);
  /// The object at `name`, to be read by another reader. In a query: its JSON text.
  [[nodiscard]] const Json* object(std::string_view name);

  /// Records "`name` is required: …" if the member is absent (if it is there and wrong, that was said already).
  void need(std::string_view name, std::string_view what);
  /// Records a refusal that points at `name`.
  void refuse(std::string_view name, std::string detail, scheduler::Errc code = scheduler::Errc::invalid_request);
  /// The JSON pointer of a member.
  [[nodiscard]] std::string pointer(std::string_view name) const { return pointer_to(pointer_, name); }

 private:
  using Value = std::variant<const Json*, std::string_view>;  // body or query
  struct Member {
    std::string_view name;
    Value value;
  };
  using Name = std::pair<std::string_view, std::string>;  // text and pointer of one element of a list

  MemberReader(std::string pointer, std::span<const std::string_view> known, FirstError& first)
      : pointer_{std::move(pointer)}, known_{known}, first_{&first} {}
  void add(std::string_view name, Value value);
  void refuse_unknown(std::string_view name);
  const Value* find(std::string_view name) const;
  std::optional<double> any_number(std::string_view name, std::string_view what);
  std::optional<std::string_view> any_text(std::string_view name, std::string_view what);
  std::optional<std::vector<Name>> any_list(std::string_view name);
  const Json* structure(std::string_view name, Json::value_t type, std::string_view what);

  std::string pointer_;
  std::span<const std::string_view> known_;
  FirstError* first_;
  std::vector<Member> members_;
  std::deque<Json> parsed_;  // structures that came as text; a deque keeps their addresses
};

}  // namespace valle::service::api
