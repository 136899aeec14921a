// SPDX-License-Identifier: Apache-2.0
#include "connectors/energy_files/any_file.hpp"

#include <fstream>
#include <iterator>

#include "connectors/csv/csv.hpp"
#include "connectors/energy_files/carbontracker.hpp"
#include "connectors/energy_files/zeus.hpp"

namespace valle::connectors::energy {
namespace {

using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;

constexpr std::size_t k_looked_at = 65'536;
constexpr std::size_t k_largest_json = 1u << 20;

/// The whole file; a byte more than `most` where it is larger.
std::string content_of(std::istream& file, std::size_t most) {
  std::string text(most + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

ReadSummary one(ToolRun run, const TakeRun& take) {
  take(std::move(run));
  return {.taken = 1};
}

/// `…_carbontracker.log` beside `…_carbontracker_output.log`; empty where there is none.
std::string standard_log_beside(std::filesystem::path output) {
  std::string name = output.filename().string();
  const auto at = name.rfind("_output.log");
  if (at == std::string::npos) return {};
  output.replace_filename(name.replace(at, std::string::npos, ".log"));
  std::ifstream file{output, std::ios::binary};
  return file ? content_of(file, k_largest_log) : std::string{};
}

Result<ReadSummary> read_json(const std::string& text, const CodeCarbonOptions& options, const TakeRun& take) {
  if (text.size() > k_largest_json) return refuse(Errc::too_large, "JSON of more than 1 MiB");
  const bool measurement =
      text.find("\"gpu_energy\"") != std::string::npos && text.find("\"energy_consumed\"") == std::string::npos;
  auto run = measurement ? read_zeus_measurement(text) : read_codecarbon_post(text, options);
  return std::move(run).map([&](ToolRun read) { return one(std::move(read), take); });
}

Result<ReadSummary> read(const std::filesystem::path& path, const CodeCarbonOptions& options, const std::string& window,
                         const TakeRun& take) {
  std::ifstream file{path, std::ios::binary};
  if (!file || std::filesystem::is_directory(path)) return refuse(Errc::invalid_request, "can't be read");
  const std::string head = content_of(file, k_looked_at);
  const auto rewind = [&file] {
    file.clear();
    file.seekg(0);
  };
  const std::string_view first_line = std::string_view{head}.substr(0, head.find('\n'));
  const auto names = [first_line](std::string_view column) {
    return first_line.find(column) != std::string_view::npos;
  };
  rewind();
  if (names("start_time") && names("window_name")) {
    return read_zeus_windows(file, window).map([&](ToolRun run) {
      run.id = run.project = path.stem().string();
      return one(std::move(run), take);
    });
  }
  if (head.find("consumption for ") != std::string::npos || names("CarbonTracker") || names("carbontracker")) {
    return read_carbontracker(content_of(file, k_largest_log), standard_log_beside(path), options.clock, take);
  }
  const auto begin = head.find_first_not_of(" \t\r\n");
  if (begin != std::string::npos && head[begin] == '{')
    return read_json(content_of(file, k_largest_json), options, take);
  return read_codecarbon(file, options, take);
}

}  // namespace

Result<ReadSummary> read_energy_file(const std::filesystem::path& file, const CodeCarbonOptions& options,
                                     const std::string& window, const TakeRun& take) {
  // What comes from one place carries its name where the tool gives none.
  const auto named = [&](ToolRun run) {
    if (run.id.empty()) run.id = file.stem().string() + (run.line > 0 ? ":" + std::to_string(run.line) : "");
    take(std::move(run));
  };
  auto summary = read(file, options, window, named);
  if (!summary) summary.error().pointer = file.string() + summary.error().pointer;
  return summary;
}

}  // namespace valle::connectors::energy
