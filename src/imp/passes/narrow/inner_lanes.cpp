// SPDX-License-Identifier: Apache-2.0
#include "imp/passes/narrow/inner_lanes.h"

#include <optional>

#include "imp/ir/visit.h"
#include "support/bug.h"

namespace skald::imp {

namespace {

// A task should take some microseconds.  In vectors a statement takes a small part of a nanosecond.
constexpr int64_t kStatementsInTask = 65536;

class InnerLanes {
 public:
  InnerLanes(const For& loop, const Facts& facts)
      : loop_(loop), facts_(facts), inner_(bound_or_assigned(loop.body)) {}

  bool fits() {
    look(loop_.body);
    if (!fits_ || !has_border_ || stores_.empty()) return false;
    for (const Store* store : stores_) {
      if (stride(store->index) != 1) return false;
      for (const Store* other : stores_)
        if (other != store && facts_.may_overlap(store->block, other->block) &&
            !(store->block == other->block && facts_.same_value(store->index, other->index)))
          return false;
      for (const Load* load : loads_)
        if (facts_.may_overlap(store->block, load->block) &&
            !(store->block == load->block && store->type == load->type &&
              facts_.same_value(store->index, load->index)))
          return false;
    }
    for (const Load* load : loads_) {
      const std::optional<int64_t> moves = stride(load->index);
      if (!moves || *moves < 0 || *moves > 1) return false;
    }
    return true;
  }

 private:
  void look(const Body& body) {
    for (const Stmt& stmt : body.stmts) {
      if (const auto* n = as<Load>(stmt)) {
        loads_.push_back(n);
      } else if (const auto* n = as<Store>(stmt)) {
        stores_.push_back(n);
      } else if (const auto* n = as<Var>(stmt)) {
        own_.insert(n->name);
      } else if (const auto* n = as<Assign>(stmt)) {
        fits_ = fits_ && own_.contains(n->var);
      } else if (const auto* n = as<If>(stmt)) {
        has_border_ = has_border_ || is_border(n->cond);
        look(n->then_body);
        look(n->else_body);
      } else if (as<Let>(stmt) == nullptr) {
        fits_ = false;
      }
    }
  }

  bool is_border(const Operand& cond) const {
    const Exp* exp = facts_.definition(cond);
    const auto* e = exp == nullptr ? nullptr : std::get_if<core::CmpOp>(exp);
    if (e == nullptr || !is_int(e->type)) return false;
    const std::optional<int64_t> a = stride(e->lhs), b = stride(e->rhs);
    return a && b && *a != *b && !is_peeled(*e);
  }

  // LLVM takes the first iterations out of a loop where that decides a comparison.
  bool is_peeled(const core::CmpOp& e) const {
    constexpr int64_t kMostPeeled = 7;
    const Const* begin = core::as_const(loop_.begin);
    const Const* border = core::as_const(e.lhs);
    if (border == nullptr) border = core::as_const(e.rhs);
    if (begin == nullptr || border == nullptr) return false;
    const int64_t first = core::int_value(*begin), at = core::int_value(*border);
    return first <= at && at - first <= kMostPeeled;
  }

  // By how much it grows from one iteration to the next; nothing if that is not known.
  std::optional<int64_t> stride(const Operand& operand, int depth = 8) const {
    const Name* name = core::as_name(operand);
    if (name == nullptr) return 0;
    if (*name == loop_.var) return 1;
    if (!inner_.contains(*name)) return 0;
    const Exp* exp = facts_.definition(operand);
    if (exp == nullptr || depth == 0) return std::nullopt;
    if (const auto* e = std::get_if<core::Value>(exp)) return stride(e->arg, depth - 1);
    const auto* e = std::get_if<core::BinOp>(exp);
    if (e == nullptr || e->type != Prim::kI64) return std::nullopt;
    const std::optional<int64_t> a = stride(e->lhs, depth - 1), b = stride(e->rhs, depth - 1);
    if (!a || !b) return std::nullopt;
    if (*a == 0 && *b == 0) return 0;
    if (e->op == BinOpKind::kAdd) return *a + *b;
    if (e->op == BinOpKind::kSub) return *a - *b;
    return std::nullopt;
  }

