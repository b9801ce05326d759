// SPDX-License-Identifier: Apache-2.0
// Parallel loops: the body becomes a function of its own, called by the runtime for pieces of the
// iterations.  What the body uses of the code around it travels in an environment on the stack.
#include <llvm/IR/MDBuilder.h>

#include <unordered_set>

#include "codegen/cpu/emit/function_emitter.h"
#include "codegen/cpu/image/kernel.h"
#include "codegen/cpu/optimise/optimise.h"
#include "imp/ir/visit.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// Adds what is computed from names in `found`, directly or not.
void add_computed_from(const imp::Body& body, std::unordered_set<uint32_t>& found) {
  for (const imp::Stmt& stmt : body.stmts) {
    if (const imp::Let* let = imp::as<imp::Let>(stmt)) {
      imp::for_each_use(stmt, [&](const core::Operand& operand) {
        const core::Name* name = core::as_name(operand);
        if (name != nullptr && found.contains(name->id)) found.insert(let->name.id);
      });
    }
    imp::for_each_body(stmt, [&](const imp::Body& inner) { add_computed_from(inner, found); });
  }
}

bool is_heap(const imp::Type& type) {
  return type.is_block() && type.space == imp::Space::kHeap;
}

}  // namespace

void used_names(std::span<const imp::Stmt> stmts, std::vector<core::Name>& out,
                std::unordered_set<uint32_t>& seen) {
  const auto use = [&](const core::Operand& operand) {
    if (const core::Name* name = core::as_name(operand); name && seen.insert(name->id).second)
      out.push_back(*name);
  };
  for (const imp::Stmt& stmt : stmts) {
    imp::for_each_use(stmt, use);
    imp::for_each_body(stmt, [&](const imp::Body& inner) { used_names(inner.stmts, out, seen); });
  }
}

FunctionEmitter::Environment FunctionEmitter::capture(const imp::Body& body, Value* extra) {
  std::vector<core::Name> used;
  std::unordered_set<uint32_t> seen;
  used_names(body.stmts, used, seen);
  Environment env{.body = &body};
  std::vector<llvm::Type*> types = {b_.getPtrTy()};
  std::vector<Value*> values = {ctx_};
  for (core::Name name : used) {
    // What is bound inside the body has no slot here yet.
    auto slot = slots_.find(name.id);
    if (slot == slots_.end()) continue;
    env.captured.push_back(name);
    if (slot->second.type.is_block()) env.blocks.push_back(name);
    values.push_back(value(name));
    types.push_back(values.back()->getType());
    if (is_heap(slot->second.type)) {
      values.push_back(block_pointer(name));
      types.push_back(b_.getPtrTy());
    }
  }
  if (extra != nullptr) {
    values.push_back(extra);
    types.push_back(extra->getType());
  }
  env.type = llvm::StructType::get(m_.context(), types);
  env.address = variable(env.type);
  for (unsigned i = 0; i < values.size(); ++i)
    b_.CreateStore(values[i], b_.CreateStructGEP(env.type, env.address, i));
  return env;
}

Value* FunctionEmitter::unpack(const FunctionEmitter& outer, const Environment& env,
                               Value* address) {
  unsigned field = 0;
  const auto next = [&] {
    Value* place = b_.CreateStructGEP(env.type, address, field);
    auto* loaded = b_.CreateLoad(env.type->getElementType(field), place);
    loaded->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(m_.context(), {}));
    ++field;
    return loaded;
  };
  ctx_ = next();
  for (core::Name name : env.captured) {
    Slot slot{.type = outer.slots_.at(name.id).type};
    slot.value = next();
    if (is_heap(slot.type)) slot.block = next();
    slots_[name.id] = slot;
  }
  return field < env.type->getNumElements() ? next() : nullptr;
}

llvm::Function* FunctionEmitter::new_loop_function() {
  auto* type = llvm::FunctionType::get(
      b_.getInt32Ty(), {b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty(), b_.getInt32Ty()}, false);
  auto* fn = llvm::Function::Create(type, llvm::Function::InternalLinkage,
                                    m_.loop_name(source_.name), m_.module());
  fn->setDoesNotThrow();
  fn->addFnAttr(llvm::Attribute::NoInline);
  return fn;
}

template <class Inner>
llvm::Function* FunctionEmitter::outline(const Environment& env, const Inner& inner) {
  llvm::Function* fn = new_loop_function();
  fn->addParamAttr(0, llvm::Attribute::NoAlias);
  AliasClasses aliases(*env.body, env.blocks, aliases_.same(), m_.context());
  FunctionEmitter loop(m_, fn, source_, aliases);
  loop.in_loop_ = true;
  Value* extra = loop.unpack(*this, env, fn->getArg(0));
  inner(loop, fn->getArg(1), fn->getArg(2), extra);
  if (loop.streams_) loop.stream_fence();
  loop.b_.CreateRet(b_.getInt32(0));
  loop.emit_failure_exit();
  loop.finish_variables();
  return fn;
}

