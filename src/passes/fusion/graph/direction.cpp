// SPDX-License-Identifier: Apache-2.0
#include "passes/fusion/graph/direction.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

class MatrixReads {
 public:
  NameSet outer, inner;  // what positions are made of
  Direction found;

  void look_at(const Body& body, bool in_reduction) {
    for (const Stmt& stmt : body.stmts) {
      if (const Index* e = as<Index>(stmt.exp); e != nullptr && in_reduction) note(*e);
      if (stmt.pat.size() == 1 && stmt.pat[0].type.is_scalar()) follow(stmt);
      const Soac* soac = as<Soac>(stmt.exp);
      const bool reduces = soac != nullptr && !soac->reduces.empty();
      if (reduces)
        for (const Param& p : soac->fn.params) inner.insert(p.name);
      for_each_body(stmt.exp, [&](const Body& in) { look_at(in, in_reduction || reduces); });
    }
  }

 private:
  static bool is_of(const NameSet& set, const Operand& o) {
    const Name* name = as_name(o);
    return name != nullptr && set.contains(*name);
  }

  // What is computed from a position is one.
  void follow(const Stmt& stmt) {
    if (as<BinOp>(stmt.exp) == nullptr) return;
    for (NameSet* set : {&outer, &inner}) {
      bool made = false;
      for_each_operand(stmt.exp, [&](const Operand& o) { made = made || is_of(*set, o); });
      if (made) set->insert(stmt.pat[0].name);
    }
  }

  void note(const Index& e) {
    if (e.slice.size() < 2) return;
    const Operand& last = e.slice.back().start;
    if (is_of(inner, last)) {
      found.along = true;
      return;
    }
    const auto varies = [&](const DimSlice& dim) { return is_of(inner, dim.start); };
    if (is_of(outer, last) && std::ranges::any_of(e.slice, varies)) found.across = true;
  }
};

}  // namespace

Direction direction_of(const Lambda& nest) {
  MatrixReads reads;
  for (const Param& p : nest.params)
    if (p.type.is_scalar()) reads.outer.insert(p.name);
  reads.look_at(nest.body, false);
  return reads.found;
}

Direction direction_of(const Kernel& kernel) {
  const auto reduces = [](const Sink& sink) { return sink.kind == Sink::kReduce; };
  const std::vector<Param>& params = kernel.pull.params;
  if (kernel.domain.kind != Domain::kGrid || params.size() < 2 ||
      !std::ranges::any_of(kernel.sinks, reduces))
    return {};
  MatrixReads reads;
  for (size_t k = 0; k + 1 < params.size(); ++k) reads.outer.insert(params[k].name);
  reads.inner.insert(params.back().name);
  reads.look_at(kernel.pull.body, true);
  return reads.found;
}

}  // namespace skald::passes::fusion
