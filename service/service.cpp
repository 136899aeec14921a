// SPDX-License-Identifier: Apache-2.0
#include "service/service.hpp"

#include <utility>
#include <vector>

#include "connectors/retry/waiter.hpp"
#include "connectors/transport/cpprest_transport.hpp"
#include "service/api/best_slot_routes.hpp"
#include "service/api/energy_routes.hpp"
#include "service/api/forecast_metrics.hpp"
#include "service/api/intensity_routes.hpp"
#include "service/api/job_routes.hpp"
#include "service/api/plan_routes.hpp"
#include "service/api/report_routes.hpp"
#include "service/api/site_metrics.hpp"
#include "service/api/status_routes.hpp"
#include "service/api/test_clock_routes.hpp"
#include "service/app/estimates.hpp"
#include "service/app/fetch_loop.hpp"
#include "service/app/jobs.hpp"
#include "service/app/measure_cycle.hpp"
#include "service/app/meters.hpp"
#include "service/app/own_forecasts.hpp"
#include "service/app/plan_cycle.hpp"
#include "service/app/run_recorder.hpp"
#include "service/app/sources.hpp"
#include "service/app/stored_ledger.hpp"
#include "service/cluster/certificates.hpp"
#include "service/cluster/controller.hpp"
#include "service/cluster/link.hpp"
#include "service/cluster/webhook_routes.hpp"
#include "service/http/server.hpp"
#include "service/report/delivery.hpp"
#include "service/report/saved_carbon.hpp"
#include "service/report/webhook.hpp"
#include "service/runtime/io.hpp"
#include "service/runtime/log.hpp"
#include "service/runtime/memory.hpp"
#include "service/runtime/metrics.hpp"
#include "service/runtime/shutdown.hpp"
#include "service/runtime/version.hpp"
#include "service/store/job_repository.hpp"
#include "service/store/migrator.hpp"
#include "service/store/serving_lock.hpp"

namespace valle::service {

using namespace scheduler;
namespace log = runtime::log;

namespace {

constexpr std::size_t k_readers = 2;
constexpr std::chrono::milliseconds k_drain{5'000};
/// What finished runs have used is often known hours later.
constexpr std::chrono::minutes k_between_estimates{10};
constexpr std::chrono::seconds k_between_trims{60};

/// The database as it is at the start, opened, migrated and read once in the starting thread.
struct Opened {
  std::unique_ptr<store::ServingLock> lock;
  std::unique_ptr<store::Database> writer;
  std::vector<std::unique_ptr<store::Database>> readers;
  std::shared_ptr<const app::IntensityBook> book;
  store::JobCounts job_counts;
};

Result<Opened> open_all(const runtime::Config& config) {
  Opened opened;
  auto lock = store::ServingLock::take(config.database);
  if (!lock) return tl::unexpected{lock.error()};
  opened.lock = *std::move(lock);
  auto writer = store::open_store(config.database);
  if (!writer) return tl::unexpected{writer.error()};
  opened.writer = *std::move(writer);
  auto book = app::IntensityBook::load(store::IntensityRepository{*opened.writer}, config.source_order());
  if (!book) return tl::unexpected{book.error()};
  opened.book = *std::move(book);
  auto counts = store::JobRepository{*opened.writer}.counts();
  if (!counts) return tl::unexpected{counts.error()};
  opened.job_counts = *counts;
  opened.writer->release_thread();
  for (std::size_t i = 0; i < k_readers; ++i) {
    auto reader = store::open_reader(config.database);
    if (!reader) return tl::unexpected{reader.error()};
    (*reader)->release_thread();
    opened.readers.push_back(*std::move(reader));
  }
  return opened;
}

Result<void> check_test_clock(const ServiceOptions& options) {
  if (!options.test_clock) return {};
  if (!options.config.listen.loopback()) {
    return refuse(Errc::invalid_request, "a test clock is for loopback only", "--test-clock");
  }
  if (!options.config.kubernetes.modes.empty()) {
    return refuse(Errc::invalid_request, "a test clock cannot drive a cluster: leave kubernetes: out", "--test-clock");
  }
  return {};
}

}  // namespace

/// Declared in the order of dependence: what stands below may use what stands above, and ends before it.
struct Service::Parts {
  Parts(ServiceOptions given, Opened opened, std::vector<std::unique_ptr<IntensitySource>> sources,
        std::unique_ptr<connectors::HttpTransport> http_client, std::unique_ptr<connectors::InterruptibleWaiter> pauses,
        std::optional<cluster::Link> api_server);

