// SPDX-License-Identifier: Apache-2.0
#include "k8s/watch/reflector.hpp"

#include <algorithm>
#include <utility>

#include "k8s/client/jitter.hpp"

namespace valle::k8s {
namespace {

using Kind = ApiError::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* k_initial_events_end = "k8s.io/initial-events-end";
/// A watch that ends sooner than this without an event is taken for a failure, lest we ask without pause.
constexpr seconds k_shortest_watch{1};
/// Refusals of a watch in a row, each after a longer pause, until we list again.
constexpr unsigned k_patience = 5;

std::string text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

const Json& member(const Json& object, const char* name) {
  static const Json k_nothing = Json::object();
  const auto found = object.find(name);
  return found != object.end() && found->is_object() ? *found : k_nothing;
}

std::string key_of_object(const Json& object) {
  const Json& meta = member(object, "metadata");
  const std::string name = text_in(meta, "name");
  return name.empty() ? std::string{} : key_of(text_in(meta, "namespace"), name);
}

bool ends_initial_events(const Json& bookmark) {
  return text_in(member(member(bookmark, "metadata"), "annotations"), k_initial_events_end) == "true";
}

/// What we received, not what the server said about itself.
bool makes_no_sense(const ApiError& error) { return error.kind == Kind::server && error.code == 0; }

/// What an old server answers, or one that has streaming lists switched off; or the list is more than can be streamed
/// in time.
bool says_no_streaming(const ApiError& error) {
  return error.kind == Kind::invalid || error.kind == Kind::bad_request || error.kind == Kind::deadline ||
         error.kind == Kind::too_large || makes_no_sense(error);
}

ApiError broken(std::string message) { return {Kind::server, 0, {}, std::move(message)}; }

}  // namespace

/// What came of the lines of one stream.
struct Reflector::Lines {
  enum class Phase { initial, following } phase = Phase::following;
  bool complete = false;  ///< the initial events have ended
  std::uint64_t events = 0;
  std::optional<ApiError> error = {};
};

std::string key_of(std::string_view space, std::string_view name) {
  if (space.empty()) return std::string{name};
  std::string key{space};
  return (key += '/') += name;
}

bool is_later(std::string_view a, std::string_view b) {
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.front() != '0' &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (!is_number(a) || !is_number(b)) return true;
  return a.size() != b.size() ? a.size() > b.size() : a > b;
}

Reflector::Reflector(std::shared_ptr<Client> client, WatchOptions options, ObjectSink& sink)
    : client_{std::move(client)},
      options_{std::move(options)},
      sink_{sink},
      stream_refused_{options_.start == WatchOptions::Start::paged},
      page_{client_->options().page},
      random_{options_.seed} {}

void Reflector::run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    const auto outcome = step(stop);
    if (stop.stop_requested()) return;
    note(outcome);
    if (outcome) continue;
    const auto pause = pause_after(outcome.error());
    if (pause > milliseconds{0} && !client_->clock().wait_until(client_->clock().now() + pause, stop)) return;
  }
}

WatchState Reflector::state() const {
  const std::scoped_lock lock{mutex_};
  return state_;
}

ApiResult<void> Reflector::step(const std::stop_token& stop) {
  if (!version_.empty()) return watch(stop);
  return stream_refused_ ? list_by_pages(stop) : list_by_stream(stop);
}

// The server's own state as a stream of ADDED events up to a marked bookmark: neither side holds the whole list.
ApiResult<void> Reflector::list_by_stream(const std::stop_token& stop) {
  const auto time = options_.list_time;
  Lines lines{.phase = Lines::Phase::initial};
  sink_.list_begins();
  auto outcome = follow({{"sendInitialEvents", "true"},
                         {"resourceVersionMatch", "NotOlderThan"},
                         {"timeoutSeconds", std::to_string(time.count())}},
                        client_->clock().now() + time, lines, stop);
  if (lines.complete) return {};
  if (outcome) outcome = tl::unexpected{broken("the streaming list ended before it was complete")};
  if (!says_no_streaming(outcome.error())) return outcome;
  stream_refused_ = true;
  return list_by_pages(stop);
}

ApiResult<void> Reflector::list_by_pages(const std::stop_token& stop) {
  sink_.list_begins();
  PageRequest request{.limit = page_};
  for (;;) {
    const Call call{.deadline = client_->clock().now() + options_.list_time, .stop = stop};
    auto page = client_->list_page(options_.collection, options_.selection, request, call);
    if (!page) {
      if (page.error().kind == Kind::too_large) page_ = std::max<std::size_t>(page_ / 2, 1);
      return tl::unexpected{page.error()};
    }
    for (const Json& object : page->items) put(object);
    {
      const std::scoped_lock lock{mutex_};
      state_.last_contact = client_->clock().now();
    }
    if (page->next.empty()) {
      if (page->resource_version.empty()) return tl::unexpected{broken("a list without a resourceVersion")};
      listed(std::move(page->resource_version));
      return {};
    }
    request.token = std::move(page->next);
  }
}