  const For& loop_;
  const Facts& facts_;
  std::unordered_set<Name> inner_, own_;
  std::vector<const Load*> loads_;
  std::vector<const Store*> stores_;
  bool fits_ = true, has_border_ = false;
};

using Renaming = std::unordered_map<Name, Name>;

Operand renamed(const Operand& operand, const Renaming& names) {
  const Name* name = core::as_name(operand);
  const auto found = name == nullptr ? names.end() : names.find(*name);
  return found == names.end() ? operand : Operand{found->second};
}

Name renamed_name(Name name, const Renaming& names) {
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

Body copy_body(const Body& body, core::NameTable& table, Renaming& names) {
  const auto fresh = [&](Name name) { return names[name] = table.fresh_like(name); };
  const auto operand = [&](const Operand& o) { return renamed(o, names); };
  Body result;
  for (const Stmt& stmt : body.stmts) {
    if (const auto* n = as<Let>(stmt)) {
      Exp exp = n->exp;
      visit_exp(exp, [&](auto& e) {
        const auto rename = [&](Operand& o) { o = operand(o); };
        std::apply([&](auto&... field) { (detail::operands_of(field, rename), ...); },
                   std::remove_cvref_t<decltype(e)>::fields(e));
      });
      result.stmts.push_back(Stmt{Let{fresh(n->name), n->type, std::move(exp)}});
    } else if (const auto* n = as<Load>(stmt)) {
      const Operand index = operand(n->index);
      result.stmts.push_back(Stmt{Load{fresh(n->name), n->type, n->block, index}});
    } else if (const auto* n = as<Store>(stmt)) {
      result.stmts.push_back(Stmt{Store{n->type, n->block, operand(n->index), operand(n->value)}});
    } else if (const auto* n = as<Var>(stmt)) {
      const Operand init = operand(n->init);
      result.stmts.push_back(Stmt{Var{fresh(n->name), n->type, init}});
    } else if (const auto* n = as<Assign>(stmt)) {
      result.stmts.push_back(Stmt{Assign{renamed_name(n->var, names), operand(n->value)}});
    } else if (const auto* n = as<If>(stmt)) {
      Body then_body = copy_body(n->then_body, table, names);
      Body else_body = copy_body(n->else_body, table, names);
      result.stmts.push_back(
          Stmt{If{operand(n->cond), std::move(then_body), std::move(else_body), n->maybe}});
    } else {
      SKALD_BUG("a row holds a statement that was not expected");
    }
  }
  return result;
}

}  // namespace

For copy_of(const For& loop, core::NameTable& names) {
  Renaming renaming;
  const Name var = renaming[loop.var] = names.fresh_like(loop.var);
  Body body = copy_body(loop.body, names, renaming);
  return For{.var = var,
             .type = loop.type,
             .begin = loop.begin,
             .end = loop.end,
             .step = loop.step,
             .body = std::move(body),
             .hint = loop.hint,
             .mark = loop.mark};
}

std::vector<Stmt> iteration_of(const For& loop, const Operand& index, core::NameTable& names) {
  Renaming renaming;
  const Name var = renaming[loop.var] = names.fresh_like(loop.var);
  Body body = copy_body(loop.body, names, renaming);
  std::vector<Stmt> stmts;
  stmts.push_back(Stmt{Let{var, loop.type, core::Value{index}}});
  for (Stmt& stmt : body.stmts) stmts.push_back(std::move(stmt));
  return stmts;
}

namespace {

// Is `i == bound` false for all i after `begin`?
bool is_not_after(const Operand& bound, const Operand& begin, const Facts& facts) {
  if (facts.same_value(bound, begin)) return true;
  const Exp* exp = facts.definition(facts.original(begin));
  const auto* largest = exp == nullptr ? nullptr : std::get_if<core::BinOp>(exp);
  return largest != nullptr && largest->op == BinOpKind::kMax &&
         (facts.same_value(bound, largest->lhs) || facts.same_value(bound, largest->rhs));
}

bool asks_for_first(const Operand& cond, const For& loop, const Facts& facts) {
  const Exp* exp = facts.definition(facts.original(cond));
  const auto* e = exp == nullptr ? nullptr : std::get_if<core::CmpOp>(exp);
  if (e == nullptr || e->op != CmpOpKind::kEq || e->type != Prim::kI64) return false;
  const Operand index{loop.var};
  const bool left = facts.original(e->lhs) == index;
  if (!left && facts.original(e->rhs) != index) return false;
  return is_not_after(left ? e->rhs : e->lhs, loop.begin, facts);
}

}  // namespace

bool take_out_first(For& loop, const Facts& facts) {
  std::vector<Stmt> out;
  bool found = false;
  for (Stmt& stmt : loop.body.stmts) {
    auto* branch = as<If>(stmt);
    if (branch == nullptr || !asks_for_first(branch->cond, loop, facts)) {
      out.push_back(std::move(stmt));
      continue;
    }
    found = true;
    Body other = std::move(branch->else_body);
    for (Stmt& inner : other.stmts) out.push_back(std::move(inner));
  }
  loop.body.stmts = std::move(out);
  if (found) drop_unused(loop.body);
  return found;
}

bool should_run_in_lanes(const For& loop, const Facts& facts) {
  const bool plain =
      loop.hint == LoopHint::kNone && loop.type == Prim::kI64 && loop.step == Operand{const_i64(1)};
  return plain && InnerLanes(loop, facts).fits();
}

// ---- tasks

bool has_inner_lanes(const Body& body) {
  for (const Stmt& stmt : body.stmts) {
    if (const auto* loop = as<For>(stmt); loop != nullptr && loop->hint == LoopHint::kSimd)
      return true;
    bool inside = false;
    for_each_body(stmt, [&](const Body& inner) { inside = inside || has_inner_lanes(inner); });
    if (inside) return true;
  }
  return false;
}

std::optional<Operand> TaskSize::cost(const Body& body) {
  int64_t statements = 0;
  Operand loops = const_i64(0);
  for (const Stmt& stmt : body.stmts) {
    if (const auto* let = as<Let>(stmt)) {
      // Mostly indices, which come for free.
      statements += let->type != Prim::kI64;
      continue;
    }
    ++statements;
    const auto* loop = as<For>(stmt);
    const bool plain = as<Load>(stmt) != nullptr || as<Store>(stmt) != nullptr ||
                       as<Var>(stmt) != nullptr || as<Assign>(stmt) != nullptr ||
                       as<If>(stmt) != nullptr || as<Check>(stmt) != nullptr;
    if (loop == nullptr && !plain) return std::nullopt;
    std::optional<Operand> inside = const_i64(0);
    for_each_body(stmt, [&](const Body& inner) {
      const std::optional<Operand> more = cost(inner);
      inside = inside && more ? std::optional(larger(*inside, *more)) : std::nullopt;
    });
    if (!inside) return std::nullopt;
    if (loop != nullptr) {
      if (loop->type != Prim::kI64) return std::nullopt;
      const std::optional<Operand> begin = outside_(loop->begin), end = outside_(loop->end);
      if (!begin || !end) return std::nullopt;
      const Operand count = binop(BinOpKind::kSub, *end, *begin);
      inside = binop(BinOpKind::kMul, limited(count), *inside);
    }
    loops = plus(loops, limited(*inside));
  }
  return plus(loops, const_i64(statements));
}

Operand TaskSize::grain(const Operand& cost) {
  const Operand least = binop(BinOpKind::kMax, cost, const_i64(1));
  const Operand grain = binop(BinOpKind::kQuot, const_i64(kStatementsInTask), least);
  return binop(BinOpKind::kMax, grain, const_i64(1));
}

Operand TaskSize::limited(const Operand& a) {
  if (const Const* c = core::as_const(a); c && core::int_value(*c) <= kStatementsInTask) return a;
  return binop(BinOpKind::kMax, binop(BinOpKind::kMin, a, const_i64(kStatementsInTask)),
               const_i64(0));
}

Operand TaskSize::plus(const Operand& a, const Operand& b) {
  const Const *x = core::as_const(a), *y = core::as_const(b);
  if (x != nullptr && y != nullptr) return const_i64(core::int_value(*x) + core::int_value(*y));
  if (x != nullptr && core::int_value(*x) == 0) return b;
  if (y != nullptr && core::int_value(*y) == 0) return a;
  return binop(BinOpKind::kAdd, a, b);
}

Operand TaskSize::larger(const Operand& a, const Operand& b) {
  const Const *x = core::as_const(a), *y = core::as_const(b);
  if (x != nullptr && y != nullptr) return core::int_value(*x) < core::int_value(*y) ? b : a;
  if (x != nullptr && core::int_value(*x) == 0) return b;
  return binop(BinOpKind::kMax, a, b);
}

Operand TaskSize::binop(BinOpKind op, const Operand& a, const Operand& b) {
  const Name name = names_.fresh("cost");
  out_.push_back(Stmt{Let{name, Prim::kI64, core::BinOp{op, Prim::kI64, a, b}}});
  return name;
}

}  // namespace skald::imp
