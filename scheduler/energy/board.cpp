// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/board.hpp"

#include <algorithm>

#include "scheduler/energy/bracket.hpp"
#include "scheduler/energy/proportion.hpp"
#include "scheduler/energy/uncertainty.hpp"

namespace valle::scheduler {
namespace {

constexpr double k_rate_base = 0.25;  // of the spacing
constexpr double k_shared = 0.01;     // of the energy from shared time: allocated

/// Tenants with the asked one among them, each once.
BoardQuestion with_itself(BoardQuestion question) {
  const auto own = [&](const Tenant& tenant) { return tenant.pod == question.pod; };
  std::erase_if(question.tenants, own);
  question.tenants.push_back({question.pod, question.ran});
  return question;
}

/// The tenants who had the board together with the asked one, or with one who had: they can only be bracketed together.
std::vector<Tenant> group_of(const BoardQuestion& question, double spacing_seconds) {
  const double least = std::max(1.0, 0.1 * spacing_seconds);  // the ledger's seconds, rounded, are no sharing
  std::vector<Tenant> group{question.tenants.back()};
  std::vector<Tenant> rest{question.tenants.begin(), question.tenants.end() - 1};
  for (bool grown = true; grown;) {
    grown = false;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const auto together = [&](const Tenant& member) {
        const Moment from = std::max(member.ran.begin, rest[i].ran.begin);
        const Moment to = std::min(member.ran.end, rest[i].ran.end);
        return from < to && seconds_between(from, to) > least;
      };
      if (!std::any_of(group.begin(), group.end(), together)) continue;
      group.push_back(rest[i]);
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      grown = true;
      break;
    }
  }
  return group;
}

Span hull_of(const std::vector<Tenant>& group) {
  Span hull = group.front().ran;
  for (const Tenant& tenant : group) {
    hull.begin = std::min(hull.begin, tenant.ran.begin);
    hull.end = std::max(hull.end, tenant.ran.end);
  }
  return hull;
}

/// The asked tenant's part of what its group used.
double share_of_group(const BoardPoints& points, const BoardQuestion& question, const std::vector<Tenant>& group,
                      double own_joules) {
  if (group.size() == 1) return 1;
  double all = 0;
  for (const Tenant& tenant : group) {
    BoardQuestion other = question;
    other.pod = tenant.pod;
    other.ran = tenant.ran;
    all += in_proportion(points, other).joules;
  }
  return all > 0 ? own_joules / all : 1.0 / static_cast<double>(group.size());
}

std::string words_of(BracketRefusal refusal) {
  switch (refusal) {
    case BracketRefusal::out_of_reach: return "too few samples beside the run for a bracket";
    case BracketRefusal::neighbour: return "others had the board just before or after";
    case BracketRefusal::restart: return "counter restarted, what was lost is estimated";
    case BracketRefusal::not_idle: return "the board was not idle beside the run";
    case BracketRefusal::no_busier_inside: return "the board was no busier during the run than beside it";
  }
  return "";
}

/// The reading where no bracket holds.
class EdgeReading {
 public:
  EdgeReading(const BoardPoints& points, const BoardQuestion& question, const Portion& portion)
      : points_{points}, question_{question}, portion_{portion} {}

  void fill(Reading& reading) {
    reading.method = "device counter, edges in proportion, whole board";
    reading.joules = reading.counted_joules = portion_.joules;
    collect_inside();
    bridge(reading);
    note_reach(reading);
    const double run = seconds_of(question_.ran);
    const double c = points_.spacing_seconds;
    const Rates rates = rates_of(inside_, k_rate_base * c);
    reading.covered_seconds = std::max(0.0, run - unseen_);
    reading.uncertainty_joules = uncertainty_joules(rates, {.unseen_seconds = unseen_,
                                                            .stamp_seconds = std::min(c, run),
                                                            .mean_watts = run > 0 ? reading.joules / run : 0,
                                                            .limit_watts = question_.facts.limit_watts,
                                                            .floor_watts = question_.facts.idle_watts.value_or(0)});
  }

