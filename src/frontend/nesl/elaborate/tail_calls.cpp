// SPDX-License-Identifier: Apache-2.0
// A function that ends by calling itself goes round in a loop instead.
//
//   before   fun f(x) = if c then {r} else … call f(y)
//
//   after    fun f(x) = loop (more, x', r') = (true, x, 0) while more do
//                         if c then {false, x', r} else … {true, y, 0}
//
// What a round that is not the last gives as results is zeros and empty arrays.  Parameters that
// all calls hand on as they are stay outside.
//
// Where the function begins by asking scalars whether it ends, each round asks for the next one:
//
//   after    fun f(x) = loop (more, x') = (!c, x) while more do … {!c[y], y}
//                       in r[x']
//
// A recursion that never ends must be an error, as it is where calls use up the stack: a loop ends
// after kMostRounds.  They are counted by a parameter that grows by one in all calls, or by one
// more parameter, which jumps to its end if all numbers are as they were.
#include "frontend/nesl/elaborate/tail_calls.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>

#include "core/edit/builder.h"
#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"

// Not among the names of NESL's own tree.
namespace skald::tail_calls {

using namespace core;

namespace {

// More than programs need that end: seconds, or minutes in the interpreter.
constexpr int64_t kMostRounds = int64_t{1} << 30;
// So much may be computed twice in a program, before the loop and in it.
constexpr size_t kMostInQuestion = 16;

bool gives_all(const Body& body, const Stmt& stmt) {
  if (stmt.pat.size() != body.result.size()) return false;
  for (size_t k = 0; k < stmt.pat.size(); ++k)
    if (!(body.result[k] == Operand{stmt.pat[k].name})) return false;
  return true;
}

// Ends with a call of the function, perhaps on one side of a branch.
bool ends_with_call(const Body& body, const std::string& name) {
  if (body.stmts.empty()) return false;
  const Stmt& last = body.stmts.back();
  if (!gives_all(body, last)) return false;
  if (const Call* call = as<Call>(last.exp)) return call->fn == name;
  const If* both = as<If>(last.exp);
  return both != nullptr &&
         (ends_with_call(both->then_body, name) || ends_with_call(both->else_body, name));
}

// Does it end with such a call whichever way it takes?
bool always_ends_with_call(const Body& body, const std::string& name) {
  if (body.stmts.empty() || !gives_all(body, body.stmts.back())) return false;
  const Exp& last = body.stmts.back().exp;
  if (const Call* call = as<Call>(last)) return call->fn == name;
  const If* both = as<If>(last);
  return both != nullptr && always_ends_with_call(both->then_body, name) &&
         always_ends_with_call(both->else_body, name);
}

struct EndingCall {
  const std::vector<Operand>* args;
  Loc loc;
};
// What names that are one more than another value are one more than.
using Predecessors = std::unordered_map<Name, Operand>;

// The calls that it ends with.
void collect_calls(const Body& body, const std::string& name, std::vector<EndingCall>& calls,
                   Predecessors& before) {
  if (body.stmts.empty() || !gives_all(body, body.stmts.back())) return;
  for (const Stmt& stmt : body.stmts)
    if (const BinOp* op = as<BinOp>(stmt.exp); op && op->op == BinOpKind::kAdd)
      if (op->rhs == Operand{const_i64(1)}) before[stmt.pat[0].name] = op->lhs;
  const Exp& last = body.stmts.back().exp;
  if (const Call* call = as<Call>(last); call != nullptr && call->fn == name)
    calls.push_back({&call->args, body.stmts.back().loc});
  if (const If* both = as<If>(last)) {
    collect_calls(both->then_body, name, calls, before);
    collect_calls(both->else_body, name, calls, before);
  }
}

Const zero_of(Prim prim) {
  if (prim == Prim::kBool) return const_bool(false);
  return prim == Prim::kF64 ? const_float(prim, 0) : const_int(prim, 0);
}

class TailCalls {
 public:
  TailCalls(Program& program, Function& function) : program_(program), function_(function) {}

