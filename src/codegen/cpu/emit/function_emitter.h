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

#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "codegen/cpu/emit/module.h"
#include "codegen/cpu/operators/scalar.h"
#include "imp/analysis/same_blocks.h"
#include "imp/simd/lanes_analysis.h"
#include "support/bug.h"

namespace skald::cpu {

// What the functions of one module share.
class ModuleEmitter {
 public:
  ModuleEmitter(const imp::Program& prog, EmittedProgram& out, bool lazy,
                imp::VectorRegisters vectors, const CompileOptions& options);
  void run();

  // The size of a vector register; some loops use wider ones.
  const imp::VectorRegisters& vector_registers() const { return vectors_; }
  uint32_t vector_bytes() const { return static_cast<uint32_t>(vectors_.bytes); }
  // Do simd loops become vector code here?
  bool simd() const { return options_.simd; }
  bool streams() const { return options_.streams && has_streams(); }
  void explain_simd(const imp::Function& fn, const imp::For& loop, const std::string& what);

  const imp::Program& prog() const { return prog_; }
  llvm::LLVMContext& context() { return *out_.context; }
  llvm::Module& module() { return *out_.module; }
  llvm::Function* function(const std::string& name) { return functions_.at(name); }
  // A function of runtime/abi.h.
  llvm::FunctionCallee runtime(llvm::StringRef name, llvm::Type* result,
                               llvm::ArrayRef<llvm::Type*> params);
  int64_t add_failure(FailureMessage message);
  // The row of a tuning parameter.
  int32_t tuning_row(const std::string& param);
  // A name for the body of the next parallel loop.
  std::string loop_name(std::string_view fn);
  // Are kernels called through the table of kernel.h?
  bool lazy() const { return lazy_; }
  uint32_t new_group(uint32_t around);
  // Of the two arms of a branch.
  void set_rivals(uint32_t group, uint32_t other);
  // The number of a new kernel.
  uint32_t add_kernel(llvm::Function* body, uint32_t group);

 private:
  void declare(const imp::Function& fn);
  void emit_entry(const imp::Function& fn);
  // The function that calls `compute` the first time and remembers its results.
  void emit_once(const imp::Function& fn, llvm::Function* compute);
  bool is_recursive(const imp::Function& fn) const;

  const imp::Program& prog_;
  EmittedProgram& out_;
  bool lazy_;
  std::unordered_map<std::string, llvm::Function*> functions_;
  imp::VectorRegisters vectors_;
  const CompileOptions& options_;
  int loops_ = 0;
};

// Which names of blocks may lead to the same memory, for one function that is emitted: one of the
// program, or the body of a parallel loop, which knows more (imp/analysis/same_blocks.h).
class AliasClasses {
 public:
  AliasClasses(const imp::Function& fn, const imp::SameBlocks& same, llvm::LLVMContext& ctx);
  AliasClasses(const imp::Body& parallel_body, std::span<const core::Name> outer_blocks,
               const imp::SameBlocks& same, llvm::LLVMContext& ctx);
  const imp::SameBlocks& same() const { return same_; }
  // Says of a load or store to `block` what it cannot overlap with.
  void annotate(llvm::Instruction* access, core::Name block);
  bool may_overlap(core::Name a, core::Name b);

 private:
  uint32_t find(uint32_t id);
  void unite(core::Name a, core::Name b);
  void collect(const imp::Body& body);
  void make_lists(llvm::LLVMContext& ctx);

  const imp::SameBlocks& same_;
  std::unordered_map<uint32_t, uint32_t> parent_;
  struct Lists {
    llvm::MDNode *scope = nullptr, *others = nullptr;
  };
  std::unordered_map<uint32_t, Lists> lists_;  // by representative
};

// `rows` rows of `columns` elements become columns.  Strides are in elements; a block without a
// name is one that only a group of lanes knows.
struct Transposition {
  Prim type = Prim::kI64;
  llvm::Value *src = nullptr, *src_stride = nullptr;
  llvm::Value *dest = nullptr, *dest_stride = nullptr;
  llvm::Value *rows = nullptr, *columns = nullptr;
  core::Name src_block = {}, dest_block = {};
};

// Adds the names that statements use and that are not in `seen` yet.
void used_names(std::span<const imp::Stmt> stmts, std::vector<core::Name>& out,
                std::unordered_set<uint32_t>& seen);
// The statement of the body of parallel chunks that is, or holds, the first imp::Ordered.
std::optional<size_t> ordered_statement(const imp::Body& body);

// What memory and caches exchange.
inline constexpr uint64_t kLineBytes = 64;
// Blocks in the memory that a chunk keeps begin at multiples of this.
inline constexpr uint64_t kKeptAlignment = 16;

class FunctionEmitter {
 public:
  FunctionEmitter(ModuleEmitter& module, llvm::Function* fn, const imp::Function& source,
                  AliasClasses& aliases);