 private:
  void collect_inside() {
    for (const Sample& total : points_.totals) {
      if (total.at >= question_.ran.begin && total.at <= question_.ran.end) inside_.push_back(total);
    }
  }

  void bridge(Reading& reading) {
    for (const Restart& restart : points_.restarts) {
      if (!overlap({restart.before.at, restart.after.at}, question_.ran)) continue;
      const Moment from = std::max(restart.before.at, question_.ran.begin);
      const Moment to = std::min(restart.after.at, question_.ran.end);
      const double seconds = seconds_between(from, to);
      const double lost = std::max(0.0, rate_without_restarts() * seconds - restart.after.value);
      reading.bridged_joules += lost;
      reading.joules += lost;
      unseen_ += seconds;
    }
  }

  [[nodiscard]] double rate_without_restarts() const {
    double seconds = 0;
    double joules = 0;
    for (std::size_t i = 1; i < inside_.size(); ++i) {
      const auto ends_here = [&](const Restart& restart) { return restart.after.at == inside_[i].at; };
      if (std::any_of(points_.restarts.begin(), points_.restarts.end(), ends_here)) continue;
      seconds += seconds_between(inside_[i - 1].at, inside_[i].at);
      joules += inside_[i].value - inside_[i - 1].value;
    }
    return seconds > 0 ? joules / seconds : 0;
  }

  void note_reach(Reading& reading) {
    const Moment first = points_.totals.front().at;
    const Moment last = points_.totals.back().at;
    if (!portion_.reaches_start && first > question_.ran.begin) {
      add_gap(reading, {question_.ran.begin, std::min(first, question_.ran.end)}, "no samples from the start");
    }
    if (!portion_.reaches_end && last < question_.ran.end) {
      add_gap(reading, {std::max(last, question_.ran.begin), question_.ran.end}, "no samples until the end");
    }
  }

  void add_gap(Reading& reading, const Span& span, const char* reason) {
    reading.gaps.push_back({span, reason});
    unseen_ += seconds_of(span);
  }

  const BoardPoints& points_;
  const BoardQuestion& question_;
  const Portion& portion_;
  Samples inside_;
  double unseen_ = 0;
};

}  // namespace

std::optional<Reading> read_board(const BoardPoints& points, const BoardQuestion& asked) {
  if (points.totals.size() < 2) return {};
  if (points.totals.front().at >= asked.ran.end || points.totals.back().at <= asked.ran.begin) return {};
  const BoardQuestion question = with_itself(asked);
  const std::vector<Tenant> group = group_of(question, points.spacing_seconds);
  std::vector<Tenant> others;
  for (const Tenant& tenant : question.tenants) {
    if (std::find(group.begin(), group.end(), tenant) == group.end()) others.push_back(tenant);
  }
  const Portion portion = in_proportion(points, question);

  Reading reading{.run_seconds = seconds_of(question.ran), .scrape_seconds = points.spacing_seconds};
  reading.curve = portion.curve;
  const auto bracket = wide_bracket(points, hull_of(group), others, question.facts);
  if (bracket) {
    const double share = share_of_group(points, question, group, portion.joules);
    reading.method = "device counter, wide bracket less idle, whole board";
    reading.joules = reading.counted_joules = bracket->joules * share;
    reading.uncertainty_joules = bracket->uncertainty_joules * share;
    reading.covered_seconds = reading.run_seconds;
  } else {
    EdgeReading{points, question, portion}.fill(reading);
    reading.notes.push_back(words_of(bracket.error()));
  }
  reading.allocated = portion.shared_joules > k_shared * portion.joules;
  if (reading.allocated) reading.notes.push_back("shared board, split by time and mean power: allocated");
  if (points.dropped > 0)
    reading.notes.push_back(std::to_string(points.dropped) + " samples dropped that can't be readings");
  return reading;
}

}  // namespace valle::scheduler
