// SPDX-License-Identifier: Apache-2.0
#include "service/app/ingest.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/store/migrator.hpp"
#include "tests/support/readings.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::service::app {
namespace {

using namespace scheduler;  // NOLINT: a test speaks the whole vocabulary
using connectors::ChainAnswer;
using tests::a_harvest;
using tests::at;
using tests::hours;

class IngestTest : public ::testing::Test {
 protected:
  ChainAnswer answer(const std::string& source, Harvest harvest) {
    ChainAnswer answer;
    answer.source = source;
    answer.attribution = "by " + source;
    answer.harvest = std::make_shared<const Harvest>(std::move(harvest));
    answer.grade = connectors::Grade::fresh;
    return answer;
  }

  const Zone france_ = Zone::of("FR");
  const Instant now_ = at("2027-01-09T06:30:00Z");
  tests::TemporaryFolder folder_;
  std::unique_ptr<store::Database> database_ = store::open_store(folder_ / "valle.db").value();
  store::IntensityRepository repository_{*database_};
  CurrentBook book_{std::make_shared<IntensityBook>()};
  Ingest ingest_{repository_, book_};
};

TEST_F(IngestTest, a_harvest_is_stored_counted_and_published) {
  Harvest harvest = a_harvest(hours("FR", "2027-01-09T00:00:00Z", {50, 51, 52}));
  harvest.rejected = {{at("2027-01-09T03:00:00Z"), RejectionReason::zero, "0"}};
  const auto report = ingest_.take(france_, answer("esios", harvest), now_).value();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->stored.measured.added, 3u);
  EXPECT_EQ(report->rejected(), 1u);
  EXPECT_EQ(to_text(*report),
            "source=esios zone=FR added=3 revised=0 unchanged=0 outdated=0 rejected=1 rejected_zero=1");
  EXPECT_TRUE(book_.get()->value_at(france_, at("2027-01-09T02:59:59Z")));
  EXPECT_FALSE(book_.get()->value_at(france_, at("2027-01-09T03:00:00Z")));  // the zero is a gap
  EXPECT_EQ(book_.get()->series()[0].attribution, "by esios");
}

TEST_F(IngestTest, a_run_of_zeros_overwrites_nothing) {
  ASSERT_TRUE(ingest_.take(france_, answer("esios", a_harvest(hours("FR", "2027-01-09T00:00:00Z", {128, 121}))), now_));
  Harvest zeros;
  zeros.rejected.assign(12, {at("2027-01-09T00:00:00Z"), RejectionReason::zero, "0"});
  EXPECT_EQ(ingest_.take(france_, answer("esios", zeros), now_).value()->rejected(), 12u);
  EXPECT_EQ(book_.get()->value_at(france_, at("2027-01-09T00:00:00Z"))->step.value, intensity_from_grams_per_kwh(128));
}

TEST_F(IngestTest, what_was_refused_from_a_source_without_usable_rows_is_counted) {
  ChainAnswer nothing;
  connectors::SourceReport said{.source = "esios"};
  said.rejected.assign(12, {at("2027-01-09T00:00:00Z"), RejectionReason::zero, "0"});
  nothing.said = {said};
  EXPECT_EQ(ingest_.take(france_, nothing, now_).value(), std::nullopt);
  const auto counts = repository_.rejections().value();
  ASSERT_EQ(counts.size(), 1u);
  EXPECT_EQ(counts[0].source, "esios");
  EXPECT_EQ(counts[0].count, 12);
}

TEST_F(IngestTest, what_the_chain_had_already_is_not_stored_again) {
  ChainAnswer aged = answer("esios", a_harvest(hours("FR", "2027-01-09T00:00:00Z", {50})));
  aged.grade = connectors::Grade::aged;
  EXPECT_EQ(ingest_.take(france_, aged, now_).value(), std::nullopt);
  EXPECT_EQ(ingest_.take(france_, ChainAnswer{}, now_).value(), std::nullopt);
  EXPECT_TRUE(book_.get()->empty());
}

TEST_F(IngestTest, the_sample_is_shown_but_never_stored) {
  ASSERT_TRUE(ingest_.take(france_, answer("sample", a_harvest(hours("FR", "2027-01-09T06:00:00Z", {50}))), now_));
  EXPECT_EQ(book_.get()->value_at(france_, now_)->source, "sample");
  EXPECT_TRUE(repository_.series().value().empty());
  ASSERT_TRUE(ingest_.take(france_, answer("esios", a_harvest(hours("FR", "2027-01-09T06:00:00Z", {60}))), now_));
  EXPECT_EQ(book_.get()->value_at(france_, now_)->source, "esios");
}

TEST_F(IngestTest, a_full_disk_leaves_the_book_as_it_was) {
  ASSERT_TRUE(ingest_.take(france_, answer("esios", a_harvest(hours("FR", "2027-01-09T00:00:00Z", {50}))), now_));
  ASSERT_TRUE(database_->outside_transaction([](SQLite::Database& connection) -> Result<void> {
    connection.exec("PRAGMA max_page_count = 1");
    return {};
  }));
  std::vector<IntensityReading> many;
  for (Instant hour = at("2027-02-01T00:00:00Z"); many.size() < 20'000; hour += std::chrono::hours{1}) {
    many.push_back(tests::ReadingBuilder{"FR", hour, 50});
  }
  const auto before = book_.get();
  const auto failed = ingest_.take(france_, answer("esios", a_harvest(many)), now_);
  EXPECT_EQ(failed.error().code, Errc::storage_failed);
  EXPECT_EQ(book_.get(), before);
}

}  // namespace
}  // namespace valle::service::app
