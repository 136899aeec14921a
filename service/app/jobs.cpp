// SPDX-License-Identifier: Apache-2.0
#include "service/app/jobs.hpp"

#include <algorithm>
#include <utility>

#include "service/app/job_terms.hpp"
#include "service/app/plan_outcome.hpp"

namespace valle::service::app {
namespace {

using scheduler::Errc;
using scheduler::Instant;
using scheduler::refuse;
using scheduler::Result;

tl::unexpected<scheduler::Error> store_busy() {
  return refuse(Errc::rate_limited, "more work is waiting than can be taken; ask again in a second", "",
                {{"retryAfterSeconds", "1"}});
}

tl::unexpected<scheduler::Error> not_leader() {
  return refuse(Errc::not_leader, "another replica is the leader and has the jobs; ask again", "",
                {{"retryAfterSeconds", "2"}});
}

/// A job that is not seen may be one of REST, which the leader alone has.
Result<Job> seen_or_elsewhere(const SeenJobs& seen, const std::string& id) {
  auto job = seen.find(id);
  if (!job) return not_leader();
  return *std::move(job);
}

bool matches(const store::JobFilter& filter, const Job& job) {
  const bool state =
      filter.states.empty() || std::find(filter.states.begin(), filter.states.end(), job.state) != filter.states.end();
  const bool owner = !filter.owner || job.request.owner == filter.owner;
  const bool object = !filter.object || (job.object && job.object->space + "/" + job.object->name == *filter.object);
  return state && owner && object && job.sequence > filter.after;
}

/// What happens to a cluster's job is done to its object.
Result<void> of_rest(const Job& job) {
  if (!job.object) return {};
  return refuse(Errc::conflict, "job " + job.id + " is the " + job.object->kind + " " + job.object->space + "/" +
                                    job.object->name + " of the cluster and follows it; change it there");
}

/// Instants of a job that follow from its request.
void set_terms(Job& job, const JobTerms& terms) {
  job.earliest_start = terms.earliest_start;
  job.finish_by = terms.finish_by;
  job.start_by = std::max(terms.start_by, terms.earliest_start);
}

}  // namespace

template <class T>
void Jobs::answer_as_seen(const Done<T>& done, std::function<Result<T>(const SeenJobs&)> question) {
  if (!services_.seen.find || !services_.seen.all) return done(not_leader());
  if (!services_.long_questions.post(
          [this, done, question = std::move(question)] { done(question(services_.seen)); })) {
    done(store_busy());
  }
}

Result<Job> Jobs::new_job(NewJob fresh) const {
  const Instant now = services_.clock.now();
  const auto sites = services_.places.sites(*services_.book.get());
  const auto terms = terms_of(fresh.request, sites, now, services_.planning.max_wait);
  if (!terms) return tl::unexpected{terms.error()};
  Job job{.id = std::move(fresh.id), .request = std::move(fresh.request), .submitted_at = now};
  set_terms(job, *terms);
  job.reason = "waiting for its first plan";
  const auto possible = feasible(job.request, *terms, sites);
  if (possible) return job;
  if (services_.planning.on_infeasible == runtime::OnInfeasible::reject) return tl::unexpected{possible.error()};
  const Instant start = std::max(now, job.earliest_start);
  const JobSlot slot = unplanned_slot(job, sites, start);
  job.warning = possible.error().detail;
  job.reason = "released at its earliest start: it can't meet its deadline";
  job.start_by = job.earliest_start;
  if (start <= now) return released(std::move(job), slot, now);
  job.slot = slot;
  return job;
}

void Jobs::submit(NewJob fresh, std::optional<store::Idempotency> idempotency, Done<store::Submission> done) {
  if (!may_write()) return done(not_leader());
  auto job = new_job(std::move(fresh));
  if (!job) return done(tl::unexpected{std::move(job.error())});
  const bool taken = services_.store.write([this, job = *std::move(job), idempotency, done](store::Database& database) {
    auto submission = store::JobRepository{database}.submit(job, idempotency);
    if (!submission || submission->repeated) return done(std::move(submission));
    services_.watch.added(submission->job);
    services_.cycle.request(PlanKind::settle, [this, submission = *submission, done] {
      find(submission.job.id, [done](Result<Job> planned) {
        done(planned.map([](Job now_planned) { return store::Submission{std::move(now_planned)}; }));
      });
    });
  });
  if (!taken) done(store_busy());
}

void Jobs::remember_answer(const std::string& key, const std::string& answer, std::function<void()> done) {
  const bool taken = services_.store.write([key, answer, done](store::Database& database) {
    (void)store::JobRepository{database}.remember_answer(key, answer);
    done();
  });
  if (!taken) done();
}

void Jobs::find(const std::string& id, Done<Job> done) {
  if (!may_write()) {
    return answer_as_seen<Job>(done, [id](const SeenJobs& seen) { return seen_or_elsewhere(seen, id); });
  }
  const bool taken =
      services_.store.read([id, done](store::Database& database) { done(store::JobRepository{database}.find(id)); });
  if (!taken) done(store_busy());
}

void Jobs::list(const store::JobFilter& filter, Done<std::vector<Job>> done) {
  if (!may_write()) {
    return answer_as_seen<std::vector<Job>>(done, [filter](const SeenJobs& seen) -> Result<std::vector<Job>> {
      auto jobs = seen.all();
      std::erase_if(jobs, [&filter](const Job& job) { return !matches(filter, job); });
      if (jobs.size() > filter.limit) jobs.resize(filter.limit);
      return jobs;
    });
  }
  const bool taken = services_.store.read(
      [filter, done](store::Database& database) { done(store::JobRepository{database}.list(filter)); });
  if (!taken) done(store_busy());
}

void Jobs::take_step(const std::string& id, Step step, Then then, Done<Job> done) {
  if (!may_write()) return done(not_leader());
  const bool taken = services_.store.write([this, id, step = std::move(step), then, done](store::Database& database) {
    const auto change = store::JobRepository{database}.change(
        id, [&step](Job job) { return of_rest(job).and_then([&] { return step(std::move(job)); }); });
    if (!change) return done(tl::unexpected{change.error()});
    services_.watch.changed({&*change, 1});
    if (then == Then::answer || change->after == change->before) {
      if (change->after != change->before) services_.cycle.request(PlanKind::settle);
      return done(change->after);
    }
    services_.cycle.request(PlanKind::settle, [this, id, done] { find(id, done); });
  });
  if (!taken) done(store_busy());
}

Result<Job> Jobs::changed(Job job, const JobRequest& change) const {
  if (job.state != JobState::waiting) {
    return refuse(Errc::conflict,
                  "job " + job.id + " is " + std::string{to_text(job.state)} + "; only a waiting job can be changed");
  }
  const auto sites = services_.places.sites(*services_.book.get());
  JobRequest request = merged(job.request, change);
  const auto terms = terms_of(request, sites, job.submitted_at, services_.planning.max_wait);
  if (!terms) return tl::unexpected{terms.error()};
  if (const auto possible = feasible(request, *terms, sites); !possible) return tl::unexpected{possible.error()};
  job.request = std::move(request);
  set_terms(job, *terms);
  job.slot.reset();
  job.warning.reset();
  job.reason = "waiting for a plan after its change";
  return job;
}

void Jobs::change(const std::string& id, const JobRequest& change, Done<Job> done) {
  take_step(
      id, [this, change](Job job) { return changed(std::move(job), change); }, Then::plan, std::move(done));
}

void Jobs::cancel(const std::string& id, Done<Job> done) {
  take_step(
      id, [this](Job job) { return cancelled(std::move(job), services_.clock.now()); }, Then::answer, std::move(done));
}

void Jobs::start(const std::string& id, std::optional<Instant> at, Done<Job> done) {
  take_step(
      id, [this, at](Job job) { return started(std::move(job), at, services_.clock.now()); }, Then::answer,
      std::move(done));
}

void Jobs::finish(const std::string& id, const Finish& finish, Done<Job> done) {
  take_step(
      id, [this, finish](Job job) { return finished(std::move(job), finish, services_.clock.now()); }, Then::answer,
      std::move(done));
}

void Jobs::explain(const std::string& id, Done<Explanation> done) {
  if (!may_write()) {
    return answer_as_seen<Explanation>(done, [this, id](const SeenJobs& seen) -> Result<Explanation> {
      auto job = seen_or_elsewhere(seen, id);
      if (!job) return tl::unexpected{std::move(job.error())};
      auto jobs = seen.all();
      std::erase_if(jobs, [](const Job& each) { return !is_active(each.state); });
      return app::explain(snapshot_of(std::move(jobs)), *job);
    });
  }
  const bool taken = services_.store.read([this, id, done](store::Database& database) {
    store::JobRepository repository{database};
    auto job = repository.find(id);
    if (!job) return done(tl::unexpected{std::move(job.error())});
    auto active = repository.active();
    if (!active) return done(tl::unexpected{std::move(active.error())});
    const bool explained =
        services_.long_questions.post([snapshot = snapshot_of(std::move(active->jobs)), job = *std::move(job), done] {
          done(app::explain(snapshot, job));
        });
    if (!explained) done(store_busy());
  });
  if (!taken) done(store_busy());
}

PlanningSnapshot Jobs::snapshot_of(std::vector<Job> jobs) const {
  auto book = services_.book.get();
  auto sites = services_.places.sites(*book);
  PlanningSnapshot snapshot{.now = services_.clock.now(),
                            .jobs = std::move(jobs),
                            .book = std::move(book),
                            .sites = std::move(sites),
                            .planning = services_.planning};
  if (services_.observe) services_.observe(snapshot);
  return snapshot;
}

void Jobs::plan(Done<std::optional<store::StoredPlan>> done) {
  // What stands in this database may be of a time when this replica led.
  if (!may_write()) return done(not_leader());
  const bool taken =
      services_.store.read([done](store::Database& database) { done(store::JobRepository{database}.plan()); });
  if (!taken) done(store_busy());
}

void Jobs::await_change(const std::string& id, JobWatch::Call moved,
                        std::function<void(Result<Job>, JobWatch::Id)> waiting) {
  if (!may_write()) {
    return find(id, [waiting](Result<Job> job) { waiting(std::move(job), 0); });
  }
  const bool taken = services_.store.write([this, id, moved, waiting](store::Database& database) {
    auto job = store::JobRepository{database}.find(id);
    if (!job || !is_active(job->state)) return waiting(std::move(job), 0);
    const auto ticket = services_.watch.wait(id, moved);
    waiting(std::move(job), ticket);
  });
  if (!taken) waiting(store_busy(), 0);
}

}  // namespace valle::service::app
