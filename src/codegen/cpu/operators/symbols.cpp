// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/operators/symbols.h"

#include <fmt/format.h>
#include <math.h>
#include <string.h>

#include <unordered_map>

#include "codegen/cpu/operators/vector_maths.h"
#include "core/scalar/scalar.h"
#include "runtime/abi.h"
#include "support/f16.h"

namespace skald::cpu {

namespace {

using core::BinOpKind;
using core::UnOpKind;

// Functions of the C library, each with a float version; one or two arguments.
// clang-format off
#define SKALD_LIBM1(X) \
  X(cbrt) X(exp) X(log) X(log2) X(log10) X(log1p) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) \
  X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(tgamma) X(erf) X(erfc)
// clang-format on
#define SKALD_LIBM2(X) X(fmod) X(pow) X(atan2) X(hypot) X(nextafter)

// The C++ headers overload these names, so the type picks the one.
template <class F>
void* address_of(F* function) {
  return reinterpret_cast<void*>(function);
}

const std::unordered_map<std::string_view, void*>& fixed_symbols() {
  static const std::unordered_map<std::string_view, void*> table = {
#define X(name)                                           \
  {"skald_m_" #name, address_of<double(double)>(::name)}, \
      {"skald_m_" #name "f", address_of<float(float)>(::name##f)},
      SKALD_LIBM1(X)
#undef X
#define X(name)                                                   \
  {"skald_m_" #name, address_of<double(double, double)>(::name)}, \
      {"skald_m_" #name "f", address_of<float(float, float)>(::name##f)},
          SKALD_LIBM2(X)
#undef X
      // LLVM makes calls of these for what the machine has no instruction for.
      {"fmax", address_of<double(double, double)>(::fmax)},
      {"fmaxf", address_of<float(float, float)>(::fmaxf)},
      {"fmin", address_of<double(double, double)>(::fmin)},
      {"fminf", address_of<float(float, float)>(::fminf)},
      {"skald_m_ldexp", address_of<double(double, int)>(::ldexp)},
      {"skald_m_ldexpf", address_of<float(float, int)>(::ldexpf)},
#define X(name) {#name, reinterpret_cast<void*>(&::name)},
      X(skald_rt_alloc) X(skald_rt_retain) X(skald_rt_release) X(skald_rt_release_all)
          X(skald_rt_fail) X(skald_rt_failed) X(skald_rt_workers) X(skald_rt_parallel_for)
              X(skald_rt_chunk_size) X(skald_rt_parallel_chunks) X(skald_rt_ordered_chunks)
                  X(skald_rt_scratch_mark) X(skald_rt_scratch_alloc) X(skald_rt_scratch_reset)
                      X(skald_rt_add_frame) X(skald_rt_stack_low) X(skald_rt_stack_end)
                          X(skald_rt_tunable) X(skald_rt_trace) X(skald_rt_once_get) X(
                              skald_rt_once_put) X(skald_rt_fork) X(skald_rt_stop)
                              X(skald_rt_wait_for_lock) X(skald_rt_small_blocks) X(memcpy) X(memset)
                                  X(memmove)
#undef X
                                      {"skald_f64_to_f16", reinterpret_cast<void*>(&f64_to_f16)},
  };
  return table;
}

template <class Kind>
void* find_operator(Kind kind, Prim type) {
  if (!core::is_legal(kind, type)) return nullptr;
  return reinterpret_cast<void*>(core::scalar_fn(kind, type));
}

}  // namespace

void* symbol_address(std::string_view name) {
  const auto& table = fixed_symbols();
  if (auto found = table.find(name); found != table.end()) return found->second;
  if (void* address = vector_maths_address(name)) return address;
  constexpr std::string_view kPrefix = "skald_op_";
  if (!name.starts_with(kPrefix)) return nullptr;
  name.remove_prefix(kPrefix.size());
  const size_t underscore = name.rfind('_');
  if (underscore == std::string_view::npos) return nullptr;
  const std::optional<Prim> type = prim_from_name(name.substr(underscore + 1));
  if (!type) return nullptr;
  const std::string_view op = name.substr(0, underscore);
  if (const auto kind = core::unop_from_mnemonic(op)) return find_operator(*kind, *type);
  if (const auto kind = core::binop_from_mnemonic(op)) return find_operator(*kind, *type);
  return nullptr;
}

std::string_view libm_name(UnOpKind op) {
  using enum UnOpKind;
  switch (op) {
    case kCbrt: return "cbrt";
    case kExp: return "exp";
    case kLog: return "log";
    case kLog2: return "log2";
    case kLog10: return "log10";
    case kLog1p: return "log1p";
    case kSin: return "sin";
    case kCos: return "cos";
    case kTan: return "tan";
    case kAsin: return "asin";
    case kAcos: return "acos";
    case kAtan: return "atan";
    case kSinh: return "sinh";
    case kCosh: return "cosh";
    case kTanh: return "tanh";
    case kAsinh: return "asinh";
    case kAcosh: return "acosh";
    case kAtanh: return "atanh";
    case kGamma: return "tgamma";
    case kErf: return "erf";
    case kErfc: return "erfc";
    default: return {};
  }
}

std::string_view libm_name(BinOpKind op) {
  using enum BinOpKind;
  switch (op) {
    case kMod: return "fmod";
    case kPow: return "pow";
    case kAtan2: return "atan2";
    case kHypot: return "hypot";
    case kNextafter: return "nextafter";
    case kLdexp: return "ldexp";
    default: return {};
  }
}

std::string operator_symbol(UnOpKind op, Prim type) {
  return fmt::format("skald_op_{}_{}", core::mnemonic(op), prim_name(type));
}
std::string operator_symbol(BinOpKind op, Prim type) {
  return fmt::format("skald_op_{}_{}", core::mnemonic(op), prim_name(type));
}

}  // namespace skald::cpu
