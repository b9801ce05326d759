// SPDX-License-Identifier: Apache-2.0
// Inputs of SOACs.
//
//   input-replicate   a replicated scalar or array is not read row by row: the row is it
//   input-twice       the same array twice is one input
//   input-unused      a row that nobody looks at is not read
#include <algorithm>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/simplify/rules.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

struct Inputs {
  std::vector<Name>* inputs = nullptr;
  Lambda* fn = nullptr;
};

Inputs inputs_of(Exp& exp) {
  if (Soac* e = as<Soac>(exp)) return {&e->inputs, &e->fn};
  if (Hist* e = as<Hist>(exp)) return {&e->inputs, &e->fn};
  if (Scatter* e = as<Scatter>(exp)) return {&e->inputs, &e->fn};
  if (Partition* e = as<Partition>(exp)) return {&e->inputs, &e->fn};
  if (FlatMap* e = as<FlatMap>(exp)) return {&e->inputs, &e->fn};
  return {};
}

// Can the value stand for the row of the same value?
bool is_row(const Operand& value, const Param& row, const Env& env) {
  if (row.type.is_scalar()) return true;
  const Name* name = as_name(value);
  const Type* type = name == nullptr ? nullptr : env.type(*name);
  return type != nullptr && *type == row.type && env.is_unchanging(*name) &&
         !env.is_kept_apart(row.name);
}

}  // namespace

bool simplify_inputs(Stmt& stmt, Env& env, PassContext& ctx) {
  const Inputs in = inputs_of(stmt.exp);
  if (in.fn == nullptr) return false;
  Substitution subst;
  std::vector<bool> drop(in.inputs->size(), false);
  bool changed = false;
  for (size_t k = 0; k < in.inputs->size(); ++k) {
    const Param& param = in.fn->params[k];
    if (param.type.kind == Type::kAcc) continue;
    const Name input = (*in.inputs)[k];
    const Replicate* rep = env.definition_as<Replicate>(input);
    if (rep != nullptr && rep->shape.size() == 1 && is_row(rep->value, param, env)) {
      if (!ctx.may_rewrite("input-replicate")) return changed;
      subst.emplace(param.name, rep->value);
      drop[k] = true;
    } else if (!env.is_live(param.name)) {
      if (!ctx.may_rewrite("input-unused")) return changed;
      drop[k] = true;
    } else if (param.type.is_scalar()) {
      for (size_t j = 0; j < k && !drop[k]; ++j) {
        if (drop[j] || !((*in.inputs)[j] == input) || !in.fn->params[j].type.is_scalar()) continue;
        if (!ctx.may_rewrite("input-twice")) return changed;
        subst.emplace(param.name, in.fn->params[j].name);
        drop[k] = true;
      }
    }
    changed = changed || drop[k];
  }
  if (!changed) return false;
  substitute(in.fn->body, subst);
  // A SOAC without inputs is fine: its width says how often it runs.
  for (size_t k = in.inputs->size(); k-- > 0;) {
    if (!drop[k]) continue;
    // The width may be right only because the array could be made.
    const std::vector<Name> tokens = env.tokens((*in.inputs)[k]);
    stmt.tokens.insert(stmt.tokens.end(), tokens.begin(), tokens.end());
    in.inputs->erase(in.inputs->begin() + static_cast<ptrdiff_t>(k));
    in.fn->params.erase(in.fn->params.begin() + static_cast<ptrdiff_t>(k));
  }
  return true;
}

}  // namespace skald::passes::simplify_rules
