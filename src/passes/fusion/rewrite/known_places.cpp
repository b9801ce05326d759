// SPDX-License-Identifier: Apache-2.0
// Rule 5, PERMUTE: a scatter that writes every place once is a map, read in another order; then
// whatever may follow a map or a reversal may follow it.
//
//   before   let {r} = scatter(n, {iota n, vs}, to [n] d, \{i, v} -> {n - 1 - i, f v})
//   after    let {a} = map(n, {vs}, \{v} -> {f v})      let {r} = a[n-1 for n by -1]
//
// A scatter that writes the same places as the one before it leaves nothing of that.
//
//   before   let {r} = scatter(n, {is, vs}, to [k] d, f)    let {s} = scatter(n, {is, ws}, to [k]
//   r, g) after    let {s} = scatter(n, {is, ws}, to [k] d, g)
#include "passes/fusion/rewrite/known_places.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

using Makers = std::unordered_map<Name, const Stmt*>;

const Stmt* maker_of(const Makers& makers, const Operand& o) {
  const Name* name = as_name(o);
  const auto found = name == nullptr ? makers.end() : makers.find(*name);
  return found == makers.end() ? nullptr : found->second;
}

bool is_number(const Operand& o, int64_t value) {
  const Const* c = as_const(o);
  return c != nullptr && int_value(*c) == value;
}

// Is it width - 1?
bool is_last(const Makers& makers, const Operand& o, const Operand& width) {
  if (const Const* c = as_const(o))
    return as_const(width) != nullptr && int_value(*c) == int_value(*as_const(width)) - 1;
  const Stmt* stmt = maker_of(makers, o);
  const BinOp* e = stmt == nullptr ? nullptr : as<BinOp>(stmt->exp);
  if (e == nullptr || e->type != Prim::kI64 || !(e->lhs == width)) return false;
  return (e->op == BinOpKind::kSub && is_number(e->rhs, 1)) ||
         (e->op == BinOpKind::kAdd && is_number(e->rhs, -1));
}

// The places that the rows are written to: in order (1), backwards (-1), or something else (0).
int order_of(const Makers& makers, const Scatter& scatter, const Operand& index) {
  const auto is_own = [&](const Operand& o) {
    for (size_t k = 0; k < scatter.inputs.size(); ++k) {
      if (!(o == Operand{scatter.fn.params[k].name})) continue;
      const Stmt* stmt = maker_of(makers, scatter.inputs[k]);
      const Iota* iota = stmt == nullptr ? nullptr : as<Iota>(stmt->exp);
      return iota != nullptr && iota->type == Prim::kI64 && is_number(iota->start, 0) &&
             is_number(iota->step, 1);
    }
    return false;
  };
  if (is_own(index)) return 1;
  for (const Stmt& stmt : scatter.fn.body.stmts) {
    const BinOp* e = as<BinOp>(stmt.exp);
    if (e == nullptr || !(index == Operand{stmt.pat[0].name})) continue;
    return e->op == BinOpKind::kSub && is_own(e->rhs) && is_last(makers, e->lhs, scatter.width) ? -1
                                                                                                : 0;
  }
  return 0;
}

// By destination, if all of them are written whole; nothing otherwise.
std::vector<int> orders_of(const Makers& makers, const Scatter& scatter) {
  std::vector<int> orders;
  for (size_t k = 0; k < scatter.dests.size(); ++k) {
    const ScatterDest& dest = scatter.dests[k];
    if (dest.shape.size() != 1 || !(dest.shape[0] == scatter.width)) return {};
    orders.push_back(order_of(makers, scatter, scatter.fn.body.result[k]));
    if (orders.back() == 0) return {};
  }
  return orders;
}

void append_map(Stmt& stmt, const std::vector<int>& orders, Program& prog, std::vector<Stmt>& out) {
  Scatter& scatter = *as<Scatter>(stmt.exp);
  const auto count = static_cast<ptrdiff_t>(scatter.dests.size());
  Soac map;
  map.width = scatter.width;
  map.inputs = std::move(scatter.inputs);
  map.fn = std::move(scatter.fn);
  map.fn.results.erase(map.fn.results.begin(), map.fn.results.begin() + count);
  map.fn.body.result.erase(map.fn.body.result.begin(), map.fn.body.result.begin() + count);
  Stmt made{stmt.pat, Value{const_i64(0)}, stmt.tokens, stmt.hints, stmt.loc};
  std::vector<Stmt> views;
  Operand last = const_i64(0);
  for (size_t k = 0; k < orders.size(); ++k) {
    if (orders[k] > 0) continue;
    if (views.empty()) {
      const Name name = prog.names.fresh("last");
      Stmt end{{}, BinOp{BinOpKind::kSub, Prim::kI64, map.width, const_i64(1)}, {}, {}, stmt.loc};
      end.pat.push_back({name, scalar_type(Prim::kI64)});
      views.push_back(std::move(end));
      last = name;
    }
    made.pat[k].name = prog.names.fresh_like(stmt.pat[k].name);
    DimSlice all{false, last, map.width, const_i64(-1)};
    Stmt view{{}, Index{made.pat[k].name, {all}}, {}, {}, stmt.loc};
    view.pat.push_back(stmt.pat[k]);
    views.push_back(std::move(view));
  }
  made.exp = std::move(map);
  out.push_back(std::move(made));
  for (Stmt& view : views) out.push_back(std::move(view));
}

