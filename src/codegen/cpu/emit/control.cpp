// SPDX-License-Identifier: Apache-2.0
// Branches, loops, calls and checks.
#include <llvm/IR/MDBuilder.h>

#include <algorithm>

#include "codegen/cpu/emit/statements.h"
#include "imp/ir/visit.h"
#include "runtime/abi.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// The size of the widest element that the loop loads or stores.
int widest_access(const imp::Body& body) {
  int widest = 1;
  for (const imp::Stmt& stmt : body.stmts) {
    if (const auto* n = imp::as<imp::Load>(stmt)) widest = std::max(widest, prim_size(n->type));
    if (const auto* n = imp::as<imp::Store>(stmt)) widest = std::max(widest, prim_size(n->type));
    imp::for_each_body(
        stmt, [&](const imp::Body& inner) { widest = std::max(widest, widest_access(inner)); });
  }
  return widest;
}

// Tells LLVM what the hint says.  For a simd loop its vectoriser is asked for exactly as many lanes
// as the loop has iterations, in as many registers as that takes; unrolling before it would leave
// it nothing to work on.
void annotate_loop(FunctionEmitter& f, llvm::Instruction* back_branch, const imp::For& loop) {
  llvm::LLVMContext& ctx = f.module.context();
  const auto property = [&](const char* name, llvm::ConstantInt* v) {
    return llvm::MDNode::get(ctx,
                             {llvm::MDString::get(ctx, name), llvm::ConstantAsMetadata::get(v)});
  };
  const bool simd = loop.hint == imp::LoopHint::kSimd;
  std::vector<llvm::Metadata*> list = {
      nullptr, llvm::MDNode::get(ctx, {llvm::MDString::get(ctx, "llvm.loop.unroll.disable")}),
      property("llvm.loop.vectorize.enable", f.b.getInt1(simd))};
  const core::Const* end = core::as_const(loop.end);
  if (simd && end != nullptr) {
    const auto lanes = static_cast<uint32_t>(core::int_value(*end));
    const uint32_t width = std::clamp(
        f.module.vector_bytes() / static_cast<uint32_t>(widest_access(loop.body)), 2u, lanes);
    constexpr uint32_t kMostRegisters = 16;  // LLVM takes no more.
    list.push_back(property("llvm.loop.vectorize.width", f.b.getInt32(width)));
    list.push_back(property("llvm.loop.interleave.count",
                            f.b.getInt32(std::min(lanes / width, kMostRegisters))));
  }
  llvm::MDNode* id = llvm::MDNode::getDistinct(ctx, list);
  id->replaceOperandWith(0, id);
  back_branch->setMetadata(llvm::LLVMContext::MD_loop, id);
}

}  // namespace

void emit_stmt(FunctionEmitter& f, const imp::If& n) {
  if (stores_without_branch(f, n)) return;
  if (n.branch == imp::Branch::kChoose) return both_sides(f, n);
  remember_left_out(f, n.then_body);
  remember_left_out(f, n.else_body);
  llvm::BasicBlock* yes = f.new_block("then");
  llvm::BasicBlock* after = f.new_block("after");
  llvm::BasicBlock* no = n.else_body.stmts.empty() ? after : f.new_block("else");
  f.b.CreateCondBr(f.value(n.cond), yes, no);
  const uint32_t group = f.group, yes_group = f.module.new_group(group);
  uint32_t no_group = 0;
  f.b.SetInsertPoint(yes);
  f.group = yes_group;
  f.body(n.then_body);
  f.b.CreateBr(after);
  if (no != after) {
    f.b.SetInsertPoint(no);
    no_group = f.module.new_group(group);
    f.module.set_rivals(yes_group, no_group);
    f.group = no_group;
    f.body(n.else_body);
    f.b.CreateBr(after);
  }
  if (!f.in_loop) f.module.note_arms(n, yes_group, no_group);
  f.group = group;
  f.b.SetInsertPoint(after);
}

void emit_stmt(FunctionEmitter& f, const imp::For& n) {
  if (n.lanes != nullptr) return f.module.emit_lanes(f, n);
  if (n.beside > 0) return side_by_side(f, n);
  if (n.ahead > 0) return checks_ahead(f, n);
  llvm::Instruction* back =
      f.counted_loop(f.value(n.begin), f.value(n.end), f.value(n.step), n.var, n.type, n.body,
                     n.mark, n.hint == imp::LoopHint::kNone ? n.until : core::Name{});
  // Without a constant number of iterations LLVM knows best whether to vectorise what we did not.
  const bool open_simd = n.hint == imp::LoopHint::kSimd && core::as_const(n.end) == nullptr;
  if (n.hint != imp::LoopHint::kNone && !open_simd) annotate_loop(f, back, n);
}

void emit_stmt(FunctionEmitter& f, const imp::While& n) {
  llvm::BasicBlock* head = f.new_block("while");
  llvm::BasicBlock* inside = f.new_block("body");
  llvm::BasicBlock* after = f.new_block("after");
  f.b.CreateBr(head);
  f.b.SetInsertPoint(head);
  f.b.CreateCondBr(f.value(n.cond), inside, after);
  f.b.SetInsertPoint(inside);
  f.poll(n.mark);
  f.body(n.body);
  f.b.CreateBr(head);
  f.b.SetInsertPoint(after);
}

std::vector<Value*> call_args(FunctionEmitter& f, const imp::Call& n,
                              const std::vector<llvm::AllocaInst*>& results) {
  const imp::Function* callee = f.module.prog().find(n.fn);
  std::vector<Value*> args = {f.ctx};
  for (size_t i = 0; i < n.args.size(); ++i) {
    const imp::Type& param = callee->params[i].type;
    if (param.is_block() && param.space == imp::Space::kHeap)
      args.push_back(f.block_pointer(*core::as_name(n.args[i])));
    else
      args.push_back(f.value(n.args[i]));
  }
  args.insert(args.end(), results.begin(), results.end());
  return args;
}

