// SPDX-License-Identifier: Apache-2.0
#include "service/store/forecast_block.hpp"

#include "scheduler/units/require.hpp"

namespace valle::service::store {
namespace {

using scheduler::Duration;
using scheduler::Instant;

// Instants, lengths and values stay below this, so that two bits more still fit and no difference overflows.
constexpr std::int64_t k_bound = std::int64_t{1} << 59;

bool in_bound(std::int64_t number) { return -k_bound < number && number < k_bound; }

std::uint64_t zigzag(std::int64_t number) {
  return (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63);
}
std::int64_t unzigzag(std::uint64_t code) {
  return static_cast<std::int64_t>(code >> 1) ^ -static_cast<std::int64_t>(code & 1);
}

void put(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(0x80 | (number & 0x7F));
  bytes += static_cast<char>(number);
}

std::optional<std::uint64_t> take(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 63 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return number;
  }
  return {};
}

}  // namespace

std::string pack_forecast(const std::vector<ForecastStep>& steps) {
  std::string bytes;
  ForecastStep before;
  Duration length{0};
  for (const ForecastStep& step : steps) {
    scheduler::require(in_bound(step.value) && !step.interval.empty(), "a forecast step can be packed");
    const bool off_grid = step.interval.begin != before.interval.end || step.interval.length() != length;
    put(bytes, zigzag(step.value - before.value) << 2 | std::uint64_t{step.estimated} << 1 | std::uint64_t{off_grid});
    if (off_grid) {
      put(bytes, zigzag((step.interval.begin - before.interval.end).count()));
      put(bytes, static_cast<std::uint64_t>(step.interval.length().count()));
    }
    before = step;
    length = step.interval.length();
  }
  return bytes;
}

std::optional<std::vector<ForecastStep>> unpack_forecast(std::string_view bytes) {
  std::vector<ForecastStep> steps;
  std::int64_t begin = 0;
  std::int64_t length = 0;
  std::int64_t value = 0;
  while (!bytes.empty()) {
    const auto head = take(bytes);
    if (!head) return {};
    begin += length;  // the end of the step before
    if (*head & 1) {
      const auto gap = take(bytes);
      const auto own = take(bytes);
      if (!gap || !own || !in_bound(unzigzag(*gap)) || *own > static_cast<std::uint64_t>(k_bound)) return {};
      begin += unzigzag(*gap);
      length = static_cast<std::int64_t>(*own);
    }
    value += unzigzag(*head >> 2);
    if (length == 0 || !in_bound(begin) || !in_bound(length) || !in_bound(value)) return {};
    const Instant from{Duration{begin}};
    steps.push_back({{from, from + Duration{length}}, value, (*head & 2) != 0});
  }
  return steps;
}

}  // namespace valle::service::store
