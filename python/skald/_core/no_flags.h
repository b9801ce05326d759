// SPDX-License-Identifier: Apache-2.0
// Did arithmetic raise a floating-point flag, so that NumPy would warn?
#pragma once

#include <cfenv>

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

}  // namespace skald::python
