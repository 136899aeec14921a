// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <numeric>

#include "connectors/prometheus/board_meter.hpp"
#include "connectors/prometheus/pod_meter.hpp"
#include "connectors/prometheus/prometheus.hpp"
#include "connectors/prometheus/token_meter.hpp"
#include "scheduler/energy/channels.hpp"
#include "scheduler/energy/pod_counter.hpp"
#include "scheduler/energy/tokens.hpp"

namespace valle::connectors {
namespace {

using namespace scheduler;
using namespace prometheus;

constexpr std::array<std::string_view, 3> k_sources{k_kepler_source, k_dcgm_source, k_scaphandre_source};
constexpr std::chrono::hours k_look_again{1};
constexpr std::chrono::hours k_look_back{6};
constexpr double k_settle_scrapes = 2;   // the last value of a pod comes with the first scrape after its end
constexpr double k_settle_spacings = 4;  // a bracket needs the points up to two beyond the first after the end

/// Worth asking again, or never.
MeterOutcome outcome_of(QueryOutcome outcome) {
  switch (outcome) {
    case QueryOutcome::data:
    case QueryOutcome::empty: return MeterOutcome::no_data;
    case QueryOutcome::rejected:
    case QueryOutcome::unauthorized: return MeterOutcome::refused;
    case QueryOutcome::too_much:
    case QueryOutcome::timed_out:
    case QueryOutcome::unavailable:
    case QueryOutcome::bad_answer: break;
  }
  return MeterOutcome::unavailable;
}

/// All pods of one question as seen across one boundary, added up.
struct Sum {
  std::optional<Reading> reading = {};
  std::vector<Span> unseen = {};
  bool complete = true;
  bool unanswered = false;  ///< of some pod nothing can be known now: half a sum would be a lower energy
  std::string source = {};
  std::string query = {};
  std::string fingerprint = {};

  void add(ItemReading&& item, const Span& ran) {
    if (!item.reading) {
      unanswered = unanswered || outcome_of(item.outcome) != MeterOutcome::no_data;
      unseen.push_back(ran);
      return;
    }
    complete = complete && item.complete;
    reading = reading ? sum_of(*reading, *item.reading) : *std::move(item.reading);
    source = std::move(item.source);
    // The first pod's query stands for all; the others differ in the name alone.
    if (query.empty()) query = std::move(item.query);
    fingerprint += (fingerprint.empty() ? "" : " ") + item.fingerprint.text();
  }

  [[nodiscard]] std::optional<EnergyFigure> figure(EnergyBoundary boundary, const Interval& ran, double scrape_seconds,
                                                   double limit_watts) && {
    if (!reading || unanswered) return {};
    for (const Span& span : unseen) {
      // A pod of moments is often missed; one that ran for long and left nothing makes the figure a part.
      if (seconds_of(span) > k_settle_scrapes * scrape_seconds) complete = false;
      reading = sum_of(*reading, unseen_pod({span, scrape_seconds, limit_watts}));
    }
    constexpr std::size_t k_longest_fingerprint = 256;
    if (fingerprint.size() > k_longest_fingerprint) fingerprint.resize(k_longest_fingerprint);
    return figure_of(*reading, ran, {boundary, source, query, fingerprint, complete});
  }
};

/// Adds what a pod's server counted while `reading` was taken.
void add_tokens(std::vector<TokenFigure>& figures, EnergyBoundary boundary, const TokenCounter& counter,
                const Reading& reading) {
  const auto measured = measured_tokens(counter.totals, reading.curve);
  if (!measured) return;
  auto known = std::find_if(figures.begin(), figures.end(), [&](const TokenFigure& figure) {
    return figure.boundary == boundary && figure.model == counter.model;
  });
  if (known == figures.end()) known = figures.insert(figures.end(), {.boundary = boundary, .model = counter.model});
  known->tokens += measured->tokens;
  known->joules += measured->joules;
}

class PrometheusMeter final : public EnergyMeter {
 public:
  PrometheusMeter(PrometheusOptions options, Surroundings surroundings)
      : options_{std::move(options)},
        waiter_{surroundings.waiter},
        replicas_{clients(options_, surroundings)},
        pods_{replicas_, options_.terms},
        boards_{replicas_, options_.terms} {}

