// expect: conversion from .int. to non-scalar type
#include "scheduler/units/units.hpp"
using namespace valle::scheduler;
Energy energy = 5;
