// SPDX-License-Identifier: Apache-2.0
// The module as a whole: declarations, entry points, failure messages.
#include "codegen/cpu/emit/module.h"

#include <llvm/IR/DiagnosticInfo.h>

#include <set>

#include "codegen/cpu/emit/function_emitter.h"
#include "codegen/cpu/target/target.h"
#include "imp/ir/visit.h"
#include "machine/cache_shares.h"
#include "support/bug.h"

namespace skald::cpu {

namespace {

// One bit for each slot.
constexpr unsigned kMaxOnceSlots = 64;

// Without `branches`: only calls outside of them.
void callees(const imp::Body& body, std::set<std::string>& out, bool branches = true) {
  for (const imp::Stmt& stmt : body.stmts) {
    if (const auto* call = imp::as<imp::Call>(stmt)) out.insert(call->fn);
    if (!branches && imp::as<imp::If>(stmt) != nullptr) continue;
    imp::for_each_body(stmt, [&](const imp::Body& inner) { callees(inner, out, branches); });
  }
}

// The entry points, and what they call whatever happens.
std::set<std::string> surely_called(const imp::Program& prog) {
  std::set<std::string> out;
  std::vector<const imp::Function*> work;
  for (const imp::Function& fn : prog.functions)
    if (fn.entry) work.push_back(&fn);
  while (!work.empty()) {
    const imp::Function* next = work.back();
    work.pop_back();
    if (!out.insert(next->name).second) continue;
    std::set<std::string> direct;
    callees(next->body, direct, /*branches=*/false);
    for (const std::string& name : direct) work.push_back(prog.find(name));
  }
  return out;
}

}  // namespace

ModuleEmitter::ModuleEmitter(const imp::Program& prog, EmittedProgram& out, bool lazy,
                             const CompileOptions& options, LaneLoopEmitter* lanes)
    : prog_(prog),
      out_(out),
      lazy_(lazy),
      vectors_(cpu::vector_registers(options)),
      streamed_map_(machine::streamed_map(options.caches)),
      lanes_(lanes) {}

llvm::FunctionCallee ModuleEmitter::runtime(llvm::StringRef name, llvm::Type* result,
                                            llvm::ArrayRef<llvm::Type*> params) {
  const bool known = module().getFunction(name) != nullptr;
  llvm::FunctionCallee callee =
      module().getOrInsertFunction(name, llvm::FunctionType::get(result, params, false));
  if (known) return callee;
  auto* fn = llvm::cast<llvm::Function>(callee.getCallee());
  fn->setDoesNotThrow();
  if (name == "skald_rt_fail" || name == "skald_rt_add_frame" || name == "skald_rt_stop")
    fn->addFnAttr(llvm::Attribute::Cold);
  if (name == "skald_rt_chunk_size") {
    fn->setDoesNotAccessMemory();
    fn->setWillReturn();
  }
  if (name == "skald_rt_alloc" || name == "skald_rt_scratch_alloc")
    fn->addRetAttr(llvm::Attribute::NoAlias);
  return callee;
}

int64_t ModuleEmitter::add_failure(FailureMessage message) {
  out_.failures.push_back(std::move(message));
  return static_cast<int64_t>(out_.failures.size()) - 1;
}

int32_t ModuleEmitter::tuning_row(const std::string& param) {
  const auto found = std::find(out_.params.begin(), out_.params.end(), param);
  const auto row = static_cast<int32_t>(found - out_.params.begin());
  if (found == out_.params.end()) out_.params.push_back(param);
  return row;
}

std::string ModuleEmitter::loop_name(std::string_view fn) {
  return fmt::format("{}.loop{}", fn, loops_++);
}

uint32_t ModuleEmitter::new_group(uint32_t around) {
  out_.groups.push_back({.around = around});
  return static_cast<uint32_t>(out_.groups.size()) - 1;
}

void ModuleEmitter::set_rivals(uint32_t group, uint32_t other) {
  out_.groups[group].rival = other;
  out_.groups[other].rival = group;
}

void ModuleEmitter::note_arms(const imp::If& branch, uint32_t yes, uint32_t no) {
  out_.places.branches[&branch] = {yes, no};
}

uint32_t ModuleEmitter::add_kernel(llvm::Function* body, uint32_t group) {
  body->setLinkage(llvm::Function::ExternalLinkage);
  out_.kernels.push_back({body->getName().str(), group});
  return static_cast<uint32_t>(out_.kernels.size()) - 1;
}

void ModuleEmitter::declare(const imp::Function& fn) {
  llvm::LLVMContext& ctx = context();
  llvm::Type* pointer = llvm::PointerType::getUnqual(ctx);
  std::vector<llvm::Type*> params = {pointer};
  for (const imp::Decl& d : fn.params)
    params.push_back(d.type.is_block() ? pointer : value_type(ctx, d.type.prim));
  params.insert(params.end(), fn.results.size(), pointer);
  auto* type = llvm::FunctionType::get(llvm::Type::getInt32Ty(ctx), params, false);
  auto* function =
      llvm::Function::Create(type, llvm::Function::InternalLinkage, "f." + fn.name, module());
  function->setDoesNotThrow();
  // Results are stored through pointers that nothing else knows.
  for (size_t i = 1 + fn.params.size(); i < params.size(); ++i)
    function->addParamAttr(static_cast<unsigned>(i), llvm::Attribute::NoAlias);
  functions_[fn.name] = function;
}

bool ModuleEmitter::is_recursive(const imp::Function& fn) const {
  std::set<std::string> reached;
  std::vector<const imp::Function*> work = {&fn};
  while (!work.empty()) {
    const imp::Function* next = work.back();
    work.pop_back();
    std::set<std::string> direct;
    callees(next->body, direct);
    for (const std::string& name : direct) {
      if (name == fn.name) return true;
      if (reached.insert(name).second) work.push_back(prog_.find(name));
    }
  }
  return false;
}

// i32 entry(ptr ctx, ptr in, ptr out), see SkaldEntry.
void ModuleEmitter::emit_entry(const imp::Function& fn) {
  llvm::LLVMContext& ctx = context();
  llvm::Type* pointer = llvm::PointerType::getUnqual(ctx);
  llvm::Type* i32 = llvm::Type::getInt32Ty(ctx);
  const std::string symbol = fmt::format("{}{}", out_.symbols, out_.entries.size());
  auto* type = llvm::FunctionType::get(i32, {pointer, pointer, pointer}, false);
  auto* entry = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, module());
  entry->setDoesNotThrow();
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(ctx, "entry", entry));
  const auto slot = [&](llvm::Value* base, size_t index) {
    return b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), base, index);
  };
  std::vector<llvm::Value*> args = {entry->getArg(0)};
  for (size_t i = 0; i < fn.params.size(); ++i) {
    llvm::Value* bits = b.CreateLoad(b.getInt64Ty(), slot(entry->getArg(1), i));
    const imp::Type& param = fn.params[i].type;
    args.push_back(param.is_block() ? b.CreateIntToPtr(bits, pointer)
                                    : from_bits(b, param.prim, bits));
  }
  std::vector<llvm::AllocaInst*> results;
  for (const imp::Type& t : fn.results) {
    results.push_back(b.CreateAlloca(t.is_block() ? pointer : memory_type(ctx, t.prim)));
    args.push_back(results.back());
  }
  llvm::Value* failed = b.CreateCall(functions_.at(fn.name), args);
  auto* done = llvm::BasicBlock::Create(ctx, "done", entry);
  auto* failure = llvm::BasicBlock::Create(ctx, "failed", entry);
  b.CreateCondBr(b.CreateICmpEQ(failed, b.getInt32(0)), done, failure);
  b.SetInsertPoint(failure);
  b.CreateRet(b.getInt32(1));
  b.SetInsertPoint(done);
  for (size_t i = 0; i < results.size(); ++i) {
    llvm::Value* value = b.CreateLoad(results[i]->getAllocatedType(), results[i]);
    const imp::Type& t = fn.results[i];
    llvm::Value* bits = t.is_block()            ? b.CreatePtrToInt(value, b.getInt64Ty())
                        : t.prim == Prim::kBool ? b.CreateZExt(value, b.getInt64Ty())
                                                : to_bits(b, t.prim, value);
    b.CreateStore(bits, slot(entry->getArg(2), i));
  }
  b.CreateRet(b.getInt32(0));
  out_.entries.push_back({*fn.entry, symbol});
}

