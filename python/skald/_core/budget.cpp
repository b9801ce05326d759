// SPDX-License-Identifier: Apache-2.0
#include "budget.h"

#include <algorithm>

namespace skald::python {

namespace {

// A script that ends soon may take so much longer.
constexpr double kFree = 0.05;

}  // namespace

CompileBudget& CompileBudget::of_process() {
  static CompileBudget budget;
  return budget;
}

bool CompileBudget::allows(double seconds) const {
  return compiling_ + seconds <= kFree + savable_ + saved_;
}

void CompileBudget::note_late(double seconds) {
  compiling_ += std::max(0.0, seconds);
}

void CompileBudget::note_run(double seconds, double numpy) {
  saved_ += std::max(0.0, numpy - seconds);
}

}  // namespace skald::python
