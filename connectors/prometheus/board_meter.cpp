// SPDX-License-Identifier: Apache-2.0
#include "connectors/prometheus/board_meter.hpp"

#include <algorithm>

#include "connectors/prometheus/board_views.hpp"
#include "connectors/prometheus/metrics.hpp"
#include "connectors/prometheus/queries.hpp"
#include "scheduler/energy/board.hpp"
#include "scheduler/energy/gauge.hpp"

namespace valle::connectors::prometheus {

using namespace scheduler;

namespace {

constexpr double k_default_spacing = 30;  // of dcgm-exporter, if nobody changed it
constexpr double k_reach = 6;             // spacings on both sides: two beyond a bracket that is two wide
constexpr double k_joules_in_millijoule = 1e-3;
constexpr std::size_t k_most_boards_remembered = 100'000;

}  // namespace

/// One query's worth of work.
struct BoardMeter::Batch {
  std::span<const PodItem> items;
  const TenantsOfBoards& tenants;
  const QueryPatience& patience;
  bool counter;
  double reach_seconds;
  std::string metric;
};

double BoardMeter::spacing_seconds() const {
  return spacing_seconds_.value_or(std::max(terms_.scrape_seconds, terms_.collect_seconds.value_or(k_default_spacing)));
}

BoardFacts BoardMeter::facts_of(const std::string& board) const {
  BoardFacts facts{terms_.board_limit_watts, terms_.collect_seconds, terms_.board_idle_watts};
  if (const auto known = idle_watts_.find(board); !facts.idle_watts && known != idle_watts_.end())
    facts.idle_watts = known->second;
  return facts;
}

std::vector<std::optional<BoardReading>> BoardMeter::read(std::span<const PodItem> items,
                                                          std::span<const PodOfRun> tenants, const Capabilities& found,
                                                          const QueryPatience& patience) {
  std::vector<std::optional<BoardReading>> answers(items.size());
  if (!found.dcgm_energy && !found.dcgm_power) return answers;
  BoardsOfPods boards;
  learn(items, found, patience, boards);

  const TenantsOfBoards known_tenants = tenants_of(tenants, boards);
  std::vector<Work> work;
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::set<std::string> own{items[i].pod->gpu_uuids.begin(), items[i].pod->gpu_uuids.end()};
    if (const auto learnt = boards.find(items[i].pod->uid); own.empty() && learnt != boards.end()) {
      own = learnt->second;
      answers[i].emplace().learnt = {own.begin(), own.end()};
    }
    if (!own.empty() && !answers[i]) answers[i].emplace();
    for (const std::string& board : own) work.push_back({i, board});
  }
  Batch batch{.items = items,
              .tenants = known_tenants,
              .patience = patience,
              .counter = found.dcgm_energy,
              .reach_seconds = k_reach * spacing_seconds(),
              .metric = std::string{found.dcgm_energy ? k_dcgm_energy : k_dcgm_power}};
  for (std::size_t begin = 0; begin < work.size();) {
    // A board's series has samples over the whole window, not only while a pod had it.
    std::set<std::string> named;
    Span hull = items[work[begin].item].ran;
    std::size_t end = begin;
    for (; end < work.size(); ++end) {
      const Span& ran = items[work[end].item].ran;
      const Span grown{std::min(hull.begin, ran.begin), std::max(hull.end, ran.end)};
      named.insert(work[end].board);
      const double samples =
          static_cast<double>(named.size()) * (seconds_of(grown) + 2 * batch.reach_seconds) / terms_.scrape_seconds;
      if (end > begin && (named.size() > k_most_values || samples > k_most_samples)) break;
      hull = grown;
    }
    read_batch(batch, std::span{work}.subspan(begin, end - begin), answers);
    begin = end;
  }
  return answers;
}

BoardMeter::TenantsOfBoards BoardMeter::tenants_of(std::span<const PodOfRun> tenants, const BoardsOfPods& boards) {
  TenantsOfBoards known;
  const auto note = [&](const std::string& board, const PodOfRun& pod) {
    Tenants& of_board = known[board];
    const Tenant tenant{pod.uid, span_of(pod.ran)};
    if (std::find(of_board.all.begin(), of_board.all.end(), tenant) != of_board.all.end()) return;
    of_board.all.push_back(tenant);
    of_board.names.insert(pod.name_space + "/" + pod.name);
  };
  for (const PodOfRun& pod : tenants) {
    for (const std::string& board : pod.gpu_uuids) note(board, pod);
    if (const auto learnt = boards.find(pod.uid); learnt != boards.end()) {
      for (const std::string& board : learnt->second) note(board, pod);
    }
  }
  return known;
}

void BoardMeter::learn(std::span<const PodItem> items, const Capabilities& found, const QueryPatience& patience,
                       BoardsOfPods& boards) {
  std::vector<PodItem> open;
  for (const PodItem& item : items) {
    if (item.pod->gpu_uuids.empty() && !item.pod->name.empty()) open.push_back(item);
  }
  learn_by("exported_pod", open, found, patience, boards);
  std::erase_if(open, [&](const PodItem& item) { return boards.contains(item.pod->uid); });
  learn_by("pod", open, found, patience, boards);
}

