// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "service/runtime/config_reader.hpp"

namespace valle::service::runtime {

/// The source kinds that a configuration may name.
[[nodiscard]] std::span<const std::string_view> source_kinds();

// One function a section of contract section 6. Each finishes its section; problems are noted in the reading.
void read_sites(Section& root, Config& config);
void read_sources(Section& root, Config& config);
void read_planning(Section& root, Config& config);
void read_kubernetes(Section& root, Config& config);
void read_webhook(Section& root, Config& config);
void read_tls_and_auth(Section& root, Config& config);
void read_energy(Section& root, Config& config);
void read_report(Section& root, Config& config);
void read_plausible(Section& root, Config& config);

}  // namespace valle::service::runtime
