// SPDX-License-Identifier: Apache-2.0
// Parameters of loops that are stored in a tape in every round: the tape is all there is of them.
#include <algorithm>
#include <ranges>
#include <span>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/differentiate/reverse/reverse.h"

namespace skald::passes::ad {

namespace {

// A parameter of a loop, the tape that it goes to, and the statement that stores it:
//
//   loop x = a, xs = scratch([n]) for i < n do      loop xs = scratch([n+1]) with [0] = a for i < n
//   do
//     let xs' = xs with [i] = x                       let x = xs[i]
//     in f(x), xs'                                    in xs with [i+1] = f(x)
//
// On the right nothing is copied: f(x) is made in the tape.  There is no last round if nobody wants
// what it gives.
struct TapedState {
  size_t state = 0, tape = 0, store = 0;
  bool last_round = true;
};

const Stmt* definition_in(const Body& body, const Operand& value) {
  for (const Stmt& stmt : body.stmts)
    for (const Param& p : stmt.pat)
      if (Operand(p.name) == value) return &stmt;
  return nullptr;
}

// An array that shares no memory with parameters that are only read.
bool is_made_here(const Body& body, const Operand& value) {
  const Stmt* stmt = definition_in(body, value);
  return stmt != nullptr && (as<Soac>(stmt->exp) || as<Update>(stmt->exp) || as<Copy>(stmt->exp) ||
                             as<Replicate>(stmt->exp));
}

size_t uses_of(const Body& body, Name name) {
  size_t uses = 0;
  for (const Stmt& stmt : body.stmts) uses += free_names(stmt).contains(name) ? 1 : 0;
  return uses + static_cast<size_t>(std::ranges::count(body.result, Operand(name)));
}

std::optional<TapedState> taped_state(const Loop& loop) {
  if (loop.form != Loop::kFor || loop.var.type.elem != Prim::kI64) return std::nullopt;
  for (size_t s = 0; s < loop.body.stmts.size(); ++s) {
    const auto* store = as<Update>(loop.body.stmts[s].exp);
    if (store == nullptr || store->slice.size() != 1 || !store->slice[0].is_index ||
        store->slice[0].start != Operand(loop.var.name) || !loop.body.stmts[s].tokens.empty())
      continue;
    const auto at = [&](const Operand& name) {
      const auto found = std::ranges::find_if(
          loop.params, [&](const LoopParam& p) { return Operand(p.param.name) == name; });
      return static_cast<size_t>(found - loop.params.begin());
    };
    const TapedState found{at(store->value), at(store->array), s};
    if (std::max(found.state, found.tape) >= loop.params.size()) continue;
    const Param &state = loop.params[found.state].param, &tape = loop.params[found.tape].param;
    const Name stored = loop.body.stmts[s].pat[0].name;
    const bool fits =
        !state.unique && state.type.is_array() && tape.type.shape[0] == loop.bound &&
        loop.body.result[found.tape] == Operand(stored) && uses_of(loop.body, stored) == 1 &&
        uses_of(loop.body, tape.name) == 1 &&
        definition_in(loop.body, loop.body.result[found.state]) != nullptr &&
        as<Soac>(definition_in(loop.body, loop.body.result[found.state])->exp) != nullptr;
    const auto apart = [&](size_t k) {
      const Operand& result = loop.body.result[k];
      return k == found.tape || loop.params[k].param.type.is_scalar() ||
             (result == Operand(loop.params[k].param.name) && k != found.state) ||
             is_made_here(loop.body, result);
    };
    bool all = fits;
    for (size_t k = 0; k < loop.params.size(); ++k) all = all && apart(k);
    if (all) return found;
  }
  return std::nullopt;
}

template <class T>
void drop_nth(std::vector<T>& list, size_t at) {
  list.erase(list.begin() + static_cast<ptrdiff_t>(at));
}

// The loop with the state in the tape, and what is around it.
void put_state_in_tape(Stmt stmt, const TapedState& at, Emit& out) {
  Session& session = out.session();
  Loop& loop = *as<Loop>(stmt.exp);
  const Param state = loop.params[at.state].param, tape = loop.params[at.tape].param;
  const Param last = stmt.pat[at.state], stored = stmt.pat[at.tape];
  const Operand rows = at.last_round
                           ? out.bin(BinOpKind::kAdd, Prim::kI64, loop.bound, const_i64(1))
                           : out.bin(BinOpKind::kMax, Prim::kI64, loop.bound, const_i64(1));
  const Type type = array_of(rows, state.type);
  const Name blank = out.let1(type, Scratch{type.elem, type.shape}, "blank");
  const Name start =
      out.let1(type, Update{blank, {at_index(const_i64(0))}, loop.params[at.state].init}, "tape");
  loop.params[at.tape].param.type = type;
  loop.params[at.tape].init = start;
  session.types.insert_or_assign(tape.name, type);
  Emit in(session, stmt.loc);
  const Operand next = in.bin(BinOpKind::kAdd, Prim::kI64, loop.var.name, const_i64(1));
  in.let_pat({{.name = state.name, .type = state.type}},
             Index{tape.name, {at_index(loop.var.name)}});
  for (size_t s = 0; s < loop.body.stmts.size(); ++s)
    if (s != at.store) in.append(std::move(loop.body.stmts[s]));
  std::vector<Operand> results = loop.body.result;
  results[at.tape] = in.let1(type, Update{tape.name, {at_index(next)}, results[at.state]}, "tape");
  drop_nth(results, at.state);
  loop.body = in.b().finish(std::move(results));
  const Operand bound = loop.bound;
  if (!at.last_round) {
    const Operand before = out.bin(BinOpKind::kSub, Prim::kI64, bound, const_i64(1));
    loop.bound = out.bin(BinOpKind::kMax, Prim::kI64, before, const_i64(0));
  }
  const Name all = out.fresh("tape");
  stmt.pat[at.tape] = {.name = all, .type = type};
  session.types.insert_or_assign(all, type);
  drop_nth(loop.params, at.state);
  drop_nth(stmt.pat, at.state);
  out.append(std::move(stmt));
  out.let_pat({stored}, Index{all, {whole(bound)}});
  if (!at.last_round) return;
  const Name end = out.index(all, {at_index(bound)});
  out.let_pat({last}, Copy{end});
}

// Are results of a loop other than the tape used after it?
bool uses_results(const Stmt& loop, size_t tape, std::span<const Stmt> after, const Body& body) {
  NameSet results;
  for (size_t k = 0; k < loop.pat.size(); ++k)
    if (k != tape) results.insert(loop.pat[k].name);
  const auto is_result = [&](Name name) { return results.contains(name); };
  return std::ranges::any_of(body.result,
                             [&](const Operand& o) {
                               const Name* name = as_name(o);
                               return name != nullptr && is_result(*name);
                             }) ||
         std::ranges::any_of(after, [&](const Stmt& stmt) {
           return std::ranges::any_of(free_names(stmt), is_result);
         });
}

// Other names of values, if nobody uses them.
void drop_unused_names(Body& body) {
  NameSet used;
  for (const Operand& o : body.result)
    if (const Name* name = as_name(o)) used.insert(*name);
  std::vector<Stmt> kept;
  for (Stmt& stmt : body.stmts | std::views::reverse) {
    if (as<Value>(stmt.exp) != nullptr && !used.contains(stmt.pat[0].name)) continue;
    used.merge(free_names(stmt));
    kept.push_back(std::move(stmt));
  }
  std::ranges::reverse(kept);
  body.stmts = std::move(kept);
}

}  // namespace

void keep_states_in_tapes(Session& session, Body& body) {
  drop_unused_names(body);
  std::vector<Stmt> old = std::move(body.stmts);
  Emit out(session);
  for (size_t s = 0; s < old.size(); ++s) {
    Stmt& stmt = old[s];
    out.set_loc(stmt.loc);
    for_each_body(stmt.exp, [&](Body& inner) { keep_states_in_tapes(session, inner); });
    const auto* loop = as<Loop>(stmt.exp);
    auto found = loop == nullptr ? std::nullopt : taped_state(*loop);
    if (found) {
      found->last_round = uses_results(stmt, found->tape, std::span(old).subspan(s + 1), body);
      put_state_in_tape(std::move(stmt), *found, out);
    } else {
      out.append(std::move(stmt));
    }
  }
  body.stmts = out.b().finish({}).stmts;
}

}  // namespace skald::passes::ad
