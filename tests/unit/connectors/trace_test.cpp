// SPDX-License-Identifier: Apache-2.0
#include "connectors/traces/trace.hpp"

#include <gtest/gtest.h>

namespace valle::connectors {
namespace {

using namespace scheduler;

const Instant k_start = *parse_instant("2021-06-07T00:00:00Z");

TEST(Trace, a_csv_row_becomes_a_job_counted_from_the_start) {
  const auto trace = read_trace_text("jobs.csv",
                                     "job_id,arrival_s,duration_s,gpus,cpus,extra\n"
                                     "a,0,6302,0,1,x\n"
                                     "b,68.2,1000,0.5,4,\n",
                                     k_start);
  ASSERT_TRUE(trace) << trace.error().detail;
  ASSERT_EQ(trace->jobs.size(), 2U);
  EXPECT_EQ(trace->jobs[1].id, "b");
  EXPECT_EQ(trace->jobs[1].submitted_at, k_start + Duration{69});
  EXPECT_EQ(trace->jobs[1].gpus, Amount::of_base(500));
  EXPECT_EQ(trace->jobs[1].cpus, Amount::of_base(4000));
  EXPECT_FALSE(trace->jobs[0].power);
}

TEST(Trace, energy_becomes_a_constant_power_over_the_run) {
  const auto trace = read_trace_text("jobs.csv",
                                     "job_id,submitted_at,duration_s,energy_kwh,finish_by,owner\n"
                                     "a,2021-06-07T02:00:00+02:00,7200,3,2021-06-08T00:00:00Z,vision\n",
                                     k_start);
  ASSERT_TRUE(trace) << trace.error().detail;
  EXPECT_EQ(trace->jobs[0].power, power_from_watts(1500));
  EXPECT_EQ(trace->jobs[0].submitted_at, k_start);
  EXPECT_EQ(trace->jobs[0].finish_by, *parse_instant("2021-06-08T00:00:00Z"));
  EXPECT_EQ(trace->jobs[0].owner, "vision");
}

TEST(Trace, every_malformed_line_is_refused_with_its_place) {
  struct Case {
    const char* text;
    const char* place;
    const char* says;
  };
  const Case cases[] = {
      {"", "t.csv:1", "no header"},
      {"job_id,duration_s\na,1\n", "t.csv:1", "arrival_s"},
      {"job_id,arrival_s\na,1\n", "t.csv:1", "duration_s"},
      {"job_id,arrival_s,duration_s,gpus,gpus\n", "t.csv:1", "twice"},
      {"job_id,arrival_s,duration_s\na,0,0\n", "t.csv:2", "larger than 0"},
      {"job_id,arrival_s,duration_s\na,0,1\nb,-5,1\n", "t.csv:3", "arrival_s"},
      {"job_id,arrival_s,duration_s\na,0,nan\n", "t.csv:2", "duration_s"},
      {"job_id,arrival_s,duration_s\na,0\n", "t.csv:2", "3 fields"},
      {"job_id,arrival_s,duration_s\na,0,1,5\n", "t.csv:2", "3 fields"},
      {"job_id,submitted_at,duration_s\na,2021-06-07T00:00:00,1\n", "t.csv:2", "submitted_at"},
      {"job_id,arrival_s,duration_s\na,0,1\na,0,1\n", "t.csv", "comes twice"},
      {"job_id,arrival_s,duration_s\n", "t.csv", "no finished job"},
      {"{\"items\": 3}", "t.csv", "list of items"},
      {"{", "t.csv", "line 1"},
  };
  for (const Case& c : cases) {
    const auto trace = read_trace_text("t.csv", c.text, k_start);
    ASSERT_FALSE(trace) << c.text;
    EXPECT_EQ(trace.error().pointer, c.place) << c.text;
    EXPECT_NE(trace.error().detail.find(c.says), std::string::npos) << c.text << " -> " << trace.error().detail;
  }
}

TEST(Trace, a_kubectl_listing_gives_its_finished_jobs) {
  const auto trace = read_trace_text("jobs.json", R"({"kind":"List","items":[
    {"metadata":{"name":"train","namespace":"vision","creationTimestamp":"2027-03-01T10:00:00Z"},
     "spec":{"parallelism":2,"template":{"spec":{"containers":[
       {"resources":{"requests":{"cpu":"500m","nvidia.com/gpu":"4"}}},{"resources":{"limits":{"cpu":2}}}]}}},
     "status":{"startTime":"2027-03-01T10:05:00Z","completionTime":"2027-03-01T12:05:00Z"}},
    {"metadata":{"name":"waits","namespace":"vision","creationTimestamp":"2027-03-01T10:00:00Z"},"status":{}}]})",
                                     k_start);
  ASSERT_TRUE(trace) << trace.error().detail;
  ASSERT_EQ(trace->jobs.size(), 1U);
  EXPECT_EQ(trace->unfinished, 1U);
  EXPECT_EQ(trace->jobs[0].id, "vision/train");
  EXPECT_EQ(trace->jobs[0].duration, std::chrono::hours{2});
  EXPECT_EQ(trace->jobs[0].cpus, Amount::of_base(5000));
  EXPECT_EQ(trace->jobs[0].gpus, Amount::of_base(8000));
}

TEST(Trace, quantities_are_read_as_kubernetes_writes_them) {
  EXPECT_EQ(parse_quantity("2"), Amount::of_base(2000));
  EXPECT_EQ(parse_quantity("500m"), Amount::of_base(500));
  EXPECT_EQ(parse_quantity("1.5"), Amount::of_base(1500));
  EXPECT_EQ(parse_quantity("2k"), Amount::of_base(2'000'000));
  for (const auto* bad : {"", "m", "-1", "2 cores", "1e30", "0x10"}) EXPECT_FALSE(parse_quantity(bad)) << bad;
}

}  // namespace
}  // namespace valle::connectors
