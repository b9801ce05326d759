// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/emit/recursion.h"

#include <llvm/IR/MDBuilder.h>

#include "codegen/cpu/emit/function_emitter.h"
#include "codegen/cpu/emit/parallel.h"
#include "codegen/cpu/emit/small_blocks.h"
#include "imp/ir/visit.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// Numbers and addresses, and floats, that every machine returns in registers, beside the status.
constexpr int kReturnedNumbers = 2, kReturnedFloats = 2;

bool in_heap(const imp::Type& type) {
  return type.is_block() && type.space == imp::Space::kHeap;
}

// Calls of the function by itself; the bodies of parallel loops are functions of their own.
void find_self_calls(const imp::Body& body, const std::string& name,
                     std::vector<const imp::Call*>& out) {
  for (const imp::Stmt& stmt : body.stmts) {
    const auto* call = imp::as<imp::Call>(stmt);
    if (call != nullptr && call->fn == name) out.push_back(call);
    if (is_parallel_loop(stmt)) continue;
    imp::for_each_body(stmt, [&](const imp::Body& inner) { find_self_calls(inner, name, out); });
  }
}

bool fits_registers(const imp::Function& fn) {
  int numbers = 0, floats = 0;
  for (const imp::Type& type : fn.results)
    ++(!type.is_block() && is_float(type.prim) ? floats : numbers);
  return numbers <= kReturnedNumbers && floats <= kReturnedFloats;
}

llvm::Type* result_type(llvm::LLVMContext& ctx, const imp::Type& type) {
  return type.is_block() ? llvm::PointerType::getUnqual(ctx) : memory_type(ctx, type.prim);
}

// What skald_rt_stack_low looks at, in few instructions.
void check_stack(FunctionEmitter& f, Value* stack_end) {
  Value* here = f.b.CreatePtrToInt(f.b.CreateStackSave(), f.b.getInt64Ty());
  llvm::LoadInst* stop = f.b.CreateAlignedLoad(f.b.getInt32Ty(), f.ctx, llvm::Align(4));
  stop->setAtomic(llvm::AtomicOrdering::Monotonic);
  Value* perhaps = f.b.CreateOr(f.b.CreateICmpULE(here, stack_end), f.b.CreateIsNotNull(stop));
  llvm::BasicBlock* ask = f.new_block("ask");
  llvm::BasicBlock* go_on = f.new_block("go_on");
  f.b.CreateCondBr(perhaps, ask, go_on,
                   llvm::MDBuilder(f.module.context()).createUnlikelyBranchWeights());
  f.b.SetInsertPoint(ask);
  f.branch_if_failed(f.b.CreateCall(
      f.module.runtime("skald_rt_stack_low", f.b.getInt32Ty(), {f.b.getPtrTy()}), {f.ctx}));
  f.b.CreateBr(go_on);
  f.b.SetInsertPoint(go_on);
}

}  // namespace

std::optional<Recursion> find_recursion(ModuleEmitter& module, const imp::Function& fn) {
  std::vector<const imp::Call*> calls;
  find_self_calls(fn.body, fn.name, calls);
  if (calls.empty()) return std::nullopt;
  llvm::LLVMContext& ctx = module.context();
  llvm::Type* pointer = llvm::PointerType::getUnqual(ctx);
  Recursion out{.returns_results = fits_registers(fn)};
  out.handles_blocks = handles_blocks(fn.body);
  std::vector<llvm::Type*> fields = {pointer, llvm::Type::getInt64Ty(ctx)}, params = {pointer};
  if (out.handles_blocks) fields.push_back(pointer);
  for (size_t k = 0; k < fn.params.size(); ++k) {
    const imp::Decl& param = fn.params[k];
    const auto hands_on = [&](const imp::Call* call) {
      const core::Name* name = core::as_name(call->args[k]);
      return name != nullptr && *name == param.name;
    };
    out.fixed.push_back(std::ranges::all_of(calls, hands_on));
    std::vector<llvm::Type*>& where = out.fixed.back() ? fields : params;
    where.push_back(param.type.is_block() ? pointer : value_type(ctx, param.type.prim));
    if (out.fixed.back() && in_heap(param.type)) fields.push_back(pointer);
  }
  std::vector<llvm::Type*> returned = {llvm::Type::getInt32Ty(ctx)};
  for (const imp::Type& type : fn.results) {
    if (out.returns_results)
      returned.push_back(result_type(ctx, type));
    else
      params.push_back(pointer);
  }
  out.environment = llvm::StructType::get(ctx, fields);
  llvm::Type* result = out.returns_results ? llvm::StructType::get(ctx, returned) : returned[0];
  out.self =
      llvm::Function::Create(llvm::FunctionType::get(result, params, false),
                             llvm::Function::InternalLinkage, "self." + fn.name, module.module());
  out.self->setDoesNotThrow();
  out.self->addParamAttr(0, llvm::Attribute::NoAlias);
  const uint64_t bytes = module.module().getDataLayout().getTypeAllocSize(out.environment);
  out.self->addDereferenceableParamAttr(0, bytes);
  if (!out.returns_results)
    for (size_t k = params.size() - fn.results.size(); k < params.size(); ++k)
      out.self->addParamAttr(static_cast<unsigned>(k), llvm::Attribute::NoAlias);
  if (has_short_way(fn)) {
    out.at_once =
        llvm::Function::Create(out.self->getFunctionType(), llvm::Function::InternalLinkage,
                               "at_once." + fn.name, module.module());
    out.at_once->copyAttributesFrom(out.self);
    out.at_once->addFnAttr(llvm::Attribute::AlwaysInline);
  }
  return out;
}

