// SPDX-License-Identifier: Apache-2.0
#include "core/interp/compile/compile.h"

#include <algorithm>

#include "core/interp/compile/compiler.h"
#include "core/ir/visit.h"
#include "support/bug.h"

namespace skald::core::interp {

// ---- names and operands ------------------------------------------------------------------------

namespace {

Kind kind_of(const Type& type) {
  switch (type.kind) {
    case Type::kArray: return type.shape.empty() ? Kind::kScalar : Kind::kArray;
    case Type::kToken: return Kind::kNone;
    case Type::kAcc: return Kind::kAcc;
    case Type::kMem: return Kind::kMem;
  }
  return Kind::kNone;
}

}  // namespace

Binding Compiler::declare(const Param& param) {
  const Kind kind = kind_of(param.type);
  NameSlot& entry = slots_.at(param.name.id);
  if (entry.kind == Kind::kNone && kind != Kind::kNone) {
    entry.kind = kind;
    entry.elem = param.type.elem;
    entry.rank = param.type.rank();
    entry.slot = is_scalar_slot(kind) ? out_.scalars++ : out_.arrays++;
  }
  Binding binding{kind, entry.slot, param.type.elem};
  if (kind != Kind::kArray) return binding;
  // The sizes may be bound by the same list, so they are resolved afterwards.
  return binding;
}

std::vector<Binding> Compiler::declare(const std::vector<Param>& params) {
  std::vector<Binding> bindings;
  for (const Param& param : params) bindings.push_back(declare(param));
  for (size_t k = 0; k < params.size(); ++k) {
    if (bindings[k].kind != Kind::kArray) continue;
    bindings[k].dims = scalars(params[k].type.shape);
    for (const MemLoc& mem : params[k].mem)
      bindings[k].place = {find(mem.block).slot, scalar(mem.offset), scalars(mem.strides)};
  }
  return bindings;
}

Binding Compiler::result_type(const Ret& ret) const {
  return {kind_of(ret.type), 0, ret.type.elem};
}

const NameSlot& Compiler::find(Name name) const {
  const NameSlot& entry = slots_.at(name.id);
  SKALD_CHECK(entry.kind != Kind::kNone, "interpreter: {} is not in scope", prog_.names.text(name));
  return entry;
}

Slot Compiler::constant(uint64_t bits) {
  const auto [entry, is_new] = constants_.try_emplace(bits, out_.scalars);
  if (is_new) out_.constants.emplace_back(out_.scalars++, bits);
  return entry->second;
}

Slot Compiler::scalar(const Operand& operand) {
  if (const Const* c = as_const(operand)) return constant(c->bits);
  const NameSlot& entry = find(*as_name(operand));
  SKALD_CHECK(is_scalar_slot(entry.kind), "interpreter: {} is not a scalar",
              prog_.names.text(*as_name(operand)));
  return entry.slot;
}

std::vector<Slot> Compiler::scalars(const std::vector<Operand>& operands) {
  std::vector<Slot> slots;
  for (const Operand& operand : operands) slots.push_back(scalar(operand));
  return slots;
}

Use Compiler::read(const Operand& operand) {
  if (const Const* c = as_const(operand)) return {Kind::kScalar, constant(c->bits)};
  const NameSlot& entry = slots_.at(as_name(operand)->id);
  return {entry.kind, entry.slot};
}

Use Compiler::take(const Operand& operand) {
  Use use = read(operand);
  if (use.kind == Kind::kArray) {
    const Name name = *as_name(operand);
    use.move = std::binary_search(deaths_->names.begin(), deaths_->names.end(), name) &&
               deaths_->mentions.at(name) == 1;
  }
  return use;
}

std::vector<Use> Compiler::read_all(const std::vector<Name>& names) {
  std::vector<Use> uses;
  for (Name name : names) uses.push_back(read(name));
  return uses;
}

std::vector<Use> Compiler::take_all(const std::vector<Operand>& operands) {
  std::vector<Use> uses;
  for (const Operand& operand : operands) uses.push_back(take(operand));
  return uses;
}

// ---- bodies ------------------------------------------------------------------------------------

Code Compiler::body(const Body& body, const Owned& owned) {
  // Nested bodies interrupt the one at hand.
  Code code;
  Code* const outer_code = std::exchange(code_, &code);
  const Loc outer_loc = loc_;
  const Stmt* const outer_stmt = stmt_;
  const Deaths::AtStmt* const outer_deaths = deaths_;

  for (const Stmt& stmt : body.stmts)
    for (const Param& param : stmt.pat) declare(param);
  const Deaths deaths = find_deaths(body, owned, *mentions_);
  for (size_t k = 0; k < body.stmts.size(); ++k) stmt(body.stmts[k], deaths.stmts[k]);
  for (size_t k = 0; k < body.result.size(); ++k) {
    Use use = read(body.result[k]);
    use.move = deaths.results[k];
    code.results.push_back(use);
  }

  code_ = outer_code;
  loc_ = outer_loc;
  stmt_ = outer_stmt;
  deaths_ = outer_deaths;
  return code;
}

LambdaCode Compiler::lambda(const Lambda& fn) {
  LambdaCode code;
  code.params = declare(fn.params);
  Owned owned;
  for (const Param& param : fn.params) owned.insert(param.name);
  code.code = body(fn.body, owned);
  for (const Ret& ret : fn.results) {
    Binding type = result_type(ret);
    // A size that only the lambda knows (irregular results) has no slot; nobody asks for it.
    for (const Operand& dim : ret.type.shape) {
      const Name* name = as_name(dim);
      const bool known = name == nullptr || is_scalar_slot(slots_.at(name->id).kind);
      if (type.kind == Kind::kArray) type.dims.push_back(known ? scalar(dim) : 0);
    }
    code.results.push_back(std::move(type));
  }
  const auto& instrs = code.code.instrs;
  if (code.params.size() == 2 && instrs.size() == 1 && instrs[0].op == Op::kBin &&
      code.code.results.size() == 1 && code.code.results[0].slot == instrs[0].dst &&
      code.params[0].kind == Kind::kScalar && instrs[0].a == code.params[0].slot &&
      instrs[0].b == code.params[1].slot)
    code.direct = instrs[0].bin;
  return code;
}

Carry Compiler::carry(const std::vector<Use>& from, std::vector<Binding> to) const {
  SKALD_CHECK(from.size() == to.size(), "interpreter: {} values for {} parameters", from.size(),
              to.size());
  Carry carry{from, std::move(to)};
  for (size_t k = 0; k < from.size(); ++k)
    for (size_t j = 0; j < from.size(); ++j)
      if (j != k && is_scalar_slot(from[k].kind) == is_scalar_slot(carry.to[j].kind) &&
          from[k].slot == carry.to[j].slot)
        carry.clash = true;
  return carry;
}

void Compiler::emit_node(Op op, const void* node) {
  Instr instr{.op = op};
  instr.node = node;
  emit(instr);
}

Binding Compiler::pat(size_t k) const {
  return pats().at(k);
}

std::vector<Binding> Compiler::pats() const {
  // Declared before; this only resolves the types again.
  return const_cast<Compiler*>(this)->declare(stmt_->pat);
}

void Compiler::stmt(const Stmt& stmt, const Deaths::AtStmt& deaths) {
  stmt_ = &stmt;
  deaths_ = &deaths;
  loc_ = stmt.loc;
  visit(stmt.exp, [&](const auto& exp) { node(exp); });
  for (const Binding& binding : pats()) {
    if (binding.kind != Kind::kArray) continue;
    auto* bound = out_.make<Binding>();
    *bound = binding;
    emit_node(Op::kBound, bound);
  }
  for (Name name : deaths.names) emit({.op = Op::kRelease, .a = find(name).slot});
}

// ---- functions ---------------------------------------------------------------------------------

void Compiler::function(const Function& fn) {
  mentions_.emplace(fn);
  out_.fn = &fn;
  out_.params = declare(fn.params);
  Owned owned;
  for (const Param& param : fn.params) owned.insert(param.name);
  out_.code = body(fn.body, owned);
  for (const Ret& ret : fn.results) out_.results.push_back(result_type(ret));
}

void compile_function(const Program& prog, const Function& fn, const Tuning& tuning,
                      NameSlots& slots, FunctionCode& out) {
  Compiler(prog, tuning, slots, out).function(fn);
}

}  // namespace skald::core::interp
