// SPDX-License-Identifier: Apache-2.0
#include "codegen/clike/host_code.h"

#include <algorithm>

#include "codegen/clike/host_operators.h"
#include "imp/analysis/block_classes.h"
#include "imp/ir/visit.h"

namespace skald::clike {

using core::Name;
using core::Operand;
using runtime::Instruction;

namespace {

// Names that a body uses, in the order of their first use.
void used_names(const imp::Body& body, std::vector<Name>& out, std::unordered_set<Name>& seen) {
  const auto use = [&](const Operand& operand) {
    if (const Name* name = core::as_name(operand); name && seen.insert(*name).second)
      out.push_back(*name);
  };
  for (const imp::Stmt& stmt : body.stmts) {
    imp::for_each_use(stmt, use);
    imp::for_each_body(stmt, [&](const imp::Body& inner) { used_names(inner, out, seen); });
  }
}

struct Access {
  bool read = false, written = false;
  bool fresh = false;  // other threads change it meanwhile
};

void find_accesses(const imp::Body& body, std::unordered_map<Name, Access>& out) {
  for (const imp::Stmt& stmt : body.stmts) {
    if (const auto* n = imp::as<imp::Load>(stmt)) {
      out[n->block].read = true;
      out[n->block].fresh |= n->fresh || n->near;
    }
    if (const auto* n = imp::as<imp::Store>(stmt)) {
      out[n->block].written = true;
      out[n->block].fresh |= n->fresh;
    }
    if (const auto* n = imp::as<imp::Fill>(stmt)) out[n->block].written = true;
    if (const auto* n = imp::as<imp::CopyBytes>(stmt)) {
      out[n->src].read = true;
      out[n->dest].written = true;
    }
    if (const auto* n = imp::as<imp::Misaligned>(stmt)) out[n->block].read = true;
    if (const auto* n = imp::as<imp::Atomic>(stmt)) out[n->block] = {true, true, true};
    if (const auto* n = imp::as<imp::AtomicUpdate>(stmt)) out[n->block] = {true, true, true};
    if (const auto* n = imp::as<imp::FetchAdd>(stmt)) out[n->block] = {true, true, true};
    if (const auto* n = imp::as<imp::Locked>(stmt)) out[n->block] = {true, true, true};
    // Under another name, anything may happen to it.
    if (const auto* n = imp::as<imp::BlockVar>(stmt); n && n->init) out[n->init] = {true, true};
    if (const auto* n = imp::as<imp::BlockAssign>(stmt)) out[n->value] = {true, true};
    if (const auto* n = imp::as<imp::Call>(stmt))
      for (const Operand& arg : n->args)
        if (const Name* name = core::as_name(arg)) out[*name] = {true, true};
    imp::for_each_body(stmt, [&](const imp::Body& inner) { find_accesses(inner, out); });
  }
}

// The blocks that no other name of the kernel can change.
std::unordered_set<Name> unaliased(const imp::Launch& launch,
                                   const std::vector<imp::Decl>& captured,
                                   std::unordered_map<Name, Access>& accesses,
                                   const imp::SameBlocks& same) {
  std::vector<Name> blocks;
  for (const imp::Decl& d : captured)
    if (d.type.is_block()) blocks.push_back(d.name);
  imp::BlockClasses classes(launch.body, blocks, same);
  std::unordered_set<Name> alone;
  for (const Name block : blocks)
    if (!accesses[block].fresh && std::ranges::none_of(blocks, [&](Name other) {
          return other != block && (accesses[block].written || accesses[other].written) &&
                 classes.may_overlap(block, other);
        }))
      alone.insert(block);
  return alone;
}

}  // namespace

// ---- registers

size_t HostCode::emit(Instruction instruction) {
  fn_.code.push_back(instruction);
  return fn_.code.size() - 1;
}

void HostCode::emit_binary(int32_t dst, int32_t a, int32_t b, const std::string& name) {
  emit({.op = Op::kBinary, .dst = dst, .a = a, .b = b, .imm = host_operator(name)});
}

int64_t HostCode::host_operator(const std::string& name) {
  const auto found = std::ranges::find(out_.operators, name);
  if (found != out_.operators.end()) return found - out_.operators.begin();
  out_.operators.push_back(name);
  return static_cast<int64_t>(out_.operators.size()) - 1;
}

int32_t HostCode::reg(const Operand& operand) {
  if (const Name* name = core::as_name(operand)) return registers_.at(*name);
  const core::Const& c = *core::as_const(operand);
  const auto [found, added] = constants_.try_emplace({c.type, c.bits}, 0);
  if (added) found->second = fresh();
  return found->second;
}

int32_t HostCode::bind(Name name, imp::Type type) {
  types_[name] = type;
  return registers_[name] = fresh();
}

Prim HostCode::type_of(const Operand& operand) const {
  if (const core::Const* c = core::as_const(operand)) return c->type;
  return types_.at(*core::as_name(operand)).prim;
}

void HostCode::own(Name name) {
  fn_.owned.push_back(registers_.at(name));
  owned_.back().push_back(registers_.at(name));
}

// ---- functions and bodies

runtime::FunctionCode HostCode::function(const imp::Function& fn) {
  fn_.name = fn.name;
  fn_.once = fn.once;
  same_.emplace(fn);
  for (const imp::Decl& d : fn.params) {
    fn_.params.push_back(bind(d.name, d.type));
    fn_.param_is_block.push_back(d.type.is_block());
  }
  owned_.emplace_back();
  statements(fn.body);
  for (const imp::Type& type : fn.results) fn_.result_is_block.push_back(type.is_block());
  for (const Operand& result : fn.ret) fn_.results.push_back(reg(result));
  emit({.op = Op::kReturn});
  // Constants first; jumps count from there.
  std::vector<Instruction> code;
  for (const auto& [value, target] : constants_)
    code.push_back({.op = Op::kConst, .dst = target, .imm = static_cast<int64_t>(value.second)});
  const auto shift = static_cast<int64_t>(code.size());
  for (Instruction& instruction : fn_.code) {
    if (instruction.op == Op::kJump || instruction.op == Op::kJumpUnless) instruction.imm += shift;
    code.push_back(instruction);
  }
  fn_.code = std::move(code);
  return std::move(fn_);
}

void HostCode::statements(const imp::Body& body) {
  for (const imp::Stmt& s : body.stmts) imp::visit(s.node, [&](const auto& n) { stmt(n); });
}

void HostCode::body(const imp::Body& body) {
  owned_.emplace_back();
  statements(body);
  for (size_t k = owned_.back().size(); k-- > 0;)
    emit({.op = Op::kRelease, .dst = owned_.back()[k]});
  owned_.pop_back();
}

// ---- scalars

void HostCode::stmt(const imp::Let& n) {
  Instruction i;
  if (const auto* e = std::get_if<core::Value>(&n.exp)) {
    i = {.op = Op::kMove, .a = reg(e->arg)};
  } else if (const auto* e = std::get_if<core::UnOp>(&n.exp)) {
    i = {.op = Op::kUnary, .a = reg(e->arg)};
    i.imm = host_operator(host_operator_name(e->op, e->type));
  } else if (const auto* e = std::get_if<core::BinOp>(&n.exp)) {
    i = {.op = Op::kBinary, .a = reg(e->lhs), .b = reg(e->rhs)};
    if (e->type == Prim::kI64 && e->op == core::BinOpKind::kAdd) i.op = Op::kAdd;
    if (e->type == Prim::kI64 && e->op == core::BinOpKind::kSub) i.op = Op::kSub;
    if (e->type == Prim::kI64 && e->op == core::BinOpKind::kMul) i.op = Op::kMul;
    if (i.op == Op::kBinary) i.imm = host_operator(host_operator_name(e->op, e->type));
  } else if (const auto* e = std::get_if<core::CmpOp>(&n.exp)) {
    i = {.op = Op::kBinary, .a = reg(e->lhs), .b = reg(e->rhs)};
    if (e->type == Prim::kI64 && e->op == core::CmpOpKind::kLt)
      i.op = Op::kLess;
    else
      i.imm = host_operator(host_operator_name(e->op, e->type));
  } else if (const auto* e = std::get_if<core::TernOp>(&n.exp)) {
    i = {.op = Op::kTernary, .a = reg(e->a), .b = reg(e->b), .c = reg(e->c)};
    i.imm = host_operator(host_operator_name(e->op, e->type));
  } else if (const auto* e = std::get_if<core::Convert>(&n.exp)) {
    i = {.op = Op::kUnary, .a = reg(e->arg)};
    i.imm = host_operator(host_convert_name(e->from, e->to));
  } else if (const auto* e = std::get_if<core::Bitcast>(&n.exp)) {
    i = {.op = Op::kMove, .a = reg(e->arg)};
  } else {
    const auto& select = std::get<core::Select>(n.exp);
    i = {.op = Op::kSelect,
         .a = reg(select.cond),
         .b = reg(select.then),
         .c = reg(select.otherwise)};
  }
  i.dst = bind(n.name, imp::scalar(n.type));
  emit(i);
}

void HostCode::stmt(const imp::Var& n) {
  const int32_t from = reg(n.init);
  emit({.op = Op::kMove, .dst = bind(n.name, imp::scalar(n.type)), .a = from});
}

void HostCode::stmt(const imp::Assign& n) {
  emit({.op = Op::kMove, .dst = reg(n.var), .a = reg(n.value)});
}

namespace {

// The instruction for a parameter that the device knows.
std::optional<runtime::Op> fact_of(std::string_view param_class) {
  using runtime::Op;
  if (param_class == core::kLocalMemoryClass) return Op::kLocalMemory;
  if (param_class == core::kComputeUnitsClass) return Op::kComputeUnits;
  if (param_class == core::kFloatSumsClass) return Op::kFloatSums;
  if (param_class == core::kGroupThreadsClass) return Op::kGroupThreads;
  return std::nullopt;
}

}  // namespace

void HostCode::stmt(const imp::Tunable& n) {
  if (const std::optional<Op> fact = fact_of(n.param_class)) {
    // No more than the device has.
    const Operand chosen = text_.tunable(n);
    const bool is_chosen = !(chosen == n.fallback);
    const int32_t fallback = reg(n.fallback), limit = reg(chosen);
    const int32_t to = bind(n.name, imp::scalar(Prim::kI64));
    emit({.op = *fact, .dst = to, .a = fallback});
    if (!is_chosen) return;
    emit_binary(to, to, limit, host_operator_name(core::BinOpKind::kMin, Prim::kI64));
    return;
  }
  const int32_t from = reg(text_.tunable(n));
  emit({.op = Op::kMove, .dst = bind(n.name, imp::scalar(Prim::kI64)), .a = from});
}

void HostCode::stmt(const imp::Trace& n) {
  runtime::TraceCode trace{n.tag, n.type, reg(n.block), reg(n.index), {}};
  for (const Operand& dim : n.shape) trace.shape.push_back(reg(dim));
  out_.traces.push_back(std::move(trace));
  emit({.op = Op::kTrace, .imm = static_cast<int64_t>(out_.traces.size()) - 1});
}

// ---- memory

void HostCode::stmt(const imp::Load& n) {
  const int32_t block = reg(n.block), index = reg(n.index);
  emit({.op = Op::kLoad,
        .prim = n.type,
        .dst = bind(n.name, imp::scalar(n.type)),
        .a = block,
        .b = index});
}

void HostCode::stmt(const imp::Store& n) {
  emit({.op = Op::kStore, .prim = n.type, .a = reg(n.block), .b = reg(n.index), .c = reg(n.value)});
}

void HostCode::stmt(const imp::Alloc& n) {
  const int32_t bytes = reg(n.bytes);
  const Op op = n.space == imp::Space::kDevice ? Op::kAllocDevice : Op::kAllocHost;
  emit({.op = op,
        .dst = bind(n.name, imp::block(n.space)),
        .a = bytes,
        .b = static_cast<int32_t>(n.loc.index)});
  own(n.name);
}

void HostCode::stmt(const imp::BlockVar& n) {
  const bool owning = imp::is_owning(n.space);
  const int32_t from = n.init ? reg(n.init) : 0;
  const int32_t to = bind(n.name, imp::block(n.space));
  if (owning) own(n.name);
  if (!n.init)
    emit({.op = owning ? Op::kRelease : Op::kConst, .dst = to});
  else
    emit({.op = owning ? Op::kSetBlock : Op::kMove, .dst = to, .a = from});
}

void HostCode::stmt(const imp::BlockAssign& n) {
  const bool owning = imp::is_owning(types_.at(n.var).space);
  emit({.op = owning ? Op::kSetBlock : Op::kMove, .dst = reg(n.var), .a = reg(n.value)});
}

void HostCode::stmt(const imp::Free& n) {
  emit({.op = Op::kRelease, .dst = reg(n.block)});
}

void HostCode::stmt(const imp::CopyBytes& n) {
  out_.copies.push_back(
      {reg(n.dest), reg(n.dest_offset), reg(n.src), reg(n.src_offset), reg(n.bytes)});
  emit({.op = Op::kCopy, .imm = static_cast<int64_t>(out_.copies.size()) - 1});
}

void HostCode::stmt(const imp::Fill& n) {
  emit({.op = Op::kFill,
        .prim = n.type,
        .a = reg(n.block),
        .b = reg(n.start),
        .c = reg(n.value),
        .imm = reg(n.count)});
}

// ---- control

void HostCode::stmt(const imp::If& n) {
  const size_t otherwise = emit({.op = Op::kJumpUnless, .a = reg(n.cond)});
  body(n.then_body);
  if (n.else_body.stmts.empty()) return patch(otherwise);
  const size_t end = emit({.op = Op::kJump});
  patch(otherwise);
  body(n.else_body);
  patch(end);
}

void HostCode::stmt(const imp::For& n) {
  const int32_t begin = reg(n.begin), end = reg(n.end), step = reg(n.step);
  const int32_t var = bind(n.var, imp::scalar(n.type));
  emit({.op = Op::kMove, .dst = var, .a = begin});
  counted_loop(var, n.type, end, step, [&] { body(n.body); }, n.mark.loc);
}

void HostCode::counted_loop(int32_t var, Prim type, int32_t end, int32_t step,
                            const std::function<void()>& inside, core::Loc loc) {
  const int32_t more = fresh();
  const auto head = static_cast<int64_t>(here());
  emit_binary(more, var, end, host_operator_name(core::CmpOpKind::kLt, type));
  const size_t exit = emit({.op = Op::kJumpUnless, .a = more});
  inside();
  emit_binary(var, var, step, host_operator_name(core::BinOpKind::kAdd, type));
  jump_back(head, loc);
  patch(exit);
}

void HostCode::stmt(const imp::ParallelFor& n) {
  const int32_t end = reg(n.count), var = bind(n.var, imp::scalar(Prim::kI64));
  emit({.op = Op::kMove, .dst = var, .a = reg(core::const_i64(0))});
  counted_loop(var, Prim::kI64, end, reg(core::const_i64(1)), [&] { body(n.body); }, n.mark.loc);
}

void HostCode::stmt(const imp::ParallelRange& n) {
  const int32_t end = reg(n.count);
  emit({.op = Op::kMove,
        .dst = bind(n.begin, imp::scalar(Prim::kI64)),
        .a = reg(core::const_i64(0))});
  emit({.op = Op::kMove, .dst = bind(n.end, imp::scalar(Prim::kI64)), .a = end});
  body(n.body);
}

void HostCode::stmt(const imp::ParallelChunks& n) {
  const int32_t count = reg(n.count), size = reg(n.size);
  const int32_t begin = bind(n.begin, imp::scalar(Prim::kI64));
  const int32_t end = bind(n.end, imp::scalar(Prim::kI64));
  const int32_t chunk = bind(n.chunk, imp::scalar(Prim::kI64));
  const int32_t zero = reg(core::const_i64(0)), one = reg(core::const_i64(1));
  emit({.op = Op::kMove, .dst = begin, .a = zero});
  emit({.op = Op::kMove, .dst = chunk, .a = zero});
  counted_loop(begin, Prim::kI64, count, size, [&] {
    emit({.op = Op::kAdd, .dst = end, .a = begin, .b = size});
    emit_binary(end, end, count, host_operator_name(core::BinOpKind::kMin, Prim::kI64));
    body(n.body);
    emit({.op = Op::kAdd, .dst = chunk, .a = chunk, .b = one});
  });
}

void HostCode::stmt(const imp::Workers& n) {
  const int32_t one = reg(core::const_i64(1));
  emit({.op = Op::kMove, .dst = bind(n.name, imp::scalar(Prim::kI64)), .a = one});
}

void HostCode::stmt(const imp::MyTurn& n) {
  const int32_t yes = reg(core::const_bool(true));
  emit({.op = Op::kMove, .dst = bind(n.name, imp::scalar(Prim::kBool)), .a = yes});
}

void HostCode::stmt(const imp::ChunkSize& n) {
  const int32_t count = reg(n.count), least = reg(n.least);
  emit_binary(bind(n.name, imp::scalar(Prim::kI64)), count, least, std::string(kChunkSizeOperator));
}

void HostCode::stmt(const imp::While& n) {
  const auto head = static_cast<int64_t>(here());
  const size_t exit = emit({.op = Op::kJumpUnless, .a = reg(n.cond)});
  body(n.body);
  jump_back(head, n.mark.loc);
  patch(exit);
}

void HostCode::jump_back(int64_t head, core::Loc loc) {
  emit({.op = Op::kJump, .b = static_cast<int32_t>(loc.index), .imm = head});
}

void HostCode::stmt(const imp::Call& n) {
  runtime::CallCode call{functions_.at(n.fn), {}, {}, static_cast<int32_t>(n.loc.index)};
  for (const Operand& arg : n.args) call.args.push_back(reg(arg));
  for (const imp::Decl& d : n.results) {
    call.results.push_back(bind(d.name, d.type));
    if (d.type.is_block()) own(d.name);
  }
  out_.calls.push_back(std::move(call));
  emit({.op = Op::kCall, .imm = static_cast<int64_t>(out_.calls.size()) - 1});
}

void HostCode::stmt(const imp::Check& n) {
  // Skip the failure if the condition holds.
  const size_t failing = emit({.op = Op::kJumpUnless, .a = reg(n.cond)});
  const size_t fine = emit({.op = Op::kJump});
  patch(failing);
  std::vector<Operand> values;
  runtime::FailCode fail{
      text_.add_failure(n, [&](const Operand& o) { return type_of(o); }, values), {}};
  for (const Operand& value : values) fail.values.push_back(reg(value));
  out_.failures.push_back(std::move(fail));
  emit({.op = Op::kFail, .imm = static_cast<int64_t>(out_.failures.size()) - 1});
  patch(fine);
}

void HostCode::stmt(const imp::Launch& n) {
  std::vector<Name> used;
  std::unordered_set<Name> seen;
  used_names(n.body, used, seen);
  std::unordered_map<Name, Access> accesses;
  find_accesses(n.body, accesses);
  runtime::LaunchCode launch{static_cast<int32_t>(text_.kernels.size()),
                             reg(n.groups),
                             reg(n.scratch),
                             reg(n.threads),
                             n.shared == Operand{core::const_i64(0)} ? -1 : reg(n.shared),
                             {}};
  std::vector<imp::Decl> captured;
  for (const Name name : used) {
    // What is bound inside the body has no register here.
    const auto found = registers_.find(name);
    if (found == registers_.end()) continue;
    const imp::Type type = types_.at(name);
    captured.push_back({name, type});
    const Access access = accesses[name];
    launch.args.push_back({found->second, type.is_block(), access.read && access.written});
  }
  std::string kernel = fn_.name;
  for (char& c : kernel)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  text_.add_kernel(fmt::format("k{}_{}", text_.kernels.size(), kernel), n, captured,
                   unaliased(n, captured, accesses, *same_));
  out_.launches.push_back(std::move(launch));
  emit({.op = Op::kLaunch, .imm = static_cast<int64_t>(out_.launches.size()) - 1});
}

}  // namespace skald::clike
