// SPDX-License-Identifier: Apache-2.0
#include "passes/fusion/shape.h"

#include <algorithm>

#include "core/visit.h"
#include "passes/fusion/rotation.h"
#include "passes/kernels/nest.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

// A flat function with more statements than this hides the nest that it is merged with: the nest
// would run it for every inner point, or lose its inner parallelism.
constexpr size_t kHidesNest = 4;
constexpr size_t kSpeculate = 16;

bool is_soac(const Exp& exp) {
  return as<Soac>(exp) != nullptr || as<Hist>(exp) != nullptr || as<Scatter>(exp) != nullptr ||
         as<Partition>(exp) != nullptr || as<FlatMap>(exp) != nullptr ||
         as<WithAcc>(exp) != nullptr;
}

bool contains_soac(const Body& body) {
  for (const Stmt& stmt : body.stmts) {
    if (is_soac(stmt.exp)) return true;
    bool inside = false;
    for_each_body(stmt.exp, [&](const Body& inner) { inside = inside || contains_soac(inner); });
    if (inside) return true;
  }
  return false;
}

bool gives_scalars(const Lambda& fn) {
  return std::ranges::all_of(fn.results, [](const Ret& r) { return r.type.is_scalar(); });
}
bool takes_accumulator(const Lambda& fn) {
  return std::ranges::any_of(fn.params, [](const Param& p) { return p.type.kind == Type::kAcc; });
}

// The last statement is a SOAC that gives the results, and little stands before it.
bool is_perfect_nest(const Lambda& fn) {
  if (fn.body.stmts.empty() || !is_soac(fn.body.stmts.back().exp)) return false;
  const Stmt& last = fn.body.stmts.back();
  size_t cost = 0;
  for (size_t k = 0; k + 1 < fn.body.stmts.size(); ++k) cost += repeat_cost(fn.body.stmts[k]);
  if (cost > kRepeatUnit * kMaxRepeated) return false;
  return std::ranges::all_of(fn.body.result, [&](const Operand& o) {
    return std::ranges::any_of(last.pat, [&](const Param& p) { return o == Operand{p.name}; });
  });
}

bool hides_nest(const Body& body) {
  if (count_statements(body) <= kHidesNest) return false;
  size_t cost = 0;
  const std::unordered_set<Name> disappear = rearranged_parts(body);
  for (const Stmt& stmt : body.stmts)
    if (!disappear.contains(stmt.pat[0].name)) cost += repeat_cost(stmt);
  return cost > kRepeatUnit * kHidesNest;
}

}  // namespace

bool takes_scalars(const Lambda& fn) {
  return std::ranges::all_of(fn.params, [](const Param& p) { return p.type.is_scalar(); });
}

size_t count_statements(const Body& body) {
  size_t count = body.stmts.size();
  for (const Stmt& stmt : body.stmts)
    for_each_body(stmt.exp, [&](const Body& inner) { count += count_statements(inner); });
  return count;
}

bool is_speculatable(const Body& body) {
  if (body.stmts.size() > kSpeculate) return false;
  return std::ranges::all_of(body.stmts, [](const Stmt& stmt) {
    return stmt.tokens.empty() &&
           (as<Value>(stmt.exp) != nullptr || as<UnOp>(stmt.exp) != nullptr ||
            as<BinOp>(stmt.exp) != nullptr || as<CmpOp>(stmt.exp) != nullptr ||
            as<TernOp>(stmt.exp) != nullptr || as<Convert>(stmt.exp) != nullptr ||
            as<Bitcast>(stmt.exp) != nullptr || as<Select>(stmt.exp) != nullptr);
  });
}

