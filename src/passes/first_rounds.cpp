// SPDX-License-Identifier: Apache-2.0
// The first round of a loop comes before it, where arrays that it reads begin as a range or as one
// scalar again and again: they need not be stored then, and subscripts with them are no gathers.
//
//   before   let {index : [n]i64} = iota_i64(n, 0, 1)
//            loop {k = n, at : [k]i64 = index, i = 0} while … do
//              partition(k, 1, {at}, \x -> … text[x + i] …)
//
//   after    let {k0, at0 : [k0]i64} = partition(n, 1, {iota}, \x -> … text[x] …)
//            loop {k = k0, at : [k]i64 = at0, i = 1} while … do …
//
// Only in loops whose arrays change their lengths from round to round: in those that filter what is
// left to do, the first round is the longest one.
//
// Stage    SOACS.
// Needs    inlined functions; only entry points are looked at, and no loops inside loops.
// Gives    in the first round, a generator is made again in each branch that uses it.
// Keeps    values.
// Cost     the body of the loop is there twice.
// Tests    tests/golden/passes/first_rounds/*.core, tests/programs/first_rounds
#include "passes/first_rounds.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/passes.h"

namespace skald::passes {

using namespace core;

namespace {

// Larger bodies are not copied: so many statements is also what a nest may have to be lifted.
constexpr size_t kMostStatements = 200;

bool takes(const std::vector<Name>& inputs, Name array) {
  return std::ranges::find(inputs, array) != inputs.end();
}

bool reads_elements(const Exp& exp, Name array) {
  if (const auto* e = as<Soac>(exp)) return takes(e->inputs, array);
  if (const auto* e = as<Partition>(exp)) return takes(e->inputs, array);
  if (const auto* e = as<FlatMap>(exp)) return takes(e->inputs, array);
  if (const auto* e = as<Scatter>(exp)) return takes(e->inputs, array);
  if (const auto* e = as<Hist>(exp)) return takes(e->inputs, array);
  const auto* e = as<Index>(exp);
  return e != nullptr && e->array == array &&
         std::ranges::all_of(e->slice, [](const DimSlice& dim) { return dim.is_index; });
}

bool reads_elements(const Body& body, Name array) {
  return std::ranges::any_of(body.stmts, [&](const Stmt& stmt) {
    bool found = reads_elements(stmt.exp, array);
    for_each_body(stmt.exp,
                  [&](const Body& inner) { found = found || reads_elements(inner, array); });
    return found;
  });
}

// Is the length of an array another parameter?
bool changes_lengths(const Loop& loop) {
  return std::ranges::any_of(loop.params, [&](const LoopParam& p) {
    return std::ranges::any_of(p.param.type.shape, [&](const Operand& dim) {
      return std::ranges::any_of(loop.params,
                                 [&](const LoopParam& q) { return dim == Operand(q.param.name); });
    });
  });
}

// A generator holds no bodies, so that the copy differs in its name at most.
Stmt plain_copy(const Stmt& stmt) {
  const auto* range = as<Iota>(stmt.exp);
  return {stmt.pat, range != nullptr ? Exp(*range) : Exp(*as<Replicate>(stmt.exp)), stmt.tokens,
          stmt.hints, stmt.loc};
}

class FirstRounds {
 public:
  FirstRounds(Program& prog, PassContext& ctx) : prog_(prog), ctx_(ctx) {}

  void visit(Body& body) {
    std::vector<Stmt> old = std::move(body.stmts);
    body.stmts.clear();
    for (Stmt& stmt : old) {
      if (is_generator(stmt)) generators_.insert_or_assign(stmt.pat[0].name, plain_copy(stmt));
      if (auto* branch = as<If>(stmt.exp)) {
        visit(branch->then_body);
        visit(branch->else_body);
      }
      const Loop* loop = as<Loop>(stmt.exp);
      const auto generated = [&](const Operand& init) {
        const Name* name = as_name(init);
        return name != nullptr && generators_.contains(*name);
      };
      if (loop != nullptr && !stmt.hints.unroll && gains_from_first_round(*loop, generated) &&
          ctx_.may_rewrite("first round"))
        put_first_round(body, stmt);
      body.stmts.push_back(std::move(stmt));
    }
  }

