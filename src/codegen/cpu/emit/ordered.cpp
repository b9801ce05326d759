// SPDX-License-Identifier: Apache-2.0
// Parallel chunks with something to do in order (imp::Ordered): scans, filters, partitions.
//
//   parallel chunks (b, e, k < n; size s) {
//     A                     FIRST
//     ordered { B }         STEP
//     C                     THEN
//   }
//
// The runtime executes the three phases of a chunk at different times, maybe on different threads
// (runtime/abi.h), so each becomes a function.  What C and B use of A's names goes through memory
// that the chunk keeps.  `ordered` may also be in both branches on what `my_turn` said: then B is
// the `if` with the first of them.  The second one is in C, and is reached only by a chunk that
// runs all its phases alone, so it is plain code.
#include <unordered_set>

#include "codegen/cpu/emit/parallel.h"
#include "codegen/cpu/emit/statements.h"
#include "codegen/cpu/emit/stream.h"
#include "codegen/cpu/optimise/optimise.h"
#include "imp/ir/visit.h"
#include "runtime/abi.h"
#include "support/bug.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// The parameters of SkaldOrderedBody.
enum Parameter : unsigned { kEnv, kBegin, kEnd, kMemory, kPhase };

bool has_ordered(const imp::Stmt& stmt) {
  if (imp::as<imp::Ordered>(stmt) != nullptr) return true;
  bool inside = false;
  imp::for_each_body(stmt, [&](const imp::Body& body) {
    for (const imp::Stmt& inner : body.stmts) inside |= has_ordered(inner);
  });
  return inside;
}

}  // namespace

std::optional<size_t> ordered_statement(const imp::Body& body) {
  for (size_t k = 0; k < body.stmts.size(); ++k)
    if (has_ordered(body.stmts[k])) return k;
  return std::nullopt;
}

namespace {

class OrderedChunks {
 public:
  // `env` holds what the body uses of the code around it; `f` emits that code.
  OrderedChunks(FunctionEmitter& f, const imp::ParallelChunks& n, const Environment& env)
      : f_(f), n_(n), env_(env), body_(n.body.stmts), at_(*ordered_statement(n.body)) {}

  // Emits the functions of the phases and the call of the runtime.
  void emit() {
    llvm::Function* first = phase([&](FunctionEmitter& p) { emit_first(p); });
    llvm::Function* step = phase([&](FunctionEmitter& p) {
      unpack(p);
      p.open_scope();
      p.statements(body_.subspan(at_, 1));
      p.close_scope();
      keep_again(p);
    });
    llvm::Function* then = phase([&](FunctionEmitter& p) {
      unpack(p);
      p.open_scope();
      p.statements(body_.subspan(at_ + 1));
      p.close_scope();
    });
    // A chunk whose turn it is may be scanned point by point, and each waits for the one before:
    // moving parts of an element between vectors and back takes longer than the operator.
    if (asks_for_turn_)
      for (llvm::Function* each : {first, step, then}) each->addFnAttr(kKeepScalars);
    call_runtime(kernel_code(f_, choose_phase(first, step, then)));
  }

 private:
  llvm::Function* new_function() {
    llvm::IRBuilder<>& b = f_.b;
    auto* type = llvm::FunctionType::get(
        b.getInt32Ty(),
        {b.getPtrTy(), b.getInt64Ty(), b.getInt64Ty(), b.getPtrTy(), b.getInt32Ty()}, false);
    auto* fn = llvm::Function::Create(type, llvm::Function::InternalLinkage,
                                      f_.module.loop_name(f_.source.name), f_.module.module());
    fn->setDoesNotThrow();
    fn->addFnAttr(llvm::Attribute::NoInline);
    return fn;
  }

  // The function of a phase, whose statements inner(emitter) emits.
  template <class Inner>
  llvm::Function* phase(const Inner& inner) {
    llvm::Function* fn = new_function();
    fn->addParamAttr(kEnv, llvm::Attribute::NoAlias);
    AliasClasses aliases(imp::BlockClasses(*env_.body, env_.blocks, f_.aliases.same()),
                         f_.module.context());
    FunctionEmitter p(f_.module, fn, f_.source, aliases);
    p.in_loop = true;
    p.chunk_size = cpu::unpack(p, f_, env_, fn->getArg(kEnv));
    p.kept_memory = fn->getArg(kMemory);
    p.bind(n_.begin, Prim::kI64, fn->getArg(kBegin));
    p.bind(n_.end, Prim::kI64, fn->getArg(kEnd));
    p.bind(n_.chunk, Prim::kI64, p.b.CreateUDiv(fn->getArg(kBegin), p.chunk_size));
    inner(p);
    if (p.streams) stream_fence(p);
    p.b.CreateRet(p.b.getInt32(0));
    p.emit_failure_exit();
    p.finish_variables();
    return fn;
  }

  void emit_first(FunctionEmitter& p) {
    for (const imp::Stmt& stmt : body_.first(at_)) {
      if (const auto* alloc = imp::as<imp::Alloc>(stmt)) p.kept_blocks.insert(alloc->name.id);
      asks_for_turn_ |= imp::as<imp::MyTurn>(stmt) != nullptr;
    }
    p.open_scope();
    p.statements(body_.first(at_));
    keep(p);
    // Its scratch memory stays.
    p.scopes.pop_back();
  }

