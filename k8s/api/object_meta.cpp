// SPDX-License-Identifier: Apache-2.0
#include "k8s/api/object_meta.hpp"

#include <algorithm>

namespace valle::k8s {
namespace {

constexpr std::size_t k_longest_annotation = 1'024;

std::optional<std::string> found_in(const std::map<std::string, std::string>& texts, const std::string& name) {
  const auto found = texts.find(name);
  if (found == texts.end()) return {};
  return found->second;
}

}  // namespace

const OwnerReference* ObjectMeta::controller() const {
  const auto found = std::find_if(owners.begin(), owners.end(), [](const auto& owner) { return owner.controller; });
  return found == owners.end() ? nullptr : &*found;
}

std::optional<std::string> ObjectMeta::annotation(const std::string& which) const {
  return found_in(annotations, which);
}
std::optional<std::string> ObjectMeta::label(const std::string& which) const { return found_in(labels, which); }

ObjectMeta meta_of(const Json& object) {
  const Json& metadata = inner(object, "metadata");
  ObjectMeta meta{.name = text_member(metadata, "name"),
                  .generate_name = text_member(metadata, "generateName"),
                  .space = text_member(metadata, "namespace"),
                  .uid = text_member(metadata, "uid"),
                  .resource_version = text_member(metadata, "resourceVersion"),
                  .labels = texts_member(metadata, "labels"),
                  .annotations = texts_member(metadata, "annotations"),
                  .owners = {},
                  .finalizers = {},
                  .created_at = instant_member(metadata, "creationTimestamp"),
                  .deleted_at = instant_member(metadata, "deletionTimestamp")};
  std::erase_if(meta.annotations, [](const auto& each) {
    // Of what decides nothing is dropped: a long list of gates holds those of others.
    const bool decides = each.first.starts_with("valle.sh/") || each.first.starts_with("kueue.x-k8s.io/");
    return !decides && each.second.size() > k_longest_annotation;
  });
  for (const auto& owner : inner(metadata, "ownerReferences")) {
    meta.owners.push_back({.api_version = text_member(owner, "apiVersion"),
                           .kind = text_member(owner, "kind"),
                           .name = text_member(owner, "name"),
                           .uid = text_member(owner, "uid"),
                           .controller = flag_member(owner, "controller")});
  }
  return meta;
}

scheduler::Result<ObjectMeta> named_meta_of(const Json& object, const char* kind) {
  auto meta = meta_of(object);
  if (!meta.name.empty() || !meta.generate_name.empty()) return meta;
  return scheduler::refuse(scheduler::Errc::invalid_request, std::string{"is no "} + kind + ": it has no name",
                           "/metadata/name");
}

}  // namespace valle::k8s