// Do the two functions give the same value for the same row?
bool same_value(const Scatter& a, const Operand& x, const Scatter& b, const Operand& y,
                int depth = 0) {
  constexpr int kMaxDepth = 8;
  const Name *p = as_name(x), *q = as_name(y);
  if (p == nullptr || q == nullptr) return x == y;
  const auto input = [](const Scatter& s, Name name) -> std::optional<Name> {
    for (size_t k = 0; k < s.inputs.size(); ++k)
      if (s.fn.params[k].name == name) return s.inputs[k];
    return std::nullopt;
  };
  const auto made = [](const Scatter& s, Name name) -> const Stmt* {
    for (const Stmt& stmt : s.fn.body.stmts)
      if (stmt.pat.size() == 1 && stmt.pat[0].name == name) return &stmt;
    return nullptr;
  };
  const std::optional<Name> from_a = input(a, *p), from_b = input(b, *q);
  if (from_a || from_b) return from_a == from_b;
  const Stmt *s = made(a, *p), *t = made(b, *q);
  if (s == nullptr && t == nullptr) return *p == *q;
  if (s == nullptr || t == nullptr || depth == kMaxDepth) return false;
  const auto all = [&](std::initializer_list<std::pair<Operand, Operand>> pairs) {
    return std::ranges::all_of(pairs, [&](const auto& each) {
      return same_value(a, each.first, b, each.second, depth + 1);
    });
  };
  if (const auto *e = as<BinOp>(s->exp), *f = as<BinOp>(t->exp); e != nullptr && f != nullptr)
    return e->op == f->op && e->type == f->type && all({{e->lhs, f->lhs}, {e->rhs, f->rhs}});
  if (const auto *e = as<Convert>(s->exp), *f = as<Convert>(t->exp); e != nullptr && f != nullptr)
    return e->from == f->from && e->to == f->to && all({{e->arg, f->arg}});
  return false;
}

// Where the indices of destination `which` begin among the results.
size_t first_index(const Scatter& scatter, size_t which) {
  size_t at = 0;
  for (size_t k = 0; k < which; ++k) at += scatter.dests[k].shape.size();
  return at;
}

void remove_destination(Stmt& stmt, size_t which) {
  Scatter& scatter = *as<Scatter>(stmt.exp);
  const size_t from = first_index(scatter, which), rank = scatter.dests[which].shape.size();
  const size_t value = first_index(scatter, scatter.dests.size()) + which;
  const auto drop = [](auto& list, size_t at, size_t count) {
    const auto begin = list.begin() + static_cast<ptrdiff_t>(at);
    list.erase(begin, begin + static_cast<ptrdiff_t>(count));
  };
  drop(scatter.fn.results, value, 1);
  drop(scatter.fn.body.result, value, 1);
  drop(scatter.fn.results, from, rank);
  drop(scatter.fn.body.result, from, rank);
  drop(scatter.dests, which, 1);
  drop(stmt.pat, which, 1);
}

// The scatter before this one into the same array, if this one writes over all of that.
bool written_again(Body& body, size_t at, PassContext& ctx) {
  bool any = false;
  for (size_t k = 0; k < as<Scatter>(body.stmts[at].exp)->dests.size(); ++k) {
    Scatter& later = *as<Scatter>(body.stmts[at].exp);
    const ScatterDest& dest = later.dests[k];
    for (size_t s = at; s-- > 0;) {
      Scatter* earlier = as<Scatter>(body.stmts[s].exp);
      const auto& pat = body.stmts[s].pat;
      const auto found = std::ranges::find(pat, dest.dest, &Param::name);
      if (found == pat.end()) continue;
      const auto which = static_cast<size_t>(found - pat.begin());
      if (earlier == nullptr || !(earlier->width == later.width) ||
          earlier->dests[which].shape != dest.shape)
        break;
      bool same = true;
      const size_t from = first_index(*earlier, which), to = first_index(later, k);
      for (size_t d = 0; d < dest.shape.size(); ++d)
        same = same && same_value(*earlier, earlier->fn.body.result[from + d], later,
                                  later.fn.body.result[to + d]);
      // Nobody has looked at it in between.
      for (size_t between = s + 1; between < at; ++between)
        same = same && !free_names(body.stmts[between]).contains(dest.dest);
      if (!same || !ctx.may_rewrite("scatter-again")) break;
      later.dests[k].dest = earlier->dests[which].dest;
      remove_destination(body.stmts[s], which);
      any = true;
      break;
    }
  }
  return any;
}

}  // namespace

bool simplify_scatters(Body& body, Program& prog, PassContext& ctx) {
  bool any = false;
  for (size_t s = 0; s < body.stmts.size(); ++s)
    if (as<Scatter>(body.stmts[s].exp) != nullptr) any = written_again(body, s, ctx) || any;
  std::erase_if(body.stmts, [](const Stmt& stmt) {
    const Scatter* scatter = as<Scatter>(stmt.exp);
    return scatter != nullptr && scatter->dests.empty();
  });
  Makers makers;
  for (const Stmt& stmt : body.stmts)
    for (const Param& p : stmt.pat) makers[p.name] = &stmt;
  std::vector<std::vector<int>> orders(body.stmts.size());
  bool permutes = false;
  for (size_t s = 0; s < body.stmts.size(); ++s) {
    const Scatter* scatter = as<Scatter>(body.stmts[s].exp);
    if (scatter == nullptr) continue;
    orders[s] = orders_of(makers, *scatter);
    if (!orders[s].empty() && !ctx.may_rewrite("scatter-permutes")) orders[s].clear();
    permutes = permutes || !orders[s].empty();
  }
  if (!permutes) return any;
  std::vector<Stmt> out;
  for (size_t s = 0; s < body.stmts.size(); ++s) {
    if (orders[s].empty())
      out.push_back(std::move(body.stmts[s]));
    else
      append_map(body.stmts[s], orders[s], prog, out);
  }
  body.stmts = std::move(out);
  return true;
}

}  // namespace skald::passes::fusion
