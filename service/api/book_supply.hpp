// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "service/api/json_reader.hpp"
#include "service/api/problem_codec.hpp"
#include "service/app/intensity_book.hpp"

namespace valle::service::api {

/// Supplies the sites of a problem document that bring no `gramsPerKwh` from a book, all of them by one (scope, basis,
/// method). A zone that the book does not know over the whole grid is refused with `no-intensity-data` and the first
/// gap.
[[nodiscard]] IntensitySupply book_supply(const Json& document, std::shared_ptr<const app::IntensityBook> book,
                                          scheduler::Instant now);

}  // namespace valle::service::api