Value* FunctionEmitter::kernel_code(llvm::Function* body) {
  if (in_loop_ || !m_.lazy()) return body;
  // Found once for each launch and not for each piece: pieces are measured.
  const uint32_t number = m_.add_kernel(body, group_);
  Value* table = m_.module().getOrInsertGlobal(kKernelTable, b_.getInt8Ty());
  Value* row = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), table, number * sizeof(KernelRow));
  llvm::LoadInst* code = b_.CreateAlignedLoad(b_.getPtrTy(), row, llvm::Align(alignof(KernelRow)));
  code->setAtomic(llvm::AtomicOrdering::Acquire);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* first = new_block("first");
  llvm::BasicBlock* ready = new_block("ready");
  b_.CreateCondBr(b_.CreateIsNull(code), first, ready,
                  llvm::MDBuilder(m_.context()).createUnlikelyBranchWeights());
  b_.SetInsertPoint(first);
  Value* made = b_.CreateCall(m_.runtime(kPrepareKernel, b_.getPtrTy(), {b_.getPtrTy()}), {row});
  b_.CreateBr(ready);
  b_.SetInsertPoint(ready);
  llvm::PHINode* either = b_.CreatePHI(b_.getPtrTy(), 2);
  either->addIncoming(code, before);
  either->addIncoming(made, first);
  return either;
}

void FunctionEmitter::run_loop(const char* runtime_function, llvm::Function* fn,
                               const Environment& env, Value* count, Value* size) {
  Value* body = kernel_code(fn);
  const auto call_runtime = [&] {
    return b_.CreateCall(
        m_.runtime(runtime_function, b_.getInt32Ty(),
                   {b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty(), b_.getPtrTy(), b_.getPtrTy()}),
        {ctx_, count, size, body, env.address});
  };
  // Loops that are surely one piece need no scheduler.
  llvm::BasicBlock* one_piece = new_block("direct");
  llvm::BasicBlock* threads = new_block("threads");
  llvm::BasicBlock* after = new_block("joined");
  b_.CreateCondBr(b_.CreateICmpSLE(count, size), one_piece, threads);
  b_.SetInsertPoint(one_piece);
  llvm::BasicBlock* some = new_block("some");
  b_.CreateCondBr(b_.CreateICmpSGT(count, b_.getInt64(0)), some, after);
  b_.SetInsertPoint(some);
  Value* direct_failed = b_.CreateCall(fn->getFunctionType(), body,
                                       {env.address, b_.getInt64(0), count, b_.getInt32(0)});
  b_.CreateBr(after);
  b_.SetInsertPoint(threads);
  Value* threads_failed = call_runtime();
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
  llvm::PHINode* failed = b_.CreatePHI(b_.getInt32Ty(), 3);
  failed->addIncoming(b_.getInt32(0), one_piece);
  failed->addIncoming(direct_failed, some);
  failed->addIncoming(threads_failed, threads);
  branch_if_failed(failed);
}

void FunctionEmitter::stmt(const imp::ParallelFor& n) {
  const Environment env = capture(n.body, nullptr);
  llvm::Function* fn = outline(env, [&](FunctionEmitter& loop, Value* begin, Value* end, Value*) {
    loop.counted_loop(begin, end, b_.getInt64(1), n.var, Prim::kI64, n.body);
  });
  run_loop("skald_rt_parallel_for", fn, env, value(n.count), value(n.grain));
}

void FunctionEmitter::stmt(const imp::ParallelRange& n) {
  Value* count = value(n.count);
  const Environment env = capture(n.body, count);
  unsigned lanes = 0;
  llvm::Function* fn =
      outline(env, [&](FunctionEmitter& loop, Value* begin, Value* end, Value* all) {
        loop.range_ = {n.begin, all};
        loop.bind(n.begin, Prim::kI64, begin);
        loop.bind(n.end, Prim::kI64, end);
        loop.piece_begins_ = {n.begin.id};
        add_computed_from(n.body, loop.piece_begins_);
        loop.body(n.body);
        lanes = loop.piece_lanes_;
      });
  Value* grain = value(n.grain);
  // Pieces of fewer iterations than lanes would do the work of whole groups.
  const core::Const* hint = core::as_const(n.grain);
  if (lanes > 1 && hint != nullptr && core::int_value(*hint) == 0)
    grain = b_.getInt64(-static_cast<uint64_t>(lanes));
  run_loop("skald_rt_parallel_for", fn, env, count, grain);
}

void FunctionEmitter::stmt(const imp::ParallelChunks& n) {
  // The size travels too, because the number of a chunk is begin / size.
  Value* size = value(n.size);
  const Environment env = capture(n.body, size);
  if (ordered_statement(n.body)) return ordered_chunks(n, env);
  llvm::Function* fn =
      outline(env, [&](FunctionEmitter& loop, Value* begin, Value* end, Value* chunk_size) {
        loop.bind(n.begin, Prim::kI64, begin);
        loop.bind(n.end, Prim::kI64, end);
        loop.bind(n.chunk, Prim::kI64, loop.b_.CreateUDiv(begin, chunk_size));
        loop.in_chunks_ = true;
        loop.body(n.body);
      });
  run_loop("skald_rt_parallel_chunks", fn, env, value(n.count), size);
}

}  // namespace skald::cpu
