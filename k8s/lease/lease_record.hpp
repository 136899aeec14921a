// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "k8s/client/client.hpp"
#include "k8s/lease/election.hpp"

namespace valle::k8s {

/// Reads a Lease; what is absent, null or of the wrong type is as if it had never been written.
[[nodiscard]] LeaseRecord lease_record_of(const Json& lease);

/// A Lease with that record as its `spec`: `lease`, with all else in it, or a new one of that name if it is no object.
[[nodiscard]] Json lease_with(Json lease, const LeaseRecord& record, const std::string& space, const std::string& name);

}  // namespace valle::k8s
