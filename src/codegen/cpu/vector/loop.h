// SPDX-License-Identifier: Apache-2.0
// A loop in lanes (imp::LanePlan): its groups one after the other, and scalar code for the rest.
#pragma once

#include <functional>

#include "codegen/cpu/vector/vector_emitter.h"

namespace skald::cpu {

// The LaneLoopEmitter of this folder.
void emit_in_lanes(FunctionEmitter& f, const imp::For& loop);

class VectorLoop {
 public:
  VectorLoop(FunctionEmitter& f, const imp::For& loop);

  void run();

 private:
  using Known = std::unordered_map<uint32_t, llvm::Value*>;  // the results of
                                                             // borders, by name

  // ---- without borders
  // Iterations from the position up to `end`, of which there are `length` at the beginning.
  struct Part {
    llvm::Value* length;
    llvm::Value* end;
    bool is_last;  // where the position is afterwards does not matter
  };
  // The groups from the position on; the last one may begin earlier.  `prepare`: tells the emitter
  // what is special about them.
  void groups(const imp::LaneGroups& groups, const Part& part,
              const std::function<void(VectorEmitter&)>& prepare);
  // Up to the end of the loop.
  void last_groups(const imp::LaneGroups& groups, const std::vector<core::Name>& streamed);
  void main_groups();
  // Scalar code for what is left, and after a failing check; false if nobody needs it.
  bool scalar_until(llvm::Value* end);
  void rest();
  void align_first();

  // ---- with borders (borders.cpp)
  void run_stretches();
  // The borders of a loop that is one group, all lanes of which are on one side of each.
  Known known_inside();
  llvm::Value* known_in_group(const core::CmpOp& c, llvm::Value* holds);
  void align_stretch(llvm::Value* start, llvm::Value* length, const Known& known);
  void rest_of_stretch(llvm::Value* next, llvm::BasicBlock* head);
  // An operand as it is in the first lane.
  llvm::Value* value_before(const core::Operand& operand, llvm::Value* first);
  // Does a comparison hold in the first lane?
  llvm::Value* holds_before(const core::CmpOp& c, llvm::Value* first);
  // How many iterations from the first one on have the same result, at least one.
  llvm::Value* stretch(const imp::Border& border, llvm::Value* first);

  // ---- both
  // Is what the body writes not what it reads?
  llvm::Value* is_apart();
  // Are the results so large that they should go past the caches, do they begin with cache lines,
  // and lie where nothing is read?
  llvm::Value* should_stream();
  void reset_scratch();

  FunctionEmitter& f_;
  llvm::IRBuilder<>& b_;
  const imp::For& loop_;
  const imp::LanePlan& plan_;
  const imp::Accessed accessed_;
  imp::Definitions made_;
  std::unordered_map<core::Name, core::Operand> unclamped_;  // of a group that is inside
  std::unordered_set<core::Name> own_blocks_;                // of the iterations
  llvm::Value *begin_ = nullptr, *end_ = nullptr;
  llvm::AllocaInst* position_ = nullptr;  // of the next iteration
  llvm::Value* scratch_mark_ = nullptr;
  llvm::BasicBlock *repeat_ = nullptr, *after_ = nullptr;
};

}  // namespace skald::cpu
