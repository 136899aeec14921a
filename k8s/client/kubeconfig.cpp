// SPDX-License-Identifier: Apache-2.0
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <utility>

#include "k8s/client/base64.hpp"
#include "k8s/client/endpoint.hpp"
#include "k8s/client/file_text.hpp"
#include "k8s/client/server_address.hpp"

namespace valle::k8s {

namespace fs = std::filesystem;
using scheduler::Errc;
using scheduler::Error;
using scheduler::refuse;
using scheduler::Result;

namespace {

/// A refusal inside this file; `endpoint_from_kubeconfig` turns it into a Result.
struct Refused {
  std::string member;
  std::string detail;
};

/// One mapping of the file and where it is, for messages: `users[jane].user`.
struct Section {
  YAML::Node node;
  std::string place;

  [[noreturn]] void refuse(const std::string& name, const std::string& detail) const {
    throw Refused{place.empty() ? name : place + '.' + name, detail};
  }
  [[nodiscard]] bool has(const std::string& name) const {
    const YAML::Node found = node[name];
    return found.IsDefined() && !found.IsNull();
  }
  /// Absent, null and "" are the same, as for kubectl.
  [[nodiscard]] std::string text(const std::string& name) const {
    if (!has(name)) return {};
    if (!node[name].IsScalar()) refuse(name, "must be a text");
    return node[name].Scalar();
  }
  [[nodiscard]] Section section(const std::string& name) const {
    if (!has(name) || !node[name].IsMap()) refuse(name, "must be there and be a mapping");
    return {node[name], place.empty() ? name : place + '.' + name};
  }
};

/// The entry of that name in `clusters`, `users` or `contexts`, and in it the member that holds the content.
Section named(const Section& root, const std::string& list, const std::string& name, const std::string& content) {
  const YAML::Node entries = root.node[list];
  if (!entries.IsDefined() || !entries.IsSequence()) root.refuse(list, "must be there and be a list");
  for (const YAML::Node& entry : entries) {
    if (!entry.IsMap() || !entry["name"].IsDefined() || !entry["name"].IsScalar()) continue;
    if (entry["name"].Scalar() == name) return Section{entry, list + '[' + name + ']'}.section(content);
  }
  root.refuse(list, "has no entry named \"" + name + '"');
}

/// `name-data` (base64) before `name` (a file), as kubectl has it.
Pem pem(const Section& section, const std::string& name, const fs::path& folder) {
  if (const std::string data = section.text(name + "-data"); !data.empty()) {
    auto text = decoded_base64(data);
    if (!text) section.refuse(name + "-data", "is not base64");
    return {.text = *std::move(text)};
  }
  const std::string file = section.text(name);
  if (file.empty()) return {};
  const fs::path path = folder / file;
  if (auto text = text_of_file(path); !text) section.refuse(name, path.string() + ' ' + text.error().detail);
  return {.file = path};
}

void read_cluster(const Section& cluster, const fs::path& folder, Endpoint& endpoint) {
  const auto address = parse_server_address(cluster.text("server"));
  if (!address) cluster.refuse("server", address.error().detail);
  endpoint.host = address->host;
  endpoint.port = address->port;
  endpoint.base_path = address->base_path;
  endpoint.server_name = cluster.text("tls-server-name");
  if (const auto value = cluster.text("insecure-skip-tls-verify"); !value.empty() && value != "false") {
    cluster.refuse("insecure-skip-tls-verify",
                   "is refused: without verification anybody between us and the server could read the token; give "
                   "certificate-authority instead");
  }
  if (!cluster.text("proxy-url").empty()) cluster.refuse("proxy-url", "proxies are not supported");
  endpoint.authority = pem(cluster, "certificate-authority", folder);
}

void refuse_what_we_cannot_honour(const Section& user) {
  static constexpr std::array<std::pair<const char*, const char*>, 8> k_unsupported{{
      {"exec", "plug-ins that run a program are not supported; use a token, tokenFile or client certificate"},
      {"auth-provider", "is not supported; use a token, tokenFile or client certificate"},
      {"username", "passwords are not supported; API servers dropped them in 1.19"},
      {"password", "passwords are not supported; API servers dropped them in 1.19"},
      {"as", "impersonation is not supported"},
      {"as-uid", "impersonation is not supported"},
      {"as-groups", "impersonation is not supported"},
      {"as-user-extra", "impersonation is not supported"},
  }};
  for (const auto& [name, why] : k_unsupported) {
    if (user.has(name)) user.refuse(name, why);
  }
}

void read_user(const Section& user, const fs::path& folder, Endpoint& endpoint) {
  refuse_what_we_cannot_honour(user);
  endpoint.client_certificate = pem(user, "client-certificate", folder);
  endpoint.client_key = pem(user, "client-key", folder);
  if (endpoint.client_certificate.given() != endpoint.client_key.given()) {
    user.refuse(endpoint.client_key.given() ? "client-certificate" : "client-key",
                "is missing: certificate and key go together");
  }
  // client-go: the file wins, the token is its value until it can be read.
  if (const auto file = user.text("tokenFile"); !file.empty()) {
    endpoint.token = token_from_file(folder / file);
    if (auto token = endpoint.token->current(); !token) {
      user.refuse("tokenFile", token.error().pointer + ": " + token.error().detail);
    }
  } else if (auto token = user.text("token"); !token.empty()) {
    if (std::any_of(token.begin(), token.end(), [](char c) { return c <= ' ' || c >= 127; })) {
      user.refuse("token", "holds characters that no token has");
    }
    endpoint.token = fixed_token(Secret{std::move(token)});
  }
  if (!endpoint.token && !endpoint.client_certificate.given()) {
    throw Refused{user.place, "has neither token, tokenFile nor client-certificate"};
  }
}

Endpoint read(const YAML::Node& document, const fs::path& file, const std::string& wanted) {
  if (!document.IsMap()) throw Refused{{}, "is not a kubeconfig: not a mapping"};
  const Section root{document, {}};
  const std::string chosen = wanted.empty() ? root.text("current-context") : wanted;
  if (chosen.empty()) root.refuse("current-context", "is not set, and no context was chosen");
  const Section context = named(root, "contexts", chosen, "context");
  const fs::path folder = file.parent_path();
  Endpoint endpoint;
  read_cluster(named(root, "clusters", context.text("cluster"), "cluster"), folder, endpoint);
  read_user(named(root, "users", context.text("user"), "user"), folder, endpoint);
  if (auto space = context.text("namespace"); !space.empty()) endpoint.default_namespace = std::move(space);
  endpoint.origin = "kubeconfig " + file.string() + ", context " + chosen;
  return endpoint;
}

}  // namespace

Result<Endpoint> endpoint_from_kubeconfig(const fs::path& file, const std::string& context) {
  const auto text = text_of_file(file);
  if (!text) return tl::unexpected{text.error()};
  try {
    return read(YAML::Load(*text), file, context);
  } catch (const Refused& refused) {
    return refuse(Errc::invalid_request, refused.detail,
                  refused.member.empty() ? file.string() : file.string() + ": " + refused.member);
  } catch (const YAML::Exception& broken) {
    return refuse(Errc::invalid_request, std::string{"is not YAML: "} + broken.what(), file.string());
  }
}

}  // namespace valle::k8s
