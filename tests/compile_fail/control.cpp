// SPDX-License-Identifier: Apache-2.0
#include "scheduler/units/units.hpp"
using namespace valle::scheduler;
int main() {
  const Energy energy = energy_of(power_from_watts(1), std::chrono::hours{1}) + Energy::of_base(1);
  return energy > Energy{} ? 0 : 1;
}