std::optional<NodeInfo> describe(const Stmt& stmt) {
  NodeInfo info;
  info.attrs = stmt.attrs;
  const Lambda* fn = nullptr;
  const auto look_at = [&](const Operator& op) {
    info.needs.fold(op);
    info.scalar_operators = info.scalar_operators && takes_scalars(op.fn);
  };
  if (const Soac* e = as<Soac>(stmt.exp)) {
    info.kind = NodeKind::kSoac;
    info.width = e->width;
    info.inputs = e->inputs;
    fn = &e->fn;
    for (const Operator& op : e->scans) look_at(op);
    for (const Operator& op : e->reduces) look_at(op);
    for (const Lambda& post : e->post) {
      info.scalar_rows = info.scalar_rows && takes_scalars(post) && gives_scalars(post);
      info.needs.statements += count_statements(post.body);
      info.needs.peak = std::max(info.needs.peak, most_alive(post.body));
    }
    info.has_scans = !e->scans.empty();
    info.has_reduces = !e->reduces.empty();
  } else if (const Hist* e = as<Hist>(stmt.exp)) {
    info.kind = NodeKind::kHist;
    info.width = e->width;
    info.inputs = e->inputs;
    fn = &e->fn;
    for (const HistOp& op : e->ops) {
      info.scalar_operators = info.scalar_operators && takes_scalars(op.op.fn);
      info.needs.statements += count_statements(op.op.fn.body);
    }
    info.needs.sinks = e->ops.size();
  } else if (const Scatter* e = as<Scatter>(stmt.exp)) {
    info.kind = NodeKind::kScatter;
    info.width = e->width;
    info.inputs = e->inputs;
    fn = &e->fn;
    info.needs.sinks = e->dests.size();
  } else if (const Partition* e = as<Partition>(stmt.exp)) {
    info.kind = NodeKind::kPartition;
    info.width = e->width;
    info.inputs = e->inputs;
    info.classes = e->classes;
    info.needs.carried = static_cast<size_t>(e->classes);
    info.needs.group_bytes = info.needs.carried * sizeof(int64_t);
    info.needs.sinks = 1;
    fn = &e->fn;
  } else if (const FlatMap* e = as<FlatMap>(stmt.exp)) {
    info.kind = NodeKind::kFlatMap;
    info.width = e->width;
    info.inputs = e->inputs;
    fn = &e->fn;
  } else if (as<Kernel>(stmt.exp) != nullptr) {
    return describe_kernel(stmt);
  } else {
    return std::nullopt;
  }
  if (takes_accumulator(*fn)) return std::nullopt;
  info.scalar_rows = info.scalar_rows && takes_scalars(*fn) && gives_scalars(*fn);
  info.is_nest = contains_soac(fn->body);
  info.is_perfect_nest = is_perfect_nest(*fn);
  info.needs.statements += count_statements(fn->body);
  info.needs.peak = std::max(info.needs.peak, most_alive(fn->body));
  info.needs.given = fn->results.size();
  info.hides_nest = hides_nest(fn->body);
  info.joins_rows = info.kind == NodeKind::kSoac && !info.has_scans && !info.has_reduces &&
                    info.scalar_rows && !info.is_nest && !info.hides_nest &&
                    is_speculatable(fn->body);
  info.arrays = info.inputs;
  return info;
}

std::optional<std::string> why_not_vertical(const NodeInfo& producer, const NodeInfo& consumer) {
  if (producer.kernel != nullptr) return why_not_vertical_kernels(producer, consumer);
  if (producer.kind != NodeKind::kSoac && producer.kind != NodeKind::kPartition)
    return "the producer's result is complete only when all of it has run";
  if (consumer.consumes) return "the consumer updates the rows in place";
  if (producer.attrs != consumer.attrs) return "they have different attributes";
  // A histogram of rows runs over the elements of the rows.
  const bool hist_of_rows = consumer.kind == NodeKind::kHist && producer.joins_rows;
  if (!producer.scalar_operators || (!consumer.scalar_operators && !hist_of_rows))
    return "an operator on arrays would make the whole sequential";
  if (consumer.is_perfect_nest && !producer.is_nest && producer.hides_nest)
    return "the producer's code would stand between the levels of the consumer's nest";
  return std::nullopt;
}

std::optional<std::string> why_not_siblings(const NodeInfo& a, const NodeInfo& b) {
  if (a.kernel != nullptr) return why_not_sibling_kernels(a, b);
  const bool related = a.size_of.node >= 0 || b.size_of.node >= 0;
  if (!(a.width == b.width) && !related) return "their sizes are not known to be equal";
  if (a.attrs != b.attrs) return "they have different attributes";
  if (a.consumes || b.consumes) return "one of them updates its rows in place";
  if (!a.scalar_operators || !b.scalar_operators)
    return "an operator on arrays would make the whole sequential";
  if (a.is_nest != b.is_nest || a.is_perfect_nest != b.is_perfect_nest)
    return "one is a nest and the other is not";
  return std::nullopt;
}

}  // namespace skald::passes::fusion
