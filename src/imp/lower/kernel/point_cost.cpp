// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/kernel/point_cost.h"

#include <fmt/format.h>

#include "core/ir/sinks.h"
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

void add_written(const std::vector<core::Ret>& values, size_t first, size_t end, PointCost& cost) {
  for (size_t k = first; k < end; ++k)
    if (values[k].type.is_scalar())
      cost.written += prim_size(values[k].type.elem);
    else
      cost.rows = true;
}

// Not what is added up or given to a post-function, nor what only says where the others go.
void add_sink(const KernelFacts& facts, const SinkInfo& info, PointCost& cost) {
  const core::Sink& sink = *info.sink;
  const bool to_post = sink.kind == core::Sink::kScan || sink.kind == core::Sink::kOut;
  if (sink.kind == core::Sink::kReduce || (to_post && !facts.node.post.empty())) return;
  const bool is_hist = sink.kind == core::Sink::kHist;
  const size_t writes = is_hist ? info.writes : 1;
  const size_t each = is_hist ? core::values_of_write(sink) : static_cast<size_t>(sink.count);
  const size_t places = sink.kind == core::Sink::kPartition ? 1 : sink.shape.size();
  const std::vector<core::Ret>& values =
      sink.late ? facts.node.post[0].results : facts.node.pull.results;
  for (size_t w = 0; w < writes; ++w)
    add_written(values, info.values + w * each + places, info.values + (w + 1) * each, cost);
}

}  // namespace

PointCost point_cost(const KernelFacts& facts) {
  PointCost cost;
  add_body(facts.node.pull.body, cost);
  for (const core::Lambda& post : facts.node.post) {
    add_body(post.body, cost);
    add_written(post.results, facts.late_values, post.results.size(), cost);
  }
  for (const SinkInfo& info : facts.sinks) {
    for (const core::Operator& op : info.sink->op) add_body(op.fn.body, cost);
    add_sink(facts, info, cost);
  }
  return cost;
}

std::string point_cost_text(const PointCost& cost) {
  return fmt::format("point: {} bytes read, {} written{}, {} operation{}{}", cost.read,
                     cost.written, cost.rows ? " and rows" : "", cost.operations,
                     cost.operations == 1 ? "" : "s", cost.loops ? ", loops counted once" : "");
}

}  // namespace skald::imp