  void run() {
    find_changing();
    find_question();
    Loop loop;
    loop.form = Loop::kWhile;
    Builder out(program_);
    out.set_loc(function_.loc);
    loop.cond = program_.names.fresh("more");
    const Operand begins = asks_first_ ? goes_on(out, {}) : const_bool(true);
    loop.params.push_back({{loop.cond, scalar_type(Prim::kBool)}, begins});
    if (!counter_) {
      const Name rounds = program_.names.fresh("rounds");
      loop.params.push_back({{rounds, scalar_type(Prim::kI64)}, const_i64(0)});
      kept_.emplace_back(rounds);
      end_ = const_i64(kMostRounds);
    } else {
      end_ = out.size_add(*counter_, const_i64(kMostRounds));
    }
    // Inside, the parameters have new names.
    Substitution inside;
    for (size_t k = 0; k < function_.params.size(); ++k) {
      if (!changes_[k]) continue;
      const Param& p = function_.params[k];
      Type type = p.type;
      substitute(type, inside);
      const Name own = program_.names.fresh_like(p.name);
      inside.emplace(p.name, own);
      loop.params.push_back({{own, type}, p.name});
      kept_.emplace_back(own);
    }
    const std::vector<Operand> none = empty_results(out);
    Substitution sizes;
    for (size_t k = 0; k < none.size(); ++k) {
      Type type = function_.results[k].type;
      substitute(type, sizes);
      const Name own = program_.names.fresh("r");
      if (function_.results[k].name.id != 0) sizes.emplace(function_.results[k].name, own);
      loop.params.push_back({{own, type}, none[k]});
    }
    Body body = std::move(function_.body);
    if (asks_first_) {
      If& both = *as<If>(body.stmts.back().exp);
      ending_ = std::move(ends_in_then_ ? both.then_body : both.else_body);
      Body rest = std::move(ends_in_then_ ? both.else_body : both.then_body);
      body = std::move(rest);
    }
    substitute(body, inside);
    rewrite(body);
    loop.body = std::move(body);
    const std::vector<Param> pattern = state_pattern();
    out.let_pat(pattern, std::move(loop));
    function_.body = out.finish(checked_results(out, pattern));
  }

 private:
  // Is all that comes before the branch at its end cheap, and does one side of that always call?
  void find_question() {
    const Body& body = function_.body;
    const If* both = as<If>(body.stmts.back().exp);
    if (both == nullptr || body.stmts.size() > kMostInQuestion) return;
    ends_in_then_ = !ends_with_call(both->then_body, function_.name);
    const Body& ending = ends_in_then_ ? both->then_body : both->else_body;
    const Body& rest = ends_in_then_ ? both->else_body : both->then_body;
    if (ends_with_call(ending, function_.name) || !always_ends_with_call(rest, function_.name))
      return;
    const size_t before = body.stmts.size() - 1;
    for (size_t k = 0; k < before; ++k)
      if (!is_scalar_operator(body.stmts[k].exp) || !body.stmts[k].tokens.empty()) return;
    NameSet own;
    for (size_t k = 0; k < before; ++k) own.insert(body.stmts[k].pat[0].name);
    // Both sides may use no more than the parameters.
    for (const Body* side : {&both->then_body, &both->else_body})
      for (const Name name : free_names(*side))
        if (own.contains(name)) return;
    std::vector<Stmt> stmts;
    Substitution same;
    for (size_t k = 0; k < before; ++k)
      stmts.push_back(copy_with_fresh_names(body.stmts[k], program_.names, same));
    Operand ends = both->cond;
    substitute(ends, same);
    question_ = Body(std::move(stmts), {ends});
    asks_first_ = true;
  }

  // The question, for parameters of these values.
  Operand goes_on(Builder& out, const Substitution& values) {
    Body asked = copy_with_fresh_names(question_, program_.names, values);
    for (Stmt& stmt : asked.stmts) out.append(std::move(stmt));
    return ends_in_then_ ? out.logical_not(asked.result[0]) : asked.result[0];
  }

  // An array changes if its size does.
  void find_changing() {
    std::vector<EndingCall> calls;
    Predecessors before;
    collect_calls(function_.body, function_.name, calls, before);
    call_loc_ = calls.front().loc;
    const std::vector<Param>& params = function_.params;
    for (size_t k = 0; k < params.size(); ++k) {
      bool changes = false, counts = params[k].type == scalar_type(Prim::kI64);
      for (const EndingCall& call : calls) {
        const Operand& arg = (*call.args)[k];
        changes = changes || !(arg == Operand{params[k].name});
        const Name* name = as_name(arg);
        const auto found = name ? before.find(*name) : before.end();
        counts = counts && found != before.end() && found->second == Operand{params[k].name};
      }
      if (counts && !counter_) {
        counter_ = params[k].name;
        counter_at_ = k;
      }
      for (size_t size = 0; size < k; ++size)
        for (const Operand& dim : params[k].type.shape)
          changes = changes || (changes_[size] && dim == Operand{params[size].name});
      changes_.push_back(changes);
    }
  }

