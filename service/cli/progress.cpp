// SPDX-License-Identifier: Apache-2.0
#include "service/cli/progress.hpp"

#include <algorithm>
#include <ostream>

namespace valle::service::cli {
namespace {

constexpr int k_width = 30;

}  // namespace

Progress::Progress(const Surroundings& surroundings) : surroundings_{surroundings}, began_{surroundings.clock.now()} {}

Progress::~Progress() {
  if (shown_) surroundings_.err << "\r\x1b[K" << std::flush;
}

void Progress::show(const std::string& what, double share) {
  if (!surroundings_.terminal || surroundings_.clock.now() - began_ < std::chrono::seconds{1}) return;
  shown_ = true;
  const int filled = static_cast<int>(std::clamp(share, 0.0, 1.0) * k_width);
  surroundings_.err << '\r' << what << " [" << std::string(static_cast<std::size_t>(filled), '#')
                    << std::string(static_cast<std::size_t>(k_width - filled), '.') << "] "
                    << static_cast<int>(std::clamp(share, 0.0, 1.0) * 100) << " %\x1b[K" << std::flush;
}

}  // namespace valle::service::cli
