// SPDX-License-Identifier: Apache-2.0
#include "imp/passes/unread.h"

#include <algorithm>
#include <unordered_set>

#include "imp/ir/visit.h"

namespace skald::imp {

namespace {

class Unread {
 public:
  enum class Which { kHeap, kAll };
  void run(Function& fn, Which which) {
    survey(fn.body, which);
    if (wanted_.empty()) return;
    for (const Operand& result : fn.ret) need(result);
    do {
      changed_ = false;
      mark(fn.body);
    } while (changed_);
    if (std::all_of(wanted_.begin(), wanted_.end(),
                    [&](Name block) { return needed_.contains(block); }))
      return;
    sweep(fn.body);
  }

 private:
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

  std::unordered_set<Name> blocks_;  // allocated here
  std::vector<Name> wanted_;         // those to remove, if nobody reads them
  std::unordered_set<Name> needed_;
  bool changed_ = false;
};

}  // namespace

void remove_unread(Program& prog) {
  for (Function& fn : prog.functions) Unread().run(fn, Unread::Which::kHeap);
}

void remove_unread_blocks(Function& fn) {
  Unread().run(fn, Unread::Which::kAll);
}

}  // namespace skald::imp