void ModuleEmitter::emit_once(const imp::Function& fn, llvm::Function* compute) {
  llvm::Function* target = functions_.at(fn.name);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context(), "entry", target));
  llvm::Value* ctx = target->getArg(0);
  llvm::Value* cell = b.getInt32(static_cast<uint32_t>(out_.once_cells++));
  llvm::Value* kept = b.CreateCall(
      runtime("skald_rt_once_get", b.getPtrTy(), {b.getPtrTy(), b.getInt32Ty()}), {ctx, cell});
  auto* first = llvm::BasicBlock::Create(context(), "first", target);
  auto* again = llvm::BasicBlock::Create(context(), "again", target);
  auto* keep = llvm::BasicBlock::Create(context(), "keep", target);
  auto* failed = llvm::BasicBlock::Create(context(), "failed", target);
  b.CreateCondBr(b.CreateIsNull(kept), first, again);

  const auto slot = [&](llvm::Value* base, size_t k) {
    return b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), base, k);
  };
  b.SetInsertPoint(again);
  for (size_t k = 0; k < fn.results.size(); ++k) {
    llvm::Value* out = target->getArg(static_cast<unsigned>(k + 1));
    llvm::Value* bits = b.CreateLoad(b.getInt64Ty(), slot(kept, k));
    if (fn.results[k].is_block()) {
      llvm::Value* block = b.CreateIntToPtr(bits, b.getPtrTy());
      b.CreateCall(runtime("skald_rt_retain", b.getVoidTy(), {b.getPtrTy()}), {block});
      b.CreateStore(block, out);
    } else {
      llvm::Value* value = from_bits(b, fn.results[k].prim, bits);
      if (value->getType()->isIntegerTy(1)) value = b.CreateZExt(value, b.getInt8Ty());
      b.CreateStore(value, out);
    }
  }
  b.CreateRet(b.getInt32(0));

  b.SetInsertPoint(first);
  auto* slots = b.CreateAlloca(b.getInt64Ty(), b.getInt32(kMaxOnceSlots));
  std::vector<llvm::Value*> args;
  for (llvm::Argument& arg : target->args()) args.push_back(&arg);
  llvm::Value* status = b.CreateCall(compute, args);
  b.CreateCondBr(b.CreateICmpEQ(status, b.getInt32(0)), keep, failed);
  b.SetInsertPoint(failed);
  b.CreateRet(b.getInt32(1));
  b.SetInsertPoint(keep);
  uint64_t blocks = 0;
  for (size_t k = 0; k < fn.results.size(); ++k) {
    const imp::Type& type = fn.results[k];
    llvm::Value* out = target->getArg(static_cast<unsigned>(k + 1));
    if (type.is_block()) blocks |= uint64_t{1} << k;
    llvm::Value* value =
        b.CreateLoad(type.is_block() ? b.getPtrTy() : memory_type(context(), type.prim), out);
    llvm::Value* bits = type.is_block()            ? b.CreatePtrToInt(value, b.getInt64Ty())
                        : type.prim == Prim::kBool ? b.CreateZExt(value, b.getInt64Ty())
                                                   : to_bits(b, type.prim, value);
    b.CreateStore(bits, slot(slots, k));
  }
  b.CreateCall(
      runtime("skald_rt_once_put", b.getVoidTy(),
              {b.getPtrTy(), b.getInt32Ty(), b.getPtrTy(), b.getInt32Ty(), b.getInt64Ty()}),
      {ctx, cell, slots, b.getInt32(static_cast<uint32_t>(fn.results.size())), b.getInt64(blocks)});
  b.CreateRet(b.getInt32(0));
}

