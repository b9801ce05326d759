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
#include "frontend/nesl/elaborate/tail_calls.h"

#include "core/edit/builder.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"

// Not among the names of NESL's own tree.
namespace skald::tail_calls {

using namespace core;

namespace {

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

// The arguments of the calls that it ends with.
void collect_calls(const Body& body, const std::string& name,
                   std::vector<const std::vector<Operand>*>& calls) {
  if (body.stmts.empty() || !gives_all(body, body.stmts.back())) return;
  const Exp& last = body.stmts.back().exp;
  if (const Call* call = as<Call>(last); call != nullptr && call->fn == name)
    calls.push_back(&call->args);
  if (const If* both = as<If>(last)) {
    collect_calls(both->then_body, name, calls);
    collect_calls(both->else_body, name, calls);
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
    Loop loop;
    loop.form = Loop::kWhile;
    Builder out(program_);
    out.set_loc(function_.loc);
    loop.cond = program_.names.fresh("more");
    loop.params.push_back({{loop.cond, scalar_type(Prim::kBool)}, const_bool(true)});
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
    for (size_t k = 0; k < function_.results.size(); ++k) {
      Type type = function_.results[k].type;
      substitute(type, sizes);
      const Name own = program_.names.fresh("r");
      if (function_.results[k].name.id != 0) sizes.emplace(function_.results[k].name, own);
      loop.params.push_back({{own, type}, none[k]});
    }
    Body body = std::move(function_.body);
    substitute(body, inside);
    rewrite(body);
    loop.body = std::move(body);
    std::vector<Param> pattern = state_pattern();
    std::vector<Operand> results;
    for (size_t k = 1 + kept_.size(); k < pattern.size(); ++k)
      results.emplace_back(pattern[k].name);
    out.let_pat(std::move(pattern), std::move(loop));
    function_.body = out.finish(std::move(results));
  }

 private:
  // An array changes if its size does.
  void find_changing() {
    std::vector<const std::vector<Operand>*> calls;
    collect_calls(function_.body, function_.name, calls);
    const std::vector<Param>& params = function_.params;
    for (size_t k = 0; k < params.size(); ++k) {
      bool changes = false;
      for (const std::vector<Operand>* args : calls)
        changes = changes || !((*args)[k] == Operand{params[k].name});
      for (size_t size = 0; size < k; ++size)
        for (const Operand& dim : params[k].type.shape)
          changes = changes || (changes_[size] && dim == Operand{params[size].name});
      changes_.push_back(changes);
    }
  }

  // Names and types for: more, the parameters that change, the results.
  std::vector<Param> state_pattern() {
    std::vector<Param> pattern = {{program_.names.fresh("more"), scalar_type(Prim::kBool)}};
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
      Type type = r.type;
      substitute(type, names);
      pattern.push_back({program_.names.fresh("r"), type});
      if (r.name.id != 0) names.emplace(r.name, pattern.back().name);
    }
    return pattern;
  }

  std::vector<Operand> empty_results(Builder& out) {
    std::vector<Operand> values;
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
        std::vector<Operand> state = {const_bool(true)};
        for (size_t k = 0; k < call->args.size(); ++k)
          if (changes_[k]) state.push_back(call->args[k]);
        body.stmts.pop_back();
        Builder more(program_);
        more.set_loc(function_.loc);
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
  std::vector<Operand> kept_;  // those that change, inside
};

}  // namespace

}  // namespace skald::tail_calls

namespace skald::nesl {

void tail_calls_to_loop(core::Program& program, core::Function& function) {
  if (tail_calls::ends_with_call(function.body, function.name))
    tail_calls::TailCalls(program, function).run();
}

}  // namespace skald::nesl
