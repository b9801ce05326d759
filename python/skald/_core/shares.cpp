// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "plan_cache.h"

namespace skald::python {

int Shares::number_of(double thought) {
  constexpr double kLeast = 1e-6;
  const int number = std::ilogb(std::max(thought, kLeast) / kLeast);
  return std::clamp(number, 0, kSizes - 1);
}

void Shares::note(double& least, double share) {
  if (least == 0 || share < least) least = share;
}

void Shares::note_numpy(double seconds, double thought) {
  note(of(thought).numpy, seconds / thought);
  note(least_, seconds / thought);
}

void Shares::note_run(double seconds, double thought) {
  Size& size = of(thought);
  ++size.runs;
  note(size.program, seconds / thought);
  if (size.numpy > 0) size.wasted = std::max(0.0, size.wasted + seconds - size.numpy * thought);
}

bool Shares::prefer_numpy(double thought) const {
  constexpr double kSlower = 1.1, kWasted = 0.02;
  constexpr int kTries = 4;
  const Size& size = of(thought);
  const double numpys = numpy(thought);
  if (size.program <= kSlower * numpys || numpys == 0) return false;
  // Of this size NumPy may be slower, too: it is asked.
  return size.runs >= kTries || (size.numpy > 0 ? size.wasted > kWasted : size.runs > 1);
}

}  // namespace skald::python