ApiResult<void> Reflector::watch(const std::stop_token& stop) {
  const seconds time = std::chrono::duration_cast<seconds>(between(options_.shortest, options_.longest, random()));
  const SteadyTime begun = client_->clock().now();
  Lines lines;
  const auto outcome = follow({{"resourceVersion", version_}, {"timeoutSeconds", std::to_string(time.count())}},
                              begun + time + options_.grace, lines, stop);
  if (!outcome) {
    const ApiError& error = outcome.error();
    // From here on there is no going forward: the version is gone, or an event cannot be read. A list may do better.
    const bool stuck = lines.error || error.kind == Kind::expired || error.kind == Kind::too_large;
    // Or the server goes on refusing this version for a reason of its own, as after a restore from a backup.
    const bool hopeless = error.code != 0 && state().failures + 1 >= k_patience;
    if (stuck || hopeless || makes_no_sense(error)) version_.clear();
    return outcome;
  }
  if (lines.events == 0 && client_->clock().now() - begun < k_shortest_watch) {
    return tl::unexpected{ApiError{Kind::unreachable, 0, {}, "the watch ended at once"}};
  }
  going_well();
  return {};
}

ApiResult<void> Reflector::follow(Query query, SteadyTime deadline, Lines& lines, const std::stop_token& stop) {
  query.insert(query.end(), {{"watch", "true"}, {"allowWatchBookmarks", "true"}});
  if (!options_.selection.labels.empty()) query.emplace_back("labelSelector", options_.selection.labels);
  if (!options_.selection.fields.empty()) query.emplace_back("fieldSelector", options_.selection.fields);
  {
    const std::scoped_lock lock{mutex_};
    ++state_.watches;
  }
  const LineSink sink = [&](std::string_view line) {
    if (stop.stop_requested()) return Flow::enough;
    take_event(line, lines);
    return lines.error || lines.complete ? Flow::enough : Flow::more;
  };
  const auto outcome = client_->stream(path_of(options_.collection), query, sink, {.deadline = deadline, .stop = stop});
  if (lines.error) return tl::unexpected{*lines.error};
  return outcome;
}

void Reflector::take_event(std::string_view line, Lines& lines) {
  const Json event = Json::parse(line, nullptr, false);
  const std::string type = event.is_object() ? text_in(event, "type") : std::string{};
  const Json& object = member(event, "object");
  ++lines.events;
  {
    const std::scoped_lock lock{mutex_};
    ++state_.events;
    state_.last_contact = client_->clock().now();
  }
  if (type == "ERROR") {
    lines.error = error_of_status(object);
  } else if (type == "BOOKMARK") {
    std::string version = text_in(member(object, "metadata"), "resourceVersion");
    if (lines.phase == Lines::Phase::following) {
      advance(std::move(version));
    } else if (ends_initial_events(object) && !version.empty()) {
      listed(std::move(version));
      lines.complete = true;
    } else {
      lines.error = broken("the server knows no streaming lists");
    }
  } else if (type == "ADDED" || type == "MODIFIED" || type == "DELETED") {
    take_change(type, object, lines);
  } else {
    lines.error = broken("a line of the watch is no event");
  }
  if (!lines.error && lines.phase == Lines::Phase::following) going_well();
}

void Reflector::take_change(const std::string& type, const Json& object, const Lines& lines) {
  std::string version = text_in(member(object, "metadata"), "resourceVersion");
  const bool following = lines.phase == Lines::Phase::following;
  // Events of one watch come in the order of their versions; what does not is a duplicate, or older than what we have.
  if (following && !is_later(version, version_)) {
    const std::scoped_lock lock{mutex_};
    ++state_.stale_events;
    return;
  }
  if (type == "DELETED") {
    if (const std::string key = key_of_object(object); !key.empty()) sink_.drop(key);
  } else {
    put(object);
  }
  if (following) advance(std::move(version));
}

void Reflector::put(const Json& object) {
  const std::string key = key_of_object(object);
  std::string problem = "has no name";
  if (!key.empty()) problem = sink_.put(key, text_in(member(object, "metadata"), "resourceVersion"), object);
  if (problem.empty()) return;
  const std::scoped_lock lock{mutex_};
  ++state_.unparseable;
  state_.last_unparseable = key + ": " + problem;
}

void Reflector::listed(std::string version) {
  sink_.list_ends();
  version_ = std::move(version);
  const std::scoped_lock lock{mutex_};
  ++state_.lists;
  state_.synced = true;
  state_.resource_version = version_;
}

void Reflector::advance(std::string version) {
  if (version.empty() || !is_later(version, version_)) return;
  version_ = std::move(version);
  const std::scoped_lock lock{mutex_};
  state_.resource_version = version_;
}

void Reflector::note(const ApiResult<void>& outcome) {
  const std::scoped_lock lock{mutex_};
  if (outcome) {
    state_.last_error.clear();
    state_.last_contact = client_->clock().now();
  } else {
    state_.last_error = text_of(outcome.error());
    ++state_.failures;
  }
}

/// Only a watch that works ends a row of failures: where each one fails, lists that succeed must not follow without
/// pause.
void Reflector::going_well() {
  const std::scoped_lock lock{mutex_};
  state_.failures = 0;
}

std::chrono::milliseconds Reflector::pause_after(const ApiError& error) {
  const unsigned failures = state().failures;
  if (error.kind == Kind::expired && failures == 1) return milliseconds{0};  // the remedy is at hand
  const auto pause = growing_pause(options_.first_pause, options_.longest_pause, failures, random());
  return std::max(pause, error.retry_after.value_or(pause));
}

std::uint64_t Reflector::random() { return random_ = scrambled(random_); }

}  // namespace valle::k8s
