// SPDX-License-Identifier: Apache-2.0
// Every parser of foreign bytes gets broken ones: cut at each place, and with bytes changed at random. Nothing may
// crash, hang or let an implausible value through.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "connectors/electricity_maps/parse.hpp"
#include "connectors/electricity_maps/zones.hpp"
#include "connectors/energy_charts/parse.hpp"
#include "connectors/esios/mix.hpp"
#include "connectors/esios/parse.hpp"
#include "connectors/files/files.hpp"
#include "connectors/retry/retry.hpp"
#include "connectors/rte/parse.hpp"
#include "tests/support/connectors/provider_bodies.hpp"
#include "tests/support/connectors/rows.hpp"

namespace valle::connectors {
namespace {

using scheduler::Zone;
using tests::at;

const auto k_now = at("2027-05-12T09:20:00Z");

void expect_plausible(const scheduler::Harvest& harvest) {
  for (const auto& row : harvest.intensity) {
    ASSERT_GE(row.value.base(), 1'000);
    ASSERT_LE(row.value.base(), 2'000'000);
    ASSERT_LT(row.interval.begin, row.interval.end);
  }
}

/// Calls `parse` with every beginning of `good`, then with many copies in which up to four bytes are changed.
void torture(const std::string& good, const std::function<void(const std::string&)>& parse) {
  for (std::size_t length = 0; length <= good.size(); ++length) parse(good.substr(0, length));
  std::mt19937 random{20270512};
  constexpr std::string_view k_telling = "\"\\{}[],:-+.0123456789eEnulZT \n\r\t\x00\x7f\xff";
  for (int round = 0; round < 3000; ++round) {
    std::string bad = good;
    for (unsigned change = 0; change <= random() % 4; ++change) {
      const std::size_t place = random() % bad.size();
      const char byte = k_telling[random() % k_telling.size()];
      switch (random() % 3) {
        case 0: bad[place] = byte; break;
        case 1: bad.insert(place, 1, byte); break;
        default: bad.erase(place, 1 + random() % 3); break;
      }
      if (bad.empty()) bad = "x";
    }
    parse(bad);
  }
}

TEST(HostileBytes, do_not_hurt_the_reader_of_electricity_maps) {
  const std::string body = tests::em_list(
      "FR", "data", {{"FR", "2027-05-12T07", "34"}, {"FR", "2027-05-12T08", "36.5", "", "TIME_SLICER_AVERAGE"}});
  torture(body, [](const std::string& bytes) {
    expect_plausible(
        electricity_maps::parse_intensity(bytes, {Zone::of("FR"), scheduler::ReadingKind::measured, k_now}, Door{})
            .harvest);
    (void)electricity_maps::parse_prices(bytes, {.zone = Zone::of("FR"), .now = k_now});
    (void)electricity_maps::parse_zones(bytes);
    (void)electricity_maps::refusal({.status = 401, .body = bytes}, Zone::of("FR"), "latest");
  });
}

TEST(HostileBytes, do_not_hurt_the_reader_of_energy_charts) {
  torture(tests::ec_body(tests::counted(1804636800, 900, 4), "[31.2,30.8,null,null]", "[null,null,29.5,28.1]"),
          [](const std::string& bytes) {
            expect_plausible(energy_charts::parse_intensity(bytes, Zone::of("DE"), k_now, Door{}).harvest);
            (void)energy_charts::parse_prices(bytes, Zone::of("DE"), k_now);
          });
}

TEST(HostileBytes, do_not_hurt_the_reader_of_esios) {
  torture(tests::esios_body(546, {{"2027-05-12T07:00:00.000+02:00", "2027-05-12T05:00:00.000Z", "58.3", 8741},
                                  {"2027-05-12T08:00:00.000+02:00", "2027-05-12T06:00:00.000Z", "51.75", 8741}}),
          [](const std::string& bytes) {
            const auto indicator = esios::parse_indicator(bytes, {546, 8741});
            if (!indicator) return;
            (void)esios::prices_of(*indicator, Zone::of("ES"), k_now);
            (void)esios::grid_forecast_of(*indicator, Zone::of("ES"), scheduler::GridQuantity::wind, k_now);
            expect_plausible(esios::intensity_of_mix({{546, *indicator}}, {}, Zone::of("ES"), k_now, Door{}).harvest);
          });
}

TEST(HostileBytes, do_not_hurt_the_reader_of_rte) {
  torture(
      R"({"total_count":2,"results":[{"perimetre":"France","date_heure":"2027-09-21T02:45:00+02:00","taux_co2":13},{"date_heure":"2027-09-21T02:30:00+02:00","taux_co2":null}]})",
      [](const std::string& bytes) {
        expect_plausible(rte::parse_intensity(bytes, Zone::of("FR"), k_now, Door{}).harvest);
        (void)rte::page_of(bytes);
      });
}

TEST(HostileBytes, do_not_hurt_the_reader_of_files) {
  torture(
      "datetime_utc,end,gco2_kwh_lifecycle,price_eur_mwh,estimated\n2027-05-12T07:00:00Z,2027-05-12T08:00:00Z,34.5,-1,"
      "0\n\"2027-05-12T08:00:00Z\",,\"35\",2,true\n",
      [](const std::string& bytes) {
        if (const auto zone = read_intensity_text("FR.csv", bytes, k_now)) expect_plausible(zone->harvest);
      });
  torture(
      R"({"GeneratedAt":"2027-03-24T00:00:00+00:00","Emissions":[{"Time":"2027-03-24T00:00:00+00:00","Rating":185.3,"Duration":"00:15:00"},{"Time":"2027-03-24T00:15:00Z","Rating":0}]})",
      [](const std::string& bytes) {
        if (const auto zone = read_intensity_text("DE.json", bytes, k_now)) expect_plausible(zone->harvest);
      });
}

TEST(HostileBytes, do_not_hurt_the_reader_of_retry_after) {
  torture("Sun, 07 Nov 2027 08:49:37 GMT", [](const std::string& bytes) {
    const auto wait = parse_retry_after(bytes, k_now);
    ASSERT_TRUE(!wait || (wait->count() >= 0 && wait->count() <= 86'400));
  });
}

}  // namespace
}  // namespace valle::connectors
