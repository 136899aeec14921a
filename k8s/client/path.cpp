// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/path.hpp"

namespace valle::k8s {
namespace {

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

void add_part(std::string& path, std::string_view part) { path += '/' + percent_encoded(part); }

}  // namespace

std::string api_version_of(const Resource& resource) {
  return resource.group.empty() ? resource.version : resource.group + '/' + resource.version;
}

std::string path_of(const Collection& collection) {
  const Resource& resource = collection.resource;
  std::string path = resource.group.empty() ? "/api" : "/apis";
  if (!resource.group.empty()) add_part(path, resource.group);
  add_part(path, resource.version);
  if (resource.scope == Scope::namespaced && !collection.space.empty()) {
    path += "/namespaces";
    add_part(path, collection.space);
  }
  add_part(path, resource.plural);
  return path;
}

std::string path_of(const ObjectPath& object) {
  std::string path = path_of(Collection{object.resource, object.space});
  add_part(path, object.name);
  if (!object.subresource.empty()) add_part(path, object.subresource);
  return path;
}

bool names_one(const ObjectPath& object) {
  const auto is_name = [](const std::string& name) { return !name.empty() && name != "." && name != ".."; };
  return is_name(object.name) && (object.resource.scope == Scope::cluster || is_name(object.space));
}

std::string target_of(std::string path, const Query& query) {
  char mark = '?';
  for (const auto& [name, value] : query) {
    path += mark + percent_encoded(name) + '=' + percent_encoded(value);
    mark = '&';
  }
  return path;
}

std::string percent_encoded(std::string_view text) {
  static constexpr char k_digits[] = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c)) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += {'%', k_digits[byte >> 4], k_digits[byte & 15]};
    }
  }
  return encoded;
}

}  // namespace valle::k8s
