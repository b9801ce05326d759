// SPDX-License-Identifier: Apache-2.0
// Statements about scalars as instructions.
#include "imp/interp/writer.h"
#include "imp/ir/visit.h"

namespace skald::imp::interp {

namespace {

Instr expression(Writer& w, const core::Value& e) {
  return {.run = run_move, .a = w.use(e.arg)};
}
Instr expression(Writer& w, const core::Bitcast& e) {
  return {.run = run_move, .a = w.use(e.arg)};
}
Instr expression(Writer& w, const core::UnOp& e) {
  return {.run = run_unary, .a = w.use(e.arg), .unary = core::scalar_fn(e.op, e.type)};
}
Instr expression(Writer& w, const core::Convert& e) {
  return {.run = run_unary, .a = w.use(e.arg), .unary = core::convert_fn(e.from, e.to)};
}
Instr expression(Writer& w, const core::BinOp& e) {
  Handler run = run_binary;
  if (e.type == Prim::kI64 && e.op == BinOpKind::kAdd) run = run_add;
  if (e.type == Prim::kI64 && e.op == BinOpKind::kSub) run = run_sub;
  if (e.type == Prim::kI64 && e.op == BinOpKind::kMul) run = run_mul;
  return {
      .run = run, .a = w.use(e.lhs), .b = w.use(e.rhs), .binary = core::scalar_fn(e.op, e.type)};
}
Instr expression(Writer& w, const core::CmpOp& e) {
  const bool less = e.type == Prim::kI64 && e.op == CmpOpKind::kLt;
  return {.run = less ? run_less : run_binary,
          .a = w.use(e.lhs),
          .b = w.use(e.rhs),
          .binary = core::scalar_fn(e.op, e.type)};
}
Instr expression(Writer& w, const core::TernOp& e) {
  return {.run = run_ternary,
          .a = w.use(e.a),
          .b = w.use(e.b),
          .c = w.use(e.c),
          .ternary = core::scalar_fn(e.op, e.type)};
}
Instr expression(Writer& w, const core::Select& e) {
  return {.run = run_select, .a = w.use(e.cond), .b = w.use(e.then), .c = w.use(e.otherwise)};
}

}  // namespace

void write(Writer& w, const Let& n) {
  Instr i;
  visit_exp(n.exp, [&](const auto& e) { i = expression(w, e); });
  i.dst = w.bind(n.name, n.type);
  w.emit(i);
}
void write(Writer& w, const Var& n) {
  const int32_t from = w.use(n.init);
  w.emit({.run = run_move, .dst = w.bind(n.name, n.type), .a = from});
}
void write(Writer& w, const Assign& n) {
  w.emit({.run = run_move, .dst = w.use(n.var), .a = w.use(n.value)});
}
// All numbers but very small ones are usual.
void write(Writer& w, const QuickQuotient& n) {
  constexpr Prim f64 = Prim::kF64;
  const int32_t lhs = w.use(n.lhs), rhs = w.use(n.rhs);
  const int32_t quotient = w.bind(n.name, f64);
  w.emit({.run = run_binary,
          .dst = quotient,
          .a = lhs,
          .b = rhs,
          .binary = core::scalar_fn(BinOpKind::kDiv, f64)});
  if (!n.usual) return;
  const int32_t usual = w.bind(n.usual, Prim::kBool);
  w.emit({.run = run_unary,
          .dst = usual,
          .a = quotient,
          .unary = core::scalar_fn(UnOpKind::kAbs, f64)});
  w.emit({.run = run_binary,
          .dst = usual,
          .a = w.use(core::const_float(f64, 1e-290)),
          .b = usual,
          .binary = core::scalar_fn(CmpOpKind::kLt, f64)});
}
void write(Writer& w, const Tunable& n) {
  const int64_t* chosen = core::find_choice(w.tuning(), n.param);
  const int32_t from = chosen == nullptr || *chosen == 0
                           ? w.use(n.fallback)
                           : w.constant(static_cast<uint64_t>(*chosen));
  w.emit({.run = run_move, .dst = w.bind(n.name, Prim::kI64), .a = from});
}
void write(Writer& w, const ChunkSize& n) {
  const int32_t length = w.use(n.count), least = w.use(n.least);
  w.emit({.run = run_chunk_size, .dst = w.bind(n.name, Prim::kI64), .a = length, .b = least});
}
void write(Writer& w, const Workers& n) {
  w.emit({.run = run_workers, .dst = w.bind(n.name, Prim::kI64)});
}
void write(Writer& w, const MyTurn& n) {
  w.emit({.run = run_my_turn, .dst = w.bind(n.name, Prim::kBool)});
}

}  // namespace skald::imp::interp
