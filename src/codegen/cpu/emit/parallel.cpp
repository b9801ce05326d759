// SPDX-License-Identifier: Apache-2.0
// Parallel loops: the body becomes a function of its own, called by the runtime for pieces of the
// iterations.  What the body uses of the code around it travels in an environment on the stack.
#include "codegen/cpu/emit/parallel.h"

#include <llvm/IR/MDBuilder.h>

#include "codegen/cpu/emit/small_blocks.h"
#include "codegen/cpu/emit/statements.h"
#include "codegen/cpu/emit/stream.h"
#include "codegen/cpu/image/kernel.h"
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

bool is_parallel_loop(const imp::Stmt& stmt) {
  return imp::as<imp::ParallelFor>(stmt) != nullptr ||
         imp::as<imp::ParallelRange>(stmt) != nullptr ||
         imp::as<imp::ParallelChunks>(stmt) != nullptr;
}

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

Environment capture(FunctionEmitter& f, const imp::Body& body, Value* extra) {
  std::vector<core::Name> used;
  std::unordered_set<uint32_t> seen;
  used_names(body.stmts, used, seen);
  Environment env{.body = &body};
  std::vector<llvm::Type*> types = {f.b.getPtrTy()};
  std::vector<Value*> values = {f.ctx};
  for (core::Name name : used) {
    // What is bound inside the body has no slot here yet.
    auto slot = f.slots.find(name.id);
    if (slot == f.slots.end()) continue;
    env.captured.push_back(name);
    if (slot->second.type.is_block()) env.blocks.push_back(name);
    values.push_back(f.value(name));
    types.push_back(values.back()->getType());
    if (is_heap(slot->second.type)) {
      values.push_back(f.block_pointer(name));
      types.push_back(f.b.getPtrTy());
    }
  }
  if (extra != nullptr) {
    values.push_back(extra);
    types.push_back(extra->getType());
  }
  env.type = llvm::StructType::get(f.module.context(), types);
  env.address = f.variable(env.type);
  for (unsigned i = 0; i < values.size(); ++i)
    f.b.CreateStore(values[i], f.b.CreateStructGEP(env.type, env.address, i));
  return env;
}

Value* unpack(FunctionEmitter& f, const FunctionEmitter& outer, const Environment& env,
              Value* address) {
  unsigned field = 0;
  const auto next = [&] {
    Value* place = f.b.CreateStructGEP(env.type, address, field);
    auto* loaded = f.b.CreateLoad(env.type->getElementType(field), place);
    loaded->setMetadata(llvm::LLVMContext::MD_invariant_load,
                        llvm::MDNode::get(f.module.context(), {}));
    ++field;
    return loaded;
  };
  f.ctx = next();
  for (core::Name name : env.captured) {
    Slot slot{.type = outer.slots.at(name.id).type};
    slot.value = next();
    if (is_heap(slot.type)) slot.block = next();
    f.slots[name.id] = slot;
  }
  return field < env.type->getNumElements() ? next() : nullptr;
}

Value* kernel_code(FunctionEmitter& f, llvm::Function* body) {
  if (f.in_loop || !f.module.lazy()) return body;
  // Found once for each launch and not for each piece: pieces are measured.
  const uint32_t number = f.module.add_kernel(body, f.group);
  Value* table = f.module.module().getOrInsertGlobal(kKernelTable, f.b.getInt8Ty());
  Value* row = f.b.CreateConstInBoundsGEP1_64(f.b.getInt8Ty(), table, number * sizeof(KernelRow));
  llvm::LoadInst* code =
      f.b.CreateAlignedLoad(f.b.getPtrTy(), row, llvm::Align(alignof(KernelRow)));
  code->setAtomic(llvm::AtomicOrdering::Acquire);
  llvm::BasicBlock* before = f.b.GetInsertBlock();
  llvm::BasicBlock* first = f.new_block("first");
  llvm::BasicBlock* ready = f.new_block("ready");
  f.b.CreateCondBr(f.b.CreateIsNull(code), first, ready,
                   llvm::MDBuilder(f.module.context()).createUnlikelyBranchWeights());
  f.b.SetInsertPoint(first);
  Value* made =
      f.b.CreateCall(f.module.runtime(kPrepareKernel, f.b.getPtrTy(), {f.b.getPtrTy()}), {row});
  f.b.CreateBr(ready);
  f.b.SetInsertPoint(ready);
  llvm::PHINode* either = f.b.CreatePHI(f.b.getPtrTy(), 2);
  either->addIncoming(code, before);
  either->addIncoming(made, first);
  return either;
}

