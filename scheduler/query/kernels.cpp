// SPDX-License-Identifier: Apache-2.0
#include "scheduler/query/kernels.hpp"

#include <algorithm>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#define VALLE_AVX2 __attribute__((target("avx2")))
#endif

namespace valle::scheduler {
namespace {

constexpr std::int64_t k_most = std::numeric_limits<std::int64_t>::max();

/// Two passes, the least value and then its first place: the first one has no index to carry.
template <class Cost>
Least least_of(Cost cost, std::size_t count) {
  std::int64_t least = k_most;
  for (std::size_t i = 0; i < count; ++i) least = std::min(least, cost(i));
  std::size_t first = 0;
  while (cost(first) != least) ++first;
  return {least, first};
}

#if defined(__x86_64__)

constexpr std::size_t k_lanes = 4;

VALLE_AVX2 inline __m256i load(const std::int64_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

VALLE_AVX2 inline __m256i lesser(__m256i a, __m256i b) { return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b)); }

VALLE_AVX2 inline std::int64_t least_lane(__m256i lanes) {
  const __m128i two =
      _mm_blendv_epi8(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1),
                      _mm_cmpgt_epi64(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1)));
  return std::min(_mm_extract_epi64(two, 0), _mm_extract_epi64(two, 1));
}

VALLE_AVX2 inline unsigned equal_lanes(__m256i a, __m256i b) {
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(a, b))));
}

/// The costs of four starts at once, and of one.
struct Difference {
  const std::int64_t* high;
  const std::int64_t* low;
  VALLE_AVX2 __m256i lanes(std::size_t i) const { return _mm256_sub_epi64(load(high + i), load(low + i)); }
  std::int64_t operator()(std::size_t i) const { return high[i] - low[i]; }
};

struct WeightedDifference {
  const std::int64_t* high;
  const std::int64_t* low;
  const std::int32_t* values;
  std::int32_t weight;
  VALLE_AVX2 __m256i lanes(std::size_t i) const {
    const __m256i wide = _mm256_cvtepi32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(values + i)));
    const __m256i partial = _mm256_mul_epi32(wide, _mm256_set1_epi64x(weight));
    return _mm256_add_epi64(_mm256_sub_epi64(load(high + i), load(low + i)), partial);
  }
  std::int64_t operator()(std::size_t i) const { return high[i] - low[i] + std::int64_t{weight} * values[i]; }
};

/// Two chains of four lanes, so that one comparison does not wait for the last.
template <class Cost>
VALLE_AVX2 Least least_of_lanes(Cost cost, std::size_t count) {
  __m256i even = _mm256_set1_epi64x(k_most);
  __m256i odd = even;
  std::size_t i = 0;
  for (; i + 2 * k_lanes <= count; i += 2 * k_lanes) {
    even = lesser(even, cost.lanes(i));
    odd = lesser(odd, cost.lanes(i + k_lanes));
  }
  if (i + k_lanes <= count) {
    even = lesser(even, cost.lanes(i));
    i += k_lanes;
  }
  std::int64_t least = least_lane(lesser(even, odd));
  for (; i < count; ++i) least = std::min(least, cost(i));
  const __m256i wanted = _mm256_set1_epi64x(least);
  for (i = 0; i + k_lanes <= count; i += k_lanes) {
    const unsigned found = equal_lanes(cost.lanes(i), wanted);
    if (found != 0) return {least, i + static_cast<std::size_t>(__builtin_ctz(found))};
  }
  while (cost(i) != least) ++i;
  return {least, i};
}

VALLE_AVX2 void lower_to_lanes(std::int64_t* to, const std::int64_t* from, std::int64_t cost, std::size_t count) {
  const __m256i costs = _mm256_set1_epi64x(cost);
  std::size_t i = 0;
  for (; i + k_lanes <= count; i += k_lanes) {
    const __m256i lowered = lesser(load(to + i), _mm256_add_epi64(load(from + i), costs));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), lowered);
  }
  for (; i < count; ++i) to[i] = std::min(to[i], from[i] + cost);
}

#endif

template <class Cost>
void lower_one_by_one(Cost* to, const Cost* from, Cost cost, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = std::min(to[i], from[i] + cost);
}

}  // namespace

Lanes widest_lanes() {
#if defined(__x86_64__)
  static const Lanes widest = __builtin_cpu_supports("avx2") != 0 ? Lanes::four : Lanes::one;
  return widest;
#else
  return Lanes::one;
#endif
}

Least least_difference(const std::int64_t* high, const std::int64_t* low, std::size_t count,
                       [[maybe_unused]] Lanes lanes) {
#if defined(__x86_64__)
  if (lanes == Lanes::four) return least_of_lanes(Difference{high, low}, count);
#endif
  return least_of([=](std::size_t i) { return high[i] - low[i]; }, count);
}

Least least_difference(const std::int64_t* high, const std::int64_t* low, const std::int32_t* values,
                       std::int64_t weight, std::size_t count, [[maybe_unused]] Lanes lanes) {
#if defined(__x86_64__)
  if (lanes == Lanes::four && weight == static_cast<std::int32_t>(weight)) {
    return least_of_lanes(WeightedDifference{high, low, values, static_cast<std::int32_t>(weight)}, count);
  }
#endif
  return least_of([=](std::size_t i) { return high[i] - low[i] + weight * values[i]; }, count);
}

void lower_to(std::int64_t* to, const std::int64_t* from, std::int64_t cost, std::size_t count,
              [[maybe_unused]] Lanes lanes) {
#if defined(__x86_64__)
  if (lanes == Lanes::four) return lower_to_lanes(to, from, cost, count);
#endif
  lower_one_by_one(to, from, cost, count);
}

void lower_to(Wide* to, const Wide* from, Wide cost, std::size_t count) { lower_one_by_one(to, from, cost, count); }

}  // namespace valle::scheduler
