// expect: cannot convert .*to .double
#include "scheduler/units/units.hpp"
using namespace valle::scheduler;
double number_of(Energy e) { return e; }
