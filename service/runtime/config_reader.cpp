// SPDX-License-Identifier: Apache-2.0
#include "service/runtime/config_reader.hpp"

#include <algorithm>
#include <set>

#include "service/api/nearest_name.hpp"

namespace valle::service::runtime {
namespace {

/// `planning.minGainPercent` and VALLE_PLANNING_MIN_GAIN_PERCENT meet as `planningmingainpercent`.
std::string normal_form(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c == '_' || c == '.') continue;
    result += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
  const std::vector<std::string_view> views{known.begin(), known.end()};
  const auto nearest = api::nearest_name(name, views);
  if (nearest) return "did you mean " + std::string{*nearest} + "?";
  if (known.empty()) return "nothing is known here";
  std::string list = "known here are ";
  for (std::size_t i = 0; i < known.size(); ++i) list += (i == 0 ? "" : ", ") + known[i];
  return list;
}

constexpr std::string_view k_prefix = "VALLE_";

}  // namespace

Reading::Reading(std::string name, std::filesystem::path folder, const ConfigSources& sources)
    : name_{std::move(name)}, folder_{std::move(folder)}, sources_{sources} {
  for (const auto& [variable, text] : sources.environment) {
    if (variable.starts_with(k_prefix)) {
      variables_.emplace_back(normal_form(std::string_view{variable}.substr(k_prefix.size())), variable);
    }
  }
}

void Reading::refuse(const std::string& place, const std::string& key, const std::string& what) {
  if (problem_) return;
  problem_ = scheduler::Error{scheduler::Errc::invalid_request, key.empty() ? what : key + ": " + what, place};
}

std::string Reading::place_of(const YAML::Node& node) const {
  return name_ + ":" + std::to_string(node.Mark().line + 1);
}

std::optional<Setting> Reading::stronger(const std::string& key) {
  known_.push_back(key);
  if (const auto flag = sources_.flags.find(key); flag != sources_.flags.end()) {
    return Setting{flag->second, "--" + key, Origin::flag};
  }
  const std::string normal = normal_form(key);
  for (const auto& [form, variable] : variables_) {
    if (form == normal) return Setting{sources_.environment.find(variable)->second, variable, Origin::variable};
  }
  return {};
}

void Reading::refuse_unknown_layers() {
  for (const auto& [key, text] : sources_.flags) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
      refuse("--" + key, key, "unknown setting; " + suggestion(key, known_));
    }
  }
  std::vector<std::string> forms;
  for (const std::string& key : known_) forms.push_back(normal_form(key));
  const std::vector<std::string_view> views{forms.begin(), forms.end()};
  for (const auto& [form, variable] : variables_) {
    if (std::find(forms.begin(), forms.end(), form) != forms.end()) continue;
    // Other VALLE_ variables are left alone: Kubernetes sets some for a service of that name.
    const auto nearest = api::nearest_name(form, views);
    if (!nearest) continue;
    const auto at = static_cast<std::size_t>(std::find(views.begin(), views.end(), *nearest) - views.begin());
    refuse(variable, "", "no setting has this variable; did you mean that of " + known_[at] + "?");
  }
}

std::filesystem::path Reading::resolved(const Setting& setting) const {
  const std::filesystem::path written{setting.text};
  if (setting.origin != Origin::file || written.is_absolute()) return written.lexically_normal();
  return (folder_ / written).lexically_normal();
}

Section::Section(Reading& reading, YAML::Node node, std::string path, Layers layers)
    : reading_{reading}, node_{std::move(node)}, path_{std::move(path)}, layers_{layers} {
  if (!node_.IsDefined() || node_.IsNull()) return;
  if (!node_.IsMap()) {
    reading_.refuse(reading_.place_of(node_), path_, "must be a map of key: value");
    node_ = YAML::Node{YAML::NodeType::Undefined};
    return;
  }
  std::set<std::string> seen;
  for (const auto& member : node_) {
    if (!member.first.IsScalar()) {
      reading_.refuse(reading_.place_of(member.first), path_, "keys must be plain words");
    } else if (!seen.insert(member.first.Scalar()).second) {
      reading_.refuse(reading_.place_of(member.first), full(member.first.Scalar()), "is there twice; keep one");
    }
  }
}

std::string Section::place() const { return node_.IsDefined() ? reading_.place_of(node_) : std::string{}; }

bool Section::present(std::initializer_list<const char*> keys) {
  if (node_.IsDefined() && !node_.IsNull()) return true;
  return layers_ == Layers::all && std::any_of(keys.begin(), keys.end(), [&](const char* key) {
           return reading_.stronger(full(key)).has_value();
         });
}

