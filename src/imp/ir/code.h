// SPDX-License-Identifier: Apache-2.0
// Statements under construction: what lowering and passes write imp with.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "imp/ir/imp.h"

namespace skald::imp {

// Statements under construction, with short forms for the frequent ones.
class Code {
 public:
  explicit Code(Program& prog) : prog_(prog) {}

  template <class Node>
  void add(Node node) {
    stmts_.push_back(Stmt{std::move(node)});
  }
  Body finish() { return Body(std::move(stmts_)); }
  Program& program() { return prog_; }
  // Has no memory been touched since the last barrier?
  bool is_synced() const;
  Name fresh(std::string_view base) { return prog_.names.fresh(base); }

  // Scalars; constants are folded.
  Operand let(Prim type, Exp exp, std::string_view base);
  Operand binop(BinOpKind op, const Operand& a, const Operand& b,
                std::string_view base = "t");  // i64
  Operand add_i64(const Operand& a, const Operand& b);
  Operand mul_i64(const Operand& a, const Operand& b);
  Operand sub_i64(const Operand& a, const Operand& b);
  Operand min_i64(const Operand& a, const Operand& b);
  Operand max_i64(const Operand& a, const Operand& b);
  Operand less_i64(const Operand& a, const Operand& b);
  // a && b
  Operand both(const Operand& a, const Operand& b, std::string_view base);
  // a || b
  Operand either(const Operand& a, const Operand& b, std::string_view base);
  Name var(Prim type, const Operand& init, std::string_view base);
  Operand load(Prim type, Name block, const Operand& index, std::string_view base);
  Operand shuffle(ShuffleKind kind, Prim type, const Operand& value, const Operand& lane,
                  std::string_view base);
  Operand ballot(const Operand& condition);
  Name alloc(Space space, const Operand& bytes, std::string_view base);
  // Allocations from statement `from` on that have no place get this one.
  size_t size() const { return stmts_.size(); }
  void place_allocs(size_t from, Loc loc);
  // The same for loops.
  void place_loops(size_t from, Loc loc);
  // The expression that this code has just bound the operand to; null if it has not.
  const Exp* definition(const Operand& operand) const;
  // If `sum` has just been made as x * y + z of floats: the same, rounded once.
  Operand fused(const Operand& sum);

  // for (i = begin; i < end; i += step) { body(code, i) }
  using LoopBody = std::function<void(Code&, const Operand&)>;
  void loop(const Operand& begin, const Operand& end, const LoopBody& body, int64_t step = 1,
            LoopHint hint = LoopHint::kNone);
  void short_loop(const Operand& begin, const Operand& end, const LoopBody& body) {
    loop(begin, end, body, 1, LoopHint::kShort);
  }
  // `grain` iterations are worth a task; 0: the runtime measures.
  void parallel_for(const Operand& count, const Operand& grain, const LoopBody& body);
  // The body gets begin and end.
  void parallel_range(const Operand& count, const Operand& grain,
                      const std::function<void(Code&, const Operand&, const Operand&)>& body);
  // The body gets begin, end and the number of the chunk.
  void parallel_chunks(
      const Operand& count, const Operand& size,
      const std::function<void(Code&, const Operand&, const Operand&, const Operand&)>& body);
  void branch(const Operand& cond, const std::function<void(Code&)>& then,
              const std::function<void(Code&)>& otherwise = {});
  // Nobody can foresee whether it is so.
  void maybe(const Operand& cond, const std::function<void(Code&)>& then);

 private:
  Program& prog_;
  std::vector<Stmt> stmts_;
};

// The indices of element `number` of a shape, row by row.
std::vector<Operand> unflatten(Code& code, const Operand& number,
                               const std::vector<Operand>& shape);
// How many chunks of `size` n points make: at least one, so that there is memory to point to.
Operand chunk_count(Code& code, const Operand& n, const Operand& size);
// How many pieces of `size` cover `count`.
Operand pieces(Code& code, const Operand& count, const Operand& size);

}  // namespace skald::imp