void emit_recursion(ModuleEmitter& module, const imp::Function& fn, const Recursion& recursion,
                    llvm::Function* target) {
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(module.context(), "entry", target));
  llvm::AllocaInst* environment = b.CreateAlloca(recursion.environment);
  unsigned field = 0;
  const auto keep = [&](Value* value) {
    b.CreateStore(value, b.CreateStructGEP(recursion.environment, environment, field++));
  };
  Value* ctx = target->getArg(0);
  keep(ctx);
  keep(b.CreateCall(module.runtime("skald_rt_stack_end", b.getInt64Ty(), {b.getPtrTy()}), {ctx}));
  if (recursion.handles_blocks) keep(own_small_blocks(module, b, ctx));
  std::vector<Value*> args = {environment};
  for (size_t k = 0; k < fn.params.size(); ++k) {
    Value* given = target->getArg(static_cast<unsigned>(k + 1));
    if (!recursion.fixed[k]) {
      args.push_back(given);
      continue;
    }
    keep(given);
    if (in_heap(fn.params[k].type)) keep(b.CreateLoad(b.getPtrTy(), given));
  }
  const auto result_place = [&](size_t k) {
    return target->getArg(static_cast<unsigned>(1 + fn.params.size() + k));
  };
  if (!recursion.returns_results) {
    for (size_t k = 0; k < fn.results.size(); ++k) args.push_back(result_place(k));
    b.CreateRet(b.CreateCall(recursion.self, args));
    return;
  }
  Value* returned = b.CreateCall(recursion.self, args);
  for (unsigned k = 0; k < fn.results.size(); ++k)
    b.CreateStore(b.CreateExtractValue(returned, k + 1), result_place(k));
  b.CreateRet(b.CreateExtractValue(returned, 0));
}

std::vector<Value*> begin_self(FunctionEmitter& f, StackCheck check) {
  const Recursion& recursion = *f.recursion;
  unsigned field = 0, arg = 1;
  const auto load = [&] {
    Value* place = f.b.CreateStructGEP(recursion.environment, f.fn->getArg(0), field);
    auto* loaded = f.b.CreateLoad(recursion.environment->getElementType(field++), place);
    loaded->setMetadata(llvm::LLVMContext::MD_invariant_load,
                        llvm::MDNode::get(f.module.context(), {}));
    return loaded;
  };
  f.ctx = load();
  Value* stack_end = load();
  if (recursion.handles_blocks) f.small_blocks = load();
  for (size_t k = 0; k < f.source.params.size(); ++k) {
    const imp::Decl& param = f.source.params[k];
    Slot slot{.type = param.type};
    Value* given = recursion.fixed[k] ? static_cast<Value*>(load()) : f.fn->getArg(arg++);
    slot.value = given;
    if (in_heap(param.type)) {
      slot.block = given;
      slot.value = recursion.fixed[k] ? static_cast<Value*>(load()) : f.load_data_pointer(given);
    }
    f.slots[param.name.id] = slot;
  }
  f.open_scope();
  if (check == StackCheck::kFirst) check_stack(f, stack_end);
  std::vector<Value*> results;
  for (const imp::Type& type : f.source.results)
    results.push_back(recursion.returns_results
                          ? static_cast<Value*>(f.variable(result_type(f.module.context(), type)))
                          : f.fn->getArg(arg++));
  return results;
}

Value* call_self(FunctionEmitter& f, const std::vector<Value*>& args) {
  const Recursion& recursion = *f.recursion;
  llvm::Function* callee = recursion.at_once != nullptr ? recursion.at_once : recursion.self;
  std::vector<Value*> handed = {f.fn->getArg(0)};
  const size_t params = recursion.fixed.size();
  for (size_t k = 0; k < params; ++k)
    if (!recursion.fixed[k]) handed.push_back(args[k + 1]);
  if (!recursion.returns_results) {
    handed.insert(handed.end(), args.begin() + static_cast<ptrdiff_t>(params) + 1, args.end());
    return f.b.CreateCall(callee, handed);
  }
  Value* returned = f.b.CreateCall(callee, handed);
  for (size_t k = params + 1; k < args.size(); ++k)
    f.b.CreateStore(f.b.CreateExtractValue(returned, static_cast<unsigned>(k - params)), args[k]);
  return f.b.CreateExtractValue(returned, 0);
}

void return_status(FunctionEmitter& f, const std::vector<Value*>& results, bool failed) {
  Value* status = f.b.getInt32(failed ? 1 : 0);
  if (f.recursion == nullptr || !f.recursion->returns_results) {
    f.b.CreateRet(status);
    return;
  }
  auto* type = llvm::cast<llvm::StructType>(f.recursion->self->getReturnType());
  Value* all = f.b.CreateInsertValue(llvm::PoisonValue::get(type), status, 0);
  // After a failure nobody looks at them, but they go into memory.
  for (unsigned k = 1; k < type->getNumElements(); ++k)
    all = f.b.CreateInsertValue(
        all,
        failed ? static_cast<Value*>(llvm::Constant::getNullValue(type->getElementType(k)))
               : f.b.CreateLoad(type->getElementType(k), results[k - 1]),
        k);
  f.b.CreateRet(all);
}

}  // namespace skald::cpu
