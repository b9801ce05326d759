// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/operators/vector_maths.h"

#include <unordered_map>

#if defined(SKALD_HAVE_SLEEF) && !defined(__x86_64__)
#include <sleef.h>
#endif

#include "codegen/cpu/target/target.h"

// With vectors of 256 bits they are all faster than the C library's functions one lane after
// another.  sleef.h declares those of AVX2 only to code that is compiled for it, and we need
// nothing but their addresses.
// clang-format off
#define SKALD_WIDE_MATHS(X) \
  X(sin, u10) X(cos, u10) X(tan, u10) X(asin, u10) X(acos, u10) X(atan, u10) \
  X(sinh, u10) X(cosh, u10) X(tanh, u10) X(asinh, u10) X(acosh, u10) X(atanh, u10) \
  X(exp, u10) X(log, u10) X(log2, u10) X(log10, u10) X(log1p, u10) \
  X(cbrt, u10) X(pow, u10) X(atan2, u10) X(hypot, u05) X(erf, u10)
// clang-format on
// Those of AVX-512 compute the same.  Not so the functions of angles, which choose how to make all
// of a vector's arguments small by the largest of them.
// clang-format off
#define SKALD_WIDER_MATHS(X) \
  X(asin, u10) X(acos, u10) X(atan, u10) \
  X(sinh, u10) X(cosh, u10) X(tanh, u10) X(asinh, u10) X(acosh, u10) X(atanh, u10) \
  X(exp, u10) X(log, u10) X(log2, u10) X(log10, u10) X(log1p, u10) \
  X(cbrt, u10) X(pow, u10) X(atan2, u10) X(hypot, u05) X(erf, u10)
// clang-format on
#if defined(SKALD_HAVE_SLEEF) && defined(__x86_64__)
#define X(name, error)                              \
  extern "C" void Sleef_##name##f8_##error##avx2(); \
  extern "C" void Sleef_##name##d4_##error##avx2();
SKALD_WIDE_MATHS(X)
#undef X
#define X(name, error)                                  \
  extern "C" void Sleef_##name##f16_##error##avx512f(); \
  extern "C" void Sleef_##name##d8_##error##avx512f();
SKALD_WIDER_MATHS(X)
#undef X
#endif

// With vectors of 128 bits only these are faster, and none on f64.
// clang-format off
#define SKALD_NARROW_MATHS(X) \
  X(log1p, u10) X(cbrt, u10) X(tan, u10) X(acos, u10) X(atan, u10) \
  X(sinh, u10) X(cosh, u10) X(tanh, u10) X(acosh, u10) X(atanh, u10) X(atan2, u10)
// clang-format on

namespace skald::cpu {

namespace {

struct VectorFunction {
  void* address;
  std::string_view symbol;  // in SLEEF
};
using Table = std::unordered_map<std::string_view, VectorFunction>;

#define SKALD_SLEEF(name, symbol)                                \
  {                                                              \
    name, {                                                      \
      reinterpret_cast<void*>(&Sleef_##symbol), "Sleef_" #symbol \
    }                                                            \
  }

Table make_table() {
#if !defined(SKALD_HAVE_SLEEF)
  return {};
#elif defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return {};
#define X(name, error) \
  SKALD_SLEEF(#name "f", name##f8_##error##avx2), SKALD_SLEEF(#name, name##d4_##error##avx2),
  return {SKALD_WIDE_MATHS(X)};
#undef X
#else
#define X(name, error) SKALD_SLEEF(#name "f", name##f4_##error),
  return {SKALD_NARROW_MATHS(X)};
#undef X
#endif
}

const Table& vector_functions() {
  static const Table table = make_table();
  return table;
}

Table make_wide_table() {
#if defined(SKALD_HAVE_SLEEF) && defined(__x86_64__)
  if (!__builtin_cpu_supports("avx512f")) return {};
#define X(name, error) \
  SKALD_SLEEF(#name "f", name##f16_##error##avx512f), SKALD_SLEEF(#name, name##d8_##error##avx512f),
  return {SKALD_WIDER_MATHS(X)};
#undef X
#else
  return {};
#endif
}

const Table& wide_vector_functions() {
  static const Table table = make_wide_table();
  return table;
}

constexpr std::string_view kVectorPrefix = "skald_v_", kWidePrefix = "skald_w_";

const VectorFunction* find_function(std::string_view symbol) {
  const bool wide = symbol.starts_with(kWidePrefix);
  if (!wide && !symbol.starts_with(kVectorPrefix)) return nullptr;
  const Table& table = wide ? wide_vector_functions() : vector_functions();
  const auto found = table.find(symbol.substr(kVectorPrefix.size()));
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace

unsigned vector_maths_bytes() {
  return kIsX86 ? 32 : 16;
}

bool has_vector_maths(std::string_view name) {
  return vector_functions().contains(name);
}

bool has_wide_vector_maths(std::string_view name) {
  return wide_vector_functions().contains(name);
}

void* vector_maths_address(std::string_view symbol) {
  const VectorFunction* found = find_function(symbol);
  return found == nullptr ? nullptr : found->address;
}

std::string_view vector_maths_symbol(std::string_view symbol) {
  const VectorFunction* found = find_function(symbol);
  return found == nullptr ? std::string_view() : found->symbol;
}

}  // namespace skald::cpu
