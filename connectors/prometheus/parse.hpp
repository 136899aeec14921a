// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "connectors/prometheus/series.hpp"
#include "scheduler/model/error.hpp"

namespace valle::connectors::prometheus {

/// What is taken from one answer at most; past it the answer is refused, whatever it is.
struct ParseLimits {
  std::size_t series = 100'000;
  std::size_t samples = 2'000'000;
  std::size_t labels = 64;         ///< of a series
  std::size_t text_bytes = 4'096;  ///< of a label's name or value
};

/// The envelope of Prometheus' HTTP API.
struct Envelope {
  bool success = false;
  std::string error_type = {};             ///< `bad_data`, `execution`, `timeout`, …
  std::string error = {};                  ///< at most 300 characters of it
  std::vector<std::string> warnings = {};  ///< parts of the data may be missing
  std::string result_type = {};            ///< `matrix`, `vector`, `scalar`
  std::vector<Series> series = {};         ///< of a vector with one sample each; of a scalar one without labels
};

/// Reads an answer of /api/v1/query in one pass, without building a document: 8 MB take 3 MB beside the samples.
/// Unknown members are skipped. Refused with `invalid_request` is what is no JSON, no such envelope, breaks a limit, or
/// has samples that are no [time, "value"].
[[nodiscard]] scheduler::Result<Envelope> parse_answer(std::string_view bytes, const ParseLimits& limits = {});

}  // namespace valle::connectors::prometheus
