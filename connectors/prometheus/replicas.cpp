// SPDX-License-Identifier: Apache-2.0
#include "connectors/prometheus/replicas.hpp"

#include <algorithm>
#include <iterator>

#include "connectors/prometheus/queries.hpp"

namespace valle::connectors::prometheus {
namespace {

using scheduler::Moment;
using scheduler::Span;

constexpr std::chrono::minutes k_shortest_part{10};

bool asks_for_less(QueryOutcome outcome) {
  return outcome == QueryOutcome::too_much || outcome == QueryOutcome::timed_out;
}

/// From worst to best: what a set of answers is worth as a whole.
int rank(QueryOutcome outcome) {
  switch (outcome) {
    case QueryOutcome::data: return 7;
    case QueryOutcome::empty: return 6;
    case QueryOutcome::too_much: return 5;
    case QueryOutcome::timed_out: return 4;
    case QueryOutcome::bad_answer: return 3;
    case QueryOutcome::unavailable: return 2;
    case QueryOutcome::unauthorized: return 1;
    case QueryOutcome::rejected: return 0;
  }
  return 0;
}

/// Both parts of a question. A failure of one is a failure of both: half an answer would be a lower energy.
QueryAnswer joined(QueryAnswer a, QueryAnswer b) {
  const bool a_failed = rank(a.outcome) < rank(QueryOutcome::empty);
  const bool b_failed = rank(b.outcome) < rank(QueryOutcome::empty);
  if (a_failed) return a;
  if (b_failed) return b;
  a.warnings.insert(a.warnings.end(), b.warnings.begin(), b.warnings.end());
  if (b.outcome == QueryOutcome::data) a.outcome = QueryOutcome::data;
  a.series.insert(a.series.end(), std::make_move_iterator(b.series.begin()), std::make_move_iterator(b.series.end()));
  return a;
}

/// The later part's samples behind the earlier one's of the same series. Ranges may include both their ends.
void append_later(std::vector<Series>& series, std::vector<Series> later) {
  for (Series& part : later) {
    const auto same =
        std::find_if(series.begin(), series.end(), [&](const Series& known) { return known.labels == part.labels; });
    if (same == series.end()) {
      series.push_back(std::move(part));
      continue;
    }
    for (const scheduler::Sample& sample : part.samples) {
      if (same->samples.empty() || sample.at > same->samples.back().at) same->samples.push_back(sample);
    }
  }
}

QueryAnswer fetch(Client& client, const Wanted& wanted, std::span<const std::string> values, const Span& window,
                  const QueryPatience& patience) {
  QueryAnswer answer = client.query(wanted.text(values, window), window.end, patience);
  if (!asks_for_less(answer.outcome)) return answer;
  if (values.size() > 1) {
    const std::size_t half = values.size() / 2;
    QueryAnswer first = fetch(client, wanted, values.first(half), window, patience);
    if (rank(first.outcome) < rank(QueryOutcome::empty)) return first;
    return joined(std::move(first), fetch(client, wanted, values.subspan(half), window, patience));
  }
  if (window.end - window.begin < 2 * k_shortest_part) return answer;
  const Moment middle = window.begin + (window.end - window.begin) / 2;
  QueryAnswer earlier = fetch(client, wanted, values, {window.begin, middle}, patience);
  if (rank(earlier.outcome) < rank(QueryOutcome::empty)) return earlier;
  QueryAnswer later = fetch(client, wanted, values, {middle, window.end}, patience);
  std::vector<Series> more = std::move(later.series);
  later.series.clear();
  QueryAnswer both = joined(std::move(earlier), std::move(later));
  if (rank(both.outcome) >= rank(QueryOutcome::empty)) append_later(both.series, std::move(more));
  return both;
}

}  // namespace

std::string Wanted::text(std::span<const std::string> some, const Span& part) const {
  std::vector<std::string> all{is_one_of(label, some)};
  all.insert(all.end(), matchers.begin(), matchers.end());
  return range_selector(metric, all, part.end - part.begin);
}

Seen Replicas::samples(const Wanted& wanted, const QueryPatience& patience) {
  Seen seen{.outcome = QueryOutcome::rejected};
  for (Client& client : clients_) {
    QueryAnswer answer = fetch(client, wanted, wanted.values, wanted.window, patience);
    const bool silent = rank(answer.outcome) < rank(QueryOutcome::empty);
    if (silent || !answer.warnings.empty()) seen.complete = false;
    if (!answer.warnings.empty()) seen.detail = answer.warnings.front();
    if (silent) seen.detail = answer.detail;
    if (rank(answer.outcome) >= rank(seen.outcome)) seen.outcome = answer.outcome;
    seen.replicas.push_back(std::move(answer.series));
  }
  return seen;
}

QueryAnswer Replicas::first_answer(const std::string& promql, Moment time, const QueryPatience& patience) {
  QueryAnswer best{.outcome = QueryOutcome::rejected};
  for (Client& client : clients_) {
    QueryAnswer answer = client.query(promql, time, patience);
    if (answer.outcome == QueryOutcome::data) return answer;
    if (rank(answer.outcome) >= rank(best.outcome)) best = std::move(answer);
  }
  return best;
}

Client::Names Replicas::metric_names(const std::string& selector, const scheduler::Interval& window,
                                     const QueryPatience& patience) {
  Client::Names best{.outcome = QueryOutcome::rejected};
  for (Client& client : clients_) {
    Client::Names names = client.metric_names(selector, window, patience);
    if (names.outcome == QueryOutcome::data) return names;
    if (rank(names.outcome) >= rank(best.outcome)) best = std::move(names);
  }
  return best;
}

}  // namespace valle::connectors::prometheus
