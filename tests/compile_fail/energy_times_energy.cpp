// expect: no match for .operator[*]
#include "scheduler/units/units.hpp"
using namespace valle::scheduler;
auto product = Energy::of_base(2) * Energy::of_base(2);