void BoardMeter::learn_by(std::string_view pod_label, std::span<const PodItem> items, const Capabilities& found,
                          const QueryPatience& patience, BoardsOfPods& boards) {
  const std::string metric{found.dcgm_power ? k_dcgm_power : k_dcgm_energy};
  const std::string by = "count by (UUID, exported_pod, exported_namespace, pod, namespace) (count_over_time(";
  for (std::size_t begin = 0; begin < items.size();) {
    const std::span rest = items.subspan(begin);
    const std::span batch = rest.first(fitting(rest, spacing_seconds(), 1));
    begin += batch.size();
    const Span hull = hull_of(batch);
    std::set<std::string> names;
    for (const PodItem& item : batch) names.insert(item.pod->name);
    const std::vector<std::string> values{names.begin(), names.end()};
    // Labels appear up to a collection interval late, and for a pod in the middle of the window.
    const auto margin = milliseconds_of(spacing_seconds());
    const QueryAnswer answer = replicas_.first_answer(
        by + range_selector(metric, {is_one_of(pod_label, values)}, hull.end - hull.begin + 2 * margin) + "))",
        hull.end + margin, patience);
    for (const Series& series : answer.series) {
      if (series.label("UUID").empty()) continue;
      for (const PodItem& item : batch) {
        if (workload_of(series) != Workload{item.pod->name_space, item.pod->name}) continue;
        boards[item.pod->uid].insert(std::string{series.label("UUID")});
      }
    }
  }
}

void BoardMeter::read_batch(const Batch& batch, std::span<const Work> work,
                            std::vector<std::optional<BoardReading>>& answers) {
  std::set<std::string> boards;
  std::vector<PodItem> items;
  for (const Work& one : work) {
    boards.insert(one.board);
    items.push_back(batch.items[one.item]);
  }
  const auto reach = milliseconds_of(batch.reach_seconds);
  const Span hull = hull_of(items);
  Wanted wanted{.metric = batch.metric,
                .label = "UUID",
                .values = {boards.begin(), boards.end()},
                .window = {hull.begin - reach, hull.end + reach}};
  const Seen seen = replicas_.samples(wanted, batch.patience);
  const SeriesByLabel series{seen, "UUID"};
  const double factor = batch.counter ? k_joules_in_millijoule : 1;
  for (const Work& one : work) {
    const PodItem& item = batch.items[one.item];
    ItemReading& answer = answers[one.item]->item;
    const Span window{item.ran.begin - reach, item.ran.end + reach};
    answer.outcome = seen.outcome;
    answer.detail = seen.detail;
    answer.complete = answer.complete && seen.complete;
    answer.source = k_dcgm_source;
    const auto& own = item.pod->gpu_uuids.empty() ? answers[one.item]->learnt : item.pod->gpu_uuids;
    answer.query = wanted.text(own, window);
    const auto entries = series.of(one.board);
    if (entries.empty()) continue;
    const auto known = batch.tenants.find(one.board);
    std::optional<Reading> largest;
    for (const BoardView& view : views_of(entries, window, factor)) {
      answer.fingerprint.add(view.samples);
      BoardQuestion question{.ran = item.ran, .pod = item.pod->uid, .tenants = {}, .facts = {}};
      std::set<std::string> names{item.pod->name_space + "/" + item.pod->name};
      if (known != batch.tenants.end()) {
        question.tenants = known->second.all;
        names.insert(known->second.names.begin(), known->second.names.end());
      }
      // Those whom only the exporter knows had the board as long as it named them.
      for (const auto& [pod, span] : view.pods) {
        if (!names.contains(pod)) question.tenants.push_back({pod, span});
      }
      auto reading =
          batch.counter ? read_counter(view, std::move(question), one.board) : read_gauge(view, question, one.board);
      if (reading && (!largest || reading->joules > largest->joules)) largest = std::move(reading);
    }
    if (largest) answer.reading = answer.reading ? sum_of(*answer.reading, *largest) : std::move(largest);
  }
}

std::optional<Reading> BoardMeter::read_counter(const BoardView& view, BoardQuestion question,
                                                const std::string& board) {
  const BoardPoints points = board_points(view.samples, terms_.board_limit_watts);
  question.tenants.push_back({question.pod, question.ran});
  if (points.spacing_seconds > 0) spacing_seconds_ = points.spacing_seconds;
  if (const auto idle = idle_watts_of(points, question.tenants)) {
    if (idle_watts_.size() >= k_most_boards_remembered) idle_watts_.clear();
    const auto [known, added] = idle_watts_.try_emplace(board, *idle);
    if (!added) known->second = std::min(known->second, *idle);
  }
  question.facts = facts_of(board);

  return read_board(points, question);
}

std::optional<Reading> BoardMeter::read_gauge(const BoardView& view, const BoardQuestion& question,
                                              const std::string& board) const {
  const BoardFacts facts = facts_of(board);
  auto reading = read_mean_power(
      view.samples, {question.ran, terms_.scrape_seconds, facts.limit_watts, facts.idle_watts.value_or(0)});
  const auto shares = [&](const Tenant& tenant) {
    return tenant.pod != question.pod && overlap(tenant.ran, question.ran);
  };
  const auto sharers = std::count_if(question.tenants.begin(), question.tenants.end(), shares);
  if (!reading || sharers == 0) return reading;
  const double share = 1.0 / static_cast<double>(sharers + 1);
  reading->joules *= share;
  reading->counted_joules *= share;
  reading->allocated = true;
  reading->notes.push_back("shared board, split evenly: allocated");
  return reading;
}

}  // namespace valle::connectors::prometheus
