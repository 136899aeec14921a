// SPDX-License-Identifier: Apache-2.0
#include "service/store/run_table.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <array>
#include <utility>

#include "scheduler/account/posted.hpp"
#include "scheduler/units/require.hpp"
#include "service/store/fast_query.hpp"
#include "service/store/run_document.hpp"

namespace valle::service::store {
namespace {

using scheduler::Attempt;
using scheduler::AttemptOutcome;
using scheduler::Duration;
using scheduler::Energy;
using scheduler::Errc;
using scheduler::Instant;
using scheduler::Result;
using scheduler::Run;

constexpr const char* k_columns =
    "sequence, id, name, owner, submitted_at, home_site, home_pue, start_by, planned_saved, gpus, label, started_at, "
    "finished_at, site, pue, outcome, energy, uncertainty, document";

std::int64_t seconds(Instant instant) { return instant.time_since_epoch().count(); }

constexpr std::array<std::pair<AttemptOutcome, const char*>, 3> k_outcomes{
    {{AttemptOutcome::finished, "finished"}, {AttemptOutcome::failed, "failed"}, {AttemptOutcome::evicted, "evicted"}}};

/// A run that columns alone can hold: one attempt, over, without pods, with at most a posted figure.
bool is_plain(const Run& run) {
  if (run.attempts.size() != 1 || run.cap || !run.finished) return false;
  const Attempt& attempt = run.attempts.front();
  if (attempt.number != 1 || attempt.outcome == AttemptOutcome::running || !attempt.pods.empty()) return false;
  if (attempt.ran.end != *run.finished || attempt.figures.size() > 1) return false;
  if (attempt.figures.empty()) return true;
  const auto& figure = attempt.figures.front();
  return figure == scheduler::posted_figure(figure.energy, figure.uncertainty);
}

void bind_optional(SQLite::Statement& statement, const char* name, const std::optional<Instant>& instant) {
  instant ? statement.bind(name, seconds(*instant)) : statement.bind(name);
}
template <class Tag>
void bind_optional(SQLite::Statement& statement, const char* name,
                   const std::optional<scheduler::Quantity<Tag>>& quantity) {
  quantity ? statement.bind(name, quantity->base()) : statement.bind(name);
}

void bind_plain(SQLite::Statement& statement, const Run& run) {
  const Attempt& attempt = run.attempts.front();
  statement.bind(":site", attempt.site);
  bind_optional(statement, ":pue", attempt.pue);
  for (const auto& [outcome, word] : k_outcomes) {
    if (outcome == attempt.outcome) statement.bind(":outcome", word);
  }
  if (!attempt.figures.empty()) {
    statement.bind(":energy", attempt.figures.front().energy.base());
    statement.bind(":uncertainty", attempt.figures.front().uncertainty.base());
  }
  statement.bind(":document");
}

void bind_row(SQLite::Statement& statement, const Run& run) {
  statement.bind(":id", run.id);
  statement.bind(":name", run.name == run.id ? std::string{} : run.name);
  statement.bind(":owner", run.owner);
  statement.bind(":submitted_at", seconds(run.submitted));
  statement.bind(":home_site", run.home_site);
  statement.bind(":home_pue", run.home_pue.base());
  bind_optional(statement, ":start_by", run.start_by);
  bind_optional(statement, ":planned_saved", run.planned_saved);
  bind_optional(statement, ":gpus", run.gpus);
  statement.bind(":label", run.label);
  bind_optional(statement, ":started_at",
                run.attempts.empty() ? std::nullopt : std::optional{run.attempts.front().ran.begin});
  bind_optional(statement, ":finished_at", run.finished);
  if (is_plain(run)) return bind_plain(statement, run);
  statement.bind(":site", "");
  statement.bind(":document", run_document(run));
}

void update_row(SQLite::Database& connection, std::int64_t sequence, const Run& run) {
  SQLite::Statement update{connection,
                           "UPDATE run SET id = :id, name = :name, owner = :owner, submitted_at = :submitted_at, "
                           "home_site = :home_site, home_pue = :home_pue, start_by = :start_by, planned_saved = "
                           ":planned_saved, gpus = :gpus, label = :label, started_at = :started_at, finished_at = "
                           ":finished_at, site = :site, pue = :pue, outcome = :outcome, energy = :energy, "
                           "uncertainty = :uncertainty, document = :document WHERE sequence = :sequence"};
  update.bind(":sequence", sequence);
  bind_row(update, run);
  scheduler::require(update.exec() == 1, "a run that is changed exists");
}

template <class Tag>
std::optional<scheduler::Quantity<Tag>> optional_quantity(const FastQuery& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return scheduler::Quantity<Tag>::of_base(row.integer(column));
}
Instant instant_at(const FastQuery& row, int column) { return Instant{Duration{row.integer(column)}}; }
std::optional<Instant> optional_instant(const FastQuery& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional{instant_at(row, column)};
}

AttemptOutcome outcome_of(std::string_view text) {
  for (const auto& [outcome, word] : k_outcomes) {
    if (text == word) return outcome;
  }
  return AttemptOutcome::finished;
}

/// The only attempt of a plain run; `run.attempts` keeps its memory from row to row.
void read_plain(const FastQuery& row, Run& run) {
  run.attempts.resize(1);
  Attempt& attempt = run.attempts.front();
  attempt.number = 1;
  attempt.site.assign(row.view(13));
  attempt.pue = optional_quantity<scheduler::RatioTag>(row, 14);
  attempt.ran = {instant_at(row, 11), instant_at(row, 12)};
  attempt.outcome = outcome_of(row.view(15));
  attempt.pods.clear();
  attempt.figures.clear();
  if (row.is_null(16)) return;
  attempt.figures.push_back(
      scheduler::posted_figure(Energy::of_base(row.integer(16)), Energy::of_base(row.integer(17))));
}

Result<void> read_row(const FastQuery& row, RunRow& read) {
  read.sequence = row.integer(0);
  Run& run = read.run;
  run.id.assign(row.view(1));
  run.name.assign(row.view(2).empty() ? row.view(1) : row.view(2));
  run.owner.assign(row.view(3));
  run.submitted = instant_at(row, 4);
  run.home_site.assign(row.view(5));
  run.home_pue = scheduler::Ratio::of_base(row.integer(6));
  run.start_by = optional_instant(row, 7);
  run.planned_saved = optional_quantity<scheduler::EmissionsTag>(row, 8);
  run.gpus = optional_quantity<scheduler::AmountTag>(row, 9);
  run.label.assign(row.view(10));
  run.finished = optional_instant(row, 12);
  run.cap.reset();
  if (row.is_null(18)) {
    read_plain(row, run);
    return {};
  }
  run.attempts.clear();
  return read_run_document(row.view(18), run);
}

}  // namespace

Result<void> each_run(SQLite::Database& connection, const std::string& where,
                      std::initializer_list<std::int64_t> bounds, const TakeRun& take) {
  FastQuery query{connection, std::string{"SELECT "} + k_columns + " FROM run WHERE " + where};
  int parameter = 1;
  for (const std::int64_t bound : bounds) query.bind(parameter++, bound);
  RunRow row;
  while (query.step()) {
    if (auto read = read_row(query, row); !read) return read;
    if (!take(row)) break;
  }
  return {};
}

RunFinder::RunFinder(SQLite::Database& connection)
    : query_{connection, std::string{"SELECT "} + k_columns + " FROM run WHERE id = ?1 AND replaced_by IS NULL"} {}

Result<std::optional<RunRow>> RunFinder::operator()(const std::string& id) {
  query_.reset();
  query_.bind(1, id);
  std::optional<RunRow> found;
  if (!query_.step()) return found;
  if (auto read = read_row(query_, found.emplace()); !read) return tl::unexpected{std::move(read.error())};
  return found;
}

RunInserter::RunInserter(SQLite::Database& connection)
    : connection_{connection},
      statement_{std::make_unique<SQLite::Statement>(
          connection,
          "INSERT INTO run (id, name, owner, submitted_at, home_site, home_pue, start_by, planned_saved, gpus, label, "
          "started_at, finished_at, site, pue, outcome, energy, uncertainty, document) VALUES (:id, :name, :owner, "
          ":submitted_at, :home_site, :home_pue, :start_by, :planned_saved, :gpus, :label, :started_at, :finished_at, "
          ":site, :pue, :outcome, :energy, :uncertainty, :document)")} {}

RunInserter::~RunInserter() = default;

std::int64_t RunInserter::operator()(const Run& run) {
  statement_->reset();
  statement_->clearBindings();
  bind_row(*statement_, run);
  statement_->exec();
  return connection_.getLastInsertRowid();
}

void replace_run(SQLite::Database& connection, const RunRow& before, const Run& run) {
  if (!before.run.finished && !run.finished) return update_row(connection, before.sequence, run);
  if (!before.run.finished) {
    // With its old row it would appear in what an earlier report saw.
    SQLite::Statement remove{connection, "DELETE FROM run WHERE sequence = ?"};
    remove.bind(1, before.sequence);
    remove.exec();
    RunInserter{connection}(run);
    return;
  }
  // The old row leaves the index of standing runs before the new one, whose sequence is known, enters it.
  FastQuery query{connection, "SELECT seq + 1 FROM sqlite_sequence WHERE name = 'run'"};
  scheduler::require(query.step(), "a table with a row has a sequence");
  const std::int64_t next = query.integer(0);
  SQLite::Statement retire{connection, "UPDATE run SET replaced_by = ? WHERE sequence = ?"};
  retire.bind(1, next);
  retire.bind(2, before.sequence);
  retire.exec();
  scheduler::require(RunInserter{connection}(run) == next, "the next sequence is known");
}

}  // namespace valle::service::store
