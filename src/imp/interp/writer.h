// SPDX-License-Identifier: Apache-2.0
// Instructions under construction: slots, scopes, jumps.  Slots are given like a stack: those of a
// body are free again after it.
#pragma once

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

#include "core/tuning/tuning.h"
#include "imp/interp/code.h"
#include "imp/interp/handlers.h"
#include "imp/ir/imp.h"

namespace skald::imp::interp {

class Writer {
 public:
  Writer(const Program& prog, const core::Tuning& tuning, std::vector<FunctionCode>& functions,
         FunctionCode& out)
      : prog_(prog), tuning_(tuning), functions_(functions), out_(out) {}

  void function(const Function& fn);
  const core::Tuning& tuning() const { return tuning_; }
  // The function of that name, which may not be compiled yet.
  std::pair<const Function*, const FunctionCode*> callee(std::string_view name) const;

  // ---- slots
  int32_t fresh() {
    out_.slots = std::max(out_.slots, slots_ + 1);
    return slots_++;
  }
  int32_t bind(const Decl& d);
  int32_t bind(Name name, Prim type) { return bind(Decl{name, scalar(type)}); }
  int32_t bind_block(Name name, Space space) { return bind(Decl{name, block_of(space)}); }
  int32_t block(Name name) const { return places_.at(name.id); }
  int32_t use(const Operand& operand);
  int32_t constant(uint64_t bits);
  // A copy, for loops that change what it is a copy of.
  int32_t copy(const Operand& operand);
  Prim type_of(const Operand& operand) const;
  Space space_of(Name block) const { return types_.at(block.id).space; }
  // In use now.
  int32_t slots() const { return slots_; }
  int32_t blocks() const { return blocks_; }

  // ---- instructions
  size_t emit(Instr instr);
  template <class Code>
  size_t emit(Handler run, Code code) {
    std::deque<Code>& all = std::get<std::deque<Code>>(out_.nodes);
    all.push_back(std::move(code));
    return emit({.run = run, .node = &all.back()});
  }
  int64_t here() const { return static_cast<int64_t>(out_.code.size()); }
  void jumps_here(size_t instr) { out_.code[instr].number = here(); }
  // The operands of the launch that is instruction `instr`.
  LaunchCode& launch(size_t instr);

  // ---- bodies
  void statements(const Body& body);
  // Runs `inside` in a scope of its own.
  template <class F>
  void scope(F&& inside) {
    const int32_t slots = slots_, blocks = blocks_;
    const Stmt* outer = stmt_;
    inside();
    stmt_ = outer;
    if (blocks_ > blocks) emit({.run = run_drop, .a = blocks, .b = blocks_});
    slots_ = slots;
    blocks_ = blocks;
  }
  void body(const Body& body) {
    scope([&] { statements(body); });
  }
  // for (var = begin; var < end; var += step), all i64
  template <class F>
  void count(int32_t var, int32_t begin, int32_t end, int32_t step, F&& inside) {
    emit({.run = run_move, .dst = var, .a = begin});
    const int64_t head = here();
    const size_t exit = emit({.run = run_jump_if_not_less, .a = var, .b = end});
    inside();
    emit({.run = run_next, .a = var, .b = step, .number = head});
    jumps_here(exit);
  }

 private:
  static Type block_of(Space space) { return imp::block(space); }

  const Program& prog_;
  const core::Tuning& tuning_;
  std::vector<FunctionCode>& functions_;
  FunctionCode& out_;
  const Stmt* stmt_ = nullptr;
  int32_t slots_ = 0, blocks_ = 0;
  std::unordered_map<uint32_t, int32_t> places_;
  std::unordered_map<uint32_t, Type> types_;
  std::unordered_map<uint64_t, int32_t> constants_;
};

// One function for each statement: compile_scalars.cpp, compile_memory.cpp, compile_control.cpp.
#define X(n) void write(Writer& w, const n& node);
SKALD_IMP_NODES(X)
#undef X

}  // namespace skald::imp::interp
