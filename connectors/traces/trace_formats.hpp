// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "connectors/traces/trace.hpp"

namespace valle::connectors {

/// One reader a format; see trace.hpp. Ids may still repeat.
[[nodiscard]] scheduler::Result<Trace> read_csv_trace(const std::string& name, std::string_view text,
                                                      scheduler::Instant start);
[[nodiscard]] scheduler::Result<Trace> read_kubernetes_jobs(const std::string& name, std::string_view text);

}  // namespace valle::connectors