  void emit_function(bool recursive, uint32_t group);

 private:
  friend class OrderedChunks;
  friend class PackLoop;
  friend class TransposeEmitter;
  friend class VectorEmitter;

  // What a name stands for here.
  struct Slot {
    imp::Type type;
    llvm::Value* value = nullptr;           // the scalar, or the address of the data
    llvm::AllocaInst* variable = nullptr;   // instead of `value`, if that changes
    llvm::Value* block = nullptr;           // kHeap: the SkaldBlock*
    llvm::Value* block_variable = nullptr;  // a row of the table
    bool owned = false;
  };
  // The names and the scratch memory of one imp::Body.
  struct Scope {
    std::vector<core::Name> owned;
    llvm::Value* scratch_mark = nullptr;
  };

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

  // ---- blocks
  void own(core::Name name);
  void set_block(Slot& slot, llvm::Value* block, llvm::Value* data);
  void release(core::Name name);
  llvm::Value* load_data_pointer(llvm::Value* block);

  // ---- control
  llvm::BasicBlock* new_block(const char* name);
  // i32 or i1; `loc` is where it failed, if the runtime does not know that.
  void branch_if_failed(llvm::Value* failed, core::Loc loc = {});
  void add_frame(core::Loc loc);
  llvm::BasicBlock* failure_exit();
  void emit_failure_exit();
  // Ends the block of variables.
  void finish_variables();
  void open_scope() { scopes_.emplace_back(); }
  void close_scope();
  void body(const imp::Body& body);                   // with a scope of its own
  void statements(std::span<const imp::Stmt> stmts);  // in the current scope
  // Gives the branch back to the loop's head, for metadata.  `exit`: see imp/simd/early_exit.h.
  llvm::Instruction* counted_loop(llvm::Value* begin, llvm::Value* end, llvm::Value* step,
                                  core::Name var, Prim type, const imp::Body& inner,
                                  core::Name exit = {});
  // inside(i) for i = begin, begin + step, … while i < end, all of 64 bits; the same branch.
  template <class Inside>
  llvm::Instruction* count_up(llvm::Value* begin, llvm::Value* end, uint64_t step,
                              const Inside& inside);
  // The same with values that go from round to round: inside(i, values) gives the next ones, and
  // `values` are those after the last round in the end.
  template <class Inside>
  llvm::Instruction* count_up(llvm::Value* begin, llvm::Value* end, uint64_t step,
                              std::vector<llvm::Value*>& values, const Inside& inside);
  void annotate(llvm::Instruction* back_branch, const imp::For& loop);
  // Keeps a loop as it is: code that hardly ever runs, or is as fast so.
  void leave_scalar(llvm::Instruction* back_branch);
  // Emits vector code (vector/loop.cpp), or nothing if the loop is not fit for it.
  bool simd_loop(const imp::For& loop);
  void align_first(const imp::For& loop, const imp::LanesAnalysis& analysis,
                   const imp::RowStore& update, unsigned lanes, int bytes, llvm::Value* position);
  void trap();
  // The same for loops that have checks but that lanes do not pay for, and for plain loops
  // (side_by_side.cpp).
  using Slots = std::unordered_map<uint32_t, Slot>;
  bool side_by_side(const imp::For& loop, const imp::LanesAnalysis& analysis);
  bool checks_ahead(const imp::For& loop);
  // The body of a loop that is several guarded updates (shared_guards.cpp).
  bool guards_together(const imp::Body& body);
  template <class Inside>
  void checked_groups(const imp::For& loop, unsigned beside, const Inside& inside);
  void beside(const imp::Stmt& s, std::vector<Slots>& own, llvm::BasicBlock* repeat);
  std::vector<Slots> counters(const imp::For& loop, llvm::Value* first, unsigned beside);
  // The function may use registers of that size.
  void use_wide_registers(int bytes);
  // vector/borders.cpp
  void simd_loop_with_borders(const imp::For& loop, const imp::LanesAnalysis& all,
                              const imp::LanesAnalysis& inside,
                              const std::vector<imp::Border>& borders,
                              const imp::LaneChoice& choice);
  llvm::Value* value_before(const core::Operand& operand, const imp::For& loop,
                            const imp::LanesAnalysis& analysis, llvm::Value* first);
  bool may_run_again(const imp::For& loop, const imp::LanesAnalysis& analysis);
  llvm::Value* is_apart(const imp::For& loop, const imp::LanesAnalysis& analysis);
  llvm::Value* stretch(const imp::Border& border, const imp::For& loop,
                       const imp::LanesAnalysis& analysis, llvm::Value* first);

