// SPDX-License-Identifier: Apache-2.0
// `valle ingest` against a provider on loopback, and on a disk that takes no more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "service/cli/cli.hpp"
#include "service/runtime/clock.hpp"
#include "tests/support/common/paths.hpp"
#include "tests/support/connectors/provider_bodies.hpp"
#include "tests/support/integration/provider_lab.hpp"
#include "tests/support/integration/scripted_server.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::service::cli {
namespace {

using ::testing::HasSubstr;
using tests::at;

class IngestOfASource : public ::testing::Test {
 protected:
  int ingest(const std::string& source) {
    std::ofstream{folder_ / "token"} << "k-1\n";
    std::ofstream{folder_ / "valle.yaml"}
        << "sources:\n  - {kind: energy-charts, baseUrl: \"" << server_.base_url()
        << "\", zones: [FR]}\n  - {kind: electricity-maps, tokenFile: token, baseUrl: \"" << server_.base_url()
        << "\", zones: [FR]}\n";
    return valle({"ingest", "--source", source, "--config", (folder_ / "valle.yaml").string(), "--database",
                  (folder_ / "valle.db").string()});
  }
  int valle(const std::vector<std::string>& arguments) {
    const runtime::TestClock clock{at("2027-05-12T09:20:00Z")};
    std::ostringstream out, err;
    const int exit = run_cli(arguments, {.out = out, .err = err, .terminal = false, .clock = clock, .environment = {}});
    out_ = out.str();
    err_ = err.str();
    return exit;
  }

  tests::TemporaryFolder folder_;
  tests::ScriptedServer server_;
  std::string out_;
  std::string err_;
};

TEST_F(IngestOfASource, stores_what_the_source_says_now) {
  server_.then_json(tests::four_quarters("2027-05-12T08:45:00Z"))
      .then_json(R"({"unix_seconds":[1810080000,1810080900],"price":[41.5,43.25],"unit":"EUR/MWh"})");
  EXPECT_EQ(ingest("energy-charts"), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("measured: 2 new"));
  EXPECT_THAT(out_, HasSubstr("forecast: 2 new"));
  EXPECT_THAT(out_, HasSubstr("prices: 2 new"));
  EXPECT_EQ(server_.left(), 0U);
  EXPECT_EQ(valle({"best-slot", "--duration", "15m", "--from", "2027-05-12T08:45:00Z", "--finish-by",
                   "2027-05-12T09:45:00Z", "--database", (folder_ / "valle.db").string(), "--json"}),
            0)
      << err_;
  EXPECT_THAT(out_, HasSubstr("\"source\":\"energy-charts\""));
  EXPECT_THAT(out_, HasSubstr("\"gramsPerKwh\":28.100"));
}

TEST_F(IngestOfASource, a_source_that_fails_is_the_worlds_fault) {
  for (int i = 0; i < 8; ++i) server_.then({.type = "text/html", .body = "<html>maintenance</html>"});
  EXPECT_EQ(ingest("energy-charts"), 3);
  EXPECT_THAT(err_, HasSubstr("valle: energy-charts FR: "));
  EXPECT_THAT(err_, HasSubstr("web page"));
}

TEST_F(IngestOfASource, a_refused_key_is_the_users_fault) {
  for (int i = 0; i < 8; ++i) server_.then({.status = 401, .body = R"({"error":"Invalid auth-token"})"});
  EXPECT_EQ(ingest("electricity-maps"), 2);
  EXPECT_THAT(err_, HasSubstr("Invalid auth-token"));
}

TEST_F(IngestOfASource, a_source_with_nothing_to_say_is_a_no) {
  for (int i = 0; i < 8; ++i) server_.then({.status = 404, .body = R"({"message":"nothing"})"});
  EXPECT_EQ(ingest("energy-charts"), 1) << err_;
}

TEST_F(IngestOfASource, a_file_that_may_not_grow_is_an_error_like_a_full_disk) {
  ASSERT_TRUE(std::filesystem::exists(tests::program()));
  {
    std::ofstream file{folder_ / "FR.csv"};
    file << "datetime_utc,gco2_kwh_lifecycle\n";
    for (int hour = 0; hour < 20'000; ++hour) {
      file << scheduler::format_instant(at("2024-01-01T00:00:00Z") + std::chrono::hours{hour}) << "," << 30 + hour % 50
           << "\n";
    }
  }
  const std::string command = "ulimit -f 256; exec '" + tests::program().string() + "' ingest --intensity '" +
                              (folder_ / "FR.csv").string() + "' --database '" + (folder_ / "small.db").string() +
                              "' > /dev/null 2> '" + (folder_ / "err").string() + "'";
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 3);
  std::ifstream stream{folder_ / "err"};
  const std::string said{std::istreambuf_iterator<char>{stream}, {}};
  EXPECT_THAT(said, HasSubstr("small.db"));
  EXPECT_EQ(valle({"migrate", "--database", (folder_ / "small.db").string()}), 0) << "what is there is whole: " << err_;
}

}  // namespace
}  // namespace valle::service::cli
