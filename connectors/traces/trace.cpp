// SPDX-License-Identifier: Apache-2.0
#include "connectors/traces/trace.hpp"

#include <fstream>
#include <iterator>
#include <set>

#include "connectors/traces/trace_formats.hpp"

namespace valle::connectors {

using namespace scheduler;

namespace {

constexpr std::size_t k_largest_trace = std::size_t{256} << 20;

Result<Trace> without_repeats(const std::string& name, Result<Trace> trace) {
  if (!trace) return trace;
  if (trace->jobs.empty()) return refuse(Errc::invalid_request, "the trace holds no finished job", name);
  std::set<std::string_view> ids;
  for (const TraceJob& job : trace->jobs) {
    if (!ids.insert(job.id).second) return refuse(Errc::invalid_request, "job " + job.id + " comes twice", name);
  }
  return trace;
}

}  // namespace

Result<Trace> read_trace_text(const std::string& name, std::string_view text, Instant start) {
  const auto first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && text[first] == '{';
  return without_repeats(name, json ? read_kubernetes_jobs(name, text) : read_csv_trace(name, text, start));
}

Result<Trace> read_trace(const std::filesystem::path& file, Instant start) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(file, failed);
  if (failed) return refuse(Errc::invalid_request, "can't be read: " + failed.message(), file.string());
  if (size > k_largest_trace) return refuse(Errc::too_large, "larger than 256 MB", file.string());
  std::ifstream stream{file, std::ios::binary};
  const std::string text{std::istreambuf_iterator<char>{stream}, {}};
  if (!stream) return refuse(Errc::invalid_request, "can't be read", file.string());
  return read_trace_text(file.filename().string(), text, start);
}

}  // namespace valle::connectors