  // What the loop gives, if it ended by itself.
  std::vector<Operand> checked_results(Builder& out, const std::vector<Param>& pattern) {
    size_t at = 1;  // of what counts the rounds
    for (size_t k = 0; counter_ && k < counter_at_; ++k) at += changes_[k] ? 1 : 0;
    const Operand ended = out.cmpop(CmpOpKind::kNe, Prim::kI64, pattern[at].name, end_, "ended");
    out.set_loc(call_loc_);
    const Name token =
        out.check(ended, {fmt::format("Recursion too deep: the function ends by calling itself, {} "
                                      "times in a row or with the same arguments again.",
                                      kMostRounds)});
    out.set_loc(function_.loc);
    Substitution sizes;
    std::vector<Operand> values =
        asks_first_ ? ending_values(out, pattern, token) : std::vector<Operand>();
    for (size_t k = 1 + kept_.size(); k < pattern.size(); ++k) values.emplace_back(pattern[k].name);
    std::vector<Operand> results;
    for (size_t k = 0; k < values.size(); ++k) {
      Type type = function_.results[k].type;
      substitute(type, sizes);
      Exp same =
          type.is_scalar() ? Exp{Value{values[k]}} : Exp{Reshape{*as_name(values[k]), type.shape}};
      results.emplace_back(out.let1(type, std::move(same), "r", {token}));
      if (function_.results[k].name.id != 0)
        sizes.emplace(function_.results[k].name, results.back());
    }
    return results;
  }

  // What the side without a call gives for the last values of the parameters.
  std::vector<Operand> ending_values(Builder& out, const std::vector<Param>& pattern, Name token) {
    Substitution last;
    size_t at = counter_ ? 1 : 2;
    for (size_t k = 0; k < function_.params.size(); ++k)
      if (changes_[k]) last.emplace(function_.params[k].name, pattern[at++].name);
    substitute(ending_, last);
    for (Stmt& stmt : ending_.stmts) {
      if (token.id != 0) stmt.tokens.push_back(token);
      out.append(std::move(stmt));
    }
    return std::move(ending_.result);
  }

  // Was the array that this parameter was in the round before without elements?
  Operand was_empty(Builder& out, const Type& type) {
    for (size_t k = 0, own = 1; k < changes_.size(); ++k) {
      const Operand before = changes_[k] ? kept_[own++] : Operand{function_.params[k].name};
      if (type.rank() == 1 && type.shape[0] == Operand{function_.params[k].name})
        return out.cmpop(CmpOpKind::kEq, Prim::kI64, before, const_i64(0), "empty");
    }
    return const_bool(false);
  }

  // Of a call: is another round to come, and how many there were?
  std::pair<Operand, Operand> next_round(Builder& out, const std::vector<Operand>& args) {
    if (counter_) {
      const Operand& rounds = args[counter_at_];
      return {out.cmpop(CmpOpKind::kNe, Prim::kI64, rounds, end_, "more"), rounds};
    }
    Operand same = const_bool(true);
    for (size_t k = 0, own = 1; k < args.size(); ++k) {
      if (!changes_[k]) continue;
      const Operand& before = kept_[own++];
      const Type& type = function_.params[k].type;
      if (args[k] == before) continue;
      if (!type.is_scalar()) {
        // Arrays without elements are the same; others are not looked at.
        same = out.logical_and(same, was_empty(out, type));
        continue;
      }
      same = out.logical_and(same, out.cmpop(CmpOpKind::kEq, type.elem, args[k], before, "same"));
      // Zeros have signs.
      if (is_float(type.elem))
        same = out.logical_and(
            same, out.cmpop(CmpOpKind::kNe, type.elem, before, zero_of(type.elem), "same"));
    }
    const Operand next = out.size_add(kept_[0], const_i64(1));
    const Operand rounds = out.let1(scalar_type(Prim::kI64), Select{same, end_, next}, "rounds");
    return {out.cmpop(CmpOpKind::kNe, Prim::kI64, rounds, end_, "more"), rounds};
  }

