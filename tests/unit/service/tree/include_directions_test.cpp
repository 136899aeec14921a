// SPDX-License-Identifier: Apache-2.0
// Reads the source tree and polices the architecture: who may include whom, and who may ask the clock.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/common/paths.hpp"

namespace {

namespace fs = std::filesystem;

struct Line {
  std::string file;  ///< relative to the root of the sources
  std::size_t number;
  std::string text;
};

std::vector<Line> lines_of(const std::string& folder) {
  const fs::path root = valle::tests::source_folder();
  std::vector<Line> lines;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".hpp" && extension != ".cpp") continue;
    std::ifstream file{entry.path()};
    std::string text;
    for (std::size_t number = 1; std::getline(file, text); ++number) {
      lines.push_back({fs::relative(entry.path(), root).string(), number, text});
    }
  }
  return lines;
}

std::string place(const Line& line) { return line.file + ":" + std::to_string(line.number) + ": " + line.text; }

std::string first_part(const std::string& path) { return path.substr(0, path.find('/')); }

struct Include {
  Line line;
  std::string path;
  bool quoted;
};

std::vector<Include> includes_of(const std::string& folder) {
  static const std::regex pattern{R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])"};
  std::vector<Include> includes;
  for (Line& line : lines_of(folder)) {
    std::smatch match;
    if (std::regex_search(line.text, match, pattern)) {
      includes.push_back({line, match[2], match[1] == "\""});
    }
  }
  return includes;
}

TEST(Tree, layers_include_only_what_the_architecture_allows) {
  const std::map<std::string, std::set<std::string>> allowed{
      {"scheduler", {"scheduler"}},
      {"connectors", {"connectors", "scheduler"}},
      {"k8s", {"k8s", "scheduler"}},
      {"service", {"service", "connectors", "k8s", "scheduler", "embedded"}},
  };
  std::size_t seen = 0;
  for (const auto& [folder, targets] : allowed) {
    for (const Include& include : includes_of(folder)) {
      if (!include.quoted) continue;
      ++seen;
      EXPECT_TRUE(targets.contains(first_part(include.path))) << place(include.line);
    }
  }
  EXPECT_GT(seen, 100U) << "the sources were not found";
}

TEST(Tree, the_core_knows_only_the_standard_library_and_expected) {
  for (const Include& include : includes_of("scheduler")) {
    if (include.quoted) continue;
    const bool standard = include.path.find('/') == std::string::npos && include.path.find('.') == std::string::npos;
    const bool allowed = standard || include.path == "tl/expected.hpp" || include.path == "immintrin.h";
    EXPECT_TRUE(allowed) << place(include.line);
    EXPECT_NE(include.path, "thread") << place(include.line);
    EXPECT_NE(include.path, "iostream") << place(include.line);
    EXPECT_NE(include.path, "fstream") << place(include.line);
  }
}

TEST(Tree, each_foreign_library_stays_in_its_place) {
  struct Rule {
    std::string library;
    std::vector<std::string> homes;
    std::size_t most_files;
  };
  const std::vector<Rule> rules{{"cpprest/", {"connectors/transport/"}, 1},
                                {"SQLiteCpp/", {"service/store/"}, 20},
                                {"boost/beast", {"service/http/", "k8s/client/"}, 4},
                                {"yaml-cpp/", {"service/runtime/", "k8s/client/"}, 5},
                                {"spdlog/", {"service/runtime/"}, 2},
                                {"CLI/", {"service/cli/"}, 24}};
  for (const Rule& rule : rules) {
    std::set<std::string> files;
    for (const std::string folder : {"connectors", "k8s", "service"}) {
      for (const Include& include : includes_of(folder)) {
        if (include.path.rfind(rule.library, 0) != 0) continue;
        files.insert(include.line.file);
        EXPECT_TRUE(std::any_of(rule.homes.begin(), rule.homes.end(),
                                [&](const auto& home) { return include.line.file.starts_with(home); }))
            << place(include.line);
      }
    }
    EXPECT_LE(files.size(), rule.most_files) << rule.library;
  }
}

TEST(Tree, the_clock_and_the_environment_are_parameters) {
  const std::regex asked{R"(system_clock::now|std::time\(|\bgetenv\()"};
  for (const std::string folder : {"scheduler", "connectors", "k8s", "service"}) {
    for (const Line& line : lines_of(folder)) {
      if (line.file.rfind("service/runtime/", 0) == 0 || line.file == "service/main.cpp") continue;
      EXPECT_FALSE(std::regex_search(line.text, asked)) << place(line);
    }
  }
}

TEST(Tree, sql_lives_in_the_store) {
  const std::regex statement{R"("\s*(SELECT|INSERT|UPDATE|DELETE FROM|PRAGMA|CREATE TABLE)\s)"};
  for (const std::string folder : {"scheduler", "connectors", "k8s", "service"}) {
    for (const Line& line : lines_of(folder)) {
      if (line.file.rfind("service/store/", 0) == 0) continue;
      EXPECT_FALSE(std::regex_search(line.text, statement)) << place(line);
    }
  }
}

TEST(Tree, every_source_says_its_licence_first) {
  for (const std::string folder : {"scheduler", "connectors", "k8s", "service", "tests"}) {
    for (const Line& line : lines_of(folder)) {
      if (line.number != 1 || line.file.find("compile_fail") != std::string::npos) continue;
      EXPECT_EQ(line.text, "// SPDX-License-Identifier: Apache-2.0") << line.file;
    }
  }
}

}  // namespace
