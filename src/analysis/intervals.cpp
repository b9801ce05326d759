// SPDX-License-Identifier: Apache-2.0
// The least and the greatest value of an integer, from its definition and from bounds on it.
//
// Differences of two names (facts.cpp) say nothing about masks, shifts, quotients and products;
// intervals do: x & 2047 is at most 2047, and i * 64 cannot wrap for i ≤ n / 64.
#include <algorithm>
#include <bit>

#include "analysis/facts.h"
#include "core/ir/visit.h"

namespace skald::analysis {

using namespace core;

namespace {

using Wide = __int128;

constexpr int kMaxIntervalDepth = 6;
constexpr int kMaxIntervalSteps = 60;

Interval all_of(Prim type) {
  const int bits = 8 * static_cast<int>(prim_size(type));
  if (is_signed_int(type)) return {-(Wide{1} << (bits - 1)), (Wide{1} << (bits - 1)) - 1};
  return {0, (Wide{1} << bits) - 1};
}

Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
}

Interval product(const Interval& a, const Interval& b) {
  // Two 64-bit factors: the product fits.
  const auto [least, greatest] = std::minmax(
      {a.least * b.least, a.least * b.greatest, a.greatest * b.least, a.greatest * b.greatest});
  return {least, greatest};
}

// Rounded toward negative infinity or toward zero; the divisor is positive.
Interval quotient(const Interval& a, const Interval& b, bool floors) {
  const auto divide = [&](Wide x, Wide y) {
    const Wide q = x / y;
    return floors && x < 0 && q * y != x ? q - 1 : q;
  };
  return {divide(a.least, a.least < 0 ? b.least : b.greatest),
          divide(a.greatest, a.greatest < 0 ? b.greatest : b.least)};
}

// All bits up to the highest one that is set.
Wide with_lower_bits(Wide x) {
  const auto low = static_cast<uint64_t>(x);
  return low == 0 ? 0 : (Wide{1} << std::bit_width(low)) - 1;
}

std::optional<Interval> arithmetic(BinOpKind op, const Interval& a, const Interval& b, Prim type) {
  using enum BinOpKind;
  const bool natural = a.least >= 0 && b.least >= 0;
  switch (op) {
    case kAdd: return Interval{a.least + b.least, a.greatest + b.greatest};
    case kSub: return Interval{a.least - b.greatest, a.greatest - b.least};
    case kMul: return product(a, b);
    case kMin: return Interval{std::min(a.least, b.least), std::min(a.greatest, b.greatest)};
    case kMax: return Interval{std::max(a.least, b.least), std::max(a.greatest, b.greatest)};
    case kDiv:
    case kQuot:
      if (b.least < 1) return std::nullopt;
      return quotient(a, b, op == kDiv);
    case kMod:
    case kRem: {
      if (b.least < 1) return std::nullopt;
      const Wide most = b.greatest - 1;
      if (a.least >= 0) return Interval{0, std::min(a.greatest, most)};
      return Interval{op == kMod ? 0 : -most, most};
    }
    case kAnd:
      if (natural) return Interval{0, std::min(a.greatest, b.greatest)};
      if (a.least >= 0) return Interval{0, a.greatest};
      if (b.least >= 0) return Interval{0, b.greatest};
      return std::nullopt;
    case kOr:
    case kXor:
      if (!natural) return std::nullopt;
      return Interval{0, with_lower_bits(std::max(a.greatest, b.greatest))};
    case kShr:
    case kLshr:
    case kAshr: {
      // Shifting right by a known number of bits.
      const int bits = 8 * static_cast<int>(prim_size(type));
      if (b.least != b.greatest || b.least < 0 || b.least >= bits) return std::nullopt;
      const bool is_quotient =
          a.least >= 0 ? op != kAshr || is_signed_int(type) : op != kLshr && is_signed_int(type);
      if (!is_quotient) return std::nullopt;
      const Wide divisor = Wide{1} << static_cast<int>(b.least);
      return quotient(a, {divisor, divisor}, true);
    }
    case kShl:
      if (b.least != b.greatest || b.least < 0 || b.least > 62) return std::nullopt;
      return product(a,
                     {Wide{1} << static_cast<int>(b.least), Wide{1} << static_cast<int>(b.least)});
    default: return std::nullopt;
  }
}

bool is_within(const Interval& a, const Interval& b) {
  return b.least <= a.least && a.greatest <= b.greatest;
}

}  // namespace

Interval Facts::interval(const Operand& o) const {
  int budget = kMaxIntervalSteps;
  return interval(o, 0, budget);
}

Interval Facts::interval(const Operand& o, int depth, int& budget) const {
  if (const Const* c = as_const(o)) {
    const Wide value =
        is_signed_int(c->type) ? Wide{int_value(*c)} : Wide{static_cast<uint64_t>(int_value(*c))};
    return is_int(c->type) ? Interval{value, value} : Interval{};
  }
  const Name name = *as_name(o);
  if (--budget < 0 || depth > kMaxIntervalDepth) return {};
  const Exp* exp = definitions_(name);
  Interval known = exp == nullptr ? Interval{} : defined_interval(*exp, depth, budget);
  if (const auto found = bounds_.find(name); found != bounds_.end())
    for (const Bound& bound : found->second) {
      const Wide base =
          bound.other == 0 ? 0 : interval(Name{bound.other}, depth + 1, budget).greatest;
      known.greatest = std::min(known.greatest, base + bound.k);
    }
  if (const auto found = floors_.find(name); found != floors_.end())
    for (const int64_t floor : found->second) known.least = std::max(known.least, -Wide{floor});
  return known;
}

// A definition that could wrap says only what its type says.
Interval Facts::defined_interval(const Exp& exp, int depth, int& budget) const {
  const auto of = [&](const Operand& o, Prim type) {
    const Interval found = interval(o, depth + 1, budget);
    const Interval all = all_of(type);
    return Interval{std::max(found.least, all.least), std::min(found.greatest, all.greatest)};
  };
  if (const Value* same = as<Value>(exp)) return interval(same->arg, depth + 1, budget);
  if (const BinOp* op = as<BinOp>(exp); op != nullptr && is_int(op->type)) {
    const std::optional<Interval> found =
        arithmetic(op->op, of(op->lhs, op->type), of(op->rhs, op->type), op->type);
    return found && is_within(*found, all_of(op->type)) ? *found : all_of(op->type);
  }
  if (const Convert* convert = as<Convert>(exp);
      convert != nullptr && is_int(convert->to) && is_int(convert->from)) {
    const Interval from = of(convert->arg, convert->from), all = all_of(convert->to);
    return is_within(from, all) ? from : all;
  }
  if (const Select* select = as<Select>(exp))
    return hull(interval(select->then, depth + 1, budget),
                interval(select->otherwise, depth + 1, budget));
  return {};
}

}  // namespace skald::analysis