YAML::Node Section::child(const std::string& key) const {
  if (node_.IsDefined() && node_.IsMap()) {
    for (const auto& member : node_) {
      if (member.first.IsScalar() && member.first.Scalar() == key) return member.second;
    }
  }
  return YAML::Node{YAML::NodeType::Undefined};
}

std::optional<Setting> Section::find(const std::string& key) {
  known_.push_back(key);
  if (layers_ == Layers::all) {
    if (auto setting = reading_.stronger(full(key))) {
      reading_.origins[full(key)] = setting->origin;
      return setting;
    }
  }
  const YAML::Node node = child(key);
  if (!node.IsDefined() || node.IsNull()) return {};
  reading_.origins[full(key)] = Origin::file;
  if (!node.IsScalar()) {
    reading_.refuse(reading_.place_of(node), full(key), "must be a single value");
    return {};
  }
  return Setting{node.Scalar(), reading_.place_of(node), Origin::file};
}

void Section::read_path(const std::string& key, std::filesystem::path& target) {
  const std::optional<Setting> setting = find(key);
  if (!setting) return;
  if (setting->text.empty()) return refuse(*setting, key, "must be a path");
  target = reading_.resolved(*setting);
}

void Section::refuse(const Setting& setting, const std::string& key, const std::string& what) {
  reading_.refuse(setting.place, full(key), what);
}

Section Section::inner(const std::string& key) {
  known_.push_back(key);
  return {reading_, child(key), full(key), layers_};
}

std::vector<Section> Section::entries(const std::string& key, std::size_t most) {
  known_.push_back(key);
  std::vector<Section> sections;
  const YAML::Node list = child(key);
  if (!list.IsDefined() || list.IsNull()) return sections;
  reading_.origins[full(key)] = Origin::file;
  if (!list.IsSequence() || list.size() > most) {
    reading_.refuse(reading_.place_of(list), full(key),
                    "must be a list of at most " + std::to_string(most) + " entries");
    return sections;
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string path = full(key) + "[" + std::to_string(i) + "]";
    if (!list[i].IsMap()) reading_.refuse(reading_.place_of(list[i]), path, "must be a map of key: value");
    sections.emplace_back(reading_, list[i], path, Layers::file_only);
  }
  return sections;
}

std::vector<Setting> Section::scalars(const YAML::Node& list, const std::string& key, std::size_t most) {
  std::vector<Setting> texts;
  if (!list.IsSequence() || list.size() == 0 || list.size() > most) {
    reading_.refuse(reading_.place_of(list), full(key),
                    "must be a list of 1 to " + std::to_string(most) + " single values");
    return texts;
  }
  std::set<std::string> seen;
  for (const auto& item : list) {
    if (!item.IsScalar()) {
      reading_.refuse(reading_.place_of(item), full(key), "must hold single values only");
      return {};
    }
    if (!seen.insert(item.Scalar()).second) {
      reading_.refuse(reading_.place_of(item), full(key), item.Scalar() + " is there twice; keep one");
    }
    texts.push_back({item.Scalar(), reading_.place_of(item), Origin::file});
  }
  return texts;
}

std::vector<Setting> Section::texts(const std::string& key, std::size_t most) {
  known_.push_back(key);
  const YAML::Node list = child(key);
  if (!list.IsDefined() || list.IsNull()) return {};
  reading_.origins[full(key)] = Origin::file;
  return scalars(list, key, most);
}

bool Section::is_list(const std::string& key) const {
  const YAML::Node node = child(key);
  return node.IsDefined() && node.IsSequence();
}

std::vector<std::string> Section::names() {
  std::vector<std::string> names;
  if (!node_.IsDefined() || !node_.IsMap()) return names;
  for (const auto& member : node_) {
    if (member.first.IsScalar()) names.push_back(member.first.Scalar());
  }
  known_ = names;
  return names;
}

std::vector<Setting> Section::texts_of_name(const std::string& name, std::size_t most) {
  return scalars(child(name), name, most);
}

void Section::finish() {
  if (!node_.IsDefined() || !node_.IsMap()) return;
  for (const auto& member : node_) {
    if (!member.first.IsScalar()) continue;
    const std::string& key = member.first.Scalar();
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    reading_.refuse(reading_.place_of(member.first), full(key), "unknown key; " + suggestion(key, known_));
  }
}

}  // namespace valle::service::runtime