  Result<void> join_cluster();
  Result<void> open_meter();
  Result<void> listen();
  Result<void> listen_for_webhooks();
  Result<void> open_webhooks(http::TlsFiles files);
  Result<void> show_certificate(const std::filesystem::path& file);
  void start_delivery();
  void settle();
  /// Whether this replica may plan, release and take changes.
  [[nodiscard]] bool leading() const { return !link || (controller && controller->leading()); }
  void observe(app::PlanningSnapshot& snapshot) const {
    if (controller) controller->observe(snapshot);
  }
  app::SeenJobs seen_jobs() {
    if (!link) return {};
    return {.find = [this](const std::string& id) { return controller->seen(id); },
            .all = [this] { return controller->all_seen(); }};
  }
  [[nodiscard]] http::Router routes();
  [[nodiscard]] Result<http::ServerOptions> server_options();

  ServiceOptions options;
  std::unique_ptr<store::ServingLock> lock;
  std::unique_ptr<runtime::TestClock> test_clock;
  runtime::SystemClock system_clock;
  runtime::Clock& clock;
  runtime::Metrics metrics;
  app::Readiness readiness;
  app::Places places;
  std::unique_ptr<connectors::InterruptibleWaiter> waiter;
  std::unique_ptr<connectors::HttpTransport> transport;
  connectors::Chain chain;
  app::CurrentBook book;

  runtime::Io io;
  runtime::Timers timers;
  runtime::Timers real_timers;
  runtime::WorkQueue writing{{.name = "store-write", .threads = 1, .capacity = 8192}};
  runtime::WorkQueue reading{{.name = "store-read", .threads = k_readers}};
  runtime::WorkQueue asking{{.name = "connectors", .threads = 4}};
  runtime::WorkQueue solver;
  runtime::WorkQueue questions{{.name = "questions", .threads = 1}};
  runtime::WorkQueue advancing{{.name = "test-clock", .threads = 1, .capacity = 16}};

