// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "connectors/transport/http_transport.hpp"

namespace valle::connectors {

struct TransportOptions {
  std::string user_agent;                    ///< `valle/0.1.0`: stable and honest; firewalls block defaults
  std::filesystem::path extra_ca_file = {};  ///< PEM of certificates to trust beside the system's
  unsigned threads = 2;                      ///< of the library's pool; fixed by the first transport of a process
};

/// HTTP/1.1 by cpprestsdk. Connections are kept and reused per host. Destroy it before `main` returns.
[[nodiscard]] std::unique_ptr<HttpTransport> make_cpprest_transport(TransportOptions options);

}  // namespace valle::connectors
