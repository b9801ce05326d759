// SPDX-License-Identifier: Apache-2.0
// Random numbers are a pure function of a seed, which is handed on like any value: SplitMix64
// (Steele, Lea, Flood 2014).
#include "frontend/nesl/elaborate/elaborator.h"
#include "support/bug.h"

namespace skald::nesl {

namespace {

constexpr auto kGolden = static_cast<int64_t>(0x9E3779B97F4A7C15u);

// Each bit of the result depends on all bits of the argument.
Operand mixed(core::Builder& b, Operand z) {
  const auto step = [&](int shift, uint64_t factor) {
    const Operand high = b.binop(core::BinOpKind::kLshr, Prim::kI64, z, core::const_i64(shift));
    z = b.binop(core::BinOpKind::kXor, Prim::kI64, z, high);
    if (factor != 0)
      z = b.binop(core::BinOpKind::kMul, Prim::kI64, z,
                  core::const_i64(static_cast<int64_t>(factor)));
  };
  step(30, 0xBF58476D1CE4E5B9u);
  step(27, 0x94D049BB133111EBu);
  step(31, 0);
  return z;
}

}  // namespace

Operand mixed_seed(core::Builder& b, const Operand& seed, const Operand& index) {
  const Operand spread =
      b.binop(core::BinOpKind::kMul, Prim::kI64, index, core::const_i64(kGolden));
  return mixed(b, b.binop(core::BinOpKind::kXor, Prim::kI64, mixed(b, spread), seed));
}

Operand mixed_place(core::Builder& b, const Operand& bits, const Operand& place) {
  const Operand spread =
      b.binop(core::BinOpKind::kMul, Prim::kI64, place, core::const_i64(kGolden));
  return mixed(b, b.binop(core::BinOpKind::kAdd, Prim::kI64, spread, bits));
}

// 63 random bits; the seed moves on.
Operand Elaborator::take_random() {
  SKALD_CHECK(seed_.has_value(), "there is a seed wherever random numbers are taken");
  seed_ = builder().binop(core::BinOpKind::kAdd, Prim::kI64, *seed_, core::const_i64(kGolden));
  return builder().binop(core::BinOpKind::kLshr, Prim::kI64, mixed(builder(), *seed_),
                         core::const_i64(1));
}

}  // namespace skald::nesl