  std::optional<cluster::Link> link;
  app::StoreAccess store;
  app::StoredLedger ledger{store};
  app::RunEstimates estimates{store};
  app::JobWatch watch;
  app::PlanCycle cycle;
  app::Jobs jobs;
  app::OwnForecasts forecasting;
  app::FetchLoop fetching;
  app::RunRecorder recorder;
  report::Reports reports;
  report::SavedCarbon saved_carbon;
  std::unique_ptr<report::Delivery> delivery;
  std::unique_ptr<app::MeasureCycle> measuring;  // where the configuration has a meter
  std::unique_ptr<cluster::Controller> controller;
  std::unique_ptr<http::Server> server;
  std::unique_ptr<http::Server> webhook_server;  // with self-managed certificates only touched by their thread
  std::unique_ptr<cluster::Certificates> certificates;
  bool stopped = false;
};

Service::Parts::Parts(ServiceOptions given, Opened opened, std::vector<std::unique_ptr<IntensitySource>> sources,
                      std::unique_ptr<connectors::HttpTransport> http_client,
                      std::unique_ptr<connectors::InterruptibleWaiter> pauses, std::optional<cluster::Link> api_server)
    : options{std::move(given)},
      lock{std::move(opened.lock)},
      test_clock{options.test_clock ? std::make_unique<runtime::TestClock>(*options.test_clock) : nullptr},
      clock{test_clock ? static_cast<runtime::Clock&>(*test_clock) : system_clock},
      places{options.config},
      waiter{std::move(pauses)},
      transport{std::move(http_client)},
      chain{std::move(sources), {.waiter = waiter.get()}},
      book{opened.book},
      timers{clock, io},
      real_timers{system_clock, io},
      solver{{.name = "solver", .threads = options.solver_threads}},
      link{std::move(api_server)},
      store{writing, std::move(opened.writer), reading, std::move(opened.readers)},
      watch{opened.job_counts},
      cycle{{.clock = clock,
             .book = book,
             .places = places,
             .store = store,
             .solver = solver,
             .timers = timers,
             .watch = watch,
             .metrics = metrics,
             .planning = options.config.planning,
             .write_plan = api::plan_writer(options.solver_threads),
             .observe = [this](app::PlanningSnapshot& snapshot) { observe(snapshot); },
             .may_act = [this] { return leading(); }}},
      jobs{{.clock = clock,
            .book = book,
            .places = places,
            .store = store,
            .cycle = cycle,
            .watch = watch,
            .long_questions = questions,
            .planning = options.config.planning,
            .observe = [this](app::PlanningSnapshot& snapshot) { observe(snapshot); },
            .seen = seen_jobs(),
            .may_write = [this] { return leading(); }}},
      forecasting{{.clock = clock,
                   .book = book,
                   .store = store,
                   .solver = solver,
                   .timers = timers,
                   .on_new = [this] { cycle.request(app::PlanKind::replan); }}},
      fetching{{.chain = chain,
                .book = book,
                .store = store,
                .connectors = asking,
                .clock = clock,
                .timers = timers,
                .readiness = readiness,
                .on_news = [this] { forecasting.look(); }},
               options.config},
      recorder{{.store = store, .book = book, .places = places, .clock = clock}},
      reports{{.clock = clock, .book = book, .places = places, .store = store, .config = options.config.report}},
      saved_carbon{{.clock = clock,
                    .timers = timers,
                    .book = book,
                    .places = places,
                    .store = store,
                    .metrics = metrics,
                    .config = options.config.report}} {
  watch.listen([this](const app::Job& job) {
    recorder.job_changed(job);
    if (controller) controller->job_changed(job);
  });
}

Result<void> Service::Parts::join_cluster() {
  if (!link) return {};
  auto made = cluster::Controller::make({.link = *link,
                                         .clock = clock,
                                         .book = book,
                                         .places = places,
                                         .store = store,
                                         .cycle = cycle,
                                         .watch = watch,
                                         .metrics = metrics,
                                         .timers = timers,
                                         .config = options.config,
                                         .identity = cluster::identity(),
                                         .ledger = &ledger,
                                         .estimates = &estimates});
  if (!made) return tl::unexpected{made.error()};
  controller = *std::move(made);
  if (const auto loaded = estimates.load(); !loaded) return loaded;
  timers.every(k_between_estimates, [this] { estimates.reload_later(); });
  return {};
}

Result<void> Service::Parts::open_meter() {
  if (!options.config.energy) return {};
  auto meter = app::make_meter(*options.config.energy, *transport, *waiter);
  if (!meter) return tl::unexpected{meter.error()};
  measuring = std::make_unique<app::MeasureCycle>(app::MeasureCycle::Services{.clock = clock,
                                                                              .store = store,
                                                                              .connectors = asking,
                                                                              .timers = timers,
                                                                              .metrics = metrics,
                                                                              .meter = *std::move(meter),
                                                                              .config = *options.config.energy,
                                                                              .may_act = [this] { return leading(); }});
  return {};
}

http::Router Service::Parts::routes() {
  http::Router router;
  api::add_best_slot_routes(router, {.clock = clock, .book = book, .places = places, .long_questions = questions});
  api::add_intensity_routes(
      router,
      {.clock = clock, .book = book, .places = places, .store = store, .long_questions = questions, .scores = [this] {
         return forecasting.scores();
       }});
  api::StatusServices status{
      .clock = clock, .book = book, .places = places, .readiness = readiness, .metrics = metrics};
  if (controller) status.lease = [this] { return controller->lease_status(); };
  api::add_status_routes(router, status);
  api::add_energy_routes(router, {.ledger = ledger, .blocking = asking, .may_write = [this] { return leading(); }});
  api::add_intensity_metrics(metrics, clock, book, places);
  api::add_source_metrics(metrics, chain);
  api::add_site_metrics(metrics, options.config);
  api::add_forecast_metrics(metrics, [this] { return forecasting.scores(); });
  api::add_plan_routes(router, {.clock = clock, .book = book, .solver = solver});
  api::add_job_routes(router, {.jobs = jobs, .watch = watch, .real_clock = system_clock, .real_timers = real_timers});
  api::add_job_metrics(metrics, watch);
  api::add_report_routes(router, {.reports = reports,
                                  .clock = clock,
                                  .book = book,
                                  .places = places,
                                  .store = store,
                                  .long_questions = questions,
                                  .may_write = [this] { return leading(); }});
  if (test_clock) {
    api::add_test_clock_routes(router, {.clock = *test_clock, .advancing = advancing, .settle = [this] { settle(); }});
  }
  return router;
}

void Service::Parts::start_delivery() {
  if (!options.config.report.schedule) return;
  delivery = std::make_unique<report::Delivery>(report::Delivery::Services{.clock = clock,
                                                                           .timers = timers,
                                                                           .reports = reports,
                                                                           .store = store,
                                                                           .blocking = asking,
                                                                           .send = report::webhook_sender(*transport),
                                                                           .may_act = [this] { return leading(); }},
                                                *options.config.report.schedule);
  delivery->start();
}

Result<http::ServerOptions> Service::Parts::server_options() {
  const runtime::Config& config = options.config;
  http::ServerOptions server_options{.host = config.listen.host, .port = config.listen.port};
  if (config.tls)
    server_options.tls = http::TlsFiles{config.tls->cert_file, config.tls->key_file, config.tls->client_ca_file};
  if (config.auth && !config.auth->tokens_file.empty()) {
    auto tokens = http::BearerTokens::load(config.auth->tokens_file);
    if (!tokens) return tl::unexpected{tokens.error()};
    server_options.authenticate = [tokens = *std::move(tokens)](std::string_view header) {
      return tokens.check(header);
    };
  }
  auto& durations = metrics.histogram("valle_http_request_duration_seconds",
                                      "Time from a request's first byte to its answer's last", {"route", "code"});
  server_options.on_request = [&durations](std::string_view route, int status, double seconds) {
    durations.with({route, std::to_string(status)}).observe(seconds);
  };
  return server_options;
}

Result<void> Service::Parts::listen() {
  auto server_options = this->server_options();
  if (!server_options) return tl::unexpected{server_options.error()};
  auto started = http::Server::start(io, clock, routes(), *std::move(server_options));
  if (!started) return tl::unexpected{started.error()};
  server = *std::move(started);
  return {};
}

Result<void> Service::Parts::listen_for_webhooks() {
  if (!controller || !options.config.webhook) return {};
  const runtime::WebhookConfig& config = *options.config.webhook;
  if (!config.self_managed) return open_webhooks({config.cert_file, config.key_file});
  readiness.webhook_waits = true;
  const std::string& space = options.config.kubernetes.lease_namespace;
  certificates = std::make_unique<cluster::Certificates>(
      cluster::Certificates::Services{.client = link->objects,
                                      .clock = clock,
                                      .space = space,
                                      .names = cluster::certificate_names(config, space),
                                      .leading = [this] { return controller->holds_lease(); },
                                      .show = [this](const auto& file) { return show_certificate(file); }});
  return {};
}

Result<void> Service::Parts::show_certificate(const std::filesystem::path& file) {
  if (webhook_server) return webhook_server->reload_tls();
  const auto opened = open_webhooks({file, file});
  if (opened) readiness.webhook_waits = false;
  return opened;
}

Result<void> Service::Parts::open_webhooks(http::TlsFiles files) {
  const runtime::WebhookConfig& config = *options.config.webhook;
  http::ServerOptions webhook_options{.host = config.listen.host, .port = config.listen.port};
  webhook_options.tls = std::move(files);
  auto routes = cluster::webhook_routes(
      {.clock = clock,
       .book = book,
       .places = places,
       .metrics = metrics,
       .kubernetes = options.config.kubernetes,
       .on_infeasible = options.config.planning.on_infeasible,
       .rules = [this] { return controller->rules(); },
       .gate_works = [this] { return controller->gate_works(); },
       .kueue_installed = [this] { return controller->kueue_installed(); },
       .queue_warnings = [this](const auto& space, const auto& queue,
                                auto demand) { return controller->queue_warnings(space, queue, demand); }});
  auto started = http::Server::start(io, clock, std::move(routes), std::move(webhook_options));
  if (!started) return tl::unexpected{started.error()};
  webhook_server = *std::move(started);
  log::info("webhook_listening", {{"url", webhook_server->url()}});
  return {};
}

/// Waits until everything that the last instant set off is done: work posts further work, so until nothing moved.
void Service::Parts::settle() {
  constexpr int k_rounds = 6;
  for (int round = 0; round < k_rounds; ++round) {
    for (runtime::WorkQueue* queue : {&asking, &writing, &reading, &solver, &questions}) {
      (void)queue->wait_idle(std::chrono::seconds{30});
    }
  }
}

Service::Service(std::unique_ptr<Parts> parts) : parts_{std::move(parts)} {}

Service::~Service() { stop(); }

Result<std::unique_ptr<Service>> Service::start(ServiceOptions options) {
  if (const auto fits = check_test_clock(options); !fits) return tl::unexpected{fits.error()};
  auto transport = connectors::make_cpprest_transport({.user_agent = "valle/" + std::string{runtime::version()}});
  auto waiter = std::make_unique<connectors::InterruptibleWaiter>();
  auto sources = app::make_sources(options.config, *transport, *waiter);
  if (!sources) return tl::unexpected{sources.error()};
  std::optional<cluster::Link> link;
  if (!options.config.kubernetes.modes.empty()) {
    auto linked = cluster::open_link(options.config.kubernetes, options.environment);
    if (!linked) return tl::unexpected{linked.error()};
    link = *std::move(linked);
  }
  auto opened = open_all(options.config);
  if (!opened) return tl::unexpected{opened.error()};
  auto parts = std::make_unique<Parts>(std::move(options), *std::move(opened), *std::move(sources),
                                       std::move(transport), std::move(waiter), std::move(link));
  if (const auto joined = parts->join_cluster(); !joined) return tl::unexpected{joined.error()};
  if (const auto metering = parts->open_meter(); !metering) return tl::unexpected{metering.error()};
  if (const auto listening = parts->listen(); !listening) return tl::unexpected{listening.error()};
  if (const auto listening = parts->listen_for_webhooks(); !listening) return tl::unexpected{listening.error()};
  log::info("listening", {{"url", parts->server->url()}});
  parts->recorder.catch_up();
  parts->saved_carbon.start();
  parts->start_delivery();
  parts->fetching.start();
  parts->cycle.start();
  if (parts->measuring) parts->measuring->start();
  parts->forecasting.start();
  if (parts->controller) parts->controller->start();
  if (parts->certificates) parts->certificates->start();
  // Lists of a whole cluster and plans of ten thousand jobs leave holes behind.
  parts->real_timers.every(k_between_trims,
                           [raw = parts.get()] { (void)raw->questions.post(runtime::give_back_memory); });
  return std::unique_ptr<Service>{new Service{std::move(parts)}};
}

std::string Service::url() const { return parts_->server->url(); }

bool Service::ready() const {
  const app::Readiness& readiness = parts_->readiness;
  return readiness.first_round_over && !readiness.stopping && !readiness.webhook_waits &&
         !parts_->book.get()->zones().empty();
}

void Service::stop() {
  if (std::exchange(parts_->stopped, true)) return;
  Parts& parts = *parts_;
  const auto drain = [](runtime::WorkQueue& queue) {
    queue.close();
    (void)queue.wait_idle(k_drain);
  };
  runtime::run_stop_steps({
      {"not ready", [&] { parts.readiness.stopping = true; }},
      {"sources",
       [&] {
         parts.waiter->interrupt();
         drain(parts.asking);
       }},
      {"cluster",
       [&] {
         if (parts.certificates) parts.certificates->stop();
         if (parts.controller) parts.controller->stop();
       }},
      {"solver", [&] { drain(parts.solver); }},
      {"answers",
       [&] {
         if (parts.webhook_server) (void)parts.webhook_server->stop(k_drain);
         (void)parts.server->stop(k_drain);
       }},
      {"questions",
       [&] {
         drain(parts.questions);
         drain(parts.advancing);
       }},
      {"store",
       [&] {
         drain(parts.reading);
         drain(parts.writing);
       }},
      {"io", [&] { parts.io.stop(); }},
  });
}

}  // namespace valle::service
