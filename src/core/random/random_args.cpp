// SPDX-License-Identifier: Apache-2.0
// Arguments for random programs, and the comparison of results.
#include <cmath>

#include "core/ir/type.h"
#include "core/random/random.h"
#include "core/random/random_program.h"
#include "support/bug.h"

namespace skald::core {

namespace {

Const random_value(Random& random, Prim type) {
  if (type == Prim::kBool) return const_bool(random.chance(50));
  if (is_float(type)) return const_float(type, random.between(-20, 20) * 0.25);
  if (random.chance(90)) return const_int(type, random.between(-4, 12));
  return const_int(type, static_cast<int64_t>(random.next()));
}

double element(const ArrayValue& array, size_t i) {
  const size_t width = static_cast<size_t>(prim_size(array.elem));
  Const c{array.elem, 0};
  std::memcpy(&c.bits, array.data->data() + i * width, width);
  return float_value(c);
}

}  // namespace

std::vector<ArrayValue> random_args(const Function& fn, uint64_t seed, RandomArgs range) {
  Random random(seed);
  std::unordered_map<Name, int64_t> sizes;
  std::vector<ArrayValue> args;
  const int size_count = fn.entry ? fn.entry->sizes : 0;
  const size_t larger = range == RandomArgs::kLarger && size_count > 0
                            ? static_cast<size_t>(random.below(size_count))
                            : fn.params.size();
  for (const Param& param : fn.params) {
    ArrayValue arg{.elem = param.type.elem};
    size_t count = 1;
    for (const Operand& dim : param.type.shape) {
      const Name* name = as_name(dim);
      const int64_t size = name ? sizes[*name] : int_value(*as_const(dim));
      arg.shape.push_back(size);
      count *= static_cast<size_t>(size);
    }
    const size_t width = static_cast<size_t>(prim_size(arg.elem));
    arg.data = std::make_shared<std::vector<std::byte>>(count * width);
    const bool is_size = args.size() < static_cast<size_t>(size_count);
    for (size_t i = 0; i < count; ++i) {
      Const value = random_value(random, arg.elem);
      if (is_size) {
        constexpr int kSizes[] = {0, 1, 2, 3, 4, 5, 7, 8};
        value = const_i64(args.size() == larger ? random.between(15, 40) : kSizes[random.below(8)]);
        sizes[param.name] = int_value(value);
      }
      std::memcpy(arg.data->data() + i * width, &value.bits, width);
    }
    args.push_back(std::move(arg));
  }
  return args;
}

bool same_results(const std::vector<ArrayValue>& a, const std::vector<ArrayValue>& b) {
  if (a.size() != b.size()) return false;
  for (size_t k = 0; k < a.size(); ++k) {
    if (a[k].elem != b[k].elem || a[k].shape != b[k].shape) return false;
    const size_t bytes = a[k].data->size();
    if (bytes != b[k].data->size()) return false;
    if (!is_float(a[k].elem)) {
      if (bytes != 0 && std::memcmp(a[k].data->data(), b[k].data->data(), bytes) != 0) return false;
      continue;
    }
    for (size_t i = 0; i < bytes / static_cast<size_t>(prim_size(a[k].elem)); ++i) {
      const double x = element(a[k], i), y = element(b[k], i);
      if (x != y && !(std::isnan(x) && std::isnan(y))) return false;
    }
  }
  return true;
}

}  // namespace skald::core
