// SPDX-License-Identifier: Apache-2.0
// What all rules share: stringing functions together.
#include "passes/fusion/composer.h"

#include <algorithm>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/fusion/hints.h"
#include "support/bug.h"

namespace skald::passes::fusion {

using namespace core;

void Composer::add(Stmt stmt, std::optional<Guard> guard) {
  for (const Name token : stmt.tokens)
    if (std::ranges::find(tokens_, token) == tokens_.end()) tokens_.push_back(token);
  join_hints(hints_, stmt.hints);
  loc_ = stmt.loc;
  Exp exp = std::move(stmt.exp);
  if (Soac* e = as<Soac>(exp)) return add(stmt, std::move(*e), guard);
  if (Hist* e = as<Hist>(exp)) return add(stmt, std::move(*e), guard);
  if (Scatter* e = as<Scatter>(exp)) return add(stmt, std::move(*e), guard);
  if (Partition* e = as<Partition>(exp)) return add(stmt, std::move(*e), guard);
  if (FlatMap* e = as<FlatMap>(exp)) return add(stmt, std::move(*e), guard);
  if (WithAcc* e = as<WithAcc>(exp)) return add(stmt, std::move(*e));
  SKALD_BUG("fusion of a statement that is no SOAC");
}

// The same array is read once, whoever asks for it.
Operand Composer::row_of(Name input, Param& param) {
  if (const auto found = values_.find(input); found != values_.end()) return found->second.operand;
  const auto [found, is_new] = param_of_.emplace(input, param.name);
  if (is_new) {
    inputs_.push_back(input);
    params_.push_back(std::move(param));
  }
  return found->second;
}

Composer::Applied Composer::apply(Lambda fn, const std::vector<Name>& inputs,
                                  std::optional<Guard> guard, const Others& other) {
  Applied applied;
  Substitution subst;
  for (size_t k = 0; k < inputs.size(); ++k) {
    const auto made = values_.find(inputs[k]);
    if (made != values_.end() && made->second.phase == Phase::kPost) applied.phase = Phase::kPost;
    const Name param = fn.params[k].name;
    const Operand row = row_of(inputs[k], fn.params[k]);
    if (!(row == Operand{param})) subst.emplace(param, row);
  }
  substitute(fn, subst);
  if (guard) {
    SKALD_CHECK(applied.phase == Phase::kPre, "a guard after a scan");
    append_guarded(std::move(fn), guard, other, applied.results);
    applied.guarded = applied.results.empty() ? false : guards_.contains(guard->size);
    return applied;
  }
  std::vector<Stmt>& to = code(applied.phase);
  for (Stmt& stmt : fn.body.stmts) to.push_back(std::move(stmt));
  applied.results = std::move(fn.body.result);
  return applied;
}

void Composer::give(const Param& param, const Operand& operand, const Type& type, Phase phase,
                    std::optional<Guard> guard) {
  values_[param.name] = {operand, type, phase};
  outs_.push_back({param, {operand, type, phase}, guard});
}

Name Composer::let(Type type, Exp exp, std::string_view base) {
  const Name name = prog_.names.fresh(base);
  Stmt stmt{{}, std::move(exp), {}, {}, loc_};
  stmt.pat.push_back({name, std::move(type)});
  pre_.push_back(std::move(stmt));
  return name;
}

}  // namespace skald::passes::fusion
