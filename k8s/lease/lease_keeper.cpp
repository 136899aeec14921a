// SPDX-License-Identifier: Apache-2.0
#include "k8s/lease/lease_keeper.hpp"

#include <algorithm>
#include <utility>

#include "k8s/client/discovery.hpp"
#include "k8s/lease/lease_record.hpp"

namespace valle::k8s {

using Kind = ApiError::Kind;
using scheduler::Errc;
using scheduler::refuse;

namespace {

constexpr SteadyTime::rep k_never = SteadyTime::min().time_since_epoch().count();

}  // namespace

scheduler::Result<std::unique_ptr<LeaseKeeper>> LeaseKeeper::make(std::shared_ptr<Client> client, WallClock wall,
                                                                  LeaseOptions options, OnChange on_change) {
  if (auto sound = check(options.times); !sound) return tl::unexpected{sound.error()};
  if (options.space.empty()) return refuse(Errc::invalid_request, "the lease needs a namespace");
  if (options.name.empty()) return refuse(Errc::invalid_request, "the lease needs a name");
  if (options.identity.empty()) return refuse(Errc::invalid_request, "the lease needs an identity of its own");
  return std::unique_ptr<LeaseKeeper>{
      new LeaseKeeper{std::move(client), std::move(wall), std::move(options), std::move(on_change)}};
}

LeaseKeeper::LeaseKeeper(std::shared_ptr<Client> client, WallClock wall, LeaseOptions options, OnChange on_change)
    : client_{std::move(client)},
      wall_{std::move(wall)},
      options_{std::move(options)},
      on_change_{std::move(on_change)},
      election_{options_.identity, options_.times, options_.seed},
      leading_until_{k_never} {}

LeaseKeeper::~LeaseKeeper() { stop(); }

void LeaseKeeper::start() {
  thread_ = std::jthread{[this](const std::stop_token& stop) { run(stop); }};
}

void LeaseKeeper::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

bool LeaseKeeper::leading() const { return now().time_since_epoch().count() < leading_until_.load(); }

std::string LeaseKeeper::holder() const {
  const std::scoped_lock lock{mutex_};
  return holder_;
}

std::optional<Election::Rival> LeaseKeeper::rival() const {
  const std::scoped_lock lock{mutex_};
  return rival_;
}

std::optional<std::chrono::seconds> LeaseKeeper::silent_for() const {
  const auto other = rival();
  // What can't be read may have been renewed.
  if (!other || !last_error().empty()) return {};
  const auto silent = std::chrono::duration_cast<std::chrono::seconds>(now() - other->changed_at);
  return silent > options_.times.duration ? std::optional{silent} : std::nullopt;
}

std::string LeaseKeeper::last_error() const {
  const std::scoped_lock lock{mutex_};
  return last_error_;
}

void LeaseKeeper::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto step = election_.next(now(), micro_time_text(wall_()));
    publish();
    if (const auto* wait = std::get_if<Election::Wait>(&step)) {
      if (!client_->clock().wait_until(wait->until, stop)) break;
    } else if (const auto* claim = std::get_if<Election::Write>(&step)) {
      write(claim->record, stop);
    } else {
      read(call(stop));
    }
    publish();
  }
  give_back();
}

/// Half of the renew deadline for one call, so that a second one fits; a leader's never outlives its term.
Call LeaseKeeper::call(const std::stop_token& stop) const {
  SteadyTime deadline = now() + options_.times.renew_deadline / 2;
  if (const auto until = election_.leading_until()) deadline = std::min(deadline, *until);
  return {.deadline = deadline, .stop = stop};
}

void LeaseKeeper::read(const Call& call) {
  const auto answer = client_->get({resources::k_leases, options_.space, options_.name}, call);
  if (answer) {
    object_ = answer->object;
    election_.saw(lease_record_of(object_), now());
  } else if (answer.error().kind == Kind::not_found) {
    object_ = Json{};
    election_.saw(std::nullopt, now());
  } else {
    election_.failed(now());
  }
  const bool told = answer || answer.error().kind == Kind::not_found;
  if (told) unsure_ = false;
  note(told ? std::string{} : text_of(answer.error()));
}

void LeaseKeeper::write(const LeaseRecord& record, const std::stop_token& stop) {
  const SteadyTime begun = now();
  const auto stored = put(record, call(stop));
  unsure_ = false;
  if (stored) {
    election_.wrote(*stored, begun, now());
  } else if (stored.error().kind == Kind::conflict || stored.error().kind == Kind::already_exists) {
    election_.lost_race(now());
  } else {
    unsure_ = true;
    election_.failed(now());
  }
  note(stored ? std::string{} : text_of(stored.error()));
}

ApiResult<LeaseRecord> LeaseKeeper::put(const LeaseRecord& record, const Call& call) {
  const Json lease = lease_with(object_, record, options_.space, options_.name);
  auto answer = record.resource_version.empty()
                    ? client_->create({resources::k_leases, options_.space}, lease, call)
                    : client_->update({resources::k_leases, options_.space, options_.name}, lease, call);
  if (!answer) return tl::unexpected{answer.error()};
  object_ = std::move(answer->object);
  return lease_record_of(object_);
}

void LeaseKeeper::give_back() {
  const Call call{.deadline = now() + options_.times.renew_deadline / 2};
  auto record = election_.resign(micro_time_text(wall_()));
  publish();
  if (unsure_) {
    // The stop may have cut off a claim or a renewal that came through all the same.
    read(call);
    record = election_.resign(micro_time_text(wall_()));
  }
  if (!record) return;
  const auto stored = put(*record, call);
  note(stored ? std::string{} : text_of(stored.error()));
}

/// Tells readers and the listener what is so now. The epoch is stored before the term begins: who sees that we lead
/// sees the epoch of this term.
void LeaseKeeper::publish() {
  const auto until = election_.leading_until();
  if (until) epoch_.store(election_.epoch());
  leading_until_.store(until ? until->time_since_epoch().count() : k_never);
  {
    const std::scoped_lock lock{mutex_};
    holder_ = election_.holder();
    rival_ = election_.rival();
  }
  const Leadership present{.leading = election_.leading(now()), .epoch = election_.epoch()};
  if (present == told_) return;
  told_ = present;
  if (on_change_) on_change_(present);
}

void LeaseKeeper::note(const std::string& error) {
  const std::scoped_lock lock{mutex_};
  last_error_ = error;
}

}  // namespace valle::k8s
