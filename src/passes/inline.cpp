// SPDX-License-Identifier: Apache-2.0
// Replaces calls of small functions by their bodies.
//
//   before   let {y_2 : i32} = call square(x_1)
//
//   after    let {y_2 : i32} = mul_i32(x_1, x_1)
//
// Stage    SOACS.
// Needs    unique names.
// Gives    a call is left only if the callee is recursive, "noinline", "once", or large and called
//          from several places; never if it takes an accumulator and is not recursive, or if it
//          begins a loop with a range or a constant that it is given (first_rounds.h).
// Keeps    source places: inlined statements remember the call they came through.
// Cost     linear in the size of the result, which a budget bounds.
// Tests    tests/golden/passes/inline/*.core
#include <algorithm>

#include "core/edit/builder.h"
#include "core/edit/rename.h"
#include "core/ir/name_map.h"
#include "core/ir/visit.h"
#include "passes/first_rounds.h"
#include "passes/passes.h"

namespace skald::passes {

using namespace core;

namespace {

// Callees up to this many statements are inlined everywhere.
constexpr size_t kSmall = 40;
// Up to this many if all they take and give are scalars: where a loop calls something, neither
// lanes nor what its neighbours compute help.
constexpr size_t kSmallScalar = 400;
// Constants of so many statements are computed where they are needed.
constexpr size_t kQuick = 8;
// No function grows beyond this by inlining.
constexpr size_t kMaxStatements = 20'000;

// Only where an accumulator comes from is its operator known, so its users are always inlined.
bool takes_accumulator(const Function& fn) {
  return std::ranges::any_of(fn.params, [](const Param& p) { return p.type.kind == Type::kAcc; });
}

bool is_scalar_function(const Function& fn) {
  return std::ranges::all_of(fn.params, [](const Param& p) { return p.type.is_scalar(); }) &&
         std::ranges::all_of(fn.results, [](const Ret& r) { return r.type.is_scalar(); });
}

// A constant that takes no longer to compute than to fetch: a few operators on scalars.
bool is_quick(const Function& fn) {
  if (fn.body.stmts.size() > kQuick) return false;
  for (const Ret& result : fn.results)
    if (!result.type.is_scalar()) return false;
  return std::ranges::all_of(fn.body.stmts, [](const Stmt& stmt) {
    bool simple = as<Call>(stmt.exp) == nullptr && as<Assert>(stmt.exp) == nullptr;
    for (const Param& p : stmt.pat) simple = simple && p.type.is_scalar();
    for_each_body(stmt.exp, [&](const Body&) { simple = false; });
    return simple;
  });
}

class Inliner {
 public:
  Inliner(Program& prog, PassContext& ctx) : prog_(prog), ctx_(ctx) {
    for (size_t k = 0; k < prog.functions.size(); ++k) index_[prog.functions[k].name] = k;
    for (const Function& fn : prog.functions) count_calls(fn.body);
    state_.resize(prog.functions.size());
    sizes_.resize(prog.functions.size());
  }

  // Callees first, so that what is inlined is already done.
  void process(size_t k) {
    if (state_[k] != kNew) return;
    state_[k] = kActive;
    budget_.push_back(statement_count(prog_.functions[k].body));
    visit(prog_.functions[k].body);
    sizes_[k] = budget_.back();
    budget_.pop_back();
    state_[k] = kDone;
  }

 private:
  enum State : uint8_t { kNew, kActive, kDone };

  void count_calls(const Body& body) {
    for (const Stmt& stmt : body.stmts) {
      if (const Call* call = as<Call>(stmt.exp)) ++calls_[call->fn];
      for_each_body(stmt.exp, [&](const Body& inner) { count_calls(inner); });
    }
  }

  void visit(Body& body) {
    std::vector<Stmt> old = std::move(body.stmts);
    body.stmts.clear();
    for (Stmt& stmt : old) {
      for_each_body(stmt.exp, [&](Body& inner) { visit(inner); });
      const Call* call = as<Call>(stmt.exp);
      const Function* callee = call == nullptr ? nullptr : wanted(*call);
      if (callee == nullptr || !ctx_.may_rewrite()) {
        note_generator(stmt);
        body.stmts.push_back(std::move(stmt));
      } else {
        splice(body, stmt, *callee);
      }
    }
  }

  void note_generator(const Stmt& stmt) {
    const auto* view = as<Reshape>(stmt.exp);
    const bool renamed =
        view != nullptr && generators_.contains(view->array) && stmt.pat[0].type.shape.size() == 1;
    if (is_generator(stmt) || renamed) generators_.insert(stmt.pat[0].name);
  }

  // Does the callee begin a loop with an array that the caller need not store?
  bool begins_loop(const Call& call, const Function& fn) const {
    const auto generated = [&](const Operand& init) {
      for (size_t k = 0; k < call.args.size(); ++k) {
        const Name* arg = as_name(call.args[k]);
        if (arg != nullptr && generators_.contains(*arg) && init == Operand(fn.params[k].name))
          return true;
      }
      return false;
    };
    return std::ranges::any_of(fn.body.stmts, [&](const Stmt& stmt) {
      const auto* loop = as<Loop>(stmt.exp);
      return loop != nullptr && gains_from_first_round(*loop, generated);
    });
  }

