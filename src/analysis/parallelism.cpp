// SPDX-License-Identifier: Apache-2.0
#include "analysis/parallelism.h"

#include <unordered_map>

#include "core/ir/name_map.h"
#include "core/ir/sharing.h"
#include "core/ir/visit.h"

namespace skald::analysis {

using namespace core;

namespace {

// A constant number of iterations below this is left to one thread.
constexpr int64_t kSmallWidth = 32;

const Operand* width_of(const Exp& exp) {
  if (const auto* node = as<Soac>(exp)) return &node->width;
  if (const auto* node = as<Hist>(exp)) return &node->width;
  if (const auto* node = as<Scatter>(exp)) return &node->width;
  return nullptr;
}

// Arrays that may share memory, as a forest.
class Sharing {
 public:
  Name root(Name name) {
    for (;;) {
      const auto found = parent_.find(name);
      if (found == parent_.end()) return name;
      // The next one goes half as far.
      const auto next = parent_.find(found->second);
      if (next == parent_.end()) return found->second;
      name = found->second = next->second;
    }
  }
  void join(Name a, Name b) {
    a = root(a);
    b = root(b);
    if (!(a == b)) parent_[a] = b;
  }
  void join(Name a, const Operand& b) {
    if (const Name* name = as_name(b)) join(a, *name);
  }

 private:
  NameMap<Name> parent_;
};

class Consumption {
 public:
  explicit Consumption(const Program& prog) : prog_(prog) {}

  void body(const Body& body) {
    for (const Stmt& s : body.stmts) stmt(s);
  }
  NameSet finish() {
    NameSet roots, result;
    for (const Name name : consumed_) roots.insert(sharing_.root(name));
    for (const Name name : seen_)
      if (roots.contains(sharing_.root(name))) result.insert(name);
    return result;
  }

  void consume(Name name) {
    see(name);
    consumed_.push_back(name);
  }

 private:
  void see(Name name) { seen_.push_back(name); }
  void share(Name a, const Operand& b) {
    const Name* name = as_name(b);
    if (name == nullptr) return;
    see(a);
    see(*name);
    sharing_.join(a, *name);
  }
  void inputs(const AppliedFunction& applied) {
    if (applied.inputs == nullptr) return;
    const std::vector<Param>& params = applied.fn->params;
    for (size_t k = 0; k < applied.inputs->size() && k < params.size(); ++k)
      if (params[k].type.is_array()) share(params[k].name, (*applied.inputs)[k]);
  }

  void stmt(const Stmt& stmt) {
    const auto& pat = stmt.pat;
    if (const std::optional<Operand> source = view_of(stmt.exp)) {
      if (pat[0].type.is_array()) share(pat[0].name, *source);
    } else if (const auto* branch = as<If>(stmt.exp)) {
      for (size_t k = 0; k < pat.size(); ++k) {
        if (!pat[k].type.is_array()) continue;
        share(pat[k].name, branch->then_body.result[k]);
        share(pat[k].name, branch->else_body.result[k]);
      }
    } else if (const auto* loop = as<Loop>(stmt.exp)) {
      for (size_t k = 0; k < loop->params.size(); ++k) {
        const LoopParam& p = loop->params[k];
        if (!p.param.type.is_array()) continue;
        share(p.param.name, p.init);
        share(p.param.name, loop->body.result[k]);
        share(p.param.name, pat[k].name);
      }
    }
    const auto* call = as<Call>(stmt.exp);
    const Function* callee = call == nullptr ? nullptr : prog_.find(call->fn);
    for (const Operand& o : consumed_by(stmt.exp, callee))
      if (const Name* name = as_name(o)) consume(*name);
    for (const AppliedFunction& applied : functions_of(stmt.exp)) inputs(applied);
    for_each_body(stmt.exp, [&](const Body& inner) { body(inner); });
  }

  const Program& prog_;
  Sharing sharing_;
  std::vector<Name> consumed_, seen_;
};

}  // namespace

bool is_parallel(const Stmt& stmt) {
  const Operand* width = width_of(stmt.exp);
  if (width == nullptr || stmt.hints.sequential || stmt.hints.sequential_outer) return false;
  const Const* known = as_const(*width);
  return known == nullptr || int_value(*known) >= kSmallWidth;
}

bool has_parallelism(const Body& body) {
  for (const Stmt& stmt : body.stmts) {
    if (is_parallel(stmt)) return true;
    if (stmt.hints.sequential) continue;
    // Accumulators and operators are applied one after another.
    bool found = false;
    if (as<If>(stmt.exp) != nullptr || as<Loop>(stmt.exp) != nullptr)
      for_each_body(stmt.exp, [&](const Body& inner) { found = found || has_parallelism(inner); });
    if (const auto* soac = as<Soac>(stmt.exp)) found = has_parallelism(soac->fn.body);
    if (found) return true;
  }
  return false;
}

bool is_repeatable(const Stmt& stmt, const Ranks& ranks) {
  const Exp& exp = stmt.exp;
  if (const auto* reshape = as<Reshape>(exp)) {
    const auto source = ranks.find(reshape->array);
    return source != ranks.end() && source->second == static_cast<int>(reshape->shape.size());
  }
  return as<Value>(exp) != nullptr || as<BinOp>(exp) != nullptr || as<Convert>(exp) != nullptr ||
         as<CmpOp>(exp) != nullptr || as<Select>(exp) != nullptr || as<Index>(exp) != nullptr ||
         as<Rearrange>(exp) != nullptr || as<Assert>(exp) != nullptr;
}

bool is_total(const Stmt& stmt) {
  const Exp& exp = stmt.exp;
  if (!stmt.tokens.empty()) return false;
  return is_scalar_operator(exp) || as<Iota>(exp) != nullptr || as<Replicate>(exp) != nullptr ||
         as<Rearrange>(exp) != nullptr || as<Reshape>(exp) != nullptr ||
         as<Scratch>(exp) != nullptr;
}

std::unordered_set<Name> consumed_names(const Body& body, const Program& prog) {
  Consumption consumption(prog);
  consumption.body(body);
  return consumption.finish();
}

std::unordered_set<Name> consumed_names(const Body& body, const std::vector<Ret>& results,
                                        const Program& prog) {
  Consumption consumption(prog);
  consumption.body(body);
  for (size_t k = 0; k < results.size(); ++k)
    if (const Name* name = as_name(body.result[k]); name != nullptr && results[k].unique)
      consumption.consume(*name);
  return consumption.finish();
}

}  // namespace skald::analysis
