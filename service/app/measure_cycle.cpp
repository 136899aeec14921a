// SPDX-License-Identifier: Apache-2.0
#include "service/app/measure_cycle.hpp"

#include <algorithm>

#include "scheduler/energy/words.hpp"
#include "service/runtime/log.hpp"
#include "service/store/run_repository.hpp"

namespace valle::service::app {

using namespace scheduler;
namespace log = runtime::log;

namespace {

constexpr std::size_t k_most_runs = 10'000;    // of one look into the ledger
constexpr std::size_t k_most_at_once = 1'000;  // attempts in one question to the meter
constexpr std::chrono::hours k_near{1};        // how far back each round looks
constexpr std::chrono::hours k_look_far_every{1};
constexpr std::chrono::hours k_data_may_come{1};  // an empty answer may still fill: remote storage lags
constexpr std::chrono::minutes k_beside{15};      // who else had a board
constexpr std::chrono::minutes k_time_to_ask{4};

bool is_of_type(std::string_view node, std::string_view type) {
  if (!type.ends_with('*')) return node == type;
  return !node.empty() && node.starts_with(type.substr(0, type.size() - 1));
}

}  // namespace

MeasureCycle::MeasureCycle(Services services)
    : services_{std::move(services)},
      measured_{services_.metrics.counter("valle_energy_measurements_total",
                                          "Attempts of jobs that a meter was asked about, by what it answered",
                                          {"outcome"})},
      energy_{services_.metrics.counter("valle_measured_energy_kwh_total",
                                        "Energy read from outside, by boundary: never to be added", {"boundary"})},
      waiting_{services_.metrics.gauge("valle_energy_unmeasured_attempts",
                                       "Attempts that have ended and wait to be measured")} {}

void MeasureCycle::start() {
  tick();
  services_.timers.every(services_.config.every, [this] { tick(); });
}

void MeasureCycle::tick() {
  if (services_.may_act && !services_.may_act()) return;
  {
    const std::scoped_lock lock{mutex_};
    if (running_) return;
    running_ = true;
  }
  const bool posted = services_.connectors.post([this] {
    measure_all();
    const std::scoped_lock lock{mutex_};
    running_ = false;
  });
  if (posted) return;
  const std::scoped_lock lock{mutex_};
  running_ = false;
}

void MeasureCycle::measure_all() {
  const Instant now = services_.clock.now();
  auto attempts = due(now);
  if (!attempts) return log::error("measure_failed", {{"detail", attempts.error().detail}});
  waiting_.with({}).set(static_cast<double>(attempts->size()));
  const std::stop_token stop = services_.connectors.stop_token();
  for (std::size_t begin = 0; begin < attempts->size() && !stop.stop_requested(); begin += k_most_at_once) {
    const std::size_t count = std::min(k_most_at_once, attempts->size() - begin);
    const auto done = measure(std::span{*attempts}.subspan(begin, count), now);
    if (!done) return log::error("measure_failed", {{"detail", done.error().detail}});
  }
}

/// Runs that ended within the last hour, and every hour all that may still be measured: the end of a run may be told
/// late.
Result<std::vector<DueAttempt>> MeasureCycle::due(Instant now) {
  const bool far = !looked_far_ || now - *looked_far_ >= k_look_far_every;
  // So far that a run is still seen once when its time is up, and is called unknown then.
  const Duration back = far ? services_.config.give_up_after + k_look_far_every + k_near : Duration{k_near};
  const Duration settles_after = services_.meter->settles_after();
  auto attempts = services_.store.read_now([=](store::Database& database) -> Result<std::vector<DueAttempt>> {
    store::RunRepository ledger{database};
    std::vector<DueAttempt> all;
    const auto take = [&](const Result<std::vector<Run>>& runs) {
      auto some = due_attempts(*runs, now, settles_after);
      all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    };
    for (Instant begin = now - back; begin < now; begin += k_near) {
      const auto runs = ledger.finished({begin, std::min(begin + k_near, now)}, k_most_runs);
      if (!runs) return tl::unexpected{runs.error()};
      take(runs);
    }
    const auto running = ledger.running(k_most_runs);  // an earlier attempt of theirs may have ended
    if (!running) return tl::unexpected{running.error()};
    take(running);
    return all;
  });
  if (attempts && far) looked_far_ = now;
  return attempts;
}

Result<void> MeasureCycle::measure(std::span<const DueAttempt> attempts, Instant now) {
  Interval window = attempts.front().question.ran;
  std::vector<MeterQuestion> questions;
  for (const DueAttempt& attempt : attempts) {
    window.begin = std::min(window.begin, attempt.question.ran.begin);
    window.end = std::max(window.end, attempt.question.ran.end);
    questions.push_back(attempt.question);
  }
  const auto tenants = services_.store.read_now([&](store::Database& database) -> Result<std::vector<PodOfRun>> {
    return store::RunRepository{database}.pods({window.begin - k_beside, window.end + k_beside});
  });
  if (!tenants) return tl::unexpected{tenants.error()};
  std::vector<MeterAnswer> answers = services_.meter->measure(
      questions, {.now = now, .tenants = *tenants, .time_left = std::chrono::milliseconds{k_time_to_ask}});
  note_failures(answers);
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    measured_.with({to_text(answers[i].outcome)}).add();
    calibrate(attempts[i], answers[i]);
    judge(attempts[i], answers[i], now);
  }
  return write(attempts, answers);
}