namespace {

// Emits the loop's function; `inner(loop, begin, end, extra)` emits what is done for the
// iterations begin … end-1.
template <class Inner>
llvm::Function* outline(FunctionEmitter& f, const Environment& env, const Inner& inner) {
  llvm::Function* fn = new_loop_function(f);
  fn->addParamAttr(0, llvm::Attribute::NoAlias);
  AliasClasses aliases(imp::BlockClasses(*env.body, env.blocks, f.aliases.same()),
                       f.module.context());
  FunctionEmitter loop(f.module, fn, f.source, aliases);
  loop.in_loop = true;
  Value* extra = unpack(loop, f, env, fn->getArg(0));
  if (handles_blocks(*env.body)) loop.small_blocks = own_small_blocks(f.module, loop.b, loop.ctx);
  inner(loop, fn->getArg(1), fn->getArg(2), extra);
  if (loop.streams) stream_fence(loop);
  loop.b.CreateRet(f.b.getInt32(0));
  loop.emit_failure_exit();
  loop.finish_variables();
  return fn;
}

void run_loop(FunctionEmitter& f, const char* runtime_function, llvm::Function* fn,
              const Environment& env, Value* count, Value* size) {
  Value* body = kernel_code(f, fn);
  const auto call_runtime = [&] {
    return f.b.CreateCall(f.module.runtime(runtime_function, f.b.getInt32Ty(),
                                           {f.b.getPtrTy(), f.b.getInt64Ty(), f.b.getInt64Ty(),
                                            f.b.getPtrTy(), f.b.getPtrTy()}),
                          {f.ctx, count, size, body, env.address});
  };
  // Loops that are surely one piece need no scheduler.
  llvm::BasicBlock* one_piece = f.new_block("direct");
  llvm::BasicBlock* threads = f.new_block("threads");
  llvm::BasicBlock* after = f.new_block("joined");
  f.b.CreateCondBr(f.b.CreateICmpSLE(count, size), one_piece, threads);
  f.b.SetInsertPoint(one_piece);
  llvm::BasicBlock* some = f.new_block("some");
  f.b.CreateCondBr(f.b.CreateICmpSGT(count, f.b.getInt64(0)), some, after);
  f.b.SetInsertPoint(some);
  Value* direct_failed = f.b.CreateCall(fn->getFunctionType(), body,
                                        {env.address, f.b.getInt64(0), count, f.b.getInt32(0)});
  f.b.CreateBr(after);
  f.b.SetInsertPoint(threads);
  Value* threads_failed = call_runtime();
  f.b.CreateBr(after);
  f.b.SetInsertPoint(after);
  llvm::PHINode* failed = f.b.CreatePHI(f.b.getInt32Ty(), 3);
  failed->addIncoming(f.b.getInt32(0), one_piece);
  failed->addIncoming(direct_failed, some);
  failed->addIncoming(threads_failed, threads);
  f.branch_if_failed(failed);
}

}  // namespace

llvm::Function* new_loop_function(FunctionEmitter& f) {
  auto* type = llvm::FunctionType::get(
      f.b.getInt32Ty(), {f.b.getPtrTy(), f.b.getInt64Ty(), f.b.getInt64Ty(), f.b.getInt32Ty()},
      false);
  auto* fn = llvm::Function::Create(type, llvm::Function::InternalLinkage,
                                    f.module.loop_name(f.source.name), f.module.module());
  fn->setDoesNotThrow();
  fn->addFnAttr(llvm::Attribute::NoInline);
  return fn;
}

