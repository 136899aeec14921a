// SPDX-License-Identifier: Apache-2.0
// valle measure: what runs used, by hand, without a ledger.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <ostream>

#include "connectors/retry/waiter.hpp"
#include "connectors/transport/cpprest_transport.hpp"
#include "scheduler/energy/estimate_priors.hpp"
#include "scheduler/energy/words.hpp"
#include "scheduler/units/decimal_text.hpp"
#include "service/api/energy_codec.hpp"
#include "service/app/meters.hpp"
#include "service/cli/command.hpp"
#include "service/cli/input_file.hpp"
#include "service/cli/table.hpp"
#include "service/runtime/version.hpp"

namespace valle::service::cli {

using namespace scheduler;

namespace {

constexpr api::JsonLimits k_runs_limits{.largest_bytes = 256u << 20, .most_values = 20'000'000};
constexpr std::chrono::minutes k_time_to_ask{10};

struct Flags {
  std::string config;
  std::vector<std::string> prometheus;
  std::string runs;
  bool json = false;
};

runtime::EnergyConfig energy_of(const Flags& flags, const Surroundings& surroundings) {
  runtime::EnergyConfig energy;
  if (!flags.config.empty()) {
    const runtime::Config config = must(runtime::load_config(
        {.file = flags.config, .environment = {surroundings.environment.begin(), surroundings.environment.end()}}));
    if (config.energy) energy = *config.energy;
  }
  if (!flags.prometheus.empty()) energy.prometheus = flags.prometheus;
  return energy;
}

std::vector<api::AskedAttempt> read_runs(const std::string& file) {
  const std::string text = whole_input(file, k_runs_limits.largest_bytes);
  return must(in_file(file, api::parse_json(text, k_runs_limits).and_then(api::read_asked_attempts)));
}

void write_tokens(api::JsonWriter& json, const std::vector<TokenFigure>& figures) {
  json.key("tokens").begin_array();
  for (const TokenFigure& figure : figures) {
    json.begin_object()
        .member("boundary", scheduler::to_text(figure.boundary))
        .member("model", figure.model)
        .member("tokens", static_cast<std::int64_t>(std::llround(figure.tokens)))
        .key("joulesPerToken")
        .raw(decimal_text(token_energy_from_joules(figure.joules / figure.tokens).base(), 6))
        .end_object();
  }
  json.end_array();
}

void print_json(std::ostream& out, const std::vector<api::AskedAttempt>& asked,
                const std::vector<MeterAnswer>& answers) {
  api::JsonWriter json;
  json.begin_object().key("runs").begin_array();
  for (std::size_t i = 0; i < asked.size(); ++i) {
    json.begin_object().member("id", asked[i].id).member("outcome", scheduler::to_text(answers[i].outcome));
    json.member("detail", answers[i].detail).key("figures").begin_array();
    for (const EnergyFigure& figure : answers[i].figures) api::write_figure(json, figure);
    json.end_array();
    if (!answers[i].tokens.empty()) write_tokens(json, answers[i].tokens);
    json.end_object();
  }
  json.end_array().end_object();
  out << json.text() << '\n';
}

void print_table(std::ostream& out, const std::vector<api::AskedAttempt>& asked,
                 const std::vector<MeterAnswer>& answers) {
  Table table{{"run", "boundary", "kWh", "± kWh", "seen", "quality", "method"}, {"<", "<", ">", ">", ">", "<", "<"}};
  Table tokens{{"run", "boundary", "model", "tokens", "J a token"}, {"<", "<", "<", ">", ">"}};
  for (std::size_t i = 0; i < asked.size(); ++i) {
    for (const EnergyFigure& figure : answers[i].figures) {
      table.row({asked[i].id, std::string{scheduler::to_text(figure.boundary)}, fixed(kwh(figure.energy), 6),
                 fixed(kwh(figure.uncertainty), 6), fixed(100 * number(figure.coverage), 1) + " %",
                 std::string{scheduler::to_text(figure.quality)}, figure.method});
    }
    for (const TokenFigure& figure : answers[i].tokens) {
      tokens.row({asked[i].id, std::string{scheduler::to_text(figure.boundary)}, figure.model, fixed(figure.tokens, 0),
                  fixed(figure.joules / figure.tokens, 6)});
    }
    if (answers[i].figures.empty()) {
      const std::string why =
          answers[i].detail.empty() ? std::string{scheduler::to_text(answers[i].outcome)} : answers[i].detail;
      table.row({asked[i].id, "", "unknown", "", "", "", why});
    }
  }
  out << table.text();
  if (!tokens.empty()) out << '\n' << tokens.text();
}

Exit measure(const Flags& flags, const Surroundings& surroundings) {
  const runtime::EnergyConfig energy = energy_of(flags, surroundings);
  if (energy.prometheus.empty())
    throw CommandFailed{{Errc::invalid_request, "name a Prometheus, or a configuration with energy:", "--prometheus"}};
  const auto asked = read_runs(flags.runs);
  const auto transport = connectors::make_cpprest_transport({.user_agent = "valle/" + std::string{runtime::version()}});
  connectors::InterruptibleWaiter waiter;
  const auto meter = must(app::make_meter(energy, *transport, waiter));
  std::vector<MeterQuestion> questions;
  std::vector<PodOfRun> tenants;
  for (const api::AskedAttempt& attempt : asked) {
    questions.push_back(attempt.question);
    tenants.insert(tenants.end(), attempt.question.pods.begin(), attempt.question.pods.end());
  }
  const auto answers = meter->measure(questions, {.now = surroundings.clock.now(),
                                                  .tenants = tenants,
                                                  .time_left = std::chrono::milliseconds{k_time_to_ask},
                                                  .tokens = true});
  if (flags.json)
    print_json(surroundings.out, asked, answers);
  else
    print_table(surroundings.out, asked, answers);
  const auto failed = std::find_if(answers.begin(), answers.end(), [](const MeterAnswer& answer) {
    return answer.outcome == MeterOutcome::unavailable || answer.outcome == MeterOutcome::refused;
  });
  if (failed != answers.end())
    throw CommandFailed{{Errc::source_unavailable, failed->detail, energy.prometheus.front()}};
  const bool any =
      std::any_of(answers.begin(), answers.end(), [](const MeterAnswer& answer) { return !answer.figures.empty(); });
  return any ? Exit::done : Exit::answer_is_no;
}

}  // namespace

void add_measure(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand(
      "measure",
      "what did these runs use? reads it from Prometheus, as the service does\n\n"
      "  valle measure --prometheus http://127.0.0.1:9090 --runs runs.json\n\n"
      "runs.json: {\"runs\":[{\"id\":\"train\",\"start\":T,\"end\":T,\"pods\":[{\"uid\":…,\"namespace\":…,\"name\":…,\n"
      "\"gpuUuids\":[…]}]}]}. Who else had a board must stand in the file too, or its energy can't be told apart.\n"
      "Ends with 1 if nothing was seen of any run.");
  command->add_option("--runs", flags->runs, "the runs")->required();
  command->add_option("--prometheus", flags->prometheus, "a server; again for each replica");
  command->add_option("--config", flags->config, "valle.yaml with the section energy");
  command->add_flag("--json", flags->json, "figures with all that stands beside them");
  command->callback([&chosen, flags] {
    chosen = [flags](const Surroundings& surroundings) { return measure(*flags, surroundings); };
  });
}

}  // namespace valle::service::cli
