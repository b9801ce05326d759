// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/vector_maths.h"

#include <unordered_map>

#ifdef SKALD_HAVE_SLEEF
#include <sleef.h>
#endif

namespace skald::cpu {

namespace {

// Only where they are faster than the C library's functions one lane after another: with vectors
// of 128 bits that is not the case for the others, and for none on f64.
const std::unordered_map<std::string_view, void*>& vector_functions() {
  static const std::unordered_map<std::string_view, void*> table = {
#ifdef SKALD_HAVE_SLEEF
#define X(name, error) {#name "f", reinterpret_cast<void*>(&Sleef_##name##f4_##error)},
      X(log10, u10) X(log1p, u10) X(cbrt, u10) X(tan, u10) X(acos, u10) X(atan, u10) X(sinh, u10)
          X(cosh, u10) X(tanh, u10) X(acosh, u10) X(atanh, u10) X(atan2, u10) X(exp, u10)
#undef X
#endif
  };
  return table;
}

constexpr std::string_view kVectorPrefix = "skald_v_";

}  // namespace

bool has_vector_maths(std::string_view name) {
  return vector_functions().contains(name);
}

void* vector_maths_address(std::string_view symbol) {
  if (!symbol.starts_with(kVectorPrefix)) return nullptr;
  const auto found = vector_functions().find(symbol.substr(kVectorPrefix.size()));
  return found == vector_functions().end() ? nullptr : found->second;
}

}  // namespace skald::cpu
