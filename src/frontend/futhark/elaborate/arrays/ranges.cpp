// SPDX-License-Identifier: Apache-2.0
// Ranges that go up, down, or where the step says.
#include "frontend/futhark/elaborate/arrays/ranges.h"

#include <functional>

#include "frontend/futhark/elaborate/code/notes.h"

namespace skald::futhark::elab {

ValuePtr range_value(Code& code, const Range& r) {
  const Prim p = r.type;
  const Operand &start = r.start, &end = r.end;
  const std::optional<Operand>& second = r.second;
  const Operand zero = core::const_i64(0), one = core::const_i64(1);
  auto wide = [&](const Operand& x) { return code.b().convert(p, Prim::kI64, x); };
  Operand start64 = wide(start), end64 = wide(end);
  Operand step = core::const_i64(r.written.kind == ERange::kDownTo ? -1 : 1);
  if (second) step = code.b().size_sub(wide(*second), start64);
  Operand down = code.b().cmpop(CmpOpKind::kLt, Prim::kI64, step, zero);
  auto choose = [&](Prim t, const std::function<Operand()>& x, const std::function<Operand()>& y) {
    if (const auto* c = core::as_const(down)) return c->bits ? x() : y();
    Operand xv = x(), yv = y();
    return code.emit1(core::scalar_type(t), core::Select{down, xv, yv}, "chosen");
  };
  auto up_span = [&] { return code.b().size_sub(end64, start64); };
  auto down_span = [&] { return code.b().size_sub(start64, end64); };
  auto bad_down = [&] { return code.b().cmpop(CmpOpKind::kLt, p, start, end); };
  auto bad_up = [&] { return code.b().cmpop(CmpOpKind::kLt, p, end, start); };
  Operand span, bad_bounds, wrong_way;
  if (r.written.kind == ERange::kUpTo) {
    span = up_span();
    bad_bounds = bad_up();
    wrong_way = down;
  } else if (r.written.kind == ERange::kDownTo) {
    span = down_span();
    bad_bounds = bad_down();
    wrong_way = code.b().cmpop(CmpOpKind::kLt, Prim::kI64, zero, step);
  } else {
    span = code.b().size_add(choose(Prim::kI64, down_span, up_span), one);
    bad_bounds = choose(Prim::kBool, bad_down, bad_up);
    wrong_way = core::const_bool(false);
  }
  Operand step_zero = second ? code.b().cmpop(CmpOpKind::kEq, Prim::kI64, step, zero)
                             : Operand(core::const_bool(false));
  Operand invalid = code.b().logical_or(code.b().logical_or(step_zero, wrong_way), bad_bounds);
  std::vector<MessagePart> message = {std::string("Range "), start};
  if (second) {
    message.emplace_back(std::string(".."));
    message.emplace_back(*second);
  }
  message.emplace_back(std::string(r.written.kind == ERange::kInclusive ? "..."
                                   : r.written.kind == ERange::kUpTo    ? "..<"
                                                                        : "..>"));
  message.emplace_back(end);
  message.emplace_back(std::string(" is invalid."));
  CheckNotes notes;
  notes.value(*r.written.start, start);
  if (second) notes.value(*r.written.step, *second);
  notes.value(*r.written.end, end);
  if (const auto factors = code.factors_of(end)) notes.product(factors->first, factors->second);
  notes.add_to(message);
  Tokens tokens = code.check(code.b().logical_not(invalid), std::move(message));

  Operand count = span;
  Operand abs_step = code.b().unop(UnOpKind::kAbs, Prim::kI64, step);
  const auto* c = core::as_const(abs_step);
  if (!c || core::int_value(*c) != 1) {
    Operand up = code.b().size_add(span, code.b().size_sub(abs_step, one));
    count = code.b().binop(BinOpKind::kQuot, Prim::kI64, up, abs_step, "n", tokens);
  }
  core::Type type = core::array_of(count, core::scalar_type(p));
  const core::Iota iota{p, count, start, code.b().convert(Prim::kI64, p, step)};
  Operand array = code.emit1(type, iota, "range", tokens);
  return make_value(array_rep(count, prim_rep(p)), {array});
}

}  // namespace skald::futhark::elab
