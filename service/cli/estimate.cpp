// SPDX-License-Identifier: Apache-2.0
// valle estimate: what a batch will need before anything like it has run.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "connectors/energy_files/priors.hpp"
#include "scheduler/energy/estimate_priors.hpp"
#include "service/api/json_writer.hpp"
#include "service/cli/command.hpp"
#include "service/cli/input_file.hpp"
#include "service/cli/table.hpp"
#include "service/runtime/config_values.hpp"

namespace valle::service::cli {

using namespace scheduler;

namespace {

constexpr std::size_t k_longest_file = 1u << 20;
constexpr double k_most_kwh = 1e9;

/// As typed; empty: not given.
struct Flags {
  std::string queries;
  std::string wh_per_query;
  std::string ai_energy_score;
  std::string score_queries = "1000";
  std::string ml_energy;
  std::string tokens;
  std::string joules_per_token;
  std::string watts;
  std::string tokens_per_second;
  std::string cap_drawn = "1";
  std::string cap_kept = "1";
  std::string gpu;
  std::string gpus = "1";
  std::string duration;
  std::string pue = "1";
  std::string eur_per_mwh;
  std::string grams_per_kwh;
  bool json = false;
};

/// Energy and how it came about.
struct Estimate {
  Energy energy;
  std::string from;
};

[[noreturn]] void refuse_flag(std::string flag, std::string why) {
  throw CommandFailed{{Errc::invalid_request, std::move(why), std::move(flag)}};
}

double number_flag(const std::string& flag, const std::string& text, runtime::NumberRange range) {
  const auto found = runtime::parse_number_within(text, range);
  if (!found) refuse_flag(flag, found.error().detail);
  return *found;
}

/// `2e9` counts too.
std::int64_t count_flag(const std::string& flag, const std::string& text) {
  const double found = number_flag(flag, text, {1, 1e15});
  if (found != static_cast<double>(static_cast<std::int64_t>(found))) refuse_flag(flag, "must be a whole number");
  return static_cast<std::int64_t>(found);
}

Result<connectors::energy::QueryPrior> query_prior(const Flags& flags) {
  using namespace connectors::energy;
  if (const auto& file = flags.ai_energy_score; !file.empty()) {
    const auto queries = count_flag("--score-queries", flags.score_queries);
    return in_file(file, read_ai_energy_score(whole_input(file, k_longest_file), queries));
  }
  if (const auto& file = flags.ml_energy; !file.empty()) {
    return in_file(file, read_ml_energy(whole_input(file, k_longest_file)));
  }
  if (flags.wh_per_query.empty()) {
    refuse_flag("--queries", "needs --wh-per-query, --ai-energy-score or --ml-energy beside it");
  }
  const double each = number_flag("--wh-per-query", flags.wh_per_query, {0, 1e9});
  if (each <= 0) refuse_flag("--wh-per-query", "must be above 0");
  return QueryPrior{.each = query_energy_from_watt_hours(each), .source = "as given"};
}

/// Before the exact product is made, which would not hold more.
void require_bearable(double kilowatt_hours) {
  if (!(kilowatt_hours <= k_most_kwh)) refuse_flag("estimate", "comes to more than 1e9 kWh");
}

Estimate of_queries(const Flags& flags) {
  const auto prior = must(query_prior(flags));
  const auto count = count_flag("--queries", flags.queries);
  require_bearable(static_cast<double>(count) * static_cast<double>(prior.each.base()) / 1e9);
  std::string what;
  for (const auto& word : {prior.model, prior.board}) {
    if (!word.empty()) what += ", " + word;
  }
  return {energy_of_queries(count, prior.each), std::to_string(count) + " queries of " +
                                                    fixed(static_cast<double>(prior.each.base()) / 1e6, 6) + " Wh (" +
                                                    prior.source + what + ")"};
}

TokenEnergy each_token(const Flags& flags) {
  if (!flags.joules_per_token.empty()) {
    const double each = number_flag("--joules-per-token", flags.joules_per_token, {0, 1e9});
    if (each <= 0) refuse_flag("--joules-per-token", "must be above 0");
    return token_energy_from_joules(each);
  }
  if (flags.watts.empty()) {
    refuse_flag("--tokens", "needs --joules-per-token, or --watts and --tokens-per-second, beside it");
  }
  const Power power = power_from_watts(number_flag("--watts", flags.watts, {0.001, 1e9}));
  const double pace = number_flag("--tokens-per-second", flags.tokens_per_second, {1e-3, 1e9});
  const double drawn = number_flag("--drawn", flags.cap_drawn, {0.001, 1});
  const double kept = number_flag("--kept", flags.cap_kept, {0.001, 1});
  return capped_token_energy(power, ratio_from_number(drawn), pace, ratio_from_number(kept));
}

Estimate of_tokens(const Flags& flags) {
  const TokenEnergy each = each_token(flags);
  const auto count = count_flag("--tokens", flags.tokens);
  require_bearable(static_cast<double>(count) * joules(each) / 3.6e6);
  return {energy_of_tokens(count, each), std::to_string(count) + " tokens of " + fixed(joules(each), 6) + " J"};
}

Estimate of_boards(const Flags& flags) {
  const auto prior = board_prior(flags.gpu);
  if (!prior) refuse_flag("--gpu", "\"" + flags.gpu + "\" is none whose rated power is known: use --watts of a run");
  const auto boards = count_flag("--gpus", flags.gpus);
  const Duration length = duration_flag("--duration", flags.duration);
  if (length <= Duration{0}) refuse_flag("--duration", "must be above 0");
  const double kilowatt_hours =
      watts(prior->rated) / 1000 * static_cast<double>(boards) * static_cast<double>(length.count()) / 3600;
  require_bearable(kilowatt_hours);
  return {energy_from_kwh(kilowatt_hours), std::to_string(boards) + " boards at their rated " +
                                               fixed(watts(prior->rated), 0) + " W for " + format_duration(length)};
}

Estimate estimate_of(const Flags& flags) {
  if (flags.queries.empty() && flags.tokens.empty() && flags.gpu.empty()) {
    refuse_flag("estimate", "needs one of --queries, --tokens and --gpu");
  }
  const Estimate estimate = !flags.queries.empty()  ? of_queries(flags)
                            : !flags.tokens.empty() ? of_tokens(flags)
                                                    : of_boards(flags);
  if (estimate.energy <= Energy{}) refuse_flag("estimate", "comes to less than a milliwatt-hour");
  return estimate;
}

Exit print_estimate(const Flags& flags, const Surroundings& surroundings) {
  const Estimate estimate = estimate_of(flags);
  const Ratio pue = ratio_from_number(number_flag("--pue", flags.pue, {1, 10}));
  const bool priced = !flags.eur_per_mwh.empty();
  const bool located = !flags.grams_per_kwh.empty();
  const auto price = price_from_eur_per_mwh(priced ? number_flag("--eur-per-mwh", flags.eur_per_mwh, {-1e5, 1e5}) : 0);
  const auto intensity =
      intensity_from_grams_per_kwh(located ? number_flag("--grams-per-kwh", flags.grams_per_kwh, {0, 3000}) : 0);
  const BatchCost cost = batch_cost(estimate.energy, pue, price, intensity);
  if (flags.json) {
    api::JsonWriter json;
    json.begin_object()
        .member("from", estimate.from)
        .member("boundary", "board")
        .member("energyKwh", cost.energy)
        .member("pue", pue)
        .member("facilityKwh", cost.facility)
        .optional_member("costEur", priced ? std::optional{cost.money} : std::nullopt)
        .optional_member("carbonGrams", located ? std::optional{cost.emissions} : std::nullopt)
        .end_object();
    surroundings.out << json.text() << "\n";
    return Exit::done;
  }
  Table table{{"estimate", "", "from"}, {"<", ">", "<"}};
  table.row({"energy of the boards", fixed(kwh(cost.energy), 6) + " kWh", estimate.from});
  table.row({"at the building's meter", fixed(kwh(cost.facility), 6) + " kWh", "PUE " + flags.pue});
  if (priced) table.row({"cost", fixed(eur(cost.money), 4) + " EUR", "at " + flags.eur_per_mwh + " EUR/MWh"});
  if (located) table.row({"emissions", fixed(grams(cost.emissions), 3) + " g", "at " + flags.grams_per_kwh + " g/kWh"});
  std::string plain = fixed(kwh(cost.energy), 6);
  std::erase(plain, ',');
  surroundings.out << table.text() << "\nA prior, no measurement. As an annotation: valle.sh/energy-kwh: \"" << plain
                   << "\"\n";
  return Exit::done;
}

}  // namespace

void add_estimate(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand(
      "estimate",
      "what a batch will need, cost and emit before anything like it has run\n\n"
      "  valle estimate --tokens 2e9 --joules-per-token 0.25 --pue 1.2 --eur-per-mwh 62.5 --grams-per-kwh 140\n"
      "  valle estimate --tokens 2e9 --watts 5600 --tokens-per-second 2800\n"
      "  valle estimate --queries 1000000 --ai-energy-score GPU_ENERGY_SUMMARY.json\n"
      "  valle estimate --gpu NVIDIA-H100-80GB-HBM3 --gpus 8 --duration 6h\n"
      "The energy is that of the accelerators, or of whatever the rates were measured at.");
  auto* queries = command->add_option("--queries", flags->queries, "how many");
  auto* each = command->add_option("--wh-per-query", flags->wh_per_query, "watt-hours of one");
  auto* score = command->add_option("--ai-energy-score", flags->ai_energy_score,
                                    "AI Energy Score's GPU_ENERGY_SUMMARY.json or GPU_ENERGY_WH.txt");
  command->add_option("--score-queries", flags->score_queries, "queries of that file's task")
      ->capture_default_str()
      ->needs(score);
  auto* ml = command->add_option("--ml-energy", flags->ml_energy, "a result of the ML.ENERGY benchmark (JSON)");
  auto* tokens = command->add_option("--tokens", flags->tokens, "how many are generated");
  auto* joules = command->add_option("--joules-per-token", flags->joules_per_token, "joules of one");
  auto* power = command->add_option("--watts", flags->watts, "mean power of the boards, or their cap");
  auto* pace =
      command->add_option("--tokens-per-second", flags->tokens_per_second, "throughput of all of them, without a cap");
  command->add_option("--drawn", flags->cap_drawn, "share of the cap that is really drawn")
      ->capture_default_str()
      ->needs(power);
  command->add_option("--kept", flags->cap_kept, "share of the throughput that is left under it")
      ->capture_default_str()
      ->needs(power);
  auto* gpu = command->add_option("--gpu", flags->gpu, "model of the boards, as drivers and node labels spell it");
  command->add_option("--gpus", flags->gpus, "how many boards")->capture_default_str()->needs(gpu);
  auto* duration = command->add_option("--duration", flags->duration, "how long they are busy");
  queries->excludes(tokens)->excludes(gpu);
  tokens->excludes(gpu);
  for (auto* rate : {each, score, ml}) rate->needs(queries);
  each->excludes(score)->excludes(ml);
  score->excludes(ml);
  for (auto* rate : {joules, power, pace}) rate->needs(tokens);
  joules->excludes(power)->excludes(pace);
  power->needs(pace);
  pace->needs(power);
  gpu->needs(duration);
  duration->needs(gpu);
  command->add_option("--pue", flags->pue, "power usage effectiveness of the building")->capture_default_str();
  command->add_option("--eur-per-mwh", flags->eur_per_mwh, "price of electricity");
  command->add_option("--grams-per-kwh", flags->grams_per_kwh, "carbon intensity of the grid");
  command->add_flag("--json", flags->json, "for programs");
  command->callback([&chosen, flags] {
    chosen = [flags](const Surroundings& surroundings) { return print_estimate(*flags, surroundings); };
  });
}

}  // namespace valle::service::cli
