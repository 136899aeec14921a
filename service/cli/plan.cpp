// SPDX-License-Identifier: Apache-2.0
// valle plan, valle check: many jobs together, and the independent verifier.
#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <ostream>

#include "scheduler/check/check.hpp"
#include "service/api/book_supply.hpp"
#include "service/api/plan_codec.hpp"
#include "service/cli/book_flags.hpp"
#include "service/cli/command.hpp"
#include "service/cli/input_file.hpp"
#include "service/cli/solver_flags.hpp"
#include "service/cli/table.hpp"
#include "service/runtime/executors.hpp"

namespace valle::service::cli {

using namespace scheduler;

namespace {

/// A document of the user, its errors with the file's name in front of the pointer.
api::Json read_document(const std::string& file) {
  const std::string text = whole_input(file, api::k_plan_limits.largest_bytes);
  return must(in_file(file, api::parse_json(text, api::k_plan_limits)));
}

Problem read_problem_file(const std::string& file, const BookFlags& book, Instant now) {
  const api::Json document = read_document(file);
  const api::IntensitySupply supply =
      book.given() ? api::book_supply(document, open_book(book, now), now) : api::no_intensity_supply();
  return must(in_file(file, api::read_problem(document, supply)));
}

/// No resource has an empty name: it stands for how fast a site's power may rise.
std::string name_of(const std::string& resource) { return resource.empty() ? "rampWatts" : resource; }

std::string share(double part, double whole) { return whole > 0 ? fixed(100 * part / whole, 2) + " %" : "0 %"; }

/// Why not all are placed, as far as it is proven, and where more room would help.
void print_overload(std::ostream& out, const Overload& overload) {
  constexpr std::size_t k_full_shown = 5;
  out << "overload   no plan leaves out fewer than " << overload.left_out_at_least << " of these jobs";
  for (const auto& [resource, unit_hours] : overload.missing) {
    out << "; those left out would hold " << fixed(unit_hours, 1) << ' ' << name_of(resource) << " hours";
  }
  out << '\n';
  for (std::size_t i = 0; i < overload.full.size() && i < k_full_shown; ++i) {
    const Overload::Full& full = overload.full[i];
    out << "full       " << full.site << ' ' << name_of(full.resource) << ' ' << format_instant(full.interval.begin)
        << " to " << format_instant(full.interval.end) << '\n';
  }
  if (overload.full.size() > k_full_shown)
    out << "           … and " << overload.full.size() - k_full_shown << " more\n";
}

void print_plan(std::ostream& out, const Problem& problem, const Solution& solution,
                std::chrono::milliseconds elapsed) {
  constexpr std::size_t k_rows_shown = 40;
  const Plan& plan = solution.plan;
  Table table{{"job", "site", "start", "end", "kWh", "g CO2e"}, {"<", "<", "<", "<", ">", ">"}};
  for (std::size_t i = 0; i < plan.placements.size() && i < k_rows_shown; ++i) {
    const Placement& placement = plan.placements[i];
    table.row({problem.jobs[placement.job].id, problem.sites[placement.site].name, format_instant(placement.start()),
               format_instant(placement.end()), fixed(kwh(placement.facility_energy), 2),
               fixed(grams(placement.emissions), 1)});
  }
  out << table.text();
  if (plan.placements.size() > k_rows_shown) {
    out << "… and " << plan.placements.size() - k_rows_shown << " more (--json prints all)\n";
  }
  for (const Unplaced& unplaced : plan.unplaced) {
    out << "unplaced: " << problem.jobs[unplaced.job].id << ", " << to_text(unplaced.code) << ": " << unplaced.detail
        << '\n';
  }
  const double carbon = grams(plan.emissions);
  const double bound = grams(solution.lower_bound);
  const double run_now = grams(plan.run_now);
  out << '\n'
      << fixed(static_cast<double>(plan.placements.size()), 0) << " jobs placed, " << plan.unplaced.size()
      << " not\ncarbon     " << fixed(carbon / 1000, 3) << " kg CO2e, " << share(run_now - carbon, run_now)
      << " less than at once at home (" << fixed(run_now / 1000, 3)
      << " kg)\nproven     no plan of these jobs emits less than " << fixed(bound / 1000, 3) << " kg: at most "
      << share(carbon - bound, bound) << " above the best\nsolver     " << elapsed.count()
      << " ms, ended by: " << to_text(solution.stopped_by) << '\n';
  if (solution.overload) print_overload(out, *solution.overload);
}

}  // namespace

void add_plan(CLI::App& app, Action& chosen) {
  struct Flags {
    std::string problem;
    BookFlags book;
    SolverFlags solver;
    bool json = false;
  };
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand(
      "plan",
      "place many jobs together under capacity: first as few unplaced as possible, then least carbon\n\n"
      "  valle plan --problem problem.json\n"
      "  valle plan --problem problem.json --json > plan.json && valle check --problem problem.json --plan "
      "plan.json\n\n"
      "Sites without gramsPerKwh take it from --intensity or --database. Ends with 1 if a job is unplaced; the plan\n"
      "is printed all the same.");
  command->add_option("--problem", flags->problem, "the problem: sites and jobs (docs/API.md)")->required();
  flags->book.add_to(*command);
  flags->solver.add_to(*command);
  command->add_flag("--json", flags->json, "print the plan as POST /v1/plans does");
  command->callback([&chosen, flags] {
    chosen = [flags](const Surroundings& surroundings) {
      const Problem problem = read_problem_file(flags->problem, flags->book, surroundings.clock.now());
      runtime::WorkQueue threads{{.name = "solver", .threads = flags->solver.threads}};
      runtime::QueueParallel parallel{threads};
      const auto began = std::chrono::steady_clock::now();
      const Solution solution = solve(problem, flags->solver.options(), parallel);
      const auto elapsed =
          std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
      if (flags->json) {
        surroundings.out << api::write_plan(
                                problem, solution,
                                {.elapsed = elapsed, .threads = flags->solver.threads, .seed = flags->solver.seed})
                         << '\n';
      } else {
        print_plan(surroundings.out, problem, solution, elapsed);
      }
      return solution.plan.unplaced.empty() ? Exit::done : Exit::answer_is_no;
    };
  });
}

void add_check(CLI::App& app, Action& chosen) {
  struct Flags {
    std::string problem;
    std::string plan;
    BookFlags book;
    bool json = false;
  };
  auto flags = std::make_shared<Flags>();
  auto* command =
      app.add_subcommand("check",
                         "verify a plan, from valle or from anywhere: walks every slot, names every violation\n\n"
                         "  valle check --problem problem.json --plan plan.json\n\n"
                         "Shares no arithmetic with the solver. Ends with 1 if there is a violation.");
  command->add_option("--problem", flags->problem, "the problem")->required();
  command->add_option("--plan", flags->plan, "the plan: placements and unplaced, as valle plan --json prints it")
      ->required();
  flags->book.add_to(*command);
  command->add_flag("--json", flags->json, "print JSON");
  command->callback([&chosen, flags] {
    chosen = [flags](const Surroundings& surroundings) {
      const Problem problem = read_problem_file(flags->problem, flags->book, surroundings.clock.now());
      const auto plan = must(in_file(flags->plan, api::read_plan(read_document(flags->plan))));
      const auto violations = check(problem, plan);
      if (flags->json) {
        surroundings.out << api::write_violations(violations) << '\n';
      } else {
        for (const Violation& violation : violations) {
          surroundings.out << to_text(violation.kind) << ": " << violation.detail << '\n';
        }
        if (violations.empty()) {
          surroundings.out << "no violation: " << plan.placements.size() << " placements and " << plan.unplaced.size()
                           << " unplaced jobs checked slot by slot\n";
        }
      }
      return violations.empty() ? Exit::done : Exit::answer_is_no;
    };
  });
}

}  // namespace valle::service::cli
