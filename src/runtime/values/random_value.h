// SPDX-License-Identifier: Apache-2.0
// Random values for tests and benchmarks: integers over their full range, floats from 0 up to but
// not including 1, bools.  The same seed gives the same values on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/values/value.h"

namespace skald::runtime {

// xoshiro256**, seeded by splitmix64.
class Random {
 public:
  explicit Random(uint64_t seed);
  uint64_t next();
  // From 0 to bound - 1; `bound` must not be 0.  Not exactly uniform for huge bounds.
  uint64_t below(uint64_t bound) { return next() % bound; }

 private:
  std::array<uint64_t, 4> state_;
};

Result<Value> random_value(Random& random, Prim type, std::vector<int64_t> shape);

// "[10][20]f32" or "i64".
struct SizedType {
  Prim type = Prim::kI32;
  std::vector<int64_t> shape;
};
Result<SizedType> parse_sized_type(std::string_view text);

}  // namespace skald::runtime