/// As the wattmeter would have shown it, where all pods ran on machines of one calibrated type.
void MeasureCycle::calibrate(const DueAttempt& attempt, MeterAnswer& answer) const {
  const auto& pods = attempt.question.pods;
  for (const Calibration& calibration : services_.config.calibration) {
    const bool all = std::all_of(pods.begin(), pods.end(),
                                 [&](const PodOfRun& pod) { return is_of_type(pod.node, calibration.node_type); });
    if (!all) continue;
    for (EnergyFigure& figure : answer.figures) figure = calibrated(std::move(figure), calibration);
  }
}

/// What nobody has seen is unknown in the end. While a source is away its part is waited for: an attempt is measured
/// once.
void MeasureCycle::judge(const DueAttempt& attempt, MeterAnswer& answer, Instant now) {
  const Duration since_end = now - attempt.question.ran.end;
  const bool too_long = answer.outcome == MeterOutcome::no_data
                            ? since_end >= std::min<Duration>(k_data_may_come, services_.config.give_up_after)
                            : since_end >= services_.config.give_up_after;
  const bool answered = answer.outcome == MeterOutcome::measured || answer.outcome == MeterOutcome::no_data;
  if (!answered && !too_long) answer.figures.clear();
  if (answer.figures.empty() && too_long) answer = unknown_answer(services_.meter->name(), answer.detail);
}

Result<void> MeasureCycle::write(std::span<const DueAttempt> attempts, const std::vector<MeterAnswer>& answers) {
  std::map<std::string, std::vector<std::size_t>> by_run;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    if (!answers[i].figures.empty()) by_run[attempts[i].key.run].push_back(i);
  }
  if (by_run.empty()) return {};
  std::vector<std::string> ids;
  for (const auto& [id, places] : by_run) ids.push_back(id);
  const auto step = [&](const std::string& id, const Run* stored) -> std::optional<Run> {
    if (stored == nullptr) return {};
    Run run = *stored;
    for (const std::size_t place : by_run.at(id))
      run = with_answer(std::move(run), attempts[place].key.number, answers[place]);
    return run;
  };
  const auto changed = services_.store.write_now(
      [&](store::Database& database) { return store::RunRepository{database}.change(ids, step); });
  if (!changed) return tl::unexpected{changed.error()};
  for (const MeterAnswer& answer : answers) {
    for (const EnergyFigure& figure : answer.figures) energy_.with({to_text(figure.boundary)}).add(kwh(figure.energy));
  }
  log::info("measured", {{"runs", std::to_string(changed->size())}, {"source", services_.meter->name()}});
  if (services_.on_figures && !changed->empty()) services_.on_figures();
  return {};
}

/// One line for all that failed alike: a Prometheus that is away fails a thousand attempts.
void MeasureCycle::note_failures(const std::vector<MeterAnswer>& answers) const {
  std::map<std::string, std::size_t> failures;
  for (const MeterAnswer& answer : answers) {
    if (answer.outcome == MeterOutcome::unavailable || answer.outcome == MeterOutcome::refused)
      ++failures[std::string{to_text(answer.outcome)} + ": " + answer.detail];
  }
  for (const auto& [what, count] : failures) {
    log::warning("meter_failed",
                 {{"source", services_.meter->name()}, {"attempts", std::to_string(count)}, {"detail", what}});
  }
}

}  // namespace valle::service::app
