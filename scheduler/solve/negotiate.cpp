// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/negotiate.hpp"

#include <algorithm>
#include <cmath>

#include "scheduler/solve/climate.hpp"
#include "scheduler/solve/random.hpp"
#include "scheduler/solve/response.hpp"

namespace valle::scheduler::solving {
namespace {

constexpr std::size_t k_noises = 4096;
constexpr int k_sweeps_a_pause_search = 20;  // searching runs in pieces takes many times as long

class Negotiation {
 public:
  Negotiation(const Instance& instance, const TaskList& tasks, const Prices& prices, const NegotiateOptions& options)
      : instance_{instance},
        options_{options},
        state_{instance},
        prices_{prices},
        climate_{instance, tasks, prices},
        random_{options.seed},
        order_{tasks},
        noise_(k_noises + instance.slots) {
    for (double& noise : noise_) noise = random_.unit();
  }

  State run(const std::stop_token& stop) {
    for (int sweep = 0; sweep < options_.sweeps && !stop.stop_requested(); ++sweep) {
      const double progress = options_.sweeps > 1 ? sweep / (options_.sweeps - 1.0) : 1.0;
      fine_ = options_.first_fine * std::pow(options_.last_fine / options_.first_fine, progress);
      share_ = std::lerp(options_.first_share, options_.last_share, progress);
      noisy_ = std::lerp(options_.first_noise, options_.last_noise, progress);
      const bool ask_all = sweep % k_sweeps_a_pause_search == 0 || sweep + 1 == options_.sweeps;
      random_.shuffle(order_);
      for (const std::uint32_t t : order_) {
        if (ask_all || instance_.tasks[t].interruptible < 0) take_up(t);
      }
      remember_overload();
    }
    return std::move(state_);
  }

 private:
  void take_up(std::uint32_t t) {
    const Task& task = instance_.tasks[t];
    const double usual = std::fabs(state_.spot(t).placed() ? state_.spot(t).cost : 0.0);
    state_.remove(t);
    const Count* residual = state_.residual().data();
    const double* prices = prices_.of_cell.data();
    const auto price = [&](const Load& load) {
      const double fine = fine_ * climate_.unit[load.resource], part = share_ * load.amount;
      return [=, amount = load.amount](std::size_t cell) {
        const Count free = residual[cell];
        return part * prices[cell] + fine * (std::max(0, amount - free) - std::max(0, -free));
      };
    };
    const double* noise = noise_.data() + random_.below(k_noises);
    const Fit fit = best_response(instance_, task, price, noise, noisy_ * usual, scratch_);
    if (fit.spot.placed()) place(state_, t, fit);
  }

  void remember_overload() {
    for (std::size_t i = 0; i < prices_.of_cell.size(); ++i) {
      const double over = -static_cast<double>(state_.residual()[i]);
      if (over <= 0) continue;
      const double weight = std::min(1.0, 8 * over / (instance_.capacity[i] + 1.0));
      prices_.of_cell[i] += options_.memory * climate_.unit[i / instance_.cells()] * weight;
    }
  }

  const Instance& instance_;
  const NegotiateOptions& options_;
  State state_;
  Prices prices_;
  Climate climate_;
  Random random_;
  TaskList order_;
  std::vector<double> noise_;
  StartScratch scratch_;
  double fine_ = 0, share_ = 0, noisy_ = 0;
};

}  // namespace

State negotiated_start(const Instance& instance, const TaskList& tasks, const Prices& prices,
                       const NegotiateOptions& options, const std::stop_token& stop) {
  return Negotiation{instance, tasks, prices, options}.run(stop);
}

}  // namespace valle::scheduler::solving
