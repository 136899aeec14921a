// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/api/best_slot_routes.hpp"
#include "service/api/energy_routes.hpp"
#include "service/api/intensity_routes.hpp"
#include "service/api/job_routes.hpp"
#include "service/api/json_reader.hpp"
#include "service/api/plan_routes.hpp"
#include "service/api/report_routes.hpp"
#include "service/api/status_routes.hpp"
#include "service/api/test_clock_routes.hpp"
#include "service/app/intensity_book.hpp"
#include "service/app/jobs.hpp"
#include "service/app/plan_cycle.hpp"
#include "service/app/run_recorder.hpp"
#include "service/app/stored_ledger.hpp"
#include "service/http/router.hpp"
#include "service/runtime/executors.hpp"
#include "service/runtime/io.hpp"
#include "service/runtime/log.hpp"
#include "service/store/migrator.hpp"
#include "tests/support/best_slot_questions.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::tests {

/// An answer of a router, its body read as JSON where it is.
struct Answer {
  int status = 0;
  service::http::Pairs headers;
  std::string text;
  service::api::Json json = nullptr;
};

inline Answer answer_of(std::future<service::http::Response>& future) {
  if (future.wait_for(std::chrono::seconds{30}) != std::future_status::ready) {
    ADD_FAILURE() << "no answer";
    return {};
  }
  auto response = future.get();
  Answer answer{response.status, std::move(response.headers), std::move(response.body), nullptr};
  for (std::string piece; response.source && response.source->next(piece);) answer.text += piece;
  answer.json = service::api::Json::parse(answer.text, nullptr, false);
  return answer;
}

/// Asks a router without a socket; the answer may come later.
inline std::future<service::http::Response> ask_later(const service::http::Router& router, std::string_view method,
                                                      std::string_view target, std::string body = "",
                                                      service::http::Pairs headers = {}) {
  auto promise = std::make_shared<std::promise<service::http::Response>>();
  auto future = promise->get_future();
  service::http::Request request;
  request.method = method;
  request.body = std::move(body);
  request.headers = std::move(headers);
  router.dispatch(target, std::move(request),
                  [promise](service::http::Response response) { promise->set_value(std::move(response)); });
  return future;
}

inline Answer ask(const service::http::Router& router, std::string_view method, std::string_view target,
                  std::string body = "", service::http::Pairs headers = {}) {
  auto future = ask_later(router, method, target, std::move(body), std::move(headers));
  return answer_of(future);
}

/// The whole service behind its routes, on a test clock and a database of its own, without sockets.
class PlanningWorld {
 public:
  PlanningWorld(std::string_view now, std::vector<scheduler::IntensityReading> readings,
                service::runtime::Config config = {})
      : clock{at(now)}, book{a_book(std::move(readings))}, places{config} {
    service::runtime::log::set_level(service::runtime::log::Level::off);
    auto writer = service::store::open_store(folder / "valle.db").value();
    std::vector<std::unique_ptr<service::store::Database>> readers;
    readers.push_back(service::store::open_reader(folder / "valle.db").value());
    store = std::make_unique<service::app::StoreAccess>(writing, std::move(writer), reading, std::move(readers));
    cycle = std::make_unique<service::app::PlanCycle>(
        service::app::PlanCycle::Services{clock, book, places, *store, solver, timers, watch, metrics, config.planning,
                                          service::api::plan_writer(solver.threads())});
    jobs = std::make_unique<service::app::Jobs>(
        service::app::Jobs::Services{clock, book, places, *store, *cycle, watch, questions, config.planning});
    recorder =
        std::make_unique<service::app::RunRecorder>(service::app::RunRecorder::Services{*store, book, places, clock});
    reports = std::make_unique<service::report::Reports>(
        service::report::Reports::Services{clock, book, places, *store, config.report});
    watch.listen([this](const service::app::Job& job) { recorder->job_changed(job); });
    service::api::add_report_routes(router, {*reports, clock, book, places, *store, questions});
    service::api::add_best_slot_routes(router, {clock, book, places, questions});
    service::api::add_intensity_routes(router, {clock, book, places, *store, questions});
    service::api::add_job_routes(router, {*jobs, watch, clock, timers});
    service::api::add_plan_routes(router, {clock, book, solver});
    ledger = std::make_unique<service::app::StoredLedger>(*store);
    service::api::add_energy_routes(router, {*ledger, questions});
    service::api::add_status_routes(router, {clock, book, places, readiness, metrics});
    service::api::add_intensity_metrics(metrics, clock, book, places);
    service::api::add_job_metrics(metrics, watch);
    service::api::add_test_clock_routes(router, {clock, advancing, [this] { settle(); }});
    cycle->start();
    settle();
  }
  ~PlanningWorld() {
    for (auto* queue : {&advancing, &questions, &solver, &reading, &writing}) queue->close();
    for (auto* queue : {&advancing, &questions, &solver, &reading, &writing}) {
      (void)queue->wait_idle(std::chrono::seconds{30});
    }
    service::runtime::log::set_level(service::runtime::log::Level::info);
  }

  /// Until no queue has anything to do; work goes from one to another, so they are all looked at twice.
  void settle() {
    for (int round = 0; round < 3; ++round) {
      for (auto* queue : {&solver, &reading, &writing, &questions}) {
        EXPECT_TRUE(queue->wait_idle(std::chrono::seconds{30}));
      }
    }
  }
  void advance_to(std::string_view instant) {
    ASSERT_TRUE(clock.advance_to(at(instant), [this] { settle(); }));
    settle();
  }
  Answer call(std::string_view method, std::string_view target, std::string body = "",
              service::http::Pairs headers = {}) {
    auto answer = ask(router, method, target, std::move(body), std::move(headers));
    settle();
    return answer;
  }
  service::api::Json job(const std::string& id) { return call("GET", "/v1/jobs/" + id).json; }

  TemporaryFolder folder;
  service::runtime::TestClock clock;
  service::app::CurrentBook book;
  service::app::Places places;
  service::app::JobWatch watch;
  service::app::Readiness readiness;
  service::runtime::Metrics metrics;
  std::unique_ptr<service::app::StoreAccess> store;
  std::unique_ptr<service::app::PlanCycle> cycle;
  std::unique_ptr<service::app::Jobs> jobs;
  std::unique_ptr<service::app::RunRecorder> recorder;
  std::unique_ptr<service::report::Reports> reports;
  std::unique_ptr<service::app::StoredLedger> ledger;
  service::http::Router router;
  service::runtime::WorkQueue writing{{.name = "writing"}};
  service::runtime::WorkQueue reading{{.name = "reading"}};
  service::runtime::WorkQueue solver{{.name = "solver"}};
  service::runtime::WorkQueue questions{{.name = "questions"}};
  service::runtime::WorkQueue advancing{{.name = "advancing"}};
  service::runtime::Io io;
  service::runtime::Timers timers{clock, io};
};

}  // namespace valle::tests