void emit_stmt(FunctionEmitter& f, const imp::ParallelFor& n) {
  const Environment env = capture(f, n.body, nullptr);
  llvm::Function* fn =
      outline(f, env, [&](FunctionEmitter& loop, Value* begin, Value* end, Value*) {
        loop.counted_loop(begin, end, f.b.getInt64(1), n.var, Prim::kI64, n.body, n.mark);
      });
  run_loop(f, "skald_rt_parallel_for", fn, env, f.value(n.count), f.value(n.grain));
}

namespace {

// Copies and fills; most of those in recursive functions are of a few elements.
bool only_moves(const imp::Body& body) {
  return std::ranges::all_of(body.stmts, [](const imp::Stmt& stmt) {
    return imp::as<imp::Let>(stmt) != nullptr || imp::as<imp::CopyBytes>(stmt) != nullptr ||
           imp::as<imp::Fill>(stmt) != nullptr;
  });
}

void parallel_range(FunctionEmitter& f, const imp::ParallelRange& n) {
  Value* count = f.value(n.count);
  const Environment env = capture(f, n.body, count);
  unsigned lanes = 0;
  llvm::Function* fn =
      outline(f, env, [&](FunctionEmitter& loop, Value* begin, Value* end, Value* all) {
        loop.range_count = all;
        loop.bind(n.begin, Prim::kI64, begin);
        loop.bind(n.end, Prim::kI64, end);
        loop.piece_begins = {n.begin.id};
        add_computed_from(n.body, loop.piece_begins);
        loop.body(n.body);
        lanes = loop.piece_lanes;
      });
  Value* grain = f.value(n.grain);
  // Pieces of fewer iterations than lanes would do the work of whole groups.
  const core::Const* hint = core::as_const(n.grain);
  if (lanes > 1 && hint != nullptr && core::int_value(*hint) == 0)
    grain = f.b.getInt64(-static_cast<uint64_t>(lanes));
  run_loop(f, "skald_rt_parallel_for", fn, env, count, grain);
}

}  // namespace

void emit_stmt(FunctionEmitter& f, const imp::ParallelRange& n) {
  const core::Const* grain = core::as_const(n.grain);
  if (grain == nullptr || core::int_value(*grain) <= 1 || !only_moves(n.body))
    return parallel_range(f, n);
  // What is one piece needs no other function.
  llvm::BasicBlock* large = f.new_block("large");
  llvm::BasicBlock* small = f.new_block("small");
  llvm::BasicBlock* after = f.new_block("after");
  Value* count = f.value(n.count);
  f.b.CreateCondBr(f.b.CreateICmpSLE(count, f.value(n.grain)), small, large);
  f.b.SetInsertPoint(large);
  parallel_range(f, n);
  f.b.CreateBr(after);
  f.b.SetInsertPoint(small);
  f.bind(n.begin, Prim::kI64, f.b.getInt64(0));
  f.bind(n.end, Prim::kI64,
         f.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, count, f.b.getInt64(0)));
  f.body(n.body);
  f.b.CreateBr(after);
  f.b.SetInsertPoint(after);
}

void emit_stmt(FunctionEmitter& f, const imp::ParallelChunks& n) {
  // The size travels too, because the number of a chunk is begin / size.
  Value* size = f.value(n.size);
  const Environment env = capture(f, n.body, size);
  if (ordered_statement(n.body)) return ordered_chunks(f, n, env);
  llvm::Function* fn =
      outline(f, env, [&](FunctionEmitter& loop, Value* begin, Value* end, Value* chunk_size) {
        loop.bind(n.begin, Prim::kI64, begin);
        loop.bind(n.end, Prim::kI64, end);
        loop.bind(n.chunk, Prim::kI64, loop.b.CreateUDiv(begin, chunk_size));
        loop.body(n.body);
      });
  run_loop(f, "skald_rt_parallel_chunks", fn, env, f.value(n.count), size);
}

}  // namespace skald::cpu
