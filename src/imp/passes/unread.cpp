// SPDX-License-Identifier: Apache-2.0
// Removes blocks that are written but never read, and everything that was computed for them alone.
//
//   before   heap a = alloc(…);                        after   heap a = alloc(…);
//            heap b = alloc(…);
//            for (…) {                                         for (…) {
//              x = add_i32(x, y); y = …;                         x = add_i32(x, y); y = …;
//              z = mul_i32(z, y);
//              a[i] = x; b[i] = z;                               a[i] = x;
//            }                                                 }
//            free(b); return a;                                return a;
//
// An operator on several values, such as the product of matrices, gives all of them although the
// program may want one only; that cannot be seen before the operator has become a sequence.
//
// Stage    imp for the cpu.
// Needs    nothing.
// Gives    no heap block is only written; in functions that had one, no other block either.
// Keeps    the order of the statements that stay.
// Cost     linear in the size of a function, times the depth of what feeds what in its loops.
// Tests    tests/golden/passes/imp/unread/*.imp, tests/unit/imp_unread_test.cpp
#include "imp/passes/unread.h"

#include <algorithm>
#include <unordered_set>

#include "imp/ir/visit.h"
#include "imp/passes/passes.h"

namespace skald::imp {

namespace {

class Unread {
 public:
  enum class Which { kHeap, kAll };
  explicit Unread(PassContext& ctx) : ctx_(ctx) {}

  void run(Function& fn, Which which) {
    survey(fn.body, which);
    if (wanted_.empty()) return;
    for (const Operand& result : fn.ret) need(result);
    mark_all(fn.body);
    bool some = false;
    for (const Name block : wanted_) {
      if (needed_.contains(block)) continue;
      if (ctx_.may_rewrite("block that nobody reads")) {
        some = true;
      } else {
        // It stays, and so does what it is made from.
        need(block);
        mark_all(fn.body);
      }
    }
    if (some) sweep(fn.body);
  }

 private:
  void mark_all(const Body& body) {
    do {
      changed_ = false;
      mark(body);
    } while (changed_);
  }

  void survey(const Body& body, Which which) {
    for (const Stmt& stmt : body.stmts) {
      if (const auto* alloc = as<Alloc>(stmt)) {
        blocks_.insert(alloc->name);
        if (which == Which::kAll || alloc->space == Space::kHeap) wanted_.push_back(alloc->name);
      }
      for_each_body(stmt, [&](const Body& inner) { survey(inner, which); });
    }
  }

  void need(const Operand& operand) {
    if (const Name* name = core::as_name(operand); name != nullptr)
      changed_ |= needed_.insert(*name).second;
  }

  // Blocks from elsewhere are read by others.
  bool is_read(Name block) const { return !blocks_.contains(block) || needed_.contains(block); }

  // Would anybody notice if it were not there?
  bool matters(const Stmt& stmt) const {
    return visit(stmt.node, [&](const auto& n) -> bool {
      using N = std::remove_cvref_t<decltype(n)>;
      if constexpr (std::is_same_v<N, Let> || std::is_same_v<N, Var> || std::is_same_v<N, Load> ||
                    std::is_same_v<N, Earlier> || std::is_same_v<N, Alloc>)
        return needed_.contains(n.name);
      else if constexpr (std::is_same_v<N, Assign>)
        return needed_.contains(n.var);
      else if constexpr (std::is_same_v<N, Store> || std::is_same_v<N, Fill> ||
                         std::is_same_v<N, Free>)
        return is_read(n.block);
      else if constexpr (std::is_same_v<N, ScanBlock>)
        return is_read(n.dest) || is_read(n.carry);
      else if constexpr (std::is_same_v<N, Collect>)
        return needed_.contains(n.next) ||
               std::ranges::any_of(n.members, [&](const Collected& m) { return is_read(m.block); });
      else if constexpr (std::is_same_v<N, CopyBytes> || std::is_same_v<N, TransposeBlock> ||
                         std::is_same_v<N, ScanRows>)
        return is_read(n.dest);
      else
        return true;
    });
  }

  // Backwards, so that one time suffices where there is no loop.
  void mark(const Body& body) {
    for (auto stmt = body.stmts.rbegin(); stmt != body.stmts.rend(); ++stmt) {
      for_each_body(*stmt, [&](const Body& inner) { mark(inner); });
      if (matters(*stmt)) for_each_use(*stmt, [&](const Operand& use) { need(use); });
    }
  }

  void sweep(Body& body) {
    std::erase_if(body.stmts, [&](const Stmt& stmt) { return !matters(stmt); });
    for (Stmt& stmt : body.stmts) for_each_body(stmt, [&](Body& inner) { sweep(inner); });
  }

  PassContext& ctx_;
  std::unordered_set<Name> blocks_;  // allocated here
  std::vector<Name> wanted_;         // those to remove, if nobody reads them
  std::unordered_set<Name> needed_;
  bool changed_ = false;
};

}  // namespace

Program remove_unread(Program prog, PassContext& ctx) {
  for (Function& fn : prog.functions) Unread(ctx).run(fn, Unread::Which::kHeap);
  return prog;
}

void remove_unread_blocks(Function& fn, PassContext& ctx) {
  Unread(ctx).run(fn, Unread::Which::kAll);
}

}  // namespace skald::imp
