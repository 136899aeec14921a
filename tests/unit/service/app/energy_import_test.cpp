// SPDX-License-Identifier: Apache-2.0
#include "service/app/energy_import.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/account/posted.hpp"
#include "service/store/migrator.hpp"
#include "service/store/run_repository.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::service::app {
namespace {

using connectors::energy::ToolRun;
using scheduler::Attempt;
using scheduler::AttemptOutcome;
using scheduler::EnergyBoundary;
using scheduler::EnergyFigure;
using scheduler::EnergyQuality;
using scheduler::Instant;
using scheduler::Interval;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

const Instant k_eight = *scheduler::parse_instant("2027-02-10T08:00:00Z");

Interval minutes(int from, int to) {
  return {k_eight + std::chrono::minutes{from}, k_eight + std::chrono::minutes{to}};
}

EnergyFigure a_figure(double kwh, EnergyQuality quality = EnergyQuality::estimated) {
  EnergyFigure figure{.boundary = EnergyBoundary::node, .quality = quality, .coverage = scheduler::k_one};
  figure.energy = scheduler::energy_from_kwh(kwh);
  figure.uncertainty = scheduler::energy_from_kwh(kwh / 10);
  figure.source = "codecarbon";
  return figure;
}

ToolRun a_tool_run(const std::string& id, Interval ran, double kwh, const std::string& project = "") {
  return {.id = id,
          .project = project,
          .ran = ran,
          .seconds = static_cast<double>(ran.length().count()),
          .figures = {a_figure(kwh)}};
}

scheduler::Run a_run(const std::string& id, Interval ran, AttemptOutcome outcome = AttemptOutcome::finished) {
  scheduler::Run run;
  run.id = run.name = id;
  run.owner = "lab";
  run.submitted = ran.begin;
  run.home_site = "fr";
  Attempt attempt;
  attempt.site = "fr";
  attempt.ran = ran;
  attempt.outcome = outcome;
  run.attempts = {attempt};
  if (outcome != AttemptOutcome::running) run.finished = ran.end;
  return run;
}

std::optional<EnergyFigure> known(EnergyFigure figure, Interval ran) {
  figure.profile = {{ran, figure.energy}};
  return figure;
}

TEST(Piece, alone_is_the_figure_and_covers_its_part_of_the_attempt) {
  const auto figure = with_piece({}, a_figure(1), minutes(10, 40), minutes(0, 60));
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->energy, scheduler::energy_from_kwh(1));
  EXPECT_EQ(figure->coverage, scheduler::Ratio::of_base(500'000));
  EXPECT_EQ(figure->profile.size(), 1u);
}

TEST(Piece, that_follows_is_added) {
  const auto figure = with_piece(known(a_figure(1), minutes(0, 20)), a_figure(2), minutes(20, 60), minutes(0, 60));
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->energy, scheduler::energy_from_kwh(3));
  EXPECT_EQ(figure->uncertainty, scheduler::energy_from_kwh(0.3));
  EXPECT_EQ(figure->coverage, scheduler::k_one);
  EXPECT_EQ(figure->profile.size(), 2u);
}

TEST(Piece, that_holds_an_earlier_one_takes_its_place) {
  const auto figure = with_piece(known(a_figure(1), minutes(0, 20)), a_figure(3), minutes(0, 60), minutes(0, 60));
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->energy, scheduler::energy_from_kwh(3)) << "the tool reported its run anew";
  const auto again = with_piece(*figure, a_figure(1), minutes(0, 20), minutes(0, 60));
  EXPECT_EQ(*again, *figure) << "the shorter report comes late";
}

TEST(Piece, that_overlaps_would_count_twice) {
  const auto figure = with_piece(known(a_figure(1), minutes(0, 20)), a_figure(3), minutes(10, 60), minutes(0, 60));
  ASSERT_FALSE(figure);
  EXPECT_EQ(figure.error().code, scheduler::Errc::conflict);
}

TEST(Piece, of_unknown_energy_makes_the_whole_unknown_until_it_is_told_anew) {
  auto unseen = a_figure(0, EnergyQuality::unknown);
  const auto figure = with_piece(known(a_figure(1), minutes(0, 20)), unseen, minutes(20, 60), minutes(0, 60));
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->quality, EnergyQuality::unknown);
  EXPECT_EQ(figure->energy, scheduler::Energy{});
}

TEST(Piece, does_not_displace_a_better_source) {
  auto measured = a_figure(5, EnergyQuality::measured);
  measured.source = "ipmi";
  EXPECT_EQ(*with_piece(measured, a_figure(1), minutes(0, 60), minutes(0, 60)), measured);
  auto worse = a_figure(5, EnergyQuality::unknown);
  worse.source = "ipmi";
  EXPECT_EQ(with_piece(worse, a_figure(1), minutes(0, 60), minutes(0, 60))->source, "codecarbon");
}

TEST(ToolRunOf, goes_to_the_attempt_that_it_overlaps_most) {
  auto run = a_run("job-1", minutes(0, 30), AttemptOutcome::failed);
  Attempt second = run.attempts[0];
  second.number = 2;
  second.ran = minutes(40, 100);
  run.attempts.push_back(second);
  const auto with = with_tool_run(run, a_tool_run("r", minutes(39, 100), 1));
  ASSERT_TRUE(with);
  EXPECT_THAT(with->attempts[0].figures, IsEmpty());
  EXPECT_EQ(with->attempts[1].figures.size(), 1u);
}

