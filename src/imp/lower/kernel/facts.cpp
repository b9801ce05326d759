// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/kernel/facts.h"

#include <algorithm>

#include "core/ir/sinks.h"
#include "core/ir/visit.h"
#include "core/scalar/operator_class.h"
#include "imp/lower/common/lane_code.h"
#include "imp/lower/kernel/strides.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

// The cost of straight-line code in statements; nothing if it depends on the data.
std::optional<int64_t> cost_of(const core::Body& body) {
  int64_t cost = 0;
  for (const core::Stmt& stmt : body.stmts) {
    if (core::as<core::Loop>(stmt.exp) != nullptr || core::as<core::Call>(stmt.exp) != nullptr)
      return std::nullopt;
    for (const core::Param& p : stmt.pat)
      if (p.type.is_array() && core::as<core::Index>(stmt.exp) == nullptr) return std::nullopt;
    ++cost;
    bool known = true;
    core::for_each_body(stmt.exp, [&](const core::Body& inner) {
      const std::optional<int64_t> inside = cost_of(inner);
      known = known && inside.has_value();
      cost += inside.value_or(0);
    });
    if (!known) return std::nullopt;
  }
  return cost;
}

// All code of a kernel: its thunk, its post-function and the operators of these sinks.
std::vector<const core::Body*> bodies_of(const core::Kernel& node,
                                         const std::vector<SinkInfo>& sinks) {
  std::vector<const core::Body*> bodies = {&node.pull.body};
  for (const core::Lambda& post : node.post) bodies.push_back(&post.body);
  for (const SinkInfo& info : sinks)
    for (const Operator& op : info.sink->op) bodies.push_back(&op.fn.body);
  return bodies;
}

// A task should take some ten microseconds; a statement takes about a nanosecond.
int64_t points_of_task(const KernelFacts& facts) {
  constexpr int64_t kStatementsPerTask = 16384;
  int64_t cost = 1 + static_cast<int64_t>(facts.node.pull.results.size());
  for (const core::Body* body : bodies_of(facts.node, facts.sinks)) {
    const std::optional<int64_t> inside = cost_of(*body);
    if (!inside) return 0;
    cost += *inside;
  }
  for (const core::Ret& ret : facts.node.pull.results)
    if (ret.type.is_array()) return 0;
  return std::max<int64_t>(1, kStatementsPerTask / cost);
}

bool gives_arrays(const core::Kernel& node) {
  return std::ranges::any_of(node.pull.results,
                             [](const core::Ret& ret) { return ret.type.is_array(); });
}

bool is_straight(const KernelFacts& facts) {
  return !facts.node.guarded && !gives_arrays(facts.node) &&
         std::ranges::all_of(bodies_of(facts.node, facts.sinks),
                             [](const core::Body* body) { return is_straight_line(*body); });
}

bool is_scalar_code(const KernelFacts& facts) {
  size_t count = 0;
  return !facts.node.guarded && !gives_arrays(facts.node) &&
         std::ranges::all_of(bodies_of(facts.node, facts.sinks), [&](const core::Body* body) {
           return count_scalar_code(*body, count, count);
         });
}

// Thunks that cost more than this many simple operations are not computed twice.
constexpr int64_t kStagedCost = 12;
constexpr int64_t kLoopCost = 200;
// What it costs to keep a value.
constexpr int64_t kKeepCost = 4;

int64_t thunk_cost(const core::Body& body) {
  int64_t cost = 0;
  for (const core::Stmt& stmt : body.stmts) {
    // A value that is kept is written and read again: that is no better than reading it twice.
    if (core::as<core::Index>(stmt.exp) == nullptr)
      cost += machine::cost_of(core::operator_class(stmt.exp)).scalar;
    if (core::as<core::Loop>(stmt.exp) != nullptr || core::as<core::Call>(stmt.exp) != nullptr)
      cost += kLoopCost;
    core::for_each_body(stmt.exp, [&](const core::Body& inner) { cost += thunk_cost(inner); });
  }
  return cost;
}

bool has_costly_thunk(const KernelFacts& facts) {
  const core::Lambda& pull = facts.node.pull;
  if (!facts.has_vectors || facts.node.guarded) return false;
  for (const core::Ret& ret : pull.results)
    if (!ret.type.is_scalar()) return false;
  return thunk_cost(pull.body) >
         kStagedCost + kKeepCost * static_cast<int64_t>(pull.results.size());
}

}  // namespace

std::vector<SinkInfo> writes_of(const SinkInfo& info) {
  std::vector<SinkInfo> found;
  for (size_t k = 0; k < info.writes; ++k)
    found.push_back({info.sink, info.values + k * core::values_of_write(*info.sink), info.results});
  return found;
}

