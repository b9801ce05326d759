// SPDX-License-Identifier: Apache-2.0
// Emits one LLVM function: a function of the program, or the body of a parallel loop.
//
// Calling convention inside the module: i32 f(ptr ctx, parameters…, ptr results…).  It returns 1
// after a failure, and has then given back everything it owned.  A kHeap parameter is a
// SkaldBlock*, a kView parameter the address of its data.  A loop body is a SkaldLoopBody (that
// also returns whether it failed) whose environment holds the context and the captured names.
//
// Owned blocks live in a table on the stack whose rows are null whenever they own nothing; the one
// failure exit of a function releases them all.  The table stays in memory: as values, each block
// would need a phi with a case for every check of the function.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "codegen/cpu/emit/alias.h"
#include "codegen/cpu/emit/module_emitter.h"
#include "codegen/cpu/emit/recursion.h"
#include "codegen/cpu/operators/scalar.h"

namespace skald::cpu {

// What a name stands for in a function.
struct Slot {
  imp::Type type;
  llvm::Value* value = nullptr;           // the scalar, or the address of the data
  llvm::AllocaInst* variable = nullptr;   // instead of `value`, if that changes
  llvm::Value* block = nullptr;           // kHeap: the SkaldBlock*
  llvm::Value* block_variable = nullptr;  // a row of the table
  bool owned = false;
};
using Slots = std::unordered_map<uint32_t, Slot>;

// The names and the scratch memory of one imp::Body.
struct Scope {
  std::vector<core::Name> owned;
  llvm::Value* scratch_mark = nullptr;
};

// A function that is being made; the statements add their code to it (statements.h).
class FunctionEmitter {
 public:
  FunctionEmitter(ModuleEmitter& module, llvm::Function* fn, const imp::Function& source,
                  AliasClasses& aliases);

  // `kernels` is the group that its kernels are in.
  void emit_function(bool recursive, uint32_t kernels);
  // Stores the results, gives back what is left and writes the exits.
  void end_function(const std::vector<llvm::Value*>& results);

  // ---- values
  llvm::Value* value(const core::Operand& operand);
  llvm::Value* data(core::Name block);
  llvm::Value* block_pointer(core::Name block);
  llvm::Value* element(core::Name block, Prim type, const core::Operand& index);
  llvm::Value* load(Prim type, llvm::Value* address, core::Name block);
  void store(Prim type, llvm::Value* address, llvm::Value* value, core::Name block);
  void bind(core::Name name, Prim type, llvm::Value* value);
  llvm::AllocaInst* variable(llvm::Type* type, const llvm::Twine& name = "");
  llvm::Value* exp(const imp::Exp& exp);
  llvm::Value* as_it_is(llvm::Value* value);
  static llvm::InlineAsm* as_it_is_asm(llvm::Type* of);
  // Where stores go that must not be seen, and loads that nobody looks at.
  llvm::Value* spare();
  // A choice that stays one.
  llvm::Value* unforeseen(llvm::Value* cond, llvm::Value* yes, llvm::Value* no);

  // ---- blocks
  void own(core::Name name);
  void set_block(Slot& slot, llvm::Value* block, llvm::Value* data);
  void release(core::Name name);
  llvm::Value* load_data_pointer(llvm::Value* block);
  // Scratch memory of any size, given back at the end of the scope.
  llvm::Value* scratch_memory(llvm::Value* bytes, core::Loc loc);

  // ---- control
  llvm::BasicBlock* new_block(const char* name);
  // i32 or i1; `loc` is where it failed, if the runtime does not know that.
  void branch_if_failed(llvm::Value* failed, core::Loc loc = {});
  void add_frame(core::Loc loc);
  llvm::BasicBlock* failure_exit();
  void emit_failure_exit();
  // Ends the block of variables.
  void finish_variables();
  void open_scope() { scopes.emplace_back(); }
  void close_scope();
  void body(const imp::Body& body);                   // with a scope of its own
  void statements(std::span<const imp::Stmt> stmts);  // in the current scope
  // The current scope no longer owns the block: somebody else has its reference.
  void disown(core::Name name);
  bool owns(core::Name name) const;
  // A round of a loop begins: leaves the function if the run must stop and the loop looks at that.
  void poll(imp::LoopMark mark);
  // Gives the branch back to the loop's head, for metadata.  The loop ends when `exit` is false.
  llvm::Instruction* counted_loop(llvm::Value* begin, llvm::Value* end, llvm::Value* step,
                                  core::Name var, Prim type, const imp::Body& inner,
                                  imp::LoopMark mark, core::Name exit = {});
  // inside(i) for i = begin, begin + step, … while i < end, all of 64 bits; the same branch.
  template <class Inside>
  llvm::Instruction* count_up(llvm::Value* begin, llvm::Value* end, uint64_t step,
                              const Inside& inside);
  // The same with values that go from round to round: inside(i, values) gives the next ones, and
  // `values` are those after the last round in the end.
  template <class Inside>
  llvm::Instruction* count_up(llvm::Value* begin, llvm::Value* end, uint64_t step,
                              std::vector<llvm::Value*>& values, const Inside& inside);
  // Keeps a loop as it is: code that hardly ever runs, or is as fast so.
  void leave_scalar(llvm::Instruction* back_branch);
  void trap();
  // The function may use registers of that size.
  void use_wide_registers(int bytes);

