// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "service/api/json_writer.hpp"
#include "service/app/intensity_book.hpp"

namespace valle::service::api {

/// Where the numbers of one zone are from, and how good: one element of `data`.
void write_zone_data(JsonWriter& json, const scheduler::Zone& zone, const app::ChosenSeries& chosen);

/// The three members scope, basis and method.
void write_accounting(JsonWriter& json, const scheduler::Accounting& accounting);

}  // namespace valle::service::api
