// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/kernel/point_cost.h"

#include <fmt/format.h>

#include "core/ir/visit.h"
#include "core/scalar/operator_class.h"

namespace skald::imp {

namespace {

void add_body(const core::Body& body, PointCost& cost) {
  for (const core::Stmt& stmt : body.stmts) {
    if (core::as<core::Index>(stmt.exp) != nullptr) {
      if (stmt.pat[0].type.is_scalar()) cost.read += prim_size(stmt.pat[0].type.elem);
    } else if (core::is_scalar_operator(stmt.exp)) {
      cost.operations += machine::cost_of(core::operator_class(stmt.exp)).scalar;
    }
    cost.loops = cost.loops || core::as<core::Loop>(stmt.exp) != nullptr;
    core::for_each_body(stmt.exp, [&](const core::Body& inner) { add_body(inner, cost); });
  }
}

// Are the values of a sink written for each point, and not added up or given to a post-function?
bool is_written(const KernelFacts& facts, const core::Sink& sink) {
  if (sink.kind == core::Sink::kScan) return facts.node.post.empty();
  return sink.kind != core::Sink::kReduce;
}

}  // namespace

PointCost point_cost(const KernelFacts& facts) {
  PointCost cost;
  add_body(facts.node.pull.body, cost);
  for (const core::Lambda& post : facts.node.post) add_body(post.body, cost);
  for (const SinkInfo& info : facts.sinks) {
    for (const core::Operator& op : info.sink->op) add_body(op.fn.body, cost);
    // Of a late sink they are values of the post-function.
    const std::vector<core::Ret>& values =
        info.sink->late ? facts.node.post[0].results : facts.node.pull.results;
    if (!is_written(facts, *info.sink)) continue;
    // The first value of a partition says to which class the others belong.
    const size_t first = info.sink->kind == core::Sink::kPartition ? 1 : 0;
    for (size_t k = first; k < static_cast<size_t>(info.sink->count); ++k)
      if (const core::Type& type = values[info.values + k].type; type.is_scalar())
        cost.written += prim_size(type.elem);
  }
  return cost;
}

std::string point_cost_text(const PointCost& cost) {
  return fmt::format("point: {} bytes read, {} written, {} operations{}", cost.read, cost.written,
                     cost.operations, cost.loops ? ", loops counted once" : "");
}

}  // namespace skald::imp