  // ---- statements
  void stmt(const imp::Let& n);
  void stmt(const imp::Var& n);
  void stmt(const imp::Assign& n);
  void stmt(const imp::Tunable& n);
  void stmt(const imp::Load& n);
  void stmt(const imp::Store& n);
  void stmt(const imp::Alloc& n);
  void stmt(const imp::BlockVar& n);
  void stmt(const imp::BlockAssign& n);
  void stmt(const imp::Free& n);
  void stmt(const imp::CopyBytes& n);
  void stream(llvm::Value* dest, llvm::Value* src, llvm::Value* bytes);
  void stream_fence();
  // Is it the beginning of a cache line?
  llvm::Value* is_line(llvm::Value* address);
  void set_past_caches(llvm::StoreInst* store);
  // The results of a cheap loop over all points of a kernel that may go past the caches: one
  // element for each point, one after the other.
  std::vector<core::Name> streamable_results(const imp::For& loop, unsigned lanes,
                                             const imp::LanesAnalysis& analysis);
  // Are they so large that this pays, do they begin with cache lines, and lie where nothing is
  // read?
  llvm::Value* should_stream(const imp::For& loop, const std::vector<core::Name>& results,
                             const imp::LanesAnalysis& analysis);
  // Asks for the line of an address, which need not exist.
  enum class Level : uint8_t { kFirst = 3, kSecond = 2 };
  void prefetch(llvm::Value* address, Level level = Level::kFirst);
  // How many elements ahead of a point the thread's next chunk begins; null if that is not known.
  llvm::Value* next_chunk();
  void stmt(const imp::Fill& n);
  void stmt(const imp::Trace& n);
  void stmt(const imp::If& n);
  void stmt(const imp::For& n);
  void stmt(const imp::While& n);
  void stmt(const imp::Call& n);
  // The arguments of a call, with the places for its results at the end.
  std::vector<llvm::Value*> call_args(const imp::Call& n,
                                      const std::vector<llvm::AllocaInst*>& results);
  // Goes on only if the call did not fail.
  void after_call(const imp::Call& n, llvm::Value* failed);
  // Calls side by side, at the beginning of these statements (fork.cpp); gives the number of
  // statements.
  size_t fork(std::span<const imp::Stmt> stmts);
  void stmt(const imp::Check& n);
  void stmt(const imp::ParallelFor& n);
  void stmt(const imp::ParallelRange& n);
  void stmt(const imp::ParallelChunks& n);
  void stmt(const imp::TransposeBlock& n);
  void transpose(const Transposition& n);
  void stmt(const imp::ScanBlock& n);
  void stmt(const imp::ScanRows& n);
  void stmt(const imp::Earlier& n);
  void stmt(const imp::Collect& n);
  void stmt(const imp::Ordered& n);
  void stmt(const imp::MyTurn& n);
  void stmt(const imp::ChunkSize& n);
  void stmt(const imp::Workers& n);
  // ---- no branches (choices.cpp)
  // Where stores go that must not be seen, and loads that nobody looks at.
  llvm::Value* spare();
  // A choice that stays one.
  llvm::Value* unforeseen(llvm::Value* cond, llvm::Value* yes, llvm::Value* no);
  bool stores_without_branch(const imp::If& n);
  void remember_left_out(const imp::Body& side);
  bool both_sides(const imp::If& n);
  bool depends_on_data(const core::Operand& cond) const;
  void scalar_points(const imp::For& loop, const imp::LanesAnalysis& analysis);
  // Inside a loop that is not one over points.
  class NotPoints {
   public:
    explicit NotPoints(FunctionEmitter& f) : f_(f), points_(std::exchange(f.points_, nullptr)) {}
    ~NotPoints() { f_.points_ = points_; }
    NotPoints(const NotPoints&) = delete;
    NotPoints& operator=(const NotPoints&) = delete;

   private:
    FunctionEmitter& f_;
    const imp::LanesAnalysis* points_;
  };

  llvm::Value* as_it_is(llvm::Value* value);
  static llvm::InlineAsm* as_it_is_asm(llvm::Type* of);
  void stmt(const imp::Atomic& n);
  void stmt(const imp::AtomicUpdate& n);
  void stmt(const imp::Locked& n);
  void stmt(const imp::Launch&) { SKALD_BUG("a launch in code for the cpu"); }
  void stmt(const imp::Barrier&) { SKALD_BUG("a barrier in code for the cpu"); }
  void stmt(const imp::Stop&) { SKALD_BUG("a stop in code for the cpu"); }
  void stmt(const imp::Attempt&) { SKALD_BUG("an attempt in code for the cpu"); }
  void scratch(const imp::Alloc& n);
  // Scratch memory of any size, given back at the end of the scope.
  llvm::Value* scratch_memory(llvm::Value* bytes, core::Loc loc);
  template <class Combine>
  void compare_exchange(Prim type, llvm::Value* address, const Combine& combine);