  // The function to inline, or null.
  const Function* wanted(const Call& call) {
    const std::string& name = call.fn;
    const auto found = index_.find(name);
    if (found == index_.end()) return nullptr;
    const size_t k = found->second;
    process(k);
    const Function& fn = prog_.functions[k];
    if (state_[k] == kActive || recursive(k)) return nullptr;
    const bool must = takes_accumulator(fn);
    if (!must && fn.hints.inlining == Inlining::kNever) return nullptr;
    if (!must && fn.hints.once && !is_quick(fn)) return nullptr;
    const bool small = sizes_[k] <= (is_scalar_function(fn) ? kSmallScalar : kSmall) ||
                       calls_[name] == 1 || fn.hints.inlining == Inlining::kAlways || must ||
                       begins_loop(call, fn);
    if (!small) return nullptr;
    if (budget_.back() + sizes_[k] > kMaxStatements) {
      if (!std::exchange(reported_, true))
        ctx_.report_limit(fmt::format(
            "functions do not grow beyond {} statements; some calls stay calls", kMaxStatements));
      return nullptr;
    }
    budget_.back() += sizes_[k];
    return &fn;
  }

  bool recursive(size_t k) {
    const auto known = recursive_.find(k);
    if (known != recursive_.end()) return known->second;
    bool self = false;
    find_self(prog_.functions[k].body, prog_.functions[k].name, self);
    return recursive_[k] = self;
  }
  static void find_self(const Body& body, const std::string& name, bool& found) {
    for (const Stmt& stmt : body.stmts) {
      if (const Call* call = as<Call>(stmt.exp); call != nullptr && call->fn == name) found = true;
      for_each_body(stmt.exp, [&](const Body& inner) { find_self(inner, name, found); });
    }
  }

  void splice(Body& body, Stmt& stmt, const Function& callee) {
    const Call* call = as<Call>(stmt.exp);
    Substitution subst;
    for (size_t k = 0; k < callee.params.size(); ++k)
      subst.emplace(callee.params[k].name, call->args[k]);
    Body copy = copy_with_fresh_names(callee.body, prog_.names, std::move(subst));
    add_caller(copy, stmt.loc);
    for (Stmt& inner : copy.stmts) {
      for (const Name token : stmt.tokens) inner.tokens.push_back(token);
      note_generator(inner);
      body.stmts.push_back(std::move(inner));
    }
    // Results may be sizes of later results, so they are bound one by one in order.
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      Stmt bind{{}, result_exp(stmt.pat[k], copy.result[k], callee.results[k]), {}, {}, stmt.loc};
      bind.pat.push_back(std::move(stmt.pat[k]));
      note_generator(bind);
      body.stmts.push_back(std::move(bind));
    }
  }

  // An array result is coerced to the sizes that the caller knows it by.
  static Exp result_exp(const Param& param, const Operand& value, const Ret& /*ret*/) {
    const Name* name = as_name(value);
    if (param.type.is_array() && name != nullptr) return Reshape{*name, param.type.shape};
    return Value{value};
  }

  void add_caller(Body& body, Loc caller) {
    if (caller.index == 0) return;
    for (Stmt& stmt : body.stmts) {
      stmt.loc = with_caller(stmt.loc, caller);
      for_each_body(stmt.exp, [&](Body& inner) { add_caller(inner, caller); });
    }
  }
  Loc with_caller(Loc loc, Loc caller) {
    if (loc.index == 0) return caller;
    const auto key = (static_cast<uint64_t>(loc.index) << 32) | caller.index;
    const auto known = chained_.find(key);
    if (known != chained_.end()) return known->second;
    const LocTable::Entry entry = prog_.locs[loc];
    const Loc outer = entry.caller.index == 0 ? caller : with_caller(entry.caller, caller);
    return chained_[key] = prog_.locs.add(entry.text, outer, entry.function);
  }

  Program& prog_;
  PassContext& ctx_;
  std::unordered_map<std::string, size_t> index_;
  std::unordered_map<std::string, size_t> calls_;
  std::unordered_map<size_t, bool> recursive_;
  std::unordered_map<uint64_t, Loc> chained_;
  std::vector<State> state_;
  std::vector<size_t> sizes_;
  NameSet generators_;
  bool reported_ = false;  // the limit on growth
  // Statements of the functions being processed, innermost last.
  std::vector<size_t> budget_;
};

}  // namespace

Program inline_functions(Program prog, PassContext& ctx) {
  Inliner inliner(prog, ctx);
  for (size_t k = 0; k < prog.functions.size(); ++k) inliner.process(k);
  return prog;
}

}  // namespace skald::passes
