// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/discovery.hpp"

#include <charconv>
#include <optional>
#include <utility>

namespace valle::k8s {
namespace {

using Kind = ApiError::Kind;

std::string text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

const Json& list_in(const Json& object, const char* name) {
  static const Json k_nothing = Json::array();
  const auto found = object.find(name);
  return found != object.end() && found->is_array() ? *found : k_nothing;
}

/// Of "35" or "35+", as some vendors write it; 0 if it is no number.
int number_of(const std::string& text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string path_of_group_version(const Resource& resource) {
  if (resource.group.empty()) return "/api/" + percent_encoded(resource.version);
  return "/apis/" + percent_encoded(resource.group) + '/' + percent_encoded(resource.version);
}

ApiResult<void> read_version(Client& client, const Call& call, Served& served) {
  const auto answer = client.read("/version", {}, call);
  if (!answer) return tl::unexpected{answer.error()};
  served.version = text_in(answer->object, "gitVersion");
  served.major = number_of(text_in(answer->object, "major"));
  served.minor = number_of(text_in(answer->object, "minor"));
  return {};
}

ApiResult<void> read_groups(Client& client, const Call& call, Served& served) {
  const auto core = client.read("/api", {}, call);
  if (!core) return tl::unexpected{core.error()};
  for (const Json& version : list_in(core->object, "versions")) {
    if (version.is_string()) served.group_versions.insert(version.get<std::string>());
  }
  const auto groups = client.read("/apis", {}, call);
  if (!groups) return tl::unexpected{groups.error()};
  for (const Json& group : list_in(groups->object, "groups")) {
    for (const Json& version : list_in(group, "versions")) {
      if (auto text = text_in(version, "groupVersion"); !text.empty()) served.group_versions.insert(std::move(text));
    }
  }
  return {};
}

ApiResult<void> read_kinds(Client& client, const Resource& resource, const Call& call, Served& served) {
  const auto answer = client.read(path_of_group_version(resource), {}, call);
  if (!answer && answer.error().kind == Kind::not_found) return {};
  if (!answer) return tl::unexpected{answer.error()};
  for (const Json& kind : list_in(answer->object, "resources")) {
    if (auto name = text_in(kind, "name"); !name.empty()) served.kinds.insert(api_version_of(resource) + '/' + name);
  }
  return {};
}

/// "kueue.x-k8s.io/v1beta1, kueue.x-k8s.io/v1alpha1"
std::string offered_instead(const Served& served, const Resource& resource) {
  std::string offered;
  for (const std::string& group_version : served.group_versions) {
    if (group_version.rfind(resource.group + '/', 0) != 0) continue;
    if (!offered.empty()) offered += ", ";
    offered += group_version;
  }
  return offered;
}

}  // namespace

bool Served::has(const Resource& resource, std::string_view subresource) const {
  std::string kind = api_version_of(resource) + '/' + resource.plural;
  if (!subresource.empty()) (kind += '/') += subresource;
  return kinds.contains(kind);
}

ApiResult<Served> discover(Client& client, const std::vector<Resource>& resources, const Call& call) {
  Served served;
  if (auto done = read_version(client, call, served); !done) return tl::unexpected{done.error()};
  if (auto done = read_groups(client, call, served); !done) return tl::unexpected{done.error()};
  std::set<std::string> asked;
  for (const Resource& resource : resources) {
    const std::string group_version = api_version_of(resource);
    if (!served.group_versions.contains(group_version) || !asked.insert(group_version).second) continue;
    if (auto done = read_kinds(client, resource, call, served); !done) return tl::unexpected{done.error()};
  }
  return served;
}

std::vector<std::string> missing(const Served& served, const std::vector<Needed>& needed) {
  std::vector<std::string> sentences;
  for (const auto& [resource, purpose] : needed) {
    if (served.has(resource)) continue;
    std::string name = resource.plural;
    if (!resource.group.empty()) name += '.' + resource.group;
    std::string sentence = name + '/' + resource.version + " is not served, needed " + purpose;
    const std::string offered = offered_instead(served, resource);
    if (served.group_versions.contains(api_version_of(resource))) {
      sentence += "; the server has " + api_version_of(resource) + ", but not this kind";
    } else if (!offered.empty()) {
      sentence += "; the server offers " + offered + " instead";
    } else {
      sentence += "; the server has nothing of " + resource.group;
    }
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

}  // namespace valle::k8s