KernelFacts::KernelFacts(const FunctionLowering& fn, const core::Stmt& stmt,
                         const core::Kernel& node)
    : stmt(stmt), node(node) {
  size_t values = node.guarded ? 1 : 0, results = 0;
  for (const Sink& sink : node.sinks) {
    size_t& at = sink.late ? late_values : values;
    sinks.push_back({&sink, at, results});
    if (sink.kind == Sink::kHist) sinks.back().writes = core::writes_of_point(sink);
    at += static_cast<size_t>(sink.count);
    if (sink.kind == Sink::kPartition)
      results += static_cast<size_t>(sink.classes * sink.count);
    else if (sink.kind == Sink::kScatter || sink.kind == Sink::kHist)
      results += sink.dests.size();
    else if (node.post.empty() || sink.kind == Sink::kReduce)
      results += static_cast<size_t>(sink.count);
  }
  first_array = results;
  for (const Operand& dim : node.domain.dims) dims.push_back(fn.value(dim));
  // The planner says so by `scratch` in the block of the output.
  for (const SinkInfo& info : sinks) {
    if (info.sink->kind != Sink::kOut || !node.post.empty()) continue;
    for (size_t k = 0; k < static_cast<size_t>(info.sink->count); ++k)
      for (const core::Stmt& made : node.pull.body.stmts)
        if (core::as<core::Scratch>(made.exp) != nullptr &&
            node.pull.body.result[info.values + k] == Operand{made.pat[0].name} &&
            made.pat[0].mem[0].block == stmt.pat[info.results + k].mem[0].block)
          in_place.insert(info.values + k);
  }
  compute(fn);
}

KernelFacts KernelFacts::with_dims(const FunctionLowering& fn, std::vector<Operand> other) const {
  KernelFacts facts = *this;
  facts.dims = std::move(other);
  facts.compute(fn);
  return facts;
}

KernelFacts KernelFacts::with_sinks(const FunctionLowering& fn, std::vector<SinkInfo> some) const {
  KernelFacts facts = *this;
  facts.sinks = std::move(some);
  facts.compute(fn);
  return facts;
}

void KernelFacts::compute(const FunctionLowering& fn) {
  // Of expensive points a few are worth a task.
  constexpr int64_t kFewPoints = 4;
  is_seg = node.domain.kind == core::Domain::kSeg;
  has_vectors = fn.target.has_vectors();
  straight = is_straight(*this);
  scalar_code = is_scalar_code(*this);
  elementwise = is_elementwise(fn, *this);
  only_straight_reductions = straight && std::ranges::all_of(sinks, [](const SinkInfo& info) {
                               return info.sink->kind == Sink::kReduce;
                             });
  costly_thunk = has_costly_thunk(*this);
  grain = points_of_task(*this);
  least_chunk = grain == 0 ? kFewPoints : grain;
  if (straight && !is_seg && dims.size() >= 2) find_reads(fn);
  if (has(Sink::kScan)) scan = find_scan(fn.options);
}

void KernelFacts::find_reads(const FunctionLowering& fn) {
  const std::vector<core::Param>& indices = node.pull.params;
  const auto outer = [&](Name array) -> const ArrayPlace& { return fn.place(array); };
  const AccessCount along = count_accesses(node.pull, indices.back().name, outer);
  const AccessCount across = count_accesses(node.pull, indices[indices.size() - 2].name, outer);
  reads_across = along.scattered > across.scattered;
  reads_same_along = along.contiguous == 0 && along.scattered == 0;
  reads_near_across = has_vectors && only_straight_reductions && across.scattered == 0;
}

bool KernelFacts::has(Sink::Kind kind) const {
  return std::ranges::any_of(sinks, [&](const SinkInfo& info) { return info.sink->kind == kind; });
}

std::vector<SinkInfo> KernelFacts::sinks_of(Sink::Kind kind) const {
  std::vector<SinkInfo> found;
  for (const SinkInfo& info : sinks)
    if (info.sink->kind == kind) found.push_back(info);
  return found;
}

std::vector<const Operator*> KernelFacts::operators(Sink::Kind kind) const {
  std::vector<const Operator*> ops;
  for (const SinkInfo& info : sinks)
    if (info.sink->kind == kind) ops.push_back(&info.sink->op[0]);
  return ops;
}

bool KernelFacts::commutative(Sink::Kind kind) const {
  return std::ranges::all_of(operators(kind), [](const Operator* op) {
    return op->commutative || is_simple_commutative(*op);
  });
}

}  // namespace skald::imp
