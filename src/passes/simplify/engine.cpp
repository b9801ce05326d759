// SPDX-License-Identifier: Apache-2.0
// Simplifies everything that can be said more simply.
//
//   before   let {a_1 : i32} = 3i32
//            let {b_2 : i32} = add_i32(a_1, 4i32)
//            let {c_3 : i32} = b_2
//
//   after    every use of a_1 is 3i32, of b_2 and c_3 is 7i32
//
// One walk over a function, top down: operands are replaced by what they are known to equal, then
// the rules (rules.h, files by subject) look at each statement; equal expressions are computed once
// (cse below); what does not depend on the iteration moves out of loops and SOACs (hoist.cpp).  The
// walk is repeated while it finds something, a few times at most.
//
// Stage    any.
// Needs    unique names.
// Gives    no copies of scalars or arrays under another name; no rule fits any more, or the budget
//          is used up.  Statements that became unused stay: dead-code removes them.
// Keeps    checks that may fail; tokens of checks that cannot fail disappear.
// Cost     linear per walk, at most kMaxWalks walks.
// Tests    tests/golden/passes/simplify/*.core
#include <algorithm>

#include "core/edit/builder.h"
#include "core/edit/plain.h"
#include "core/edit/rename.h"
#include "core/ir/name_map.h"
#include "core/ir/visit.h"
#include "passes/passes.h"
#include "passes/simplify/rules.h"

namespace skald::passes {

using namespace core;
using namespace simplify_rules;

namespace simplify_rules {

const std::vector<std::vector<Rule>>& rules_by_node() {
  static const std::vector<std::vector<Rule>> kTable = [] {
    std::vector<std::vector<Rule>> table(std::variant_size_v<Exp>);
    for (const auto& rules :
         {constant_rules(), integer_rules(), float_rules(), sign_rules(), clamp_rules(),
          boolean_rules(), compare_rules(), convert_rules(), narrow_rules(), index_rules(),
          view_rules(), control_rules(), sum_rules()})
      for (const Rule& rule : rules) table[rule.node].push_back(rule);
    return table;
  }();
  return kTable;
}

}  // namespace simplify_rules

namespace {

constexpr int kMaxWalks = 4;
// Rules that undo each other must not hang the compiler.
constexpr int kMaxPerStatement = 20;

class Simplify {
 public:
  Simplify(Program& prog, PassContext& ctx)
      : env_(prog), ctx_(ctx), without_signs_(ctx.leaves_out("signs")) {
    env_.set_earlier([this](const Exp& exp, const Exp& than) {
      const Available* found = find(exp);
      const Available* other = found == nullptr ? nullptr : find(than);
      return other != nullptr && found->number < other->number ? std::optional(found->name)
                                                               : std::nullopt;
    });
  }

  void function(Function& fn) {
    env_.count_uses(fn);
    for (const Param& p : fn.params) env_.bind(p);
    visit(fn.body);
  }

 private:
  // ---- the walk

  void visit(Body& body) {
    const int outer = env_.block();
    env_.set_block(++blocks_);
    const size_t facts = env_.facts().mark(), available = log_.size();
    std::vector<Stmt> old = std::move(body.stmts);
    body.stmts.clear();
    body.stmts.reserve(old.size());
    for (Stmt& stmt : old) visit(body.stmts, std::move(stmt));
    for (Operand& result : body.result) result = env_.now(result);
    forget(available);
    env_.facts().undo(facts);
    env_.set_block(outer);
  }

  void visit(std::vector<Stmt>& out, Stmt stmt) {
    map_operands(stmt.exp, [&](const Operand& o) { return env_.now(o); });
    for (Param& p : stmt.pat) rename_sizes(p);
    rename_tokens(stmt);
    if (splice_known_branch(out, stmt)) return;
    remove_dead_results(stmt, env_, ctx_);
    simplify_inputs(stmt, env_, ctx_);
    std::vector<Stmt> more;
    if (simplify_loop(stmt, more, env_, ctx_) || loop_to_map(stmt, more, env_, ctx_)) {
      for (Stmt& inner : more) visit(out, std::move(inner));
      if (stmt.pat.empty()) return;
      // The new statements may have turned out to be something known.
      map_operands(stmt.exp, [&](const Operand& o) { return env_.now(o); });
      for (Param& p : stmt.pat) rename_sizes(p);
    }
    inside(stmt);
    merge_equal_sinks(stmt, env_, ctx_);
    more.clear();
    hoist_invariants(stmt, more, env_, ctx_);
    // As they are: the code that uses them has been visited already.  The next walk sees to them.
    for (Stmt& inner : more) {
      env_.define(inner);
      out.push_back(std::move(inner));
    }
    if (drop_check(stmt)) return;
    for (int k = 0; k < kMaxPerStatement; ++k) {
      std::optional<Rewrite> rewrite = first_rule(stmt);
      if (!rewrite) break;
      for (Stmt& inner : rewrite->before) visit(out, std::move(inner));
      stmt.tokens.insert(stmt.tokens.end(), rewrite->tokens.begin(), rewrite->tokens.end());
      rename_tokens(stmt);
      if (rewrite->value) rewrite->value = env_.now(*rewrite->value);
      if (rewrite->exp) map_operands(*rewrite->exp, [&](const Operand& o) { return env_.now(o); });
      if (rewrite->value) {
        // A value that waits for a check keeps its statement.
        if (stmt.tokens.empty()) return env_.set_known(stmt.pat[0].name, *rewrite->value);
        stmt.exp = Value{*rewrite->value};
        break;
      }
      stmt.exp = std::move(*rewrite->exp);
    }
    std::shared_ptr<const Exp> copy;
    if (reuse(stmt, copy)) return;
    env_.define(stmt, std::move(copy));
    out.push_back(std::move(stmt));
  }

