// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "scheduler/model/error.hpp"
#include "service/http/server.hpp"

namespace boost::asio::ssl {
class context;
}

namespace valle::service::http {

/// A server's TLS settings from files, read again when they change. Connections keep the settings that they began with.
/// Safe from any thread.
class TlsSettings final {
 public:
  [[nodiscard]] static scheduler::Result<std::unique_ptr<TlsSettings>> load(TlsFiles files);

  [[nodiscard]] std::shared_ptr<boost::asio::ssl::context> current() const;

  /// Reads the files now; the old settings stay where the new ones are refused.
  [[nodiscard]] scheduler::Result<void> reload();
  /// Reads the files if one of them is not what it was; logs what came of it.
  void reload_if_changed();

 private:
  explicit TlsSettings(TlsFiles files) : files_{std::move(files)} {}

  TlsFiles files_;
  std::string seen_;  ///< size, time and inode of each file at the last attempt
  mutable std::mutex mutex_;
  std::shared_ptr<boost::asio::ssl::context> current_;
};

}  // namespace valle::service::http
