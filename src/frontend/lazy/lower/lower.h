// SPDX-License-Identifier: Apache-2.0
// From a plan to a core program.
//
// Every array of the program is a function of its index: reading an input computes it there, so
// views, broadcasting and shifted slices are index arithmetic, and producers disappear into their
// consumers.  An array is stored only if somebody outside needs it, if it is the result of a
// reduction or scan, or if computing it again would cost too much (see `decide.cpp`).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/ir/program.h"
#include "frontend/lazy/lower/callees.h"
#include "frontend/lazy/plan.h"

namespace skald::lazy {

// The name of an operation in NumPy; "where" for the three-argument where; "with_real" and
// "with_imag" of a float and complex numbers.
using OpName = std::function<std::string_view(uint16_t op)>;

struct LoweredPlan {
  core::Program program;  // one entry point, "plan": symbols (i64), scalars, external arrays
  int stored = 0;         // arrays that are stored, outputs included
};
LoweredPlan lower_plan(const Plan& plan, const OpName& op_name, const FindCallee& find_callee = {});

// Reads what was written into a part of an array from where it came from (forward.cpp).
void forward_writes(Plan& plan);

// What to be careful with: bytes that are moved, or code, if there would be too much of it.
enum class Thrift { kOfBytes, kOfCode };
// Do both show the same elements of their arrays?
inline bool is_same_view(const PlanInput& a, const PlanInput& b) {
  return a.form == b.form && a.axes == b.axes && a.strides == b.strides && a.starts == b.starts;
}
// Does an assignment write at one position of an axis only?
bool is_thin(const PlanNode& node);
// Which nodes are stored.
std::vector<bool> decide_stored(const Plan& plan, const OpName& op_name, Thrift thrift);

}  // namespace skald::lazy