TEST(ToolRunOf, another_hour_is_refused_with_the_likely_cause) {
  const auto with = with_tool_run(a_run("job-1", minutes(0, 30)), a_tool_run("r", minutes(60, 90), 1));
  ASSERT_FALSE(with);
  EXPECT_THAT(with.error().detail, HasSubstr("time zone"));
  EXPECT_FALSE(with_tool_run(scheduler::Run(), a_tool_run("r", minutes(60, 90), 1)));
}

TEST(ToolRunOf, an_attempt_that_goes_on_is_known_until_the_last_look_only) {
  const auto with =
      with_tool_run(a_run("job-1", minutes(0, 0), AttemptOutcome::running), a_tool_run("r", minutes(0, 30), 1));
  ASSERT_TRUE(with) << with.error().detail;
  EXPECT_EQ(with->attempts[0].figures.at(0).coverage, scheduler::k_one);
}

TEST(ToolRunOf, without_a_time_goes_to_the_last_attempt) {
  ToolRun tool = a_tool_run("r", minutes(0, 1), 1);
  tool.ran.reset();
  EXPECT_EQ(with_tool_run(a_run("job-1", minutes(0, 30)), tool)->attempts[0].figures.size(), 1u);
}

class EnergyImportTest : public testing::Test {
 protected:
  void add(const scheduler::Run& run) {
    const std::vector<std::string> ids{run.id};
    ASSERT_TRUE(ledger_.change(ids, [&run](const auto&, const auto*) { return std::optional{run}; }));
  }
  scheduler::Energy energy_of(const std::string& id) {
    return (*ledger_.find(id))->attempts.at(0).figures.at(0).energy;
  }

  tests::TemporaryFolder folder_;
  std::unique_ptr<store::Database> database_ = *store::open_store(folder_.path() / "valle.db");
  store::RunRepository ledger_{*database_};
};

TEST_F(EnergyImportTest, a_run_finds_its_job_by_project_or_id_and_twice_changes_nothing) {
  add(a_run("job-1", minutes(0, 60)));
  add(a_run("job-2", minutes(0, 60)));
  EnergyImport import{ledger_, {}};
  const std::vector<ToolRun> runs{a_tool_run("r-1", minutes(0, 60), 1, "job-1"), a_tool_run("job-2", minutes(0, 60), 2),
                                  a_tool_run("r-3", minutes(0, 60), 3, "nobody")};
  const auto done = import.take(runs);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->attached, 2u);
  EXPECT_THAT(done->left, ElementsAre(EnergyImported::Left{"r-3", "no job of that name ran then"}));
  EXPECT_EQ(energy_of("job-1"), scheduler::energy_from_kwh(1));
  EXPECT_EQ(energy_of("job-2"), scheduler::energy_from_kwh(2));
  const auto again = import.take(runs);
  EXPECT_EQ(again->attached, 0u);
  EXPECT_EQ(again->unchanged, 2u);
}

TEST_F(EnergyImportTest, of_jobs_with_one_name_the_one_that_ran_then_is_meant) {
  auto monday = a_run("uid-1", minutes(0, 60));
  auto tuesday = a_run("uid-2", minutes(1440, 1500));
  monday.name = tuesday.name = "lab/fit";
  add(monday);
  add(tuesday);
  EnergyImport import{ledger_, {}};
  ASSERT_EQ(import.take({a_tool_run("r", minutes(1441, 1499), 2, "lab/fit")})->attached, 1u);
  EXPECT_EQ(energy_of("uid-2"), scheduler::energy_from_kwh(2));
  EXPECT_THAT((*ledger_.find("uid-1"))->attempts.at(0).figures, IsEmpty());
}

TEST_F(EnergyImportTest, a_job_can_be_named_for_all) {
  add(a_run("job-1", minutes(0, 60)));
  EnergyImport import{ledger_, {.job = "job-1"}};
  EXPECT_EQ(
      import.take({a_tool_run("r-1", minutes(0, 20), 1, "x"), a_tool_run("r-2", minutes(20, 60), 2, "y")})->attached,
      2u);
  EXPECT_EQ(energy_of("job-1"), scheduler::energy_from_kwh(3));
  EnergyImport nobody{ledger_, {.job = "job-9", .site = "fr"}};
  EXPECT_EQ(nobody.take({a_tool_run("r-1", minutes(0, 20), 1, "job-1")})->left.size(), 1u);
}

TEST_F(EnergyImportTest, with_a_site_runs_without_a_job_become_runs_of_their_own_and_grow) {
  const std::vector<runtime::SiteConfig> sites{
      {.name = "fr", .zone = scheduler::Zone::of("FR"), .pue = scheduler::Ratio::of_base(1'200'000)}};
  EnergyImport import{ledger_, {.site = "fr", .sites = sites}};
  ASSERT_EQ(import.take({a_tool_run("r-1", minutes(0, 20), 1, "nlp")})->added, 1u);
  auto run = **ledger_.find("r-1");
  EXPECT_EQ(run.owner, "nlp");
  EXPECT_EQ(run.home_site, "fr");
  EXPECT_EQ(run.home_pue, scheduler::Ratio::of_base(1'200'000));
  EXPECT_EQ(run.finished, k_eight + 20min);
  ASSERT_EQ(import.take({a_tool_run("r-1", minutes(0, 60), 3, "nlp")})->attached, 1u);
  run = **ledger_.find("r-1");
  EXPECT_EQ(run.finished, k_eight + 60min);
  EXPECT_EQ(energy_of("r-1"), scheduler::energy_from_kwh(3)) << "not one and three";
}

}  // namespace
}  // namespace valle::service::app