  std::string name() const override { return "prometheus"; }

  Duration settles_after() const override {
    const double for_pods = k_settle_scrapes * pods_.scrape_seconds();
    const bool boards = !found_ || found_->dcgm_energy;
    const double for_boards =
        boards ? k_settle_spacings * boards_.spacing_seconds() + options_.terms.scrape_seconds : 0;
    return std::chrono::ceil<Duration>(milliseconds_of(std::max(for_pods, for_boards)));
  }

  std::vector<MeterAnswer> measure(std::span<const MeterQuestion> questions,
                                   const MeterSurroundings& surroundings) override {
    std::vector<MeterAnswer> answers(questions.size());
    const QueryPatience patience{surroundings.now, waiter_.elapsed() + surroundings.time_left};
    if (const auto failed = look(questions, surroundings.now, patience)) {
      for (MeterAnswer& answer : answers) answer = *failed;
      return answers;
    }
    const std::vector<std::size_t> order = by_end(questions);
    for (std::span<const std::size_t> rest{order}; !rest.empty();) {
      const auto batch = rest.first(fitting_batch(questions, rest));
      measure_batch(questions, batch, surroundings, patience, answers);
      rest = rest.subspan(batch.size());
    }
    return answers;
  }

 private:
  static std::vector<std::size_t> by_end(std::span<const MeterQuestion> questions) {
    std::vector<std::size_t> order(questions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return questions[a].ran.end < questions[b].ran.end; });
    return order;
  }

  /// How many of `order` have as many pods together as one query may name. At least one.
  static std::size_t fitting_batch(std::span<const MeterQuestion> questions, std::span<const std::size_t> order) {
    std::size_t pods = 0;
    std::size_t count = 0;
    for (const std::size_t q : order) {
      pods += questions[q].pods.size();
      if (count > 0 && pods > k_most_values) break;
      ++count;
    }
    return count;
  }

  /// What is read is kept for one batch only.
  void measure_batch(std::span<const MeterQuestion> questions, std::span<const std::size_t> batch,
                     const MeterSurroundings& surroundings, const QueryPatience& patience,
                     std::vector<MeterAnswer>& answers) {
    const std::vector<PodItem> items = items_of(questions, batch);
    auto of_pods = pods_.read(items, *found_, patience);
    auto of_boards = boards_.read(items, surroundings.tenants, *found_, patience);
    std::vector<std::optional<TokenCounter>> counters(items.size());
    if (surroundings.tokens && !found_->vllm_tokens.empty()) {
      counters = read_token_counters(replicas_, items, found_->vllm_tokens, pods_.scrape_seconds(), patience);
    }
    std::vector<Sum> pod_sums(batch.size());
    std::vector<Sum> board_sums(batch.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      MeterAnswer& answer = answers[batch[items[i].question]];
      const auto take = [&](EnergyBoundary boundary, Sum& sum, ItemReading&& item) {
        note(answer, item);
        if (counters[i] && item.reading) add_tokens(answer.tokens, boundary, *counters[i], *item.reading);
        sum.add(std::move(item), items[i].ran);
      };
      take(EnergyBoundary::pod, pod_sums[items[i].question], std::move(of_pods[i]));
      if (!of_boards[i]) continue;
      take(EnergyBoundary::board, board_sums[items[i].question], std::move(of_boards[i]->item));
      for (const std::string& board : of_boards[i]->learnt) answer.boards_learnt.emplace_back(items[i].pod->uid, board);
    }
    const MeterTerms& terms = options_.terms;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      MeterAnswer& answer = answers[batch[i]];
      const auto add = [&](std::optional<EnergyFigure> figure) {
        if (!figure) return;
        answer.figures.push_back(*std::move(figure));
        if (answer.outcome == MeterOutcome::no_data) answer.outcome = MeterOutcome::measured;
      };
      const Interval& ran = questions[batch[i]].ran;
      add(std::move(board_sums[i])
              .figure(EnergyBoundary::board, ran, boards_.spacing_seconds(), terms.board_limit_watts));
      add(std::move(pod_sums[i]).figure(EnergyBoundary::pod, ran, pods_.scrape_seconds(), terms.node_limit_watts));
    }
  }

