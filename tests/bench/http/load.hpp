// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace valle::bench {

struct Load {
  std::uint16_t port = 0;  ///< on 127.0.0.1
  std::string target = "/constant";
  std::size_t connections = 32;             ///< keep-alive
  std::optional<double> requests_a_second;  ///< open loop at this rate; without it every connection asks again at once
  std::chrono::milliseconds time{3000};
};

struct Measured {
  std::size_t answers = 0;
  std::size_t failures = 0;  ///< not 200, or the connection ended
  std::size_t unsent = 0;    ///< open loop: due and still waiting for a connection at the end
  double seconds = 0;
  double p50_ms = 0;
  double p99_ms = 0;
  double max_ms = 0;
  [[nodiscard]] double rate() const { return static_cast<double>(answers) / seconds; }
};

/// Loads a server on loopback from one thread. In open loop a request's time counts from when it was due, not from when
/// it could be sent, so that a stalled server can't hide the requests that it held up.
[[nodiscard]] Measured run_load(const Load& load);

}  // namespace valle::bench