  ModuleEmitter& module;
  llvm::Function* fn;
  const imp::Function& source;
  AliasClasses& aliases;
  const Recursion* recursion = nullptr;  // if this is the part of a function that calls itself
  llvm::IRBuilder<> b;
  ScalarEmitter scalars;
  llvm::BasicBlock* entry;     // variables only
  llvm::Value* ctx = nullptr;  // SkaldContext*
  Slots slots;
  std::vector<Scope> scopes;
  uint32_t group = 0;  // of kernels
  // The thread's lists of small blocks, where the code handles many (small_blocks.h); or null.
  llvm::Value* small_blocks = nullptr;
  // Where a check that fails goes, if other code finds out what to say.
  llvm::BasicBlock* on_failure = nullptr;
  llvm::AllocaInst* failure_values = nullptr;
  // The lock that is held here, or null; an early end of the run must give it back.
  llvm::Value* held_lock = nullptr;
  int64_t stack_bytes = 0;
  // Variables of places that a branch made negative: points left out.
  std::unordered_set<uint32_t> left_out;

  // ---- of the body of a parallel loop
  bool in_loop = false;
  bool streams = false;               // it has stores past the caches, which others see after
                                      // a fence only
  llvm::Value* chunk_size = nullptr;  // of the chunks that threads take in order
  // In the first phase of such a chunk: what it leaves to the others lies here, of which so many
  // bytes are in use, and these are the names of blocks that must do so.
  llvm::Value* kept_memory = nullptr;
  uint64_t kept_bytes = 0;
  std::unordered_set<uint32_t> kept_blocks = {};
  // How many elements ahead the thread's next chunk has one, in a loop that should fetch it.
  llvm::Value* next_chunk = nullptr;
  // The first iteration of the piece that this function runs and what is computed from it, such as
  // its place in its row; and the lanes of loops that begin there.
  std::unordered_set<uint32_t> piece_begins = {};
  unsigned piece_lanes = 0;
  // Of a parallel range: how many iterations all pieces have.
  llvm::Value* range_count = nullptr;

 private:
  // Binds the parameters; gives the places of the results.
  std::vector<llvm::Value*> begin_function(bool recursive);

  llvm::BasicBlock* failure_block_ = nullptr;
  llvm::AllocaInst* scratch_mark_ = nullptr;
  llvm::AllocaInst* owned_table_ = nullptr;
  uint64_t owned_count_ = 0;
  llvm::Value* spare_place_ = nullptr;
};

template <class Inside>
llvm::Instruction* FunctionEmitter::count_up(llvm::Value* begin, llvm::Value* end, uint64_t step,
                                             const Inside& inside) {
  std::vector<llvm::Value*> nothing;
  return count_up(begin, end, step, nothing, [&](llvm::Value* i, const auto&) {
    inside(i);
    return std::vector<llvm::Value*>();
  });
}

template <class Inside>
llvm::Instruction* FunctionEmitter::count_up(llvm::Value* begin, llvm::Value* end, uint64_t step,
                                             std::vector<llvm::Value*>& values,
                                             const Inside& inside) {
  llvm::BasicBlock* before = b.GetInsertBlock();
  llvm::BasicBlock* head = new_block("head");
  llvm::BasicBlock* one = new_block("element");
  llvm::BasicBlock* after = new_block("after");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  llvm::PHINode* i = b.CreatePHI(b.getInt64Ty(), 2);
  i->addIncoming(begin, before);
  std::vector<llvm::PHINode*> carried;
  for (llvm::Value*& value : values) {
    carried.push_back(b.CreatePHI(value->getType(), 2));
    carried.back()->addIncoming(value, before);
    value = carried.back();
  }
  b.CreateCondBr(b.CreateICmpSLT(i, end), one, after);
  b.SetInsertPoint(one);
  const std::vector<llvm::Value*> next = inside(i, values);
  i->addIncoming(b.CreateNSWAdd(i, b.getInt64(step)), b.GetInsertBlock());
  for (size_t k = 0; k < carried.size(); ++k) carried[k]->addIncoming(next[k], b.GetInsertBlock());
  llvm::Instruction* back = b.CreateBr(head);
  b.SetInsertPoint(after);
  return back;
}

}  // namespace skald::cpu
