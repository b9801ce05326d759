// SPDX-License-Identifier: Apache-2.0
// Scalar operators, plain values and checks.
#include "core/interp/compile/compiler.h"
#include "support/bug.h"

namespace skald::core::interp {

void Compiler::node(const Value& exp) {
  const Use from = take(exp.arg);
  const Slot dst = pat(0).slot;
  if (is_scalar_slot(from.kind)) {
    emit({.op = Op::kMove, .dst = dst, .a = from.slot});
  } else if (is_array_slot(from.kind)) {
    emit({.op = Op::kMoveArray, .dst = dst, .a = from.slot, .b = from.move ? 1u : 0u});
  }
}

void Compiler::node(const Opaque& exp) {
  if (const Trace& trace = stmt_->hints.trace; trace.wanted) {
    auto* code = out_.make<TraceCode>();
    code->value = read(exp.arg);
    if (const Name* name = as_name(exp.arg))
      code->type = find(*name).elem;
    else
      code->type = as_const(exp.arg)->type;
    // Without a tag the place says which trace it is.
    const Loc place = prog_.locs.outside_prelude(stmt_->loc);
    code->tag = trace.tag.empty() ? prog_.locs[place].text : trace.tag;
    emit_node(Op::kTrace, code);
  }
  node(Value{exp.arg});
}

void Compiler::node(const Tunable& exp) {
  const int64_t* chosen = find_choice(tuning_, exp.param);
  const Slot from =
      chosen != nullptr ? constant(static_cast<uint64_t>(*chosen)) : scalar(exp.fallback);
  emit({.op = Op::kMove, .dst = pat(0).slot, .a = from});
}

void Compiler::node(const UnOp& exp) {
  Instr instr{.op = Op::kUn, .dst = pat(0).slot, .a = scalar(exp.arg)};
  instr.un = scalar_fn(exp.op, exp.type);
  SKALD_CHECK(instr.un != nullptr, "interpreter: {} on {}", mnemonic(exp.op), prim_name(exp.type));
  emit(instr);
}

void Compiler::node(const BinOp& exp) {
  Instr instr{.op = Op::kBin, .dst = pat(0).slot, .a = scalar(exp.lhs), .b = scalar(exp.rhs)};
  instr.bin = scalar_fn(exp.op, exp.type);
  SKALD_CHECK(instr.bin != nullptr, "interpreter: {} on {}", mnemonic(exp.op), prim_name(exp.type));
  emit(instr);
}

void Compiler::node(const CmpOp& exp) {
  Instr instr{.op = Op::kBin, .dst = pat(0).slot, .a = scalar(exp.lhs), .b = scalar(exp.rhs)};
  instr.bin = scalar_fn(exp.op, exp.type);
  emit(instr);
}

void Compiler::node(const TernOp& exp) {
  Instr instr{.op = Op::kTern,
              .dst = pat(0).slot,
              .a = scalar(exp.a),
              .b = scalar(exp.b),
              .c = scalar(exp.c)};
  instr.tern = scalar_fn(exp.op, exp.type);
  SKALD_CHECK(instr.tern != nullptr, "interpreter: {} on {}", mnemonic(exp.op),
              prim_name(exp.type));
  emit(instr);
}

void Compiler::node(const Convert& exp) {
  Instr instr{.op = Op::kUn, .dst = pat(0).slot, .a = scalar(exp.arg)};
  instr.un = convert_fn(exp.from, exp.to);
  emit(instr);
}

void Compiler::node(const Bitcast& exp) {
  emit({.op = Op::kMove, .dst = pat(0).slot, .a = scalar(exp.arg)});
}

void Compiler::node(const Select& exp) {
  emit({.op = Op::kSelect,
        .dst = pat(0).slot,
        .a = scalar(exp.cond),
        .b = scalar(exp.then),
        .c = scalar(exp.otherwise)});
}

void Compiler::node(const Assert& exp) {
  auto* code = out_.make<AssertCode>();
  for (const MessagePart& part : exp.message) {
    if (const auto* text = std::get_if<std::string>(&part)) {
      code->message.push_back({*text});
      continue;
    }
    const Operand& operand = std::get<Operand>(part);
    const Name* name = as_name(operand);
    const Prim type = name != nullptr ? find(*name).elem : as_const(operand)->type;
    code->message.push_back({"", scalar(operand), type});
  }
  Instr instr{.op = Op::kAssert, .a = scalar(exp.cond)};
  instr.node = code;
  emit(instr);
}

}  // namespace skald::core::interp
