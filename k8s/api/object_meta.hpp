// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "k8s/api/json_access.hpp"
#include "scheduler/model/error.hpp"
#include "scheduler/units/time.hpp"

namespace valle::k8s {

struct OwnerReference {
  std::string api_version = {};
  std::string kind = {};
  std::string name = {};
  std::string uid = {};
  bool controller = false;
  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

/// `metadata` of any object; what is absent is empty.
struct ObjectMeta {
  std::string name = {};
  std::string generate_name = {};
  std::string space = {};  ///< `metadata.namespace`; empty for cluster-scoped kinds
  std::string uid = {};
  std::string resource_version = {};
  std::map<std::string, std::string> labels = {};
  std::map<std::string, std::string> annotations = {};
  std::vector<OwnerReference> owners = {};
  std::vector<std::string> finalizers = {};
  std::optional<scheduler::Instant> created_at = {};
  std::optional<scheduler::Instant> deleted_at = {};  ///< `deletionTimestamp`: it is going
  friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;

  /// `namespace/name`
  [[nodiscard]] std::string key() const { return space.empty() ? name : space + "/" + name; }
  [[nodiscard]] const OwnerReference* controller() const;
  /// Nothing if there is no such annotation; likewise `label`.
  [[nodiscard]] std::optional<std::string> annotation(const std::string& which) const;
  [[nodiscard]] std::optional<std::string> label(const std::string& which) const;
};

/// Of a whole object. Annotations longer than a kilobyte (such as kubectl's last applied configuration) are left out,
/// but for ours and Kueue's.
[[nodiscard]] ObjectMeta meta_of(const Json& object);

/// The same, refused where there is no name, nor one to be generated: then it is no object. `kind` is for the text.
[[nodiscard]] scheduler::Result<ObjectMeta> named_meta_of(const Json& object, const char* kind);

}  // namespace valle::k8s