  std::optional<Rewrite> first_rule(const Stmt& stmt) {
    if (stmt.pat.size() != 1) return std::nullopt;
    if (!stmt.tokens.empty() && as<Value>(stmt.exp) != nullptr) return std::nullopt;
    for (const Rule& rule : rules_by_node()[stmt.exp.index()]) {
      if (rule.is_sign && without_signs_) continue;
      std::optional<Rewrite> rewrite = rule.apply(stmt, env_);
      if (rewrite && ctx_.may_rewrite(rule.name)) return rewrite;
    }
    return std::nullopt;
  }

  // The code inside, with what is known about its parameters.
  void inside(Stmt& stmt) {
    const size_t facts = env_.facts().mark();
    for_each_param(stmt.exp, [&](const Param& p) { env_.bind(p); });
    if (If* branch = as<If>(stmt.exp)) {
      const size_t before = env_.facts().mark();
      env_.facts().assume(branch->cond, true);
      visit(branch->then_body);
      env_.facts().undo(before);
      env_.facts().assume(branch->cond, false);
      visit(branch->else_body);
    } else {
      know_indices(stmt.exp);
      for_each_body(stmt.exp, [&](Body& inner) { visit(inner); });
    }
    env_.facts().undo(facts);
  }

  void know_indices(const Exp& exp) {
    if (const auto* e = as<Soac>(exp)) env_.know_indices(e->inputs, e->fn);
    if (const auto* e = as<Hist>(exp)) env_.know_indices(e->inputs, e->fn);
    if (const auto* e = as<Scatter>(exp)) env_.know_indices(e->inputs, e->fn);
    if (const auto* e = as<Partition>(exp)) env_.know_indices(e->inputs, e->fn);
    if (const auto* e = as<FlatMap>(exp)) env_.know_indices(e->inputs, e->fn);
    if (const auto* e = as<Loop>(exp);
        e != nullptr && e->form == Loop::kFor && is_signed_int(e->var.type.elem))
      env_.facts().is_index(e->var.name, e->bound);
    if (const auto* e = as<Kernel>(exp); e != nullptr && e->domain.kind != Domain::kSeg)
      for (size_t k = 0; k < e->domain.dims.size(); ++k)
        env_.facts().is_index(e->pull.params[k].name, e->domain.dims[k]);
  }

  void rename_sizes(Param& p) {
    const auto rename = [&](Operand& o) { o = env_.now(o); };
    for (Operand& dim : p.type.shape) rename(dim);
    for (Type& elem : p.type.acc_elems)
      for (Operand& dim : elem.shape) rename(dim);
    for (MemLoc& loc : p.mem) {
      rename(loc.offset);
      for (Operand& stride : loc.strides) rename(stride);
    }
  }

  // ---- checks

  void rename_tokens(Stmt& stmt) {
    for (Name& token : stmt.tokens) token = std::get<Name>(env_.now(token));
    std::ranges::sort(stmt.tokens);
    stmt.tokens.erase(std::ranges::unique(stmt.tokens).begin(), stmt.tokens.end());
    std::erase_if(stmt.tokens, [&](Name token) { return passed_.contains(token); });
  }

  //   let {t} = assert(true)   →   nothing waits for t
  bool drop_check(const Stmt& stmt) {
    const Assert* check = as<Assert>(stmt.exp);
    if (check == nullptr) return false;
    const std::optional<bool> known = env_.facts().decide(check->cond);
    if (!known || !*known || !ctx_.may_rewrite("check-true")) return false;
    passed_.insert(stmt.pat[0].name);
    return true;
  }

  // ---- branches