Value* call_function(FunctionEmitter& f, const imp::Call& n,
                     const std::vector<llvm::AllocaInst*>& results) {
  const std::vector<Value*> args = call_args(f, n, results);
  if (f.recursion != nullptr && n.fn == f.source.name) return call_self(f, args);
  return f.b.CreateCall(f.module.function(n.fn), args);
}

void after_call(FunctionEmitter& f, const imp::Call& n, Value* failed) {
  llvm::BasicBlock* unwind = f.new_block("unwind");
  llvm::BasicBlock* go_on = f.new_block("go_on");
  f.b.CreateCondBr(f.b.CreateICmpNE(failed, f.b.getInt32(0)), unwind, go_on,
                   llvm::MDBuilder(f.module.context()).createUnlikelyBranchWeights());
  f.b.SetInsertPoint(unwind);
  f.add_frame(n.loc);
  f.b.CreateBr(f.failure_exit());
  f.b.SetInsertPoint(go_on);
}

void emit_stmt(FunctionEmitter& f, const imp::Call& n) {
  std::vector<llvm::AllocaInst*> results;
  for (const imp::Decl& d : n.results)
    results.push_back(f.variable(d.type.is_block() ? f.b.getPtrTy()
                                                   : memory_type(f.module.context(), d.type.prim)));
  after_call(f, n, call_function(f, n, results));
  for (size_t i = 0; i < results.size(); ++i) {
    const imp::Decl& d = n.results[i];
    Value* result = f.b.CreateLoad(results[i]->getAllocatedType(), results[i]);
    if (d.type.is_block()) {
      f.own(d.name);
      f.set_block(f.slots.at(d.name.id), result, f.load_data_pointer(result));
    } else {
      if (d.type.prim == Prim::kBool) result = f.b.CreateTrunc(result, f.b.getInt1Ty());
      f.bind(d.name, d.type.prim, result);
    }
  }
}

void emit_stmt(FunctionEmitter& f, const imp::Check& n) {
  if (f.on_failure != nullptr) {
    llvm::BasicBlock* fine = f.new_block("checked");
    f.b.CreateCondBr(f.value(n.cond), fine, f.on_failure,
                     llvm::MDBuilder(f.module.context()).createLikelyBranchWeights());
    return f.b.SetInsertPoint(fine);
  }
  llvm::BasicBlock* failing = f.new_block("failing");
  llvm::BasicBlock* go_on = f.new_block("checked");
  // One branch: which of two conditions lets it pass, such as that a slice is empty, may be
  // unforeseeable although that it passes is not.
  Value* cond = f.value(n.cond);
  llvm::MDBuilder metadata(f.module.context());
  const auto* either = llvm::dyn_cast<llvm::BinaryOperator>(cond);
  const bool is_or = either != nullptr && either->getOpcode() == llvm::Instruction::Or;
  f.b.CreateCondBr(cond, go_on, failing, metadata.createLikelyBranchWeights(),
                   is_or ? metadata.createUnpredictable() : nullptr);
  f.b.SetInsertPoint(failing);
  std::vector<core::Operand> operands;
  const auto type_of = [&](const core::Operand& operand) {
    const core::Const* c = core::as_const(operand);
    return c != nullptr ? c->type : f.slots.at(core::as_name(operand)->id).type.prim;
  };
  FailureMessage message = clike::failure_message(n, type_of, operands);
  std::vector<Value*> values;
  for (const core::Operand& operand : operands)
    values.push_back(to_bits(f.b, type_of(operand), f.value(operand)));
  Value* array = llvm::ConstantPointerNull::get(f.b.getPtrTy());
  if (!values.empty()) {
    if (f.failure_values == nullptr)
      f.failure_values =
          f.variable(llvm::ArrayType::get(f.b.getInt64Ty(), SKALD_RT_MAX_FAIL_VALUES));
    array = f.failure_values;
    for (size_t i = 0; i < values.size(); ++i)
      f.b.CreateStore(values[i], f.b.CreateConstInBoundsGEP1_64(f.b.getInt64Ty(), array, i));
  }
  f.b.CreateCall(
      f.module.runtime("skald_rt_fail", f.b.getVoidTy(),
                       {f.b.getPtrTy(), f.b.getInt64Ty(), f.b.getPtrTy(), f.b.getInt32Ty()}),
      {f.ctx, f.b.getInt64(static_cast<uint64_t>(f.module.add_failure(std::move(message)))), array,
       f.b.getInt32(static_cast<uint32_t>(values.size()))});
  f.b.CreateBr(f.failure_exit());
  f.b.SetInsertPoint(go_on);
}

void emit_stmt(FunctionEmitter& f, const imp::ChunkSize& n) {
  f.bind(n.name, Prim::kI64,
         f.b.CreateCall(f.module.runtime("skald_rt_chunk_size", f.b.getInt64Ty(),
                                         {f.b.getInt64Ty(), f.b.getInt64Ty()}),
                        {f.value(n.count), f.value(n.least)}));
}

void emit_stmt(FunctionEmitter& f, const imp::Workers& n) {
  Value* threads = f.b.CreateCall(
      f.module.runtime("skald_rt_workers", f.b.getInt32Ty(), {f.b.getPtrTy()}), {f.ctx});
  f.bind(n.name, Prim::kI64, f.b.CreateSExt(threads, f.b.getInt64Ty()));
}

}  // namespace skald::cpu