  static std::vector<Client> clients(const PrometheusOptions& options, const Surroundings& surroundings) {
    std::vector<Client> all;
    for (const std::string& url : options.base_urls) {
      all.emplace_back(ClientOptions{.base_url = url, .timeout = options.timeout, .token = options.token},
                       surroundings);
    }
    return all;
  }

  /// Finds out what there is, and was when the earliest of these ran, if that was not done lately. An answer for
  /// everybody where it can't be.
  std::optional<MeterAnswer> look(std::span<const MeterQuestion> questions, Instant now,
                                  const QueryPatience& patience) {
    Instant from = now - k_look_back;
    for (const MeterQuestion& question : questions) {
      if (!question.ran.empty()) from = std::min(from, question.ran.begin);
    }
    if (found_ && found_->any() && looked_from_ <= from && now - looked_ < k_look_again) return {};
    const auto names = replicas_.metric_names(std::string{capability_selector()}, {from, now + k_look_back}, patience);
    if (names.outcome != QueryOutcome::data && names.outcome != QueryOutcome::empty) {
      if (found_ && found_->any()) return {};  // what was there is asked; it can only have become less
      return MeterAnswer{.outcome = outcome_of(names.outcome), .detail = names.detail};
    }
    found_ = capabilities_of(names.names, options_.sources);
    looked_ = now;
    looked_from_ = from;
    if (found_->any()) return {};
    return MeterAnswer{.outcome = MeterOutcome::no_data, .detail = "Prometheus has no source of energy that we know"};
  }

  static std::vector<PodItem> items_of(std::span<const MeterQuestion> questions, std::span<const std::size_t> batch) {
    std::vector<PodItem> items;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const MeterQuestion& question = questions[batch[i]];
      for (const PodOfRun& pod : question.pods) {
        const Interval ran = pod.ran.empty() ? question.ran : pod.ran;
        if (!ran.empty()) items.push_back({i, &pod, span_of(ran)});
      }
    }
    std::stable_sort(items.begin(), items.end(),
                     [](const PodItem& a, const PodItem& b) { return a.ran.end < b.ran.end; });
    return items;
  }

  static void note(MeterAnswer& answer, const ItemReading& item) {
    const MeterOutcome outcome = outcome_of(item.outcome);
    if (item.reading || outcome == MeterOutcome::no_data) return;
    answer.outcome = outcome;
    answer.detail = item.detail;
  }

  PrometheusOptions options_;
  Waiter& waiter_;
  Replicas replicas_;
  PodMeter pods_;
  BoardMeter boards_;
  std::optional<Capabilities> found_;
  Instant looked_{};
  Instant looked_from_{};
};

}  // namespace

std::vector<std::string_view> prometheus_sources() { return {k_sources.begin(), k_sources.end()}; }

Result<std::unique_ptr<EnergyMeter>> make_prometheus_meter(PrometheusOptions options, Surroundings surroundings) {
  if (options.base_urls.empty()) return refuse(Errc::invalid_request, "no Prometheus is given", "prometheus");
  for (const std::string& source : options.sources) {
    if (std::find(k_sources.begin(), k_sources.end(), source) == k_sources.end())
      return refuse(Errc::invalid_request, "'" + source + "' is no source of energy in Prometheus", "sources");
  }
  if (const auto domains = check_domains(options.terms.domains); !domains)
    return refuse(Errc::invalid_request, domains.error().detail, "domains");
  return std::make_unique<PrometheusMeter>(std::move(options), surroundings);
}

}  // namespace valle::connectors
