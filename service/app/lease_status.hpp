// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace valle::service::app {

/// Which of several replicas leads, as this one knows it.
struct LeaseStatus {
  bool leading = false;
  std::string holder = {};   ///< of the Lease, when last seen; empty: nobody, or not known
  std::string problem = {};  ///< why nobody may be leading, and what to do; empty: nothing is wrong
  friend bool operator==(const LeaseStatus&, const LeaseStatus&) = default;
};

}  // namespace valle::service::app
