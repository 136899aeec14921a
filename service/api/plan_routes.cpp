// SPDX-License-Identifier: Apache-2.0
#include "service/api/plan_routes.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "service/api/answer.hpp"
#include "service/api/book_supply.hpp"
#include "service/api/member_reader.hpp"
#include "service/api/plan_codec.hpp"
#include "service/http/problem.hpp"

namespace valle::service::api {
namespace {

using scheduler::Result;
using std::chrono::milliseconds;

constexpr std::string_view k_parameters[] = {"effort", "seed"};
constexpr std::string_view k_efforts[] = {"quick", "normal", "thorough"};
constexpr scheduler::Effort k_effort_of[] = {scheduler::Effort::quick, scheduler::Effort::normal,
                                             scheduler::Effort::thorough};
constexpr milliseconds k_time_limit = std::chrono::minutes{2};
/// What is left of the time limit for writing the answer.
constexpr milliseconds k_to_answer = std::chrono::seconds{5};

/// Asks for a stop when either the deadline comes or the queue closes, whichever is first.
class StopAtDeadline {
 public:
  StopAtDeadline(runtime::Deadline deadline, std::stop_token closing)
      : closing_{std::move(closing), [this] { source_.request_stop(); }},
        watcher_{[this, deadline](std::stop_token ended) {
          std::unique_lock lock{mutex_};
          if (!wake_.wait_until(lock, ended, until(deadline), [] { return false; }) && !ended.stop_requested()) {
            source_.request_stop();
          }
        }} {}
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  static std::chrono::steady_clock::time_point until(runtime::Deadline deadline) {
    return std::chrono::steady_clock::now() + std::max(milliseconds{0}, deadline.left() - k_to_answer);
  }
  std::stop_source source_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::stop_callback<std::function<void()>> closing_;
  std::jthread watcher_;
};

Result<scheduler::SolveOptions> read_options(const http::Request& request) {
  FirstError first;
  auto reader = MemberReader::of_query(request.query, k_parameters, first);
  scheduler::SolveOptions options;
  if (const auto effort = reader.word("effort", k_efforts)) options.effort = k_effort_of[*effort];
  if (const auto seed = reader.integer("seed", 0, 1'000'000'000)) options.seed = static_cast<std::uint64_t>(*seed);
  if (first.failed()) return tl::unexpected{first.take()};
  return options;
}

Result<std::string> plan(const PlanServices& services, const http::Request& request,
                         const scheduler::SolveOptions& options) {
  const auto document = parse_json(request.body, k_plan_limits);
  if (!document) return tl::unexpected{document.error()};
  const auto problem = read_problem(*document, book_supply(*document, services.book.get(), services.clock.now()));
  if (!problem) return tl::unexpected{problem.error()};
  const StopAtDeadline stop{request.deadline, services.solver.stop_token()};
  runtime::QueueParallel parallel{services.solver};
  const auto began = std::chrono::steady_clock::now();
  const auto solution = solve(*problem, options, parallel, stop.token());
  const auto elapsed = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - began);
  return write_plan(*problem, solution, {elapsed, parallel.width(), options.seed});
}

}  // namespace

std::span<const std::string_view> plan_parameters() { return k_parameters; }

app::PlanWriter plan_writer(std::size_t threads) {
  return [threads](const scheduler::Problem& problem, const scheduler::Solution& solution, milliseconds elapsed) {
    return write_plan(problem, solution, {elapsed, threads, scheduler::SolveOptions{}.seed});
  };
}

void add_plan_routes(http::Router& router, const PlanServices& services) {
  router.add("POST", "/v1/plans",
             [services](http::Request request, const http::Respond& respond) {
               const auto options = read_options(request);
               if (!options) return respond(http::problem(options.error()));
               answer_from(services.solver, respond, [services, request = std::move(request), options = *options] {
                 return answer(plan(services, request, options));
               });
             },
             {.largest_body = http::k_problem_body, .time_limit = k_time_limit});
}

}  // namespace valle::service::api
