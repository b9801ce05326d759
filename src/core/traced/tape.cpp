// SPDX-License-Identifier: Apache-2.0
#include "core/traced/tape.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/scalar/scalar.h"

namespace skald::core::traced {

namespace {

int arity(const Num* args) {
  int n = 3;
  while (n > 0 && args[n - 1].node == Num::kConstant) --n;
  return n;
}

}  // namespace

Num Tape::record(Node node, const Const& value) {
  if (arity(node.args) == 0) return {value};
  node.result = {value, position()};
  nodes_.push_back(node);
  return node.result;
}

// ---- operators ----------------------------------------------------------------------------------

Num Tape::un(UnOpKind op, Prim type, const Num& x) {
  const Const value = eval(op, type, x.value);
  switch (op) {
    // Constant nearly everywhere.
    case UnOpKind::kSgn:
    case UnOpKind::kPopc:
    case UnOpKind::kClz:
    case UnOpKind::kCtz:
    case UnOpKind::kIsNan:
    case UnOpKind::kIsInf:
    case UnOpKind::kCeil:
    case UnOpKind::kFloor:
    case UnOpKind::kTrunc:
    case UnOpKind::kRound: return {value};
    default: break;
  }
  return record({Kind::kUn, static_cast<uint8_t>(op), type, type, {x}}, value);
}

Num Tape::bin(BinOpKind op, Prim type, const Num& x, const Num& y) {
  const Const value = eval(op, type, x.value, y.value);
  const bool bits = op == BinOpKind::kAnd || op == BinOpKind::kOr || op == BinOpKind::kXor ||
                    op == BinOpKind::kShr || op == BinOpKind::kLshr || op == BinOpKind::kAshr ||
                    op == BinOpKind::kMulHi || type == Prim::kBool;
  if (bits) return {value};
  return record({Kind::kBin, static_cast<uint8_t>(op), type, type, {x, y}}, value);
}

Num Tape::tern(TernOpKind op, Prim type, const Num& x, const Num& y, const Num& z) {
  const Const value = eval(op, type, x.value, y.value, z.value);
  if (op == TernOpKind::kMadHi) return {value};
  return record({Kind::kTern, static_cast<uint8_t>(op), type, type, {x, y, z}}, value);
}

Num Tape::convert(Prim from, Prim to, const Num& x) {
  const Const value = eval_convert(from, to, x.value);
  if (from == Prim::kBool || to == Prim::kBool) return {value};
  return record({Kind::kConvert, 0, from, to, {x}}, value);
}

Num Tape::bitcast(Prim from, Prim to, const Num& x) {
  return record({Kind::kBitcast, 0, from, to, {x}}, eval_bitcast(from, to, x.value));
}

Num Tape::same(const Num& x) {
  Node node{Kind::kSame, 0, x.value.type, x.value.type, {x}};
  node.result = {x.value, position()};
  nodes_.push_back(node);
  return node.result;
}

Num Tape::counted(const Num& element, const Num& length) {
  if (length.node == Num::kConstant) return element;
  return record({Kind::kLength, 0, element.value.type, element.value.type, {element, length}},
                element.value);
}

std::vector<Num> Tape::custom(const std::vector<Num>& results, const std::vector<Num>& args,
                              Rule rule) {
  std::vector<Num> made;
  for (size_t k = 0; k < results.size(); ++k) {
    const Num& x = results[k];
    Node node{Kind::kCustom, 0, x.value.type, x.value.type, {x}};
    node.rule = customs_.size();
    node.number = k;
    node.result = {x.value, position()};
    nodes_.push_back(node);
    made.push_back(node.result);
  }
  customs_.push_back({args, results.size(), std::move(rule)});
  return made;
}

Num Tape::number(Prim type, double value) const {
  if (is_float(type)) return {const_float(type, value)};
  return {const_int(type, static_cast<int64_t>(value))};
}

Num Tape::add(Prim type, const Num& x, const Num& y) {
  if (type != Prim::kBool) return bin(BinOpKind::kAdd, type, x, y);
  return {eval(BinOpKind::kOr, type, x.value, y.value)};
}

// ---- slopes -------------------------------------------------------------------------------------

Tape::Slope Tape::minus(const Slope& slope, Prim type) {
  if (slope.is_one) return {false, number(type, -1)};
  return {false, un(UnOpKind::kNeg, type, slope.factor)};
}

Tape::Slope Tape::trigonometric_slope(const Node& node) {
  using std::numbers::pi;
  const Prim t = node.type;
  const Num x = node.args[0], y = node.result, one = number(t, 1);
  const auto f = [&](UnOpKind op, const Num& a) { return un(op, t, a); };
  const auto mul = [&](const Num& a, const Num& b) { return bin(BinOpKind::kMul, t, a, b); };
  const auto plus = [&](const Num& a, const Num& b) { return bin(BinOpKind::kAdd, t, a, b); };
  const auto sub = [&](const Num& a, const Num& b) { return bin(BinOpKind::kSub, t, a, b); };
  const auto over = [&](double a, const Num& b) {
    return Slope{false, bin(BinOpKind::kDiv, t, number(t, a), b)};
  };
  switch (static_cast<UnOpKind>(node.op)) {
    case UnOpKind::kSin: return {false, f(UnOpKind::kCos, x)};
    case UnOpKind::kCos: return minus({false, f(UnOpKind::kSin, x)}, t);
    case UnOpKind::kTan: return {false, plus(one, mul(y, y))};
    case UnOpKind::kSinPi: return {false, mul(number(t, pi), f(UnOpKind::kCosPi, x))};
    case UnOpKind::kCosPi: return {false, mul(number(t, -pi), f(UnOpKind::kSinPi, x))};
    case UnOpKind::kTanPi: return {false, mul(number(t, pi), plus(one, mul(y, y)))};
    case UnOpKind::kAsin: return over(1, f(UnOpKind::kSqrt, sub(one, mul(x, x))));
    case UnOpKind::kAcos: return over(-1, f(UnOpKind::kSqrt, sub(one, mul(x, x))));
    case UnOpKind::kAtan: return over(1, plus(one, mul(x, x)));
    case UnOpKind::kAsinPi: return over(1 / pi, f(UnOpKind::kSqrt, sub(one, mul(x, x))));
    case UnOpKind::kAcosPi: return over(-1 / pi, f(UnOpKind::kSqrt, sub(one, mul(x, x))));
    case UnOpKind::kAtanPi: return over(1 / pi, plus(one, mul(x, x)));
    case UnOpKind::kSinh: return {false, f(UnOpKind::kCosh, x)};
    case UnOpKind::kCosh: return {false, f(UnOpKind::kSinh, x)};
    case UnOpKind::kTanh: return {false, sub(one, mul(y, y))};
    case UnOpKind::kAsinh: return over(1, f(UnOpKind::kSqrt, plus(mul(x, x), one)));
    case UnOpKind::kAcosh: return over(1, f(UnOpKind::kSqrt, sub(mul(x, x), one)));
    default: return over(1, sub(one, mul(x, x)));  // atanh
  }
}

// ψ, the slope of lgamma, by ψ(x) = ψ(x+1) - 1/x from x on to where the first terms of
// log x - 1/2x - 1/12x² + 1/120x⁴ - 1/252x⁶ are exact; from x < 1/2 that begins at 1-x.
Num Tape::digamma(Prim t, const Num& x) {
  constexpr double kFar = 40;
  const auto f = [&](BinOpKind op, const Num& a, const Num& b) { return bin(op, t, a, b); };
  const auto over = [&](double a, const Num& b) { return f(BinOpKind::kDiv, number(t, a), b); };
  const bool left = float_value(x.value) < 0.5;
  Num z = left ? f(BinOpKind::kSub, number(t, 1), x) : x, sum = number(t, 0);
  for (; float_value(z.value) < kFar; z = f(BinOpKind::kAdd, z, number(t, 1)))
    sum = f(BinOpKind::kSub, sum, over(1, z));
  const Num square = f(BinOpKind::kMul, z, z);
  Num series = over(-1.0 / 252, square);
  series = f(BinOpKind::kDiv, f(BinOpKind::kAdd, series, number(t, 1.0 / 120)), square);
  series = f(BinOpKind::kDiv, f(BinOpKind::kAdd, series, number(t, -1.0 / 12)), square);
  series = f(BinOpKind::kAdd, series, over(-0.5, z));
  sum = f(BinOpKind::kAdd, sum, f(BinOpKind::kAdd, series, un(UnOpKind::kLog, t, z)));
  if (!left) return sum;
  return f(BinOpKind::kSub, sum, over(std::numbers::pi, un(UnOpKind::kTanPi, t, x)));
}

Tape::Slope Tape::unary_slope(const Node& node) {
  const Prim t = node.type;
  const Num x = node.args[0], y = node.result;
  const auto mul = [&](const Num& a, const Num& b) { return bin(BinOpKind::kMul, t, a, b); };
  const auto div = [&](const Num& a, const Num& b) { return bin(BinOpKind::kDiv, t, a, b); };
  const auto bell = [&](double factor) {
    const Num square = un(UnOpKind::kNeg, t, mul(x, x));
    return Slope{false, mul(number(t, factor), un(UnOpKind::kExp, t, square))};
  };
  switch (static_cast<UnOpKind>(node.op)) {
    case UnOpKind::kNeg: return {false, number(t, -1)};
    case UnOpKind::kNot: return t == Prim::kBool ? Slope{true, {}} : Slope{false, number(t, -1)};
    case UnOpKind::kAbs: return {false, {eval(UnOpKind::kSgn, t, x.value)}};
    case UnOpKind::kSqrt: return {false, div(number(t, 0.5), y)};
    case UnOpKind::kRsqrt: return {false, div(mul(number(t, -0.5), y), x)};
    case UnOpKind::kCbrt: return {false, div(number(t, 1), mul(number(t, 3), mul(y, y)))};
    case UnOpKind::kExp: return {false, y};
    case UnOpKind::kLog: return {false, div(number(t, 1), x)};
    case UnOpKind::kLog2: return {false, div(number(t, 1 / std::numbers::ln2), x)};
    case UnOpKind::kLog10: return {false, div(number(t, 1 / std::numbers::ln10), x)};
    case UnOpKind::kLog1p:
      return {false, div(number(t, 1), bin(BinOpKind::kAdd, t, x, number(t, 1)))};
    case UnOpKind::kErf: return bell(2 * std::numbers::inv_sqrtpi);
    case UnOpKind::kErfc: return bell(-2 * std::numbers::inv_sqrtpi);
    case UnOpKind::kGamma: return {false, mul(y, digamma(t, x))};
    case UnOpKind::kLgamma: return {false, digamma(t, x)};
    default: return trigonometric_slope(node);
  }
}

Tape::Slope Tape::binary_slope(const Node& node, int k) {
  const Prim t = node.type;
  const bool floats = is_float(t);
  const Num a = node.args[0], b = node.args[1], y = node.result;
  const Num &other = k == 0 ? b : a, zero = number(t, 0), one = number(t, 1);
  const auto f = [&](BinOpKind op, const Num& u, const Num& v) { return bin(op, t, u, v); };
  const auto less = [&](const Num& u, const Num& v) {
    return eval(CmpOpKind::kLt, t, u.value, v.value).bits != 0;
  };
  const BinOpKind quotient = floats ? BinOpKind::kDiv : BinOpKind::kQuot;
  const auto op = static_cast<BinOpKind>(node.op);
  switch (op) {
    case BinOpKind::kAdd: return {true, {}};
    case BinOpKind::kSub: return k == 0 ? Slope{true, {}} : Slope{false, number(t, -1)};
    case BinOpKind::kMul: return {false, other};
    case BinOpKind::kDiv:
    case BinOpKind::kQuot:
      if (k == 0) return {false, f(quotient, one, b)};
      return minus({false, f(quotient, a, f(BinOpKind::kMul, b, b))}, t);
    case BinOpKind::kMod:
      if (k == 0) return {true, {}};
      if (!floats) return minus({false, f(BinOpKind::kDiv, a, b)}, t);
      return minus({false, un(UnOpKind::kTrunc, t, f(BinOpKind::kDiv, a, b))}, t);
    case BinOpKind::kRem: return k == 0 ? Slope{true, {}} : minus({false, f(quotient, a, b)}, t);
    case BinOpKind::kPow: {
      const bool at_zero = floats && eval(CmpOpKind::kEq, t, a.value, zero.value).bits != 0;
      if (k == 0 && at_zero && less(b, one)) return {false, zero};
      if (k == 0)
        return {false, f(BinOpKind::kMul, b, f(BinOpKind::kPow, a, f(BinOpKind::kSub, b, one)))};
      if (!floats || !less(zero, a)) return {false, zero};
      return {false, f(BinOpKind::kMul, y, un(UnOpKind::kLog, t, a))};
    }
    case BinOpKind::kMin:
    case BinOpKind::kMax: {
      const bool right = op == BinOpKind::kMin ? less(b, a) : less(a, b);
      const bool left = op == BinOpKind::kMin ? eval(CmpOpKind::kLe, t, a.value, b.value).bits != 0
                                              : eval(CmpOpKind::kLe, t, b.value, a.value).bits != 0;
      return (k == 0 ? left : right) ? Slope{true, {}} : Slope{false, zero};
    }
    case BinOpKind::kAtan2:
    case BinOpKind::kAtan2Pi: {
      Num square = f(BinOpKind::kAdd, f(BinOpKind::kMul, a, a), f(BinOpKind::kMul, b, b));
      if (op == BinOpKind::kAtan2Pi)
        square = f(BinOpKind::kMul, number(t, std::numbers::pi), square);
      const Slope by{false, f(BinOpKind::kDiv, other, square)};
      return k == 0 ? by : minus(by, t);
    }
    case BinOpKind::kHypot: return {false, f(BinOpKind::kDiv, k == 0 ? a : b, y)};
    case BinOpKind::kCopysign:
      if (k == 1) return {false, zero};
      return {false, f(BinOpKind::kMul, {eval(UnOpKind::kSgn, t, a.value)},
                       {eval(BinOpKind::kCopysign, t, one.value, b.value)})};
    case BinOpKind::kNextafter: return k == 0 ? Slope{true, {}} : Slope{false, zero};
    case BinOpKind::kLdexp:
    case BinOpKind::kShl: return {false, k == 0 ? Num{eval(op, t, one.value, b.value)} : zero};
    default: return {false, zero};
  }
}

Tape::Slope Tape::slope(const Node& node, int k) {
  if (node.kind == Kind::kUn) return unary_slope(node);
  if (node.kind == Kind::kBin) return binary_slope(node, k);
  const Num a = node.args[0], b = node.args[1], c = node.args[2];
  const Prim t = node.type;
  if (static_cast<TernOpKind>(node.op) == TernOpKind::kLerp) {
    if (k == 0) return {false, bin(BinOpKind::kSub, t, number(t, 1), c)};
    return {false, k == 1 ? c : bin(BinOpKind::kSub, t, b, a)};
  }
  return k == 2 ? Slope{true, {}} : Slope{false, k == 0 ? b : a};
}

Num Tape::scaled(const Node& node, int k, const Num& x) {
  const Slope by = slope(node, k);
  return by.is_one ? x : bin(BinOpKind::kMul, node.type, by.factor, x);
}

// ---- sweeps -------------------------------------------------------------------------------------

std::vector<Num> Tape::forward(int64_t begin, const std::vector<Num>& from,
                               const std::vector<Num>& tangents, const std::vector<Num>& to) {
  const int64_t end = position();
  std::vector<std::optional<Num>> values(static_cast<size_t>(end - begin));
  const auto at = [&](int64_t node) -> std::optional<Num>& {
    return values[static_cast<size_t>(node - begin)];
  };
  for (size_t k = 0; k < from.size(); ++k) at(from[k].node) = tangents[k];
  for (int64_t n = begin; n < end; ++n) {
    const Node node = nodes_[static_cast<size_t>(n)];
    for (int k = 0; k < 3; ++k) {
      const int64_t arg = node.args[k].node;
      if (arg < begin || !at(arg)) continue;
      const Num x = *at(arg);
      std::optional<Num> term;
      switch (node.kind) {
        case Kind::kConvert: term = convert(node.type, node.to, x); break;
        case Kind::kBitcast: term = bitcast(node.type, node.to, x); break;
        case Kind::kLength:
          if (k == 0) term = x;
          break;
        case Kind::kSame:
        case Kind::kCustom: term = x; break;
        default:
          if (node.args[k].value.type == node.type) term = scaled(node, k, x);
      }
      if (term) at(n) = at(n) ? add(node.to, *at(n), *term) : *term;
    }
  }
  std::vector<Num> result;
  for (const Num& x : to)
    result.push_back(x.node >= begin && x.node < end && at(x.node) ? *at(x.node)
                                                                   : Num{{x.value.type, 0}});
  return result;
}

std::vector<Num> Tape::reverse(int64_t begin, const std::vector<Num>& from,
                               const std::vector<Num>& bars, const std::vector<Num>& to) {
  const int64_t end = position();
  std::vector<std::optional<Num>> values(static_cast<size_t>(end - begin));
  const auto give = [&](int64_t node, Prim type, const Num& x) {
    if (node < begin || node >= end) return;
    std::optional<Num>& value = values[static_cast<size_t>(node - begin)];
    value = value ? add(type, *value, x) : x;
  };
  for (size_t k = 0; k < from.size(); ++k) give(from[k].node, bars[k].value.type, bars[k]);
  for (int64_t n = end; n-- > begin;) {
    const Node node = nodes_[static_cast<size_t>(n)];
    if (node.kind == Kind::kCustom) {
      // The first result of a rule is seen last.
      if (node.number != 0) continue;
      const Custom& rule = customs_[node.rule];
      std::vector<Num> given;
      bool any = false;
      for (size_t k = 0; k < rule.results; ++k) {
        const auto& bar = values[static_cast<size_t>(n - begin) + k];
        any = any || bar;
        given.push_back(bar ? *bar : Num{{nodes_[static_cast<size_t>(n) + k].type, 0}});
      }
      if (!any) continue;
      const std::vector<Num> args = rule.args, made = rule.rule(given);
      for (size_t k = 0; k < args.size(); ++k) give(args[k].node, made[k].value.type, made[k]);
      continue;
    }
    const auto bar = values[static_cast<size_t>(n - begin)];
    if (!bar) continue;
    for (int k = 0; k < 3; ++k) {
      const int64_t arg = node.args[k].node;
      if (arg < begin) continue;
      switch (node.kind) {
        case Kind::kConvert: give(arg, node.type, convert(node.to, node.type, *bar)); break;
        case Kind::kBitcast: give(arg, node.type, bitcast(node.to, node.type, *bar)); break;
        case Kind::kLength:
          give(arg, node.args[k].value.type, k == 0 ? *bar : convert(node.type, Prim::kI64, *bar));
          break;
        case Kind::kSame: give(arg, node.type, *bar); break;
        default:
          // The exponent of ldexp is an integer.
          if (node.args[k].value.type == node.type) give(arg, node.type, scaled(node, k, *bar));
      }
    }
  }
  std::vector<Num> result;
  for (const Num& x : to) {
    const auto& value = values[static_cast<size_t>(x.node - begin)];
    result.push_back(value ? *value : Num{{x.value.type, 0}});
  }
  return result;
}

// ---- questions ----------------------------------------------------------------------------------

bool Tape::has_wild_slope() {
  for (int64_t n = 0, end = position(); n < end; ++n) {
    const Node node = nodes_[static_cast<size_t>(n)];
    if (is_float(node.to) && !std::isfinite(float_value(node.result.value))) return true;
    const bool is_operator =
        node.kind == Kind::kUn || node.kind == Kind::kBin || node.kind == Kind::kTern;
    for (int k = 0; k < 3 && is_operator && is_float(node.type); ++k) {
      if (node.args[k].node == Num::kConstant || node.args[k].value.type != node.type) continue;
      const Slope by = slope(node, k);
      if (!by.is_one && !std::isfinite(float_value(by.factor.value))) return true;
    }
  }
  return false;
}

bool Tape::rounds_tangents() const {
  return std::ranges::any_of(nodes_, [](const Node& node) {
    return (node.kind == Kind::kConvert || node.kind == Kind::kBitcast) && is_float(node.type) &&
           !is_float(node.to);
  });
}

}  // namespace skald::core::traced
