// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/runtime/config.hpp"

namespace valle::service::runtime {

/// One setting as it was written, and where.
struct Setting {
  std::string text;
  std::string place;  ///< `valle.yaml:12`, the variable's name, or `--flag`
  Origin origin = Origin::file;
};

/// What a reading of the configuration knows and finds: the layers, the first problem, the keys that there are. The
/// rest of the reading goes on after a problem, on defaults, so that the code stays straight.
class Reading final {
 public:
  /// `name` stands before the line number in places.
  Reading(std::string name, std::filesystem::path folder, const ConfigSources& sources);

  /// Remembers the first problem: `key: what` at `place`.
  void refuse(const std::string& place, const std::string& key, const std::string& what);
  [[nodiscard]] const std::optional<scheduler::Error>& problem() const { return problem_; }

  [[nodiscard]] std::string place_of(const YAML::Node& node) const;
  /// The flag or variable for a dotted key. The key is known from now on.
  [[nodiscard]] std::optional<Setting> stronger(const std::string& key);
  /// Refuses flags that nobody asked for, and variables that look like a key with a typing slip.
  void refuse_unknown_layers();

  [[nodiscard]] const ConfigSources& sources() const { return sources_; }
  /// A path as written in a file is relative to the file, else to the working folder.
  [[nodiscard]] std::filesystem::path resolved(const Setting& setting) const;

  std::map<std::string, Origin, std::less<>> origins;

 private:
  std::string name_;
  std::filesystem::path folder_;
  const ConfigSources& sources_;
  std::vector<std::pair<std::string, std::string>> variables_;  // VALLE_… in their normal form, and as they are called
  std::vector<std::string> known_;
  std::optional<scheduler::Error> problem_;
};

/// A map of the file, or the absence of one, under a dotted path. Each key is asked for once; `finish` then refuses the
/// others.
class Section final {
 public:
  enum class Layers { all, file_only };  ///< inside lists only the file counts

  /// `node` may be undefined: then only flags and variables count.
  Section(Reading& reading, YAML::Node node, std::string path, Layers layers);

  [[nodiscard]] Reading& reading() const { return reading_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Where this section stands, for problems with the whole of it.
  [[nodiscard]] std::string place() const;
  /// In the file (and not null), or a flag or variable sets one of `keys`.
  [[nodiscard]] bool present(std::initializer_list<const char*> keys);
  [[nodiscard]] std::string full(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

  /// The strongest setting of a scalar; nothing if there is none or it is null.
  [[nodiscard]] std::optional<Setting> find(const std::string& key);

  /// Parses a setting with `parse(text) -> Result<T>` into `target`, which keeps its default if there is none.
  template <class T, class Parse>
  void read(const std::string& key, T& target, Parse parse) {
    const std::optional<Setting> setting = find(key);
    if (!setting) return;
    if (auto value = parse(setting->text)) {
      target = std::move(*value);
    } else {
      refuse(*setting, key, value.error().detail);
    }
  }
  void read_path(const std::string& key, std::filesystem::path& target);
  void refuse(const Setting& setting, const std::string& key, const std::string& what);

  [[nodiscard]] Section inner(const std::string& key);
  /// The maps of a list; more than `most` are refused.
  [[nodiscard]] std::vector<Section> entries(const std::string& key, std::size_t most);
  /// The scalars of a list, at least one, without repeats.
  [[nodiscard]] std::vector<Setting> texts(const std::string& key, std::size_t most);
  /// Whether the file has a list under this key.
  [[nodiscard]] bool is_list(const std::string& key) const;
  /// All keys of this map, for maps whose keys are the user's own names.
  [[nodiscard]] std::vector<std::string> names();
  /// The list of scalars under one of the user's own names.
  [[nodiscard]] std::vector<Setting> texts_of_name(const std::string& name, std::size_t most);

  /// Refuses keys that nobody asked for, with the nearest known one.
  void finish();

 private:
  [[nodiscard]] YAML::Node child(const std::string& key) const;
  [[nodiscard]] std::vector<Setting> scalars(const YAML::Node& list, const std::string& key, std::size_t most);

  Reading& reading_;
  YAML::Node node_;
  std::string path_;
  Layers layers_;
  std::vector<std::string> known_;
};

}  // namespace valle::service::runtime
