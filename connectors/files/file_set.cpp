// SPDX-License-Identifier: Apache-2.0
#include "connectors/files/file_set.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <system_error>

#include "connectors/files/file_table.hpp"

namespace valle::connectors {
namespace {

namespace fs = std::filesystem;
using scheduler::Errc;
using scheduler::Result;

std::string lower_case_ending(const fs::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return ending;
}

bool has_known_ending(const fs::path& file) { return lower_case_ending(file) == ".csv" || is_json(file); }

Result<scheduler::Zone> zone_of(const fs::path& file) {
  const std::string name = file.filename().string();
  auto zone = scheduler::Zone::make(std::string_view{name}.substr(0, name.find('.')));
  if (!zone) {
    return scheduler::refuse(Errc::invalid_request,
                             "the file's name gives no zone: name it after its zone, such as FR.csv or FR.2021.csv",
                             file.string());
  }
  return zone;
}

Result<std::vector<fs::path>> open_folder(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code fault;
  for (fs::directory_iterator entry{folder, fault}, end; !fault && entry != end; entry.increment(fault)) {
    const fs::path& path = entry->path();
    std::error_code ignored;
    if (has_known_ending(path) && !path.filename().string().starts_with('.') && entry->is_regular_file(ignored)) {
      files.push_back(path);
    }
  }
  if (fault) {
    return scheduler::refuse(Errc::invalid_request, "the folder can't be read: " + fault.message(), folder.string());
  }
  if (files.empty()) {
    return scheduler::refuse(Errc::invalid_request, "the folder holds no *.csv or *.json", folder.string());
  }
  return files;
}

Result<std::vector<fs::path>> open_path(const fs::path& path) {
  std::error_code fault;
  const auto status = fs::status(path, fault);
  if (!fs::exists(status)) return scheduler::refuse(Errc::invalid_request, "there is no such file", path.string());
  if (fs::is_directory(status)) return open_folder(path);
  if (!has_known_ending(path)) {
    return scheduler::refuse(Errc::invalid_request, "an intensity file ends in .csv or .json", path.string());
  }
  return std::vector{path};
}

}  // namespace

bool is_json(const fs::path& file) { return lower_case_ending(file) == ".json"; }

Result<std::vector<ZoneFileSet>> find_zone_files(std::span<const fs::path> paths) {
  std::map<scheduler::Zone, std::vector<fs::path>> by_zone;
  for (const fs::path& path : paths) {
    const auto files = open_path(path);
    if (!files) return tl::unexpected{files.error()};
    for (const fs::path& file : *files) {
      const auto zone = zone_of(file);
      if (!zone) return tl::unexpected{zone.error()};
      by_zone[*zone].push_back(file);
    }
  }
  if (by_zone.empty()) return scheduler::refuse(Errc::invalid_request, "no intensity file is given");
  std::vector<ZoneFileSet> sets;
  for (auto& [zone, files] : by_zone) {
    std::stable_sort(files.begin(), files.end(),
                     [](const fs::path& a, const fs::path& b) { return a.filename() < b.filename(); });
    sets.push_back({zone, std::move(files)});
  }
  return sets;
}

Result<std::string> read_whole_file(const fs::path& file) {
  std::error_code fault;
  const auto size = fs::file_size(file, fault);
  if (!fault && size > k_largest_file) {
    return scheduler::refuse(Errc::too_large, "the file is larger than valle reads (256 MiB)", file.string());
  }
  std::ifstream stream{file, std::ios::binary};
  std::string content(fault ? 0 : static_cast<std::size_t>(size), '\0');
  if (!fault && stream) stream.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (fault || !stream) return scheduler::refuse(Errc::invalid_request, "the file can't be read", file.string());
  return content;
}

}  // namespace valle::connectors
