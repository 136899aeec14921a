// SPDX-License-Identifier: Apache-2.0
#include "k8s/api/quantity.hpp"

#include <gtest/gtest.h>

namespace valle::k8s {
namespace {

using scheduler::Amount;

std::optional<std::int64_t> thousandths(std::string_view text) {
  const auto amount = parse_quantity(text);
  return amount ? std::optional{amount->base()} : std::nullopt;
}

TEST(Quantity, reads_all_forms_exactly_into_thousandths) {
  EXPECT_EQ(thousandths("2"), 2'000);
  EXPECT_EQ(thousandths("500m"), 500);
  EXPECT_EQ(thousandths("0.1"), 100);
  EXPECT_EQ(thousandths("2e3"), 2'000'000);
  EXPECT_EQ(thousandths("1E2"), 100'000);
  EXPECT_EQ(thousandths("25e-1"), 2'500);
  EXPECT_EQ(thousandths("1.5Gi"), std::int64_t{3} * 512 * 1024 * 1024 * 1'000);
  EXPECT_EQ(thousandths("128Mi"), std::int64_t{128} * 1024 * 1024 * 1'000);
  EXPECT_EQ(thousandths("100M"), 100'000'000'000);
  EXPECT_EQ(thousandths("5k"), 5'000'000);
  EXPECT_EQ(thousandths("0"), 0);
  EXPECT_EQ(thousandths(".5"), 500);
  EXPECT_EQ(thousandths("3."), 3'000);
}

TEST(Quantity, rounds_what_is_finer_than_a_thousandth_up) {
  EXPECT_EQ(thousandths("1u"), 1);
  EXPECT_EQ(thousandths("1000001n"), 2);
  EXPECT_EQ(thousandths("0.0001"), 1);
}

TEST(Quantity, refuses_what_is_no_quantity_or_too_much) {
  for (const char* text : {"", "-1", "+1", "m", "1 ", " 1", "1.2.3", "1KI", "1Zi", "1e", "1e99", "1e+", "2Gib", "0x10",
                           "1234567890123456789", "1e16", "NaN"}) {
    EXPECT_EQ(parse_quantity(text), std::nullopt) << text;
  }
  EXPECT_EQ(thousandths("1000000000000000"), 1'000'000'000'000'000'000);
  EXPECT_EQ(parse_quantity("1000000000000001"), std::nullopt);
}

TEST(Quantity, of_json_may_be_a_text_or_a_number_and_nothing_else) {
  EXPECT_EQ(quantity_of(Json("250m")), Amount::of_base(250));
  EXPECT_EQ(quantity_of(Json(4)), Amount::of_base(4'000));
  EXPECT_EQ(quantity_of(Json(0.5)), Amount::of_base(500));
  EXPECT_EQ(quantity_of(Json(true)), std::nullopt);
  EXPECT_EQ(quantity_of(Json(nullptr)), std::nullopt);
}

TEST(Quantity, sums_and_products_stop_at_the_largest_amount) {
  const Amount most = Amount::of_base(INT64_MAX);
  EXPECT_EQ(added(most, Amount::of_base(1)), most);
  EXPECT_EQ(added(Amount::of_base(2), Amount::of_base(3)), Amount::of_base(5));
  EXPECT_EQ(multiplied(Amount::of_base(INT64_MAX / 2), 3), most);
  EXPECT_EQ(multiplied(Amount::of_base(7), 3), Amount::of_base(21));
}

}  // namespace
}  // namespace valle::k8s
