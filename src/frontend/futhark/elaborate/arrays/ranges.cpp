// SPDX-License-Identifier: Apache-2.0
// Ranges: a..b...c, a..b..<c, a..b..>c.  Lengths and steps are computed in i64.
#include "frontend/futhark/elaborate/elab.h"
#include "frontend/futhark/elaborate/notes.h"

namespace skald::futhark::elab {

ValuePtr Elaborator::range_exp(const ERange& r, const Env& env) {
  ValuePtr start_value = exp(*r.start, env);
  Prim p = start_value->rep->prim;
  Operand start = scalar_of(*start_value);
  std::optional<Operand> second;
  if (r.step) second = scalar_exp(*r.step, env);
  Operand end = scalar_exp(*r.end, env);
  const Operand zero = core::const_i64(0), one = core::const_i64(1);
  auto wide = [&](const Operand& x) { return b().convert(p, Prim::kI64, x); };
  Operand start64 = wide(start), end64 = wide(end);
  Operand step = core::const_i64(r.kind == ERange::kDownTo ? -1 : 1);
  if (second) step = b().size_sub(wide(*second), start64);
  Operand down = b().cmpop(CmpOpKind::kLt, Prim::kI64, step, zero);
  auto choose = [&](Prim t, const std::function<Operand()>& x, const std::function<Operand()>& y) {
    if (const auto* c = core::as_const(down)) return c->bits ? x() : y();
    Operand xv = x(), yv = y();
    return emit1(core::scalar_type(t), core::Select{down, xv, yv}, "chosen");
  };
  auto up_span = [&] { return b().size_sub(end64, start64); };
  auto down_span = [&] { return b().size_sub(start64, end64); };
  auto bad_down = [&] { return b().cmpop(CmpOpKind::kLt, p, start, end); };
  auto bad_up = [&] { return b().cmpop(CmpOpKind::kLt, p, end, start); };
  Operand span, bad_bounds, wrong_way;
  if (r.kind == ERange::kUpTo) {
    span = up_span();
    bad_bounds = bad_up();
    wrong_way = down;
  } else if (r.kind == ERange::kDownTo) {
    span = down_span();
    bad_bounds = bad_down();
    wrong_way = b().cmpop(CmpOpKind::kLt, Prim::kI64, zero, step);
  } else {
    span = b().size_add(choose(Prim::kI64, down_span, up_span), one);
    bad_bounds = choose(Prim::kBool, bad_down, bad_up);
    wrong_way = core::const_bool(false);
  }
  Operand step_zero =
      second ? b().cmpop(CmpOpKind::kEq, Prim::kI64, step, zero) : Operand(core::const_bool(false));
  Operand invalid = b().logical_or(b().logical_or(step_zero, wrong_way), bad_bounds);
  std::vector<MessagePart> message = {std::string("Range "), start};
  if (second) {
    message.emplace_back(std::string(".."));
    message.emplace_back(*second);
  }
  message.emplace_back(std::string(r.kind == ERange::kInclusive ? "..."
                                   : r.kind == ERange::kUpTo    ? "..<"
                                                                : "..>"));
  message.emplace_back(end);
  message.emplace_back(std::string(" is invalid."));
  CheckNotes notes;
  notes.value(*r.start, start);
  if (second) notes.value(*r.step, *second);
  notes.value(*r.end, end);
  if (const auto factors = factors_of(end)) notes.product(factors->first, factors->second);
  notes.add_to(message);
  Tokens tokens = check(b().logical_not(invalid), std::move(message));

  Operand count = span;
  Operand abs_step = b().unop(UnOpKind::kAbs, Prim::kI64, step);
  const auto* c = core::as_const(abs_step);
  if (!c || core::int_value(*c) != 1) {
    Operand up = b().size_add(span, b().size_sub(abs_step, one));
    count = b().binop(BinOpKind::kQuot, Prim::kI64, up, abs_step, "n", tokens);
  }
  core::Type type = core::array_of(count, core::scalar_type(p));
  core::Iota iota{p, count, start, b().convert(Prim::kI64, p, step)};
  Operand array = emit1(type, std::move(iota), "range", tokens);
  return make_value(array_rep(count, prim_rep(p)), {array});
}

}  // namespace skald::futhark::elab