  // ---- what phases leave for each other: `fields_` from byte `offset_` of their memory on

  void keep(FunctionEmitter& p) {
    std::vector<core::Name> used;
    std::unordered_set<uint32_t> seen = {n_.begin.id, n_.end.id, n_.chunk.id};
    for (const core::Name name : env_.captured) seen.insert(name.id);
    used_names(body_.subspan(at_), used, seen);
    std::vector<llvm::Type*> types;
    for (const core::Name name : used) {
      // What is bound later has no slot here.
      const auto found = p.slots.find(name.id);
      if (found == p.slots.end()) continue;
      SKALD_CHECK(!found->second.owned, "a block that the chunk owns lives across `ordered`");
      names_.push_back(name);
      slots_.push_back(found->second);
      types.push_back(p.value(name)->getType());
    }
    fields_ = llvm::StructType::get(f_.module.context(), types);
    offset_ = p.kept_bytes;
    for (size_t k = 0; k < names_.size(); ++k) p.b.CreateStore(p.value(names_[k]), field(p, k));
  }

  void unpack(FunctionEmitter& p) {
    for (size_t k = 0; k < names_.size(); ++k) {
      Slot slot{.type = slots_[k].type};
      llvm::Type* type = fields_->getElementType(static_cast<unsigned>(k));
      Value* loaded = p.b.CreateLoad(type, field(p, k));
      if (slots_[k].variable == nullptr) {
        slot.value = loaded;
      } else {
        slot.variable = p.variable(type);
        p.b.CreateStore(loaded, slot.variable);
      }
      p.slots[names_[k].id] = slot;
    }
  }

  // Variables may have changed.
  void keep_again(FunctionEmitter& p) {
    for (size_t k = 0; k < names_.size(); ++k)
      if (slots_[k].variable != nullptr) p.b.CreateStore(p.value(names_[k]), field(p, k));
  }

  Value* field(FunctionEmitter& p, size_t k) {
    Value* fields = p.b.CreateConstInBoundsGEP1_64(p.b.getInt8Ty(), p.kept_memory, offset_);
    return p.b.CreateStructGEP(fields_, fields, static_cast<unsigned>(k));
  }

  // ---- the loop

  // One function for the table of kernels.
  llvm::Function* choose_phase(llvm::Function* first, llvm::Function* step, llvm::Function* then) {
    llvm::Function* whole = new_function();
    llvm::LLVMContext& context = f_.module.context();
    llvm::IRBuilder<> at(llvm::BasicBlock::Create(context, "start", whole));
    const auto call = [&](const char* name, llvm::Function* fn) {
      auto* block = llvm::BasicBlock::Create(context, name, whole);
      llvm::IRBuilder<> inside(block);
      std::vector<Value*> args;
      for (llvm::Argument& arg : whole->args()) args.push_back(&arg);
      inside.CreateRet(inside.CreateCall(fn, args));
      return block;
    };
    llvm::SwitchInst* choice = at.CreateSwitch(whole->getArg(kPhase), call("first", first), 2);
    choice->addCase(at.getInt32(SKALD_RT_STEP), call("step", step));
    choice->addCase(at.getInt32(SKALD_RT_THEN), call("then", then));
    return whole;
  }

  void call_runtime(Value* code) {
    llvm::IRBuilder<>& b = f_.b;
    const uint64_t bytes = offset_ + f_.module.module().getDataLayout().getTypeAllocSize(fields_);
    f_.branch_if_failed(b.CreateCall(
        f_.module.runtime("skald_rt_ordered_chunks", b.getInt32Ty(),
                          {b.getPtrTy(), b.getInt64Ty(), b.getInt64Ty(), b.getInt64Ty(),
                           b.getPtrTy(), b.getPtrTy()}),
        {f_.ctx, f_.value(n_.count), f_.value(n_.size), b.getInt64(bytes), code, env_.address}));
  }

  FunctionEmitter& f_;
  const imp::ParallelChunks& n_;
  const Environment& env_;
  const std::span<const imp::Stmt> body_;
  const size_t at_;  // the statement that is, or holds, the first `ordered`
  bool asks_for_turn_ = false;
  std::vector<core::Name> names_;
  std::vector<Slot> slots_;  // in the first phase
  llvm::StructType* fields_ = nullptr;
  uint64_t offset_ = 0;
};

}  // namespace

void ordered_chunks(FunctionEmitter& f, const imp::ParallelChunks& n, const Environment& env) {
  OrderedChunks(f, n, env).emit();
}

// In order by the phase it is in.
void emit_stmt(FunctionEmitter& f, const imp::Ordered& n) {
  f.body(n.body);
}

void emit_stmt(FunctionEmitter& f, const imp::MyTurn& n) {
  f.bind(n.name, Prim::kBool,
         f.b.CreateICmpEQ(f.fn->getArg(kPhase), f.b.getInt32(SKALD_RT_FIRST_ALONE)));
}

}  // namespace skald::cpu
