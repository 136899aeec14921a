// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace valle::k8s {

enum class Scope { namespaced, cluster };

/// A kind as paths name it: {"batch", "v1", "jobs"}. The core group is "".
struct Resource {
  std::string group;
  std::string version;
  std::string plural;
  Scope scope = Scope::namespaced;
  friend bool operator==(const Resource&, const Resource&) = default;
};

/// "batch/v1", "v1".
[[nodiscard]] std::string api_version_of(const Resource& resource);

/// All objects of a kind, in one namespace or (`space` empty) in all.
struct Collection {
  Resource resource;
  std::string space = {};
};

/// One object, or its subresource ("status").
struct ObjectPath {
  Resource resource;
  std::string space = {};
  std::string name;
  std::string subresource = {};
};

/// `/apis/batch/v1/namespaces/lab/jobs`
[[nodiscard]] std::string path_of(const Collection& collection);
/// `/apis/batch/v1/namespaces/lab/jobs/nightly/status`; what names hold is percent-encoded.
[[nodiscard]] std::string path_of(const ObjectPath& object);

/// Whether the path names one object and nothing else: an empty name would name the whole collection, and deleting it
/// would delete them all.
[[nodiscard]] bool names_one(const ObjectPath& object);

using Query = std::vector<std::pair<std::string, std::string>>;
/// Path, and the query encoded behind it.
[[nodiscard]] std::string target_of(std::string path, const Query& query);
/// All but letters, digits, `-`, `.`, `_` and `~` as %XX.
[[nodiscard]] std::string percent_encoded(std::string_view text);

}  // namespace valle::k8s