  //   if true then {a} else {b}   →   a
  bool splice_known_branch(std::vector<Stmt>& out, Stmt& stmt) {
    If* branch = as<If>(stmt.exp);
    const std::optional<bool> cond =
        branch == nullptr ? std::nullopt : env_.facts().decide(branch->cond);
    if (!cond || !ctx_.may_rewrite("if-known")) return false;
    Body taken = std::move(*cond ? branch->then_body : branch->else_body);
    for (Stmt& inner : taken.stmts) {
      inner.tokens.insert(inner.tokens.end(), stmt.tokens.begin(), stmt.tokens.end());
      visit(out, std::move(inner));
    }
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      const Operand value = env_.now(taken.result[k]);
      const Name* name = as_name(value);
      Stmt bind{{}, Value{value}, {}, {}, stmt.loc};
      if (stmt.pat[k].type.is_array() && name != nullptr) {
        rename_sizes(stmt.pat[k]);
        bind.exp = Reshape{*name, stmt.pat[k].type.shape};
      }
      bind.pat.push_back(std::move(stmt.pat[k]));
      visit(out, std::move(bind));
    }
    return true;
  }

  // ---- common subexpressions

  // cse: an expression that was computed before, in this block or one around it, is not computed
  // again.  Arrays that may be consumed, or are results, stay apart.
  // Gives the copy of the expression that it keeps.
  bool reuse(const Stmt& stmt, std::shared_ptr<const Exp>& copy) {
    if (stmt.pat.size() != 1 || !stmt.hints.empty() || !stmt.pat[0].mem.empty()) return false;
    const Exp& exp = stmt.exp;
    if (as<Opaque>(exp) || as<Update>(exp) || as<FlatUpdate>(exp) || as<Scratch>(exp) ||
        as<Copy>(exp) || as<Call>(exp) || as<UpdateAcc>(exp) || as<Alloc>(exp) || as<Free>(exp) ||
        as<Value>(exp))
      return false;
    const Param& param = stmt.pat[0];
    if (param.type.is_array() && env_.is_kept_apart(param.name)) return false;
    if (holds_code(exp)) return false;
    const Assert* check = as<Assert>(exp);
    const uint64_t hash =
        check != nullptr ? structural_hash(Exp(Assert{check->cond, {}})) : structural_hash(exp);
    std::vector<Available>& candidates = available_[hash];
    for (const Available& before : candidates) {
      if (!same(before, stmt)) continue;
      if (!ctx_.may_rewrite("cse")) return false;
      env_.set_known(param.name, before.name);
      return true;
    }
    copy = copy_of(exp);
    candidates.push_back({copy, stmt.tokens, param.name, param.type, log_.size()});
    log_.push_back(hash);
    return false;
  }
  struct Available {
    std::shared_ptr<const Exp> exp;
    std::vector<Name> tokens;
    Name name;
    Type type;
    size_t number;  // in the order of the program
  };
  // An expression that waits for no check, if it has been computed before.
  const Available* find(const Exp& exp) const {
    const auto at = available_.find(structural_hash(exp));
    if (at == available_.end()) return nullptr;
    const auto is_it = [&](const Available& a) { return a.tokens.empty() && equal(*a.exp, exp); };
    const auto found = std::ranges::find_if(at->second, is_it);
    return found == at->second.end() ? nullptr : &*found;
  }
  static bool same(const Available& before, const Stmt& stmt) {
    const Assert* check = as<Assert>(stmt.exp);
    const Assert* earlier = as<Assert>(*before.exp);
    // Two checks of the same condition differ in their messages, but the first one stops.
    const bool same_exp = check != nullptr && earlier != nullptr ? check->cond == earlier->cond
                                                                 : equal(*before.exp, stmt.exp);
    if (!same_exp || !(before.type == stmt.pat[0].type)) return false;
    return std::ranges::includes(before.tokens, stmt.tokens);
  }
  void forget(size_t mark) {
    while (log_.size() > mark) {
      available_[log_.back()].pop_back();
      log_.pop_back();
    }
  }

  Env env_;
  PassContext& ctx_;
  bool without_signs_;
  int blocks_ = 0;
  // Tokens of checks that cannot fail.
  NameSet passed_;
  std::unordered_map<uint64_t, std::vector<Available>> available_;
  std::vector<uint64_t> log_;
};

}  // namespace

void simplify_function(Function& fn, Program& prog, PassContext& ctx) {
  for (int walk = 0; walk < kMaxWalks; ++walk) {
    const uint64_t before = ctx.rewrites();
    Simplify(prog, ctx).function(fn);
    if (ctx.rewrites() == before) return;
  }
}

Program simplify(Program prog, PassContext& ctx) {
  for (Function& fn : prog.functions) simplify_function(fn, prog, ctx);
  return prog;
}

}  // namespace skald::passes
