// SPDX-License-Identifier: Apache-2.0
#include "service/app/config_files.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "connectors/secret/secret.hpp"

namespace valle::service::app {
namespace {

namespace fs = std::filesystem;
using scheduler::Errc;
using scheduler::Error;

/// Walks what is named, in the order of the contract, and keeps what can't be read.
class Reader {
 public:
  void file(const std::string& key, const fs::path& path) {
    if (path.empty()) return;
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return refuse(key, path, "is not there");
    if (fs::is_directory(path, ignored)) return refuse(key, path, "is a folder, not a file");
    if (!std::ifstream{path}) refuse(key, path, "can't be read: give this user permission");
  }

  void token(const std::string& key, const fs::path& path) {
    if (path.empty()) return;
    const auto token = connectors::token_from_file(path)->current();
    if (!token) found_.push_back({Errc::invalid_request, path.string() + ": " + token.error().detail, key});
  }

  void folder_or_file(const std::string& key, const fs::path& path) {
    std::error_code fault;
    if (!fs::is_directory(path, fault)) return file(key, path);
    const fs::directory_iterator entries{path, fault};
    if (fault) refuse(key, path, "can't be read: " + fault.message());
  }

  [[nodiscard]] std::vector<Error> found() && { return std::move(found_); }

 private:
  void refuse(const std::string& key, const fs::path& path, const std::string& why) {
    found_.push_back({Errc::invalid_request, path.string() + " " + why, key});
  }

  std::vector<Error> found_;
};

}  // namespace

std::vector<Error> unreadable_files(const runtime::Config& config) {
  Reader reader;
  for (std::size_t i = 0; i < config.sources.size(); ++i) {
    const std::string place = "sources[" + std::to_string(i) + "].";
    reader.token(place + "tokenFile", config.sources[i].token_file);
    if (!config.sources[i].path.empty()) reader.folder_or_file(place + "path", config.sources[i].path);
  }
  reader.file("kubernetes.kubeconfig", config.kubernetes.kubeconfig);
  if (config.webhook && !config.webhook->self_managed) {
    reader.file("webhook.certFile", config.webhook->cert_file);
    reader.file("webhook.keyFile", config.webhook->key_file);
  }
  if (config.tls) {
    reader.file("tls.certFile", config.tls->cert_file);
    reader.file("tls.keyFile", config.tls->key_file);
    reader.file("tls.clientCaFile", config.tls->client_ca_file);
  }
  if (config.auth) reader.file("auth.tokensFile", config.auth->tokens_file);
  return std::move(reader).found();
}

}  // namespace valle::service::app
