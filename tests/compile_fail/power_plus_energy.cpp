// expect: no match for .operator[+]
#include "scheduler/units/units.hpp"
using namespace valle::scheduler;
auto sum = Power::of_base(1) + Energy::of_base(1);
