// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "scheduler/model/error.hpp"
#include "service/runtime/config.hpp"

namespace valle::service::app {

/// What a valid configuration names and nobody can read: token files, TLS files, intensity folders, a kubeconfig. Each
/// with its key as pointer (`sources[0].tokenFile`) and the file in its sentence; never what stands in a secret file.
[[nodiscard]] std::vector<scheduler::Error> unreadable_files(const runtime::Config& config);

}  // namespace valle::service::app