void ModuleEmitter::run() {
  for (const imp::Function& fn : prog_.functions) declare(fn);
  std::set<std::string> sure;
  if (lazy_) sure = surely_called(prog_);
  for (const imp::Function& fn : prog_.functions) {
    const imp::SameBlocks same(fn);
    AliasClasses aliases(imp::BlockClasses(fn, same), context());
    llvm::Function* target = functions_.at(fn.name);
    if (fn.once && fn.results.size() <= kMaxOnceSlots) {
      llvm::Function* compute =
          llvm::Function::Create(target->getFunctionType(), llvm::Function::InternalLinkage,
                                 "compute." + fn.name, module());
      compute->setDoesNotThrow();
      emit_once(fn, compute);
      target = compute;
    }
    const uint32_t group = sure.contains(fn.name) ? kSurelyRun : new_group(kSurelyRun);
    out_.places.functions[fn.name] = group;
    const std::optional<Recursion> recursion = find_recursion(*this, fn);
    if (recursion) {
      emit_recursion(*this, fn, *recursion, target);
      if (recursion->at_once != nullptr) emit_short_call(*this, fn, *recursion);
      target = recursion->self;
    }
    FunctionEmitter emitter(*this, target, fn, aliases);
    if (recursion) emitter.recursion = &*recursion;
    emitter.emit_function(is_recursive(fn), group);
  }
  for (const imp::Function& fn : prog_.functions)
    if (fn.entry) emit_entry(fn);
}

void prepare_context(llvm::LLVMContext& context) {
  // Names of values cost time and matter only to readers of --emit=ll, who have the imp text.
  context.setDiscardValueNames(true);
  // What LLVM could not vectorise concerns us, not the user.
  context.setDiagnosticHandlerCallBack([](const llvm::DiagnosticInfo* info, void*) {
    if (info->getSeverity() == llvm::DS_Error) SKALD_BUG("LLVM reports an error");
  });
}

EmittedProgram emit_program(const imp::Program& prog, const llvm::TargetMachine& machine, bool lazy,
                            const CompileOptions& options, LaneLoopEmitter* lanes) {
  EmittedProgram out;
  out.symbols = options.symbols;
  out.context = std::make_unique<llvm::LLVMContext>();
  prepare_context(*out.context);
  out.module = std::make_unique<llvm::Module>("skald", *out.context);
  out.module->setDataLayout(machine.createDataLayout());
  out.module->setTargetTriple(machine.getTargetTriple().str());
  ModuleEmitter(prog, out, lazy, options, lanes).run();
  return out;
}

}  // namespace skald::cpu