  // Names and types for: more, the rounds, the parameters that change, the results.
  std::vector<Param> state_pattern() {
    std::vector<Param> pattern = {{program_.names.fresh("more"), scalar_type(Prim::kBool)}};
    if (!counter_) pattern.push_back({program_.names.fresh("rounds"), scalar_type(Prim::kI64)});
    Substitution names;
    for (size_t k = 0; k < function_.params.size(); ++k) {
      if (!changes_[k]) continue;
      const Param& p = function_.params[k];
      Type type = p.type;
      substitute(type, names);
      pattern.push_back({program_.names.fresh_like(p.name), type});
      names.emplace(p.name, pattern.back().name);
    }
    for (const Ret& r : function_.results) {
      if (asks_first_) break;
      Type type = r.type;
      substitute(type, names);
      pattern.push_back({program_.names.fresh("r"), type});
      if (r.name.id != 0) names.emplace(r.name, pattern.back().name);
    }
    return pattern;
  }

  std::vector<Operand> empty_results(Builder& out) {
    std::vector<Operand> values;
    if (asks_first_) return values;
    for (const Ret& r : function_.results) {
      if (r.type.is_scalar()) {
        values.emplace_back(zero_of(r.type.elem));
        continue;
      }
      const Type type = array_of(const_i64(0), scalar_type(r.type.elem));
      values.emplace_back(
          out.let1(type, Replicate{{const_i64(0)}, Operand{zero_of(r.type.elem)}}, "none"));
    }
    return values;
  }

  void rewrite(Body& body) {
    if (!body.stmts.empty() && gives_all(body, body.stmts.back())) {
      Stmt& last = body.stmts.back();
      if (const Call* call = as<Call>(last.exp); call != nullptr && call->fn == function_.name) {
        Builder more(program_);
        more.set_loc(function_.loc);
        const auto [another, rounds] = next_round(more, call->args);
        std::vector<Operand> state = {another};
        if (asks_first_) {
          Substitution values;
          for (size_t k = 0; k < call->args.size(); ++k)
            values.emplace(function_.params[k].name, call->args[k]);
          state[0] = more.logical_and(another, goes_on(more, values));
        }
        if (!counter_) state.push_back(rounds);
        for (size_t k = 0; k < call->args.size(); ++k)
          if (changes_[k]) state.push_back(call->args[k]);
        body.stmts.pop_back();
        const std::vector<Operand> none = empty_results(more);
        for (Stmt& stmt : more.stmts()) body.stmts.push_back(std::move(stmt));
        state.insert(state.end(), none.begin(), none.end());
        body.result = std::move(state);
        return;
      }
      if (If* both = as<If>(last.exp)) {
        if (ends_with_call(both->then_body, function_.name) ||
            ends_with_call(both->else_body, function_.name)) {
          rewrite(both->then_body);
          rewrite(both->else_body);
          last.pat = state_pattern();
          body.result.clear();
          for (const Param& p : last.pat) body.result.emplace_back(p.name);
          return;
        }
      }
    }
    std::vector<Operand> state = {const_bool(false)};
    state.insert(state.end(), kept_.begin(), kept_.end());
    state.insert(state.end(), body.result.begin(), body.result.end());
    body.result = std::move(state);
  }

  Program& program_;
  Function& function_;
  std::vector<bool> changes_;  // of each parameter
  std::vector<Operand> kept_;  // the rounds, if nothing else counts them; those that change, inside
  std::optional<Name> counter_;  // the parameter that counts the rounds
  size_t counter_at_ = 0;
  Operand end_ = const_i64(0);  // what is counted when there have been too many
  Loc call_loc_ = {};
  bool asks_first_ = false;
  Body question_;  // what comes before the branch, and its condition
  bool ends_in_then_ = false;
  Body ending_;  // that side of it
};

}  // namespace

}  // namespace skald::tail_calls

namespace skald::nesl {

void tail_calls_to_loop(core::Program& program, core::Function& function) {
  if (tail_calls::ends_with_call(function.body, function.name))
    tail_calls::TailCalls(program, function).run();
}

}  // namespace skald::nesl
