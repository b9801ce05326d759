// SPDX-License-Identifier: Apache-2.0
// Where an operator has corners (NaN, infinities, zeros with signs), they are NumPy's: those of its
// loops for what it computes itself, those of C's <complex.h> for functions.
#include "frontend/lazy/lower/complex_ops.h"

#include <limits>
#include <unordered_map>

#include "frontend/lazy/lower/scalar_ops.h"

namespace skald::lazy {

using namespace core;

namespace complex_numbers {
namespace {

using Args = const std::vector<Parts>&;

// Short names for operators on floats of one type.
struct Floats {
  Builder& b;
  Prim type;

  Operand number(double value) const { return const_float(type, value); }
  Operand add(const Operand& x, const Operand& y) const {
    return b.binop(BinOpKind::kAdd, type, x, y);
  }
  Operand sub(const Operand& x, const Operand& y) const {
    return b.binop(BinOpKind::kSub, type, x, y);
  }
  Operand mul(const Operand& x, const Operand& y) const {
    return b.binop(BinOpKind::kMul, type, x, y);
  }
  Operand div(const Operand& x, const Operand& y) const {
    return b.binop(BinOpKind::kDiv, type, x, y);
  }
  Operand negate(const Operand& x) const { return b.unop(UnOpKind::kNeg, type, x); }
  Operand abs(const Operand& x) const { return b.unop(UnOpKind::kAbs, type, x); }
  Operand with_sign(const Operand& x, const Operand& sign) const {
    return b.binop(BinOpKind::kCopysign, type, x, sign);
  }
  Operand call(UnOpKind op, const Operand& x) const { return b.unop(op, type, x); }
  Operand less(const Operand& x, const Operand& y) const {
    return b.cmpop(CmpOpKind::kLt, type, x, y);
  }
  Operand at_most(const Operand& x, const Operand& y) const {
    return b.cmpop(CmpOpKind::kLe, type, x, y);
  }
  Operand equal(const Operand& x, const Operand& y) const {
    return b.cmpop(CmpOpKind::kEq, type, x, y);
  }
  Operand is_zero(const Operand& x) const { return equal(x, number(0)); }
  Operand is_nan(const Operand& x) const { return b.unop(UnOpKind::kIsNan, type, x); }
  Operand is_inf(const Operand& x) const { return b.unop(UnOpKind::kIsInf, type, x); }
  Operand is_finite(const Operand& x) const {
    return b.logical_not(b.logical_or(is_nan(x), is_inf(x)));
  }
  Operand choose(const Operand& cond, const Operand& then, const Operand& otherwise) const {
    if (const Const* known = as_const(cond)) return *known == const_bool(true) ? then : otherwise;
    return b.let1(scalar_type(type), Select{cond, then, otherwise});
  }
};

// The distance from zero.  Numbers whose squares are too large or too small are scaled by a power
// of two, which costs less than the exact hypot.
Operand size_of(const Floats& f, const Parts& x) {
  const bool is_single = f.type == Prim::kF32;
  const Operand high = f.number(is_single ? 0x1p62 : 0x1p500),
                low = f.number(is_single ? 0x1p-50 : 0x1p-450);
  const Operand up = f.number(is_single ? 0x1p90 : 0x1p600),
                down = f.number(is_single ? 0x1p-90 : 0x1p-600);
  const Operand one = f.number(1), r = f.abs(x[0]), i = f.abs(x[1]);
  const Operand largest = f.b.binop(BinOpKind::kMax, f.type, r, i);
  const Operand is_huge = f.less(high, largest), is_tiny = f.less(largest, low);
  const Operand scale = f.choose(is_huge, down, f.choose(is_tiny, up, one));
  const Operand back = f.choose(is_huge, up, f.choose(is_tiny, down, one));
  const Operand a = f.mul(r, scale), b = f.mul(i, scale);
  const Operand size = f.mul(f.call(UnOpKind::kSqrt, f.add(f.mul(a, a), f.mul(b, b))), back);
  const Operand infinity = f.number(std::numeric_limits<double>::infinity());
  return f.choose(f.b.logical_or(f.equal(r, infinity), f.equal(i, infinity)), infinity, size);
}

Parts add(const Floats& f, Args args) {
  return {f.add(args[0][0], args[1][0]), f.add(args[0][1], args[1][1])};
}
Parts subtract(const Floats& f, Args args) {
  return {f.sub(args[0][0], args[1][0]), f.sub(args[0][1], args[1][1])};
}
Parts product(const Floats& f, const Parts& x, const Parts& y) {
  return {f.sub(f.mul(x[0], y[0]), f.mul(x[1], y[1])), f.add(f.mul(x[0], y[1]), f.mul(x[1], y[0]))};
}
Parts multiply(const Floats& f, Args args) {
  return product(f, args[0], args[1]);
}
Parts square(const Floats& f, Args args) {
  return product(f, args[0], args[0]);
}

// Smith's: the smaller part of the divisor is divided by the larger one.  `x` and `y` change places
// with it, so that both ways are the same operations.
Parts quotient(const Floats& f, const Parts& x, const Parts& y) {
  const Operand real_size = f.abs(y[0]), imag_size = f.abs(y[1]);
  const Operand by_real = f.at_most(imag_size, real_size);
  const Operand large = f.choose(by_real, y[0], y[1]), small = f.choose(by_real, y[1], y[0]);
  const Operand first = f.choose(by_real, x[0], x[1]), second = f.choose(by_real, x[1], x[0]);
  const Operand ratio = f.div(small, large);
  const Operand scale = f.div(f.number(1), f.add(large, f.mul(small, ratio)));
  const Operand part = f.mul(first, ratio);
  const Operand real = f.mul(f.add(first, f.mul(second, ratio)), scale);
  const Operand imag =
      f.mul(f.sub(f.choose(by_real, second, part), f.choose(by_real, part, second)), scale);
  const Operand by_zero = f.b.logical_and(f.is_zero(real_size), f.is_zero(imag_size));
  return {f.choose(by_zero, f.div(x[0], real_size), real),
          f.choose(by_zero, f.div(x[1], real_size), imag)};
}
Parts divide(const Floats& f, Args args) {
  return quotient(f, args[0], args[1]);
}
Parts reciprocal(const Floats& f, Args args) {
  const Parts& x = args[0];
  const Operand by_real = f.at_most(f.abs(x[1]), f.abs(x[0]));
  const Operand large = f.choose(by_real, x[0], x[1]), small = f.choose(by_real, x[1], x[0]);
  const Operand ratio = f.div(small, large);
  const Operand size = f.add(large, f.mul(small, ratio));
  const Operand one = f.number(1);
  return {f.div(f.choose(by_real, one, ratio), size),
          f.div(f.choose(by_real, f.negate(ratio), f.negate(one)), size)};
}

Parts negative(const Floats& f, Args args) {
  return {f.negate(args[0][0]), f.negate(args[0][1])};
}
Parts conjugate(const Floats& f, Args args) {
  return {args[0][0], f.negate(args[0][1])};
}
Parts same(const Floats&, Args args) {
  return args[0];
}
Parts absolute(const Floats& f, Args args) {
  return {size_of(f, args[0])};
}

// exp(r) * (cos i, sin i); what would overflow only without the second factor does not.
Parts exponential(const Floats& f, const Parts& x) {
  const double limit = f.type == Prim::kF32 ? 88 : 709;
  const Operand is_large = f.less(f.number(limit), x[0]);
  const Operand size =
      f.call(UnOpKind::kExp, f.choose(is_large, f.sub(x[0], f.number(limit)), x[0]));
  const Operand scale = f.choose(is_large, f.call(UnOpKind::kExp, f.number(limit)), f.number(1));
  // An infinite size without a direction.
  const Operand is_lost = f.b.logical_and(f.is_inf(x[0]), f.b.logical_not(f.is_finite(x[1])));
  const Operand is_small = f.less(x[0], f.number(0));
  const Operand cosine = f.choose(is_lost, f.number(1), f.call(UnOpKind::kCos, x[1]));
  const Operand sine = f.choose(f.b.logical_and(is_lost, is_small), f.with_sign(f.number(0), x[1]),
                                f.call(UnOpKind::kSin, x[1]));
  const Operand imag = f.mul(f.mul(size, sine), scale);
  return {f.mul(f.mul(size, cosine), scale), f.choose(f.is_zero(x[1]), x[1], imag)};
}
Parts exp(const Floats& f, Args args) {
  return exponential(f, args[0]);
}

// Near the unit circle, the logarithm of the size is that of what it is more than 1.
Parts logarithm(const Floats& f, const Parts& x) {
  const Operand r = f.abs(x[0]), i = f.abs(x[1]);
  const Operand by_real = f.at_most(i, r);
  const Operand large = f.choose(by_real, r, i), small = f.choose(by_real, i, r);
  const Operand is_near = f.b.logical_and(f.less(f.number(0.5), large), f.less(large, f.number(2)));
  const Operand more =
      f.add(f.mul(f.sub(large, f.number(1)), f.add(large, f.number(1))), f.mul(small, small));
  const Operand near = f.mul(f.number(0.5), f.call(UnOpKind::kLog1p, more));
  const Operand far = f.call(UnOpKind::kLog, size_of(f, {r, i}));
  return {f.choose(is_near, near, far), f.b.binop(BinOpKind::kAtan2, f.type, x[1], x[0])};
}
Parts log(const Floats& f, Args args) {
  return logarithm(f, args[0]);
}

Parts sqrt(const Floats& f, Args args) {
  const Parts& x = args[0];
  const bool is_single = f.type == Prim::kF32;
  const double highest = is_single ? 0x1p125 : 0x1p1021, lowest = is_single ? 0x1p-100 : 0x1p-950;
  const Operand real_size = f.abs(x[0]), imag_size = f.abs(x[1]);
  const Operand is_huge =
      f.b.logical_or(f.less(f.number(highest), real_size), f.less(f.number(highest), imag_size));
  const Operand is_tiny =
      f.b.logical_and(f.less(real_size, f.number(lowest)), f.less(imag_size, f.number(lowest)));
  const auto by = [&](double if_huge, double if_tiny) {
    const Operand rest = f.choose(is_tiny, f.number(if_tiny), f.number(1));
    return f.choose(is_huge, f.number(if_huge), rest);
  };
  const Operand scale = by(0.25, 0x1p100), back = by(2, 0x1p-50);
  const Operand r = f.mul(real_size, scale), i = f.mul(imag_size, scale);
  const Operand half = f.mul(f.number(0.5), f.add(size_of(f, {r, i}), r));
  const Operand large = f.call(UnOpKind::kSqrt, half);
  const Operand small = f.choose(f.is_zero(large), f.number(0), f.div(i, f.add(large, large)));
  const Operand is_right = f.at_most(f.number(0), x[0]);
  const Operand real = f.mul(f.choose(is_right, large, small), back);
  const Operand imag = f.mul(f.choose(is_right, small, large), back);
  const Operand is_lost = f.is_inf(x[1]);
  return {f.choose(is_lost, imag_size, real),
          f.with_sign(f.choose(is_lost, imag_size, imag), x[1])};
}

// A product that is zero on the axes, whatever the other factor is.
Operand on_axes(const Floats& f, const Operand& x, const Operand& y) {
  const Operand product = f.mul(x, y);
  const Operand is_lost = f.is_nan(product);
  return f.choose(f.b.logical_and(f.is_zero(x), is_lost), x,
                  f.choose(f.b.logical_and(f.is_zero(y), is_lost), y, product));
}
Parts sin(const Floats& f, Args args) {
  const Parts& x = args[0];
  const Operand sine = f.call(UnOpKind::kSin, x[0]), cosine = f.call(UnOpKind::kCos, x[0]);
  const Operand up = f.call(UnOpKind::kCosh, x[1]), along = f.call(UnOpKind::kSinh, x[1]);
  return {on_axes(f, sine, up), on_axes(f, along, cosine)};
}
Parts cos(const Floats& f, Args args) {
  const Parts& x = args[0];
  const Operand sine = f.call(UnOpKind::kSin, x[0]), cosine = f.call(UnOpKind::kCos, x[0]);
  const Operand up = f.call(UnOpKind::kCosh, x[1]), along = f.call(UnOpKind::kSinh, x[1]);
  return {f.mul(cosine, up), f.negate(on_axes(f, sine, along))};
}

// x**n for a number n of the plan, as NumPy: by squaring.
Parts small_power(const Floats& f, const Parts& x, int exponent) {
  Parts result, square = x;
  const int size = exponent < 0 ? -exponent : exponent;
  for (int rest = size; rest != 0;) {
    if ((rest & 1) != 0) result = result.empty() ? square : product(f, result, square);
    rest >>= 1;
    if (rest != 0) square = product(f, square, square);
  }
  if (result.empty()) return {f.number(1), f.number(0)};
  return exponent < 0 ? quotient(f, {f.number(1), f.number(0)}, result) : result;
}
Parts power(const Floats& f, Args args) {
  const Parts &x = args[0], &y = args[1];
  const Const *real = as_const(y[0]), *imag = as_const(y[1]);
  if (real && imag && float_value(*imag) == 0) {
    const double value = float_value(*real);
    if (value == static_cast<int>(value) && value > -100 && value < 100)
      return small_power(f, x, static_cast<int>(value));
  }
  const Parts whole = exponential(f, product(f, y, logarithm(f, x)));
  const Operand no_power = f.b.logical_and(f.is_zero(y[0]), f.is_zero(y[1]));
  const Operand of_zero = f.b.logical_and(f.is_zero(x[0]), f.is_zero(x[1]));
  const Operand is_plain = f.b.logical_and(f.less(f.number(0), y[0]), f.is_zero(y[1]));
  const Operand none =
      f.choose(is_plain, f.number(0), f.number(std::numeric_limits<double>::quiet_NaN()));
  return {f.choose(no_power, f.number(1), f.choose(of_zero, none, whole[0])),
          f.choose(no_power, f.number(0), f.choose(of_zero, none, whole[1]))};
}

// ---- Answers

Parts equal(const Floats& f, Args args) {
  return {f.b.logical_and(f.equal(args[0][0], args[1][0]), f.equal(args[0][1], args[1][1]))};
}
Parts not_equal(const Floats& f, Args args) {
  return {f.b.logical_not(equal(f, args)[0])};
}
// By the real parts; where they are equal, by the imaginary ones.
Operand before(const Floats& f, const Parts& x, const Parts& y, CmpOpKind last) {
  const Operand is_number = f.b.logical_not(f.b.logical_or(f.is_nan(x[1]), f.is_nan(y[1])));
  const Operand sooner = f.b.logical_and(f.less(x[0], y[0]), is_number);
  const Operand same_real = f.equal(x[0], y[0]);
  return f.b.logical_or(sooner, f.b.logical_and(same_real, f.b.cmpop(last, f.type, x[1], y[1])));
}
template <CmpOpKind last, bool swapped>
Parts compare(const Floats& f, Args args) {
  return {before(f, args[swapped ? 1 : 0], args[swapped ? 0 : 1], last)};
}
template <bool larger>
Parts extreme(const Floats& f, Args args) {
  const Parts &x = args[0], &y = args[1];
  const Operand wins = larger ? before(f, y, x, CmpOpKind::kLe) : before(f, x, y, CmpOpKind::kLe);
  const Operand first = f.b.logical_or(wins, f.b.logical_or(f.is_nan(x[0]), f.is_nan(x[1])));
  return {f.choose(first, x[0], y[0]), f.choose(first, x[1], y[1])};
}

Operand truth(const Floats& f, const Parts& x) {
  return complex_truth(f.b, f.type, x);
}
template <BinOpKind op>
Parts logical(const Floats& f, Args args) {
  return {f.b.binop(op, Prim::kBool, truth(f, args[0]), truth(f, args[1]))};
}
Parts logical_not(const Floats& f, Args args) {
  return {f.b.logical_not(truth(f, args[0]))};
}
Parts is_nan(const Floats& f, Args args) {
  return {f.b.logical_or(f.is_nan(args[0][0]), f.is_nan(args[0][1]))};
}
Parts is_inf(const Floats& f, Args args) {
  return {f.b.logical_or(f.is_inf(args[0][0]), f.is_inf(args[0][1]))};
}
Parts is_finite(const Floats& f, Args args) {
  return {f.b.logical_and(f.is_finite(args[0][0]), f.is_finite(args[0][1]))};
}
Parts choose(const Floats& f, Args args) {
  return {f.choose(args[0][0], args[1][0], args[2][0]),
          f.choose(args[0][0], args[1][1], args[2][1])};
}

struct ComplexRow {
  int cost;
  Parts (*write)(const Floats& f, Args args);
};

const std::unordered_map<std::string_view, ComplexRow>& complex_table() {
  static const auto* const rows = new std::unordered_map<std::string_view, ComplexRow>{
      {"add", {2, add}},
      {"subtract", {2, subtract}},
      {"multiply", {6, multiply}},
      {"divide", {30, divide}},
      {"reciprocal", {30, reciprocal}},
      {"square", {6, square}},
      {"power", {20, power}},
      {"negative", {2, negative}},
      {"positive", {0, same}},
      {"conjugate", {1, conjugate}},
      {"absolute", {16, absolute}},
      {"exp", {70, exp}},
      {"log", {80, log}},
      {"sqrt", {50, sqrt}},
      {"sin", {100, sin}},
      {"cos", {100, cos}},
      {"maximum", {8, extreme<true>}},
      {"minimum", {8, extreme<false>}},
      {"equal", {3, equal}},
      {"not_equal", {3, not_equal}},
      {"less", {6, compare<CmpOpKind::kLt, false>}},
      {"less_equal", {6, compare<CmpOpKind::kLe, false>}},
      {"greater", {6, compare<CmpOpKind::kLt, true>}},
      {"greater_equal", {6, compare<CmpOpKind::kLe, true>}},
      {"logical_and", {5, logical<BinOpKind::kAnd>}},
      {"logical_or", {5, logical<BinOpKind::kOr>}},
      {"logical_xor", {5, logical<BinOpKind::kXor>}},
      {"logical_not", {3, logical_not}},
      {"isnan", {3, is_nan}},
      {"isinf", {3, is_inf}},
      {"isfinite", {5, is_finite}},
      {"where", {2, choose}},
  };
  return *rows;
}

}  // namespace
}  // namespace complex_numbers

using complex_numbers::Floats;

bool can_lower_complex(std::string_view op) {
  return complex_numbers::complex_table().count(op) != 0;
}

int complex_cost_of(std::string_view op) {
  const auto& table = complex_numbers::complex_table();
  const auto it = table.find(op);
  return it == table.end() ? 1 : it->second.cost;
}

Parts lower_complex(Builder& b, std::string_view op, Prim type, const std::vector<Parts>& args) {
  return complex_numbers::complex_table().at(op).write({b, type}, args);
}

Parts lower_product(Builder& b, DType type, const Parts& x, const Parts& y) {
  if (is_complex(type)) return lower_complex(b, "multiply", prim_of(type), {x, y});
  return {b.binop(BinOpKind::kMul, prim_of(type), x[0], y[0])};
}

// The parts of complex sums are sums of their own.
std::vector<Operator> combining(Program& prog, std::string_view op, DType type) {
  const Prim prim = prim_of(type);
  const bool is_pair = is_complex(type) && op != "add";
  const size_t width = is_pair ? 2 : 1;
  std::vector<Operator> list;
  for (size_t i = 0; i < (is_complex(type) && !is_pair ? 2U : 1U); ++i) {
    Builder combine(prog);
    Operator each{.commutative = true};
    Parts sides[2];
    for (Parts& side : sides) {
      for (size_t k = 0; k < width; ++k) {
        const Name name = prog.names.fresh(&side == sides ? "a" : "b");
        each.fn.params.push_back({.name = name, .type = scalar_type(prim)});
        side.push_back(name);
      }
    }
    each.fn.results.assign(width, {.type = scalar_type(prim)});
    each.fn.body =
        combine.finish(is_pair ? lower_complex(combine, op, prim, {sides[0], sides[1]})
                               : Parts{lower_op(combine, op, prim, {sides[0][0], sides[1][0]})});
    each.neutral = {neutral_of(op, prim)};
    if (is_pair) each.neutral.push_back(lower_zero(prim));
    list.push_back(std::move(each));
  }
  return list;
}

Operand complex_truth(Builder& b, Prim type, const Parts& x) {
  const Floats f{b, type};
  return b.logical_or(b.logical_not(f.is_zero(x[0])), b.logical_not(f.is_zero(x[1])));
}

}  // namespace skald::lazy
