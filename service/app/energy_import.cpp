// SPDX-License-Identifier: Apache-2.0
#include "service/app/energy_import.hpp"

#include <algorithm>
#include <utility>

namespace valle::service::app {
namespace {

using connectors::energy::ToolRun;
using scheduler::Attempt;
using scheduler::Duration;
using scheduler::EnergyFigure;
using scheduler::EnergyQuality;
using scheduler::EnergySlice;
using scheduler::Errc;
using scheduler::Interval;
using scheduler::refuse;
using scheduler::Result;
using scheduler::Run;

/// Tools round to seconds and look at their own clocks.
constexpr Duration k_clocks_agree_to{2};
constexpr std::size_t k_most_notes = 8;
constexpr std::size_t k_few = 4;
/// Around the tools' runs, for the ledger's runs that they may be of.
constexpr Duration k_near = std::chrono::days{1};

bool better(EnergyQuality a, EnergyQuality b) { return static_cast<int>(a) < static_cast<int>(b); }

void add_notes(EnergyFigure& figure, const std::vector<std::string>& notes) {
  for (const auto& note : notes) {
    const bool known = std::find(figure.notes.begin(), figure.notes.end(), note) != figure.notes.end();
    if (!known && figure.notes.size() < k_most_notes) figure.notes.push_back(note);
  }
}

bool holds(Interval outer, Interval inner) {
  return outer.begin <= inner.begin + k_clocks_agree_to && inner.end <= outer.end + k_clocks_agree_to;
}

void make_unknown(EnergyFigure& figure) {
  figure.quality = EnergyQuality::unknown;
  figure.energy = {};
  figure.uncertainty = {};
  figure.profile.clear();
}

scheduler::Ratio share(Duration part, Duration whole) {
  if (whole <= Duration{0}) return scheduler::k_one;
  const auto ppm = scheduler::divide_rounded(scheduler::Wide{part.count()} * scheduler::k_one.base(), whole.count());
  return std::min(scheduler::k_one, scheduler::Ratio::of_base(scheduler::narrow(ppm)));
}

/// A figure of one piece alone. What of its time lies outside the attempt is not looked at: the energy is the piece's.
EnergyFigure alone(EnergyFigure piece, Interval ran, Interval attempt) {
  piece.coverage = share(ran.overlap(attempt).length(), attempt.length());
  if (piece.quality != EnergyQuality::unknown) piece.profile = {{ran, piece.energy}};
  return piece;
}

}  // namespace

Result<EnergyFigure> with_piece(const std::optional<EnergyFigure>& known, EnergyFigure piece, Interval piece_ran,
                                Interval attempt_ran) {
  if (!known) return alone(std::move(piece), piece_ran, attempt_ran);
  if (known->source != piece.source) {
    return better(piece.quality, known->quality) ? alone(std::move(piece), piece_ran, attempt_ran) : *known;
  }
  if (known->profile.empty() || piece.quality == EnergyQuality::unknown) {
    // Of unknown quality, before or now: a part that was not seen makes the whole unknown.
    EnergyFigure figure = *known;
    const bool anew = known->profile.empty() && piece.quality != EnergyQuality::unknown;
    if (anew) return alone(std::move(piece), piece_ran, attempt_ran);
    add_notes(figure, piece.notes);
    make_unknown(figure);
    return figure;
  }
  std::vector<EnergySlice> slices;
  for (const auto& slice : known->profile) {
    if (holds(piece_ran, slice.interval)) continue;
    if (holds(slice.interval, piece_ran)) return *known;  // told already, in a longer piece
    const Duration both = slice.interval.overlap(piece_ran).length();
    if (both > k_clocks_agree_to) {
      return refuse(Errc::conflict, "overlaps another run of the tool that is already counted for this job");
    }
    slices.push_back(slice);
  }
  scheduler::Energy kept;
  for (const auto& slice : slices) kept += slice.energy;
  const scheduler::Wide uncertainty =
      known->energy.base() > 0
          ? scheduler::divide_rounded(scheduler::Wide{known->uncertainty.base()} * kept.base(), known->energy.base())
          : 0;
  slices.push_back({piece_ran, piece.energy});
  std::sort(slices.begin(), slices.end(),
            [](const auto& a, const auto& b) { return a.interval.begin < b.interval.begin; });
  for (std::size_t i = 1; i < slices.size(); ++i) {
    slices[i].interval.begin = std::max(slices[i].interval.begin, slices[i - 1].interval.end);
  }
  EnergyFigure figure = piece;
  figure.energy = kept + piece.energy;
  figure.uncertainty = scheduler::Energy::of_base(scheduler::narrow(uncertainty)) + piece.uncertainty;
  if (!slices.empty() && better(figure.quality, known->quality) && kept > scheduler::Energy{}) {
    figure.quality = known->quality;
  }
  if (kept > scheduler::Energy{}) add_notes(figure, known->notes);
  Duration covered{};
  for (const auto& slice : slices) covered += slice.interval.overlap(attempt_ran).length();
  figure.coverage = share(covered, attempt_ran.length());
  figure.profile = std::move(slices);
  return figure;
}

namespace {

/// When an attempt ran, or may have run for all that is known: one that goes on is known until the last look at it.
Interval time_of(const Attempt& attempt, const ToolRun& tool) {
  Interval ran = attempt.ran;
  if (attempt.outcome == scheduler::AttemptOutcome::running && tool.ran) ran.end = std::max(ran.end, tool.ran->end);
  return ran;
}

}  // namespace

Result<Run> with_tool_run(Run run, const ToolRun& tool) {
  if (run.attempts.empty()) return refuse(Errc::conflict, "the job has not run yet");
  Attempt* best = tool.ran ? nullptr : &run.attempts.back();
  Duration most{};
  for (auto& attempt : run.attempts) {
    const Duration both = tool.ran ? time_of(attempt, tool).overlap(*tool.ran).length() : Duration{};
    if (both > most) {
      most = both;
      best = &attempt;
    }
  }
  if (best == nullptr) {
    return refuse(Errc::conflict, "the job did not run then: was the file's clock in another time zone?");
  }
  const Interval whole = time_of(*best, tool);
  const Interval ran = tool.ran.value_or(whole);
  for (const auto& piece : tool.figures) {
    const auto known = std::find_if(best->figures.begin(), best->figures.end(),
                                    [&piece](const auto& each) { return each.boundary == piece.boundary; });
    auto figure = with_piece(known == best->figures.end() ? std::nullopt : std::optional{*known}, piece, ran, whole);
    if (!figure) return tl::unexpected{figure.error()};
    if (known == best->figures.end()) {
      best->figures.push_back(*std::move(figure));
    } else {
      *known = *std::move(figure);
    }
  }
  return run;
}

namespace {

/// A run of its own: it ran where and when its tool says, and would have run there too.
Run own_run(const std::string& id, const ToolRun& tool, const EnergyImportRules& rules) {
  Run run;
  run.id = id;
  run.name = id;
  run.owner = tool.project;
  run.submitted = tool.ran->begin;
  run.home_site = rules.site;
  const auto site = std::find_if(rules.sites.begin(), rules.sites.end(),
                                 [&rules](const auto& each) { return each.name == rules.site; });
  if (site != rules.sites.end()) run.home_pue = site->pue;
  Attempt attempt;
  attempt.site = rules.site;
  attempt.pue = run.home_pue;
  attempt.ran = *tool.ran;
  attempt.outcome = scheduler::AttemptOutcome::finished;
  run.attempts = {std::move(attempt)};
  run.finished = tool.ran->end;
  return run;
}

/// Made by an earlier import of the same run of the tool.
bool is_own_run(const Run& run, const ToolRun& tool) {
  if (tool.id != run.id || run.attempts.size() != 1 || !tool.ran) return false;
  const auto& figures = run.attempts.front().figures;
  return !figures.empty() && !tool.figures.empty() && figures.front().source == tool.figures.front().source;
}

std::string name_of(const ToolRun& tool) {
  if (!tool.id.empty()) return tool.id;
  return tool.project.empty() ? "line " + std::to_string(tool.line) : tool.project;
}

}  // namespace

Result<void> EnergyImport::learn_names(std::span<const ToolRun> runs) {
  by_name_.clear();
  std::optional<Interval> window;
  for (const auto& run : runs) {
    if (!run.ran) continue;
    if (!window) window = run.ran;
    window = Interval{std::min(window->begin, run.ran->begin), std::max(window->end, run.ran->end)};
  }
  const auto note = [this](std::span<const Run> found) {
    for (const auto& run : found) {
      if (run.attempts.empty()) continue;
      const bool goes_on = run.attempts.back().outcome == scheduler::AttemptOutcome::running;
      const Interval ran{run.attempts.front().ran.begin,
                         goes_on ? scheduler::Instant::max() : run.attempts.back().ran.end};
      if (run.name != run.id) by_name_.insert({run.name, {run.id, ran}});
      by_name_.insert({run.id, {run.id, ran}});
    }
  };
  // A few runs that name their jobs by id need no look through the ledger.
  if (runs.size() <= k_few) {
    bool all = true;
    for (const auto& tool : runs) {
      const auto found = ledger_.find(!rules_.job.empty() ? rules_.job : tool.project);
      if (!found) return tl::unexpected{found.error()};
      all = all && *found;
      if (*found) note({&**found, 1});
    }
    if (all) return {};
    by_name_.clear();
  }
  const auto running = ledger_.running(k_most_runs);
  if (!running) return tl::unexpected{running.error()};
  note(*running);
  if (window) {
    const auto finished = ledger_.finished({window->begin - k_near, window->end + k_near}, k_most_runs);
    if (!finished) return tl::unexpected{finished.error()};
    note(*finished);
  }
  return {};
}

/// Of several runs with the name the one that ran while the tool did.
std::optional<std::string> EnergyImport::job_of(const ToolRun& tool) const {
  for (const auto& name : {rules_.job, tool.project, tool.id}) {
    if (name.empty()) continue;
    const auto [first, last] = by_name_.equal_range(name);
    std::optional<std::string> found;
    Duration most{-1};
    for (auto each = first; each != last; ++each) {
      const auto& [id, ran] = each->second;
      const Duration both = tool.ran ? tool.ran->overlap(ran).length() : Duration{};
      if (both > most) {
        most = both;
        found = id;
      }
    }
    if (found) return found;
    if (!rules_.job.empty()) return {};
  }
  return {};
}

Result<EnergyImported> EnergyImport::take(std::vector<ToolRun> runs) {
  if (const auto learned = learn_names(runs); !learned) return tl::unexpected{learned.error()};
  EnergyImported imported;
  std::map<std::string, std::vector<const ToolRun*>> by_job;
  std::vector<std::string> ids;  // in the order of the runs
  for (const auto& tool : runs) {
    auto id = job_of(tool);
    if (!id && rules_.job.empty() && !rules_.site.empty() && tool.ran && !tool.id.empty()) id = tool.id;
    if (!id) {
      imported.left.push_back({name_of(tool), "no job of that name ran then"});
      continue;
    }
    auto& of_job = by_job[*id];
    if (of_job.empty()) ids.push_back(*id);
    of_job.push_back(&tool);
  }
  const auto step = [&](const std::string& id, const Run* stored) -> std::optional<Run> {
    std::optional<Run> after = stored != nullptr ? std::optional{*stored} : std::nullopt;
    std::vector<EnergyImported::Left> left;
    for (const auto* tool : by_job[id]) {
      if (!after) after = own_run(id, *tool, rules_);
      // A tool that reports its run anew while it goes on: the run has grown.
      if (is_own_run(*after, *tool) && tool->ran->end > after->attempts[0].ran.end) {
        after->attempts[0].ran.end = tool->ran->end;
        after->finished = tool->ran->end;
      }
      auto with = with_tool_run(*after, *tool);
      if (with) {
        after = *std::move(with);
      } else {
        left.push_back({name_of(*tool), with.error().detail});
      }
    }
    imported.left.insert(imported.left.end(), left.begin(), left.end());
    const bool changed = stored == nullptr || *after != *stored;
    auto& count = !changed ? imported.unchanged : stored == nullptr ? imported.added : imported.attached;
    count += by_job[id].size() - left.size();
    return changed ? after : std::nullopt;
  };
  const auto changed = ledger_.change(ids, step);
  if (!changed) return tl::unexpected{changed.error()};
  return imported;
}

}  // namespace valle::service::app
