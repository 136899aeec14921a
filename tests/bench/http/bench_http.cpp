// SPDX-License-Identifier: Apache-2.0
// bench_http serve                              a server with the route /constant; prints its port, ends with standard
// input bench_http load PORT CONNECTIONS TARGET…      a table: throughput at saturation, then times at half of the
// highest rate
//                                               that is sustained, for each target in turn; ratios to the first
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "service/http/server.hpp"
#include "service/runtime/metrics.hpp"
#include "tests/bench/http/load.hpp"

namespace valle::bench {
namespace {

namespace http = service::http;
namespace runtime = service::runtime;
using namespace std::chrono_literals;

int serve() {
  const runtime::SystemClock clock;
  runtime::Io io{1};
  runtime::Metrics metrics;
  auto& seconds = metrics.histogram("valle_http_request_duration_seconds", "", {"route", "code"});
  http::Router router;
  const std::string body(600, 'x');  // about what best-slot answers
  router.add("GET", "/constant", [&](const http::Request&, const http::Respond& respond) { respond({.body = body}); });
  http::ServerOptions options;
  options.port = 0;
  options.on_request = [&](std::string_view route, int status, double took) {
    seconds.with({route, std::to_string(status)}).observe(took);
  };
  auto server = http::Server::start(io, clock, std::move(router), std::move(options));
  if (!server) {
    std::cerr << server.error().detail << '\n';
    return 3;
  }
  std::cout << (*server)->port() << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
  }
  (*server)->stop(1s);
  return 0;
}

struct Row {
  double saturated = 0;
  double sustained = 0;
  Measured half;
};

/// The highest rate, in steps of a tenth, that an open loop keeps for a while: 99 % of the requests that are due are
/// answered.
double highest_sustained(const Load& load, double saturated) {
  for (int tenths = 10; tenths > 1; --tenths) {
    Load paced = load;
    paced.requests_a_second = saturated * tenths / 10;
    paced.time = 1500ms;
    const Measured measured = run_load(paced);
    if (measured.failures == 0 && measured.rate() >= 0.99 * *paced.requests_a_second) return *paced.requests_a_second;
  }
  return saturated / 10;
}

Row measure(Load load) {
  load.time = 500ms;
  (void)run_load(load);  // warm up
  load.time = 3000ms;
  const Measured saturated = run_load(load);
  if (saturated.failures > 0) std::cerr << load.target << ": " << saturated.failures << " failures\n";
  Row row;
  row.saturated = saturated.rate();
  row.sustained = highest_sustained(load, row.saturated);
  load.requests_a_second = row.sustained / 2;
  load.time = 4000ms;
  row.half = run_load(load);
  return row;
}

int load(std::uint16_t port, std::size_t connections, const std::vector<std::string>& targets) {
  std::printf("%-28s %12s %7s %12s | at half of that: %9s %9s %9s\n", "target", "saturated/s", "ratio", "sustained/s",
              "p50 ms", "p99 ms", "max ms");
  double first = 0;
  for (const std::string& target : targets) {
    Load wanted;
    wanted.port = port;
    wanted.target = target;
    wanted.connections = connections;
    const Row row = measure(wanted);
    if (first == 0) first = row.saturated;
    std::printf("%-28s %12.0f %7.2f %12.0f |                  %9.3f %9.3f %9.3f\n",
                target.substr(0, target.find('?')).c_str(), row.saturated, row.saturated / first, row.sustained,
                row.half.p50_ms, row.half.p99_ms, row.half.max_ms);
  }
  return 0;
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{};
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() == 1 && arguments[0] == "serve") return serve();
  std::uint16_t port = 0;
  std::size_t connections = 0;
  if (arguments.size() >= 4 && arguments[0] == "load" && read_number(arguments[1], port) &&
      read_number(arguments[2], connections)) {
    return load(port, connections, {arguments.begin() + 3, arguments.end()});
  }
  std::cerr << "usage: bench_http serve | bench_http load PORT CONNECTIONS TARGET...\n";
  return 2;
}

}  // namespace
}  // namespace valle::bench

int main(int count, char** values) { return valle::bench::run({values + 1, values + count}); }
