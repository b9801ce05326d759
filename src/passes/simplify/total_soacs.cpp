// SPDX-License-Identifier: Apache-2.0
#include "passes/simplify/total_soacs.h"

#include <algorithm>

#include "core/ir/visit.h"
#include "core/scalar/slow_ops.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

bool in_bounds(const Index& read, const Env& env) {
  const Type* type = env.type(read.array);
  if (type == nullptr || read.slice.size() != type->shape.size()) return false;
  for (size_t k = 0; k < read.slice.size(); ++k) {
    const Operand& i = read.slice[k].start;
    if (!env.facts().at_most(const_i64(0), i) || !env.facts().at_most(i, type->shape[k], -1))
      return false;
  }
  return true;
}

bool is_total_code(const Body& body, Env& env) {
  analysis::Facts& facts = env.facts();
  for (const Stmt& stmt : body.stmts) {
    if (is_total_scalar(stmt.exp)) {
      facts.defined(stmt.pat[0].name, stmt.exp);
    } else if (const If* branch = as<If>(stmt.exp)) {
      const size_t before = facts.mark();
      for (const bool holds : {true, false}) {
        facts.assume(branch->cond, holds);
        const bool total = is_total_code(holds ? branch->then_body : branch->else_body, env);
        facts.undo(before);
        if (!total) return false;
      }
    } else if (!is_scalar_read(stmt) || !in_bounds(*as<Index>(stmt.exp), env)) {
      const Value* value = as<Value>(stmt.exp);
      if (value == nullptr || !stmt.pat[0].type.is_scalar()) return false;
    }
  }
  return true;
}

bool calls_function(const Exp& exp) {
  if (const BinOp* e = as<BinOp>(exp)) return is_float(e->type) && is_function(e->op);
  const UnOp* e = as<UnOp>(exp);
  return e != nullptr && is_function(e->op, e->type);
}

}  // namespace

bool is_total_scalar(const Exp& exp) {
  return is_scalar_operator(exp) && as<Value>(exp) == nullptr;
}

bool is_scalar_read(const Stmt& stmt) {
  return as<Index>(stmt.exp) != nullptr && stmt.pat[0].type.is_scalar();
}

bool is_total(const Soac& soac, const std::vector<const Stmt*>& reads, Env& env) {
  const auto is_scalar = [](const Ret& r) { return r.type.is_scalar(); };
  const auto is_accumulator = [](const Param& p) { return p.type.kind == Type::kAcc; };
  if (!std::ranges::all_of(soac.fn.results, is_scalar) ||
      std::ranges::any_of(soac.fn.params, is_accumulator))
    return false;
  const size_t before = env.facts().mark();
  env.facts().is_positive(soac.width);
  env.know_indices(soac.inputs, soac.fn);
  bool total = is_total_code(soac.fn.body, env);
  for (const Lambda& post : soac.post) total = total && is_total_code(post.body, env);
  for (const Stmt* read : reads) total = total && in_bounds(*as<Index>(read->exp), env);
  for (const auto* ops : {&soac.scans, &soac.reduces})
    for (const Operator& op : *ops) total = total && is_total_code(op.fn.body, env);
  env.facts().undo(before);
  return total;
}

bool is_worth_storing(const Stmt& stmt, const Env& env) {
  constexpr size_t kWorthStoring = 4;
  const Soac& soac = *as<Soac>(stmt.exp);
  bool arrays = false;
  for (const Param& p : stmt.pat) {
    arrays = arrays || p.type.is_array();
    if (p.type.is_array() && env.is_kept_apart(p.name)) return false;
  }
  const std::vector<Stmt>& code = soac.fn.body.stmts;
  return !arrays || !soac.scans.empty() || code.size() >= kWorthStoring ||
         std::ranges::any_of(code, [](const Stmt& inner) { return calls_function(inner.exp); });
}

}  // namespace skald::passes::simplify_rules
