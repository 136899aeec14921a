// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "service/api/json_writer.hpp"
#include "service/api/member_reader.hpp"
#include "service/app/best_slot.hpp"

namespace valle::service::api {

/// The members of a best-slot request, and so the parameters of its query.
[[nodiscard]] std::span<const std::string_view> best_slot_members();

/// Reads a request from a body or a query. What is missing stays missing: `app::best_slot` knows the defaults.
[[nodiscard]] scheduler::Result<app::BestSlotRequest> read_best_slot(const Json& body, const std::string& pointer = "");
[[nodiscard]] scheduler::Result<app::BestSlotRequest> read_best_slot_query(
    std::span<const MemberReader::Parameter> query);

void write_best_slot(JsonWriter& json, const app::BestSlotAnswer& answer);

/// The contract's answer as text: what `GET /v1/best-slot` and `valle best-slot --json` print.
[[nodiscard]] std::string best_slot_json(const app::BestSlotAnswer& answer);

/// `interruptible`: {minRun, restart, restartEnergyKwh, maxPauses}, all optional.
[[nodiscard]] std::optional<scheduler::Interruption> read_interruption(const Json& value, std::string pointer,
                                                                       FirstError& first);

}  // namespace valle::service::api
