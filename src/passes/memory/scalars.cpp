// SPDX-License-Identifier: Apache-2.0
#include "passes/memory/scalars.h"

#include <algorithm>

#include "analysis/scalar_values.h"
#include "core/edit/plain.h"
#include "core/edit/rename.h"
#include "core/ir/name_map.h"
#include "core/ir/visit.h"

namespace skald::passes {

using namespace core;
using analysis::is_pure_scalar;

namespace {

void note_operand(const Operand& o, NameSet& used) {
  if (const Name* name = as_name(o)) used.insert(*name);
}

void note_param(const Param& p, NameSet& used) {
  for (const Operand& dim : p.type.shape) note_operand(dim, used);
  for (const MemLoc& loc : p.mem) {
    note_operand(loc.offset, used);
    for (const Operand& stride : loc.strides) note_operand(stride, used);
  }
}

// Backwards, so that a statement is seen after everything that uses it.
void remove_unused(Body& body, NameSet& used) {
  for (const Operand& result : body.result) note_operand(result, used);
  std::vector<Stmt> kept;
  kept.reserve(body.stmts.size());
  for (size_t k = body.stmts.size(); k-- > 0;) {
    Stmt& stmt = body.stmts[k];
    if (is_pure_scalar(stmt) && !used.contains(stmt.pat[0].name)) continue;
    for (const Param& p : stmt.pat) note_param(p, used);
    for_each_operand(stmt.exp, [&](const Operand& o) { note_operand(o, used); });
    for_each_param(stmt.exp, [&](const Param& p) { note_param(p, used); });
    for_each_body(stmt.exp, [&](Body& inner) { remove_unused(inner, used); });
    kept.push_back(std::move(stmt));
  }
  std::reverse(kept.begin(), kept.end());
  body.stmts = std::move(kept);
}

// The scalars in scope; those of inner bodies are forgotten at their end.
class ScalarSharing {
 public:
  void body(Body& body) {
    const size_t mark = scope_.size();
    for (Stmt& stmt : body.stmts) {
      if (!is_pure_scalar(stmt)) {
        for_each_body(stmt.exp, [&](Body& inner) { this->body(inner); });
        continue;
      }
      map_operands(stmt.exp, [&](const Operand& o) { return found(o); });
      const uint64_t hash = structural_hash(stmt.exp);
      const auto [begin, end] = known_.equal_range(hash);
      const auto same = std::find_if(
          begin, end, [&](const auto& entry) { return equal(entry.second.first, stmt.exp); });
      if (same != end) {
        shared_[stmt.pat[0].name] = same->second.second;
        continue;
      }
      const Name name = stmt.pat[0].name;
      known_.emplace(hash, std::pair(plain_copy(stmt.exp), name));
      scope_.emplace_back(hash, name);
    }
    for (; scope_.size() > mark; scope_.pop_back()) {
      auto at = known_.find(scope_.back().first);
      while (!(at->second.second == scope_.back().second)) ++at;
      known_.erase(at);
    }
  }
  const Substitution& shared() const { return shared_; }

 private:
  using Known = std::unordered_multimap<uint64_t, std::pair<Exp, Name>>;
  Operand found(const Operand& o) const {
    const Name* name = as_name(o);
    const auto at = name == nullptr ? shared_.end() : shared_.find(*name);
    return at == shared_.end() ? o : at->second;
  }

  Known known_;
  std::vector<std::pair<uint64_t, Name>> scope_;  // hashes and names in known_
  Substitution shared_;
};

}  // namespace

void share_scalars(Function& fn) {
  ScalarSharing sharing;
  sharing.body(fn.body);
  substitute(fn.body, sharing.shared());
}

void remove_unused_scalars(Function& fn) {
  NameSet used;
  for (const Param& p : fn.params) note_param(p, used);
  for (const Ret& ret : fn.results)
    for (const Operand& dim : ret.type.shape) note_operand(dim, used);
  remove_unused(fn.body, used);
}

}  // namespace skald::passes
