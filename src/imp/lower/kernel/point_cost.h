// SPDX-License-Identifier: Apache-2.0
// What one point of a kernel costs at least, whatever way it is written: for people who ask why a
// way was taken.
#pragma once

#include <string>

#include "imp/lower/kernel/facts.h"

namespace skald::imp {

struct PointCost {
  int64_t read = 0, written = 0;  // bytes of elements
  int64_t operations = 0;         // in simple ones (machine/operator_costs.h)
  bool loops = false;             // what is in loops counts once
  bool rows = false;              // rows are written that do not count
};

PointCost point_cost(const KernelFacts& facts);
// "point: 8 bytes read, 4 written, 7 operations"
std::string point_cost_text(const PointCost& cost);

}  // namespace skald::imp
