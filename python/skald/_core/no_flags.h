// SPDX-License-Identifier: Apache-2.0
// Did arithmetic raise a floating-point flag, so that NumPy would warn?
#pragma once

#include <cfenv>
#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace skald::python {

class NoFlags {
 public:
  NoFlags() {
    if (std::fetestexcept(kFlags) != 0) std::feclearexcept(kFlags);
  }
  bool hold() const { return raised() == 0; }
  int raised() const { return std::fetestexcept(kFlags); }

 private:
  static constexpr int kFlags = FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID;
};

// The same for loops of plain arithmetic, which have no other registers for flags than these.
#ifdef __SSE2__
class NoArithmeticFlags {
 public:
  NoArithmeticFlags() {
    const unsigned state = _mm_getcsr();
    if ((state & kFlags) != 0) _mm_setcsr(state & ~kFlags);
  }
  bool hold() const { return (_mm_getcsr() & kFlags) == 0; }

 private:
  static constexpr unsigned kFlags = FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID;
};
#else
using NoArithmeticFlags = NoFlags;
#endif

}  // namespace skald::python
