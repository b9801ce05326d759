// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "imp/ir/visit.h"
#include "imp/passes/narrow/narrow.h"

namespace skald::imp {

namespace {

class SelfStores {
 public:
  SelfStores(For& loop, const Facts& facts, PassContext& ctx)
      : loop_(loop), facts_(facts), ctx_(ctx), bound_(bound_or_assigned(loop.body)) {}

  void run() {
    std::vector<Stmt>& stmts = loop_.body.stmts;
    for (size_t k = 0; k < stmts.size(); ++k)
      if (as<Store>(stmts[k]) != nullptr && sink(k)) k = 0;
  }

 private:
  // Is it the same in all iterations?
  bool is_invariant(const Operand& operand, int depth = 6) const {
    const Name* name = core::as_name(operand);
    if (name == nullptr || (*name != loop_.var && !bound_.contains(*name))) return true;
    const Exp* exp = facts_.definition(operand);
    if (exp == nullptr || depth == 0) return false;
    bool invariant = true;
    visit_exp(*exp, [&](const auto& e) {
      const auto look = [&](const Operand& o) {
        invariant = invariant && is_invariant(o, depth - 1);
      };
      std::apply([&](const auto&... field) { (detail::operands_of(field, look), ...); },
                 std::remove_cvref_t<decltype(e)>::fields(e));
    });
    return invariant;
  }

  // Does it change at few places of the loop?  Elsewhere a store of everything is quicker than
  // one of a part.
  bool is_border(const Operand& cond, int depth = 6) const {
    if (is_invariant(cond)) return true;
    const Exp* exp = facts_.definition(cond);
    if (exp == nullptr || depth == 0) return false;
    if (const auto* e = std::get_if<core::UnOp>(exp)) return is_border(e->arg, depth - 1);
    if (const auto* e = std::get_if<core::BinOp>(exp))
      return is_border(e->lhs, depth - 1) && is_border(e->rhs, depth - 1);
    const auto* e = std::get_if<core::CmpOp>(exp);
    if (e == nullptr || e->type != Prim::kI64) return false;
    const Operand index{loop_.var};
    return (facts_.original(e->lhs) == index && is_invariant(e->rhs)) ||
           (facts_.original(e->rhs) == index && is_invariant(e->lhs));
  }

  // Could anything in the body but the store itself change memory of the block, or end it?
  bool writes_elsewhere(const Body& body, const Store& store) const {
    for (const Stmt& stmt : body.stmts) {
      bool writes = false;
      visit(stmt.node, [&](const auto& n) {
        using N = std::remove_cvref_t<decltype(n)>;
        if constexpr (std::is_same_v<N, Store>) {
          writes = &n != &store && facts_.may_overlap(n.block, store.block);
        } else if constexpr (std::is_same_v<N, Fill>) {
          writes = facts_.may_overlap(n.block, store.block);
        } else if constexpr (std::is_same_v<N, CopyBytes>) {
          writes = facts_.may_overlap(n.dest, store.block);
        } else {
          writes =
              !(std::is_same_v<N, Let> || std::is_same_v<N, Load> || std::is_same_v<N, Var> ||
                std::is_same_v<N, Assign> || std::is_same_v<N, If> || std::is_same_v<N, For> ||
                std::is_same_v<N, While> || std::is_same_v<N, Check> || std::is_same_v<N, Alloc>);
        }
      });
      if (!writes)
        for_each_body(stmt, [&](const Body& inner) { writes |= writes_elsewhere(inner, store); });
      if (writes) return true;
    }
    return false;
  }

  // What the variable is at the end of a branch; nothing if that is not one value.
  static std::optional<Operand> outcome(const Body& branch, Name variable, const Operand& init) {
    const int uses = count_uses(branch, variable);
    if (uses == 0) return init;
    const auto* last = as<Assign>(branch.stmts.back());
    if (uses != 1 || last == nullptr || last->var != variable) return std::nullopt;
    return last->value;
  }

  bool is_there_already(const Operand& value, const Store& store) const {
    const Load* load = facts_.load(facts_.original(value));
    return load != nullptr && bound_.contains(load->name) && load->type == store.type &&
           load->block == store.block && facts_.same_value(load->index, store.index);
  }

  bool sink(size_t at) {
    std::vector<Stmt>& stmts = loop_.body.stmts;
    const Store store = *as<Store>(stmts[at]);
    const Name* variable = core::as_name(store.value);
    if (variable == nullptr || !facts_.is_variable(*variable)) return false;
    size_t declared = 0, branch = 0;
    bool found = false;
    for (size_t k = 0; k < at; ++k) {
      if (const auto* var = as<Var>(stmts[k]); var && var->name == *variable) {
        declared = k;
        found = true;
      } else if (count_uses(stmts[k], *variable) > 0) {
        if (branch != 0) return false;
        branch = k;
      }
    }
    if (!found || branch <= declared) return false;
    auto* choice = as<If>(stmts[branch]);
    if (choice == nullptr || !is_border(choice->cond)) return false;
    for (size_t k = branch + 1; k < at; ++k)
      if (as<Let>(stmts[k]) == nullptr) return false;
    for (size_t k = at + 1; k < stmts.size(); ++k)
      if (count_uses(stmts[k], *variable) > 0) return false;
    const Operand init = as<Var>(stmts[declared])->init;
    // A variable as initial value could have changed by now.
    if (const Name* name = core::as_name(init); name != nullptr && facts_.is_variable(*name))
      return false;
    const std::optional<Operand> then_value = outcome(choice->then_body, *variable, init);
    const std::optional<Operand> else_value = outcome(choice->else_body, *variable, init);
    if (!then_value || !else_value) return false;
    const bool then_there = is_there_already(*then_value, store);
    const bool else_there = is_there_already(*else_value, store);
    if (!then_there && !else_there) return false;
    if (writes_elsewhere(loop_.body, *as<Store>(stmts[at]))) return false;
    if (!ctx_.may_rewrite("store of what is there")) return false;

    const auto finish = [&](Body& body, const Operand& value, bool there) {
      if (count_uses(body, *variable) > 0) body.stmts.pop_back();
      if (!there) body.stmts.push_back(Stmt{Store{store.type, store.block, store.index, value}});
    };
    finish(choice->then_body, *then_value, then_there);
    finish(choice->else_body, *else_value, else_there);
    // The computation of the index comes first.
    stmts.erase(stmts.begin() + static_cast<ptrdiff_t>(at));
    std::rotate(stmts.begin() + static_cast<ptrdiff_t>(branch),
                stmts.begin() + static_cast<ptrdiff_t>(branch + 1),
                stmts.begin() + static_cast<ptrdiff_t>(at));
    stmts.erase(stmts.begin() + static_cast<ptrdiff_t>(declared));
    return true;
  }

  For& loop_;
  const Facts& facts_;
  PassContext& ctx_;
  std::unordered_set<Name> bound_;
};

}  // namespace

void remove_self_stores(For& loop, const Facts& facts, PassContext& ctx) {
  SelfStores(loop, facts, ctx).run();
}

}  // namespace skald::imp