  // ---- parallel loops (parallel.cpp)
  struct Environment {
    const imp::Body* body;
    llvm::StructType* type = nullptr;
    llvm::Value* address = nullptr;
    std::vector<core::Name> captured = {}, blocks = {};  // blocks: those that are
  };
  // `extra` (or null) is one more value for the body.
  Environment capture(const imp::Body& body, llvm::Value* extra);
  // Fills slots_ from an environment; gives back the extra value.
  llvm::Value* unpack(const FunctionEmitter& outer, const Environment& env, llvm::Value* address);
  // An empty function that the runtime can call: i32 loop(ptr env, i64 begin, i64 end, i32 worker).
  llvm::Function* new_loop_function();
  // Emits the loop's function; `inner(loop, begin, end, extra)` emits what is done for the
  // iterations begin … end-1.
  template <class Inner>
  llvm::Function* outline(const Environment& env, const Inner& inner);
  // The code of an outlined loop: of a kernel, what its row of the table says (kernel.h).
  llvm::Value* kernel_code(llvm::Function* body);
  // Chunks with something to do in order (ordered.cpp).
  void ordered_chunks(const imp::ParallelChunks& n, const Environment& env);
  // A loop that is one piece is called without the runtime.
  void run_loop(const char* runtime_function, llvm::Function* body, const Environment& env,
                llvm::Value* count, llvm::Value* size);

  ModuleEmitter& m_;
  llvm::Function* fn_;
  const imp::Function& source_;
  AliasClasses& aliases_;
  // Where a check that fails goes, if other code finds out what to say.
  llvm::BasicBlock* on_failure_ = nullptr;
  llvm::IRBuilder<> b_;
  ScalarEmitter scalars_;
  llvm::BasicBlock* entry_;  // variables only
  llvm::BasicBlock* failure_exit_ = nullptr;
  bool in_loop_ = false;               // the function is the body of a parallel loop
  bool in_chunks_ = false;             // the same, of parallel chunks: long stretches
  llvm::Value* chunk_size_ = nullptr;  // of the chunks that threads take in order
  // In the first phase of such a chunk: what it leaves to the others lies here, of which so many
  // bytes are in use, and these are the names of blocks that must do so.
  llvm::Value* kept_memory_ = nullptr;
  uint64_t kept_bytes_ = 0;
  std::unordered_set<uint32_t> kept_blocks_ = {};
  // How many elements ahead the thread's next chunk has one, in a loop that should fetch it.
  llvm::Value* next_chunk_ = nullptr;
  bool streams_ = false;  // it has stores past the caches, which others see after a fence only
  uint32_t group_ = 0;    // of kernels
  llvm::AllocaInst* scratch_mark_ = nullptr;
  // The first iteration of the piece that this function runs and what is computed from it, such as
  // its place in its row; and the lanes of loops that begin there.
  std::unordered_set<uint32_t> piece_begins_ = {};
  unsigned piece_lanes_ = 0;
  // Of a parallel range: where the piece begins, and how many iterations all pieces have.
  struct Range {
    core::Name begin;
    llvm::Value* count = nullptr;
  };
  Range range_;
  llvm::AllocaInst* owned_table_ = nullptr;
  llvm::AllocaInst* failure_values_ = nullptr;
  llvm::Value* spare_ = nullptr;
  // Of the `simd for` whose iterations are being emitted as scalar code.
  const imp::LanesAnalysis* points_ = nullptr;
  // Variables of places that a branch made negative: points left out.
  std::unordered_set<uint32_t> left_out_;
  int64_t stack_bytes_ = 0;
  llvm::Value* ctx_ = nullptr;  // SkaldContext*
  std::unordered_map<uint32_t, Slot> slots_;
  uint64_t owned_count_ = 0;
  std::vector<Scope> scopes_;
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
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* head = new_block("head");
  llvm::BasicBlock* one = new_block("element");
  llvm::BasicBlock* after = new_block("after");
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  llvm::PHINode* i = b_.CreatePHI(b_.getInt64Ty(), 2);
  i->addIncoming(begin, before);
  std::vector<llvm::PHINode*> carried;
  for (llvm::Value*& value : values) {
    carried.push_back(b_.CreatePHI(value->getType(), 2));
    carried.back()->addIncoming(value, before);
    value = carried.back();
  }
  b_.CreateCondBr(b_.CreateICmpSLT(i, end), one, after);
  b_.SetInsertPoint(one);
  const std::vector<llvm::Value*> next = inside(i, values);
  i->addIncoming(b_.CreateNSWAdd(i, b_.getInt64(step)), b_.GetInsertBlock());
  for (size_t k = 0; k < carried.size(); ++k) carried[k]->addIncoming(next[k], b_.GetInsertBlock());
  llvm::Instruction* back = b_.CreateBr(head);
  b_.SetInsertPoint(after);
  return back;
}

}  // namespace skald::cpu
