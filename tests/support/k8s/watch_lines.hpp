// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "k8s/client/client.hpp"

/// Lines of a watch and pages of a list, of objects in namespace "lab".
namespace valle::tests {

inline k8s::Json object(const std::string& name, int version, const std::string& note = {}) {
  k8s::Json made{{"metadata", {{"namespace", "lab"}, {"name", name}, {"resourceVersion", std::to_string(version)}}}};
  if (!note.empty()) made["note"] = note;
  return made;
}
inline std::string event(const char* type, k8s::Json object) {
  return k8s::Json{{"type", type}, {"object", std::move(object)}}.dump();
}
inline std::string added(const std::string& name, int version, const std::string& note = {}) {
  return event("ADDED", object(name, version, note));
}
inline std::string modified(const std::string& name, int version, const std::string& note = {}) {
  return event("MODIFIED", object(name, version, note));
}
inline std::string deleted(const std::string& name, int version) { return event("DELETED", object(name, version)); }
inline std::string bookmark(int version) {
  return event("BOOKMARK", {{"kind", "Job"}, {"metadata", {{"resourceVersion", std::to_string(version)}}}});
}
inline std::string initial_end(int version) {
  return event(
      "BOOKMARK",
      {{"metadata",
        {{"resourceVersion", std::to_string(version)}, {"annotations", {{"k8s.io/initial-events-end", "true"}}}}}});
}
inline std::string error_event(int code, const std::string& reason) {
  return event("ERROR", {{"kind", "Status"}, {"code", code}, {"reason", reason}, {"message", "scripted"}});
}
inline std::string page(const std::vector<std::pair<std::string, int>>& objects, int version,
                        const std::string& next = {}) {
  k8s::Json list{{"metadata", {{"resourceVersion", std::to_string(version)}}}, {"items", k8s::Json::array()}};
  if (!next.empty()) list["metadata"]["continue"] = next;
  for (const auto& [name, of] : objects) list["items"].push_back(object(name, of));
  return list.dump();
}

}  // namespace valle::tests