 private:
  void put_first_round(Body& body, Stmt& stmt) {
    Loop& loop = *as<Loop>(stmt.exp);
    Substitution inits;
    Operand runs;
    std::vector<Operand> before;
    for (const LoopParam& p : loop.params) {
      inits.emplace(p.param.name, p.init);
      before.push_back(p.init);
      if (p.param.name == loop.cond) runs = p.init;
    }
    Body round = copy_with_fresh_names(loop.body, prog_.names, inits);
    const size_t first = body.stmts.size();
    const Const* known = as_const(runs);
    if (known != nullptr && *known == const_bool(true)) {
      for (Stmt& each : round.stmts) {
        each.tokens.insert(each.tokens.end(), stmt.tokens.begin(), stmt.tokens.end());
        body.stmts.push_back(std::move(each));
      }
      for (size_t k = 0; k < loop.params.size(); ++k) loop.params[k].init = round.result[k];
    } else {
      body.stmts.push_back(if_it_runs(stmt, runs, std::move(round), std::move(before)));
    }
    for (size_t k = first; k < body.stmts.size(); ++k) make_in_branches(body.stmts[k]);
  }

  Stmt if_it_runs(Stmt& stmt, const Operand& runs, Body round, std::vector<Operand> before) {
    Loop& loop = *as<Loop>(stmt.exp);
    Stmt made{
        {}, If{runs, std::move(round), Body({}, std::move(before))}, stmt.tokens, {}, stmt.loc};
    Substitution names;
    for (LoopParam& p : loop.params) {
      Param result = p.param;
      result.name = prog_.names.fresh_like(p.param.name);
      names.emplace(p.param.name, result.name);
      p.init = result.name;
      made.pat.push_back(std::move(result));
    }
    for (Param& result : made.pat) substitute(result.type, names);
    return made;
  }

  // Makes generators again in the branches that use them: what only hands them on must not be why
  // they are stored elsewhere.
  void make_in_branches(Stmt& stmt) {
    auto* branch = as<If>(stmt.exp);
    if (branch == nullptr) return;
    for (Body* side : {&branch->then_body, &branch->else_body}) {
      for (const Name name : free_names(*side))
        if (generators_.contains(name) && uses_itself(*side, name)) make_again(*side, name);
      for (Stmt& inner : side->stmts) make_in_branches(inner);
    }
  }
  static bool uses_itself(const Body& body, Name name) {
    if (std::ranges::find(body.result, Operand(name)) != body.result.end()) return true;
    return std::ranges::any_of(body.stmts, [&](const Stmt& stmt) {
      return as<If>(stmt.exp) == nullptr && free_names(stmt).contains(name);
    });
  }
  void make_again(Body& body, Name name) {
    Stmt made = plain_copy(generators_.find(name)->second);
    const Name here = made.pat[0].name = prog_.names.fresh_like(name);
    substitute(body, Substitution{{name, here}});
    generators_.insert_or_assign(here, plain_copy(made));
    body.stmts.insert(body.stmts.begin(), std::move(made));
  }

  Program& prog_;
  PassContext& ctx_;
  NameMap<Stmt> generators_;
};

}  // namespace

bool is_generator(const Stmt& stmt) {
  if (as<Iota>(stmt.exp) != nullptr) return true;
  const auto* same = as<Replicate>(stmt.exp);
  return same != nullptr && stmt.pat[0].type.shape.size() == same->shape.size();
}

bool gains_from_first_round(const Loop& loop,
                            const std::function<bool(const Operand&)>& generated) {
  return loop.form == Loop::kWhile && changes_lengths(loop) &&
         std::ranges::any_of(loop.params,
                             [&](const LoopParam& p) {
                               return p.param.type.is_array() && generated(p.init) &&
                                      reads_elements(loop.body, p.param.name);
                             }) &&
         statement_count(loop.body) <= kMostStatements;
}

Program put_first_rounds(Program prog, PassContext& ctx) {
  for (Function& fn : prog.functions)
    if (fn.entry) FirstRounds(prog, ctx).visit(fn.body);
  return prog;
}

}  // namespace skald::passes
