// expect: no match for .operator<
#include "scheduler/units/units.hpp"
using namespace valle::scheduler;
bool less = CarbonIntensity::of_base(1) < Emissions::of_base(1);
