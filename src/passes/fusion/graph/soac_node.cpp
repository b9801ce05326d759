// SPDX-License-Identifier: Apache-2.0
// What fusion needs to know about one SOAC, and the rules that look at two of them only.
#include <algorithm>

#include "analysis/rearranged.h"
#include "core/ir/visit.h"
#include "passes/fusion/graph/hints.h"
#include "passes/fusion/graph/shape.h"
#include "passes/kernels/accumulators.h"
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

using IsWanted = bool (*)(const Exp&);
bool contains(const Body& body, IsWanted is_wanted) {
  for (const Stmt& stmt : body.stmts) {
    if (is_wanted(stmt.exp)) return true;
    bool inside = false;
    for_each_body(stmt.exp,
                  [&](const Body& inner) { inside = inside || contains(inner, is_wanted); });
    if (inside) return true;
  }
  return false;
}

// With so many points as a size says, not a few that are known.
bool is_wide(const Exp& exp) {
  const auto sized = [](const auto* e) { return e != nullptr && as_const(e->width) == nullptr; };
  return sized(as<Soac>(exp)) || sized(as<Hist>(exp)) || sized(as<Scatter>(exp)) ||
         sized(as<Partition>(exp)) || sized(as<FlatMap>(exp));
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

// The map that is all of a with_acc, if its results are the map's.
const Stmt* accumulating_map(const WithAcc& with) {
  const Body& body = with.fn.body;
  if (body.stmts.size() != 1) return nullptr;
  const Stmt& map = body.stmts[0];
  const Soac* soac = as<Soac>(map.exp);
  if (soac == nullptr || !soac->is_map() || body.result.size() != map.pat.size()) return nullptr;
  for (const Param& acc : with.fn.params)
    if (std::ranges::count(soac->inputs, acc.name) != 1) return nullptr;
  for (const Param& p : map.pat)
    if (std::ranges::count(body.result, Operand{p.name}) != 1) return nullptr;
  return &map;
}

bool hides_nest(const Body& body) {
  if (statement_count(body) <= kHidesNest) return false;
  size_t cost = 0;
  const std::unordered_set<Name> disappear = analysis::rearranged_names(body);
  for (const Stmt& stmt : body.stmts)
    if (!disappear.contains(stmt.pat[0].name)) cost += repeat_cost(stmt);
  return cost > kRepeatUnit * kHidesNest;
}

}  // namespace

// Flattening takes them apart again where that makes them parallel.
bool stands_beside_rows(const NodeInfo& node, const NodeInfo& other) {
  const bool is_map = !other.has_scans && !other.has_reduces;
  return node.kind == NodeKind::kSoac && other.kind == NodeKind::kSoac &&
         (is_map || !other.scalar_operators);
}

bool takes_scalars(const Lambda& fn) {
  return std::ranges::all_of(fn.params, [](const Param& p) { return p.type.is_scalar(); });
}

bool is_speculatable(const Body& body) {
  if (body.stmts.size() > kSpeculate) return false;
  return std::ranges::all_of(body.stmts, [](const Stmt& stmt) {
    return stmt.tokens.empty() && is_scalar_operator(stmt.exp);
  });
}

namespace {

void add_roles(NodeInfo& info, size_t count, ResultRole::Kind kind) {
  info.roles.insert(info.roles.end(), count, {kind});
}

void look_at(const Operator& op, NodeInfo& info) {
  info.needs.fold(op);
  info.scalar_operators = info.scalar_operators && takes_scalars(op.fn);
}

void describe_soac(const Soac& e, NodeInfo& info) {
  info.kind = NodeKind::kSoac;
  size_t scanned = 0, reduced = 0;
  for (const Operator& op : e.scans) {
    look_at(op, info);
    scanned += op.neutral.size();
  }
  for (const Operator& op : e.reduces) {
    look_at(op, info);
    reduced += op.neutral.size();
  }
  for (const Lambda& post : e.post) {
    info.scalar_rows = info.scalar_rows && takes_scalars(post) && gives_scalars(post);
    info.needs.statements += statement_count(post.body);
    info.needs.peak = std::max(info.needs.peak, most_alive(post.body));
  }
  info.has_scans = !e.scans.empty();
  info.has_reduces = !e.reduces.empty();
  info.only_scans =
      info.has_scans && !info.has_reduces && e.post.empty() && scanned == e.fn.results.size();
  add_roles(info, reduced, ResultRole::kTotal);
  const size_t arrays = e.post.empty() ? e.fn.results.size() - reduced : e.post[0].results.size();
  add_roles(info, arrays, info.has_scans ? ResultRole::kScanned : ResultRole::kRows);
}

void describe_hist(const Hist& e, NodeInfo& info) {
  info.kind = NodeKind::kHist;
  for (const HistOp& op : e.ops) {
    info.scalar_operators = info.scalar_operators && takes_scalars(op.op.fn);
    info.needs.statements += statement_count(op.op.fn.body);
  }
  info.needs.sinks = e.ops.size();
}

void describe_partition(const Partition& e, NodeInfo& info) {
  info.kind = NodeKind::kPartition;
  const auto classes = static_cast<size_t>(e.classes);
  info.needs.carried = classes;
  info.needs.group_bytes = classes * sizeof(int64_t);
  info.needs.sinks = 1;
  add_roles(info, classes, ResultRole::kSize);
  for (size_t c = 0; c < classes; ++c)
    info.roles.insert(info.roles.end(), e.fn.results.size() - 1, {ResultRole::kMember, c});
}

// The SOAC that the statement is, or that is all of it: its function, and what is special about its
// kind.  Null if it is none.
const Lambda* describe_kind(const Stmt& stmt, NodeInfo& info) {
  const auto take = [&](const auto& e) {
    info.width = e.width;
    info.inputs = e.inputs;
    return &e.fn;
  };
  if (const Soac* e = as<Soac>(stmt.exp)) {
    describe_soac(*e, info);
    return take(*e);
  }
  if (const Hist* e = as<Hist>(stmt.exp)) {
    describe_hist(*e, info);
    return take(*e);
  }
  if (const Partition* e = as<Partition>(stmt.exp)) {
    describe_partition(*e, info);
    return take(*e);
  }
  if (const Scatter* e = as<Scatter>(stmt.exp)) {
    info.kind = NodeKind::kScatter;
    info.needs.sinks = e->dests.size();
    return take(*e);
  }
  if (const FlatMap* e = as<FlatMap>(stmt.exp)) {
    info.kind = NodeKind::kFlatMap;
    return take(*e);
  }
  const WithAcc* with = as<WithAcc>(stmt.exp);
  const Stmt* map = with == nullptr ? nullptr : accumulating_map(*with);
  if (map == nullptr) return nullptr;
  size_t updated = 0;
  for (const AccInput& input : with->inputs) updated += input.arrays.size();
  add_roles(info, updated, ResultRole::kUpdated);
  add_roles(info, stmt.pat.size() - updated, ResultRole::kRows);
  info.makes_accumulators = updated > 0;
  join_hints(info.hints, map->hints);
  return take(*as<Soac>(map->exp));
}

// False if it is no map.
bool describe_accumulation(const Stmt& stmt, const Lambda& fn, NodeInfo& info) {
  const Soac* soac = as<Soac>(stmt.exp);
  if (const WithAcc* with = as<WithAcc>(stmt.exp)) soac = as<Soac>(with->fn.body.stmts[0].exp);
  if (soac == nullptr || !soac->is_map()) return false;
  info.kind = NodeKind::kAcc;
  info.in_order = !writes_once(*soac);
  info.inputs.clear();
  for (size_t k = 0; k < soac->inputs.size(); ++k) {
    if (fn.params[k].type.kind == Type::kAcc)
      ++info.needs.sinks;
    else
      info.inputs.push_back(soac->inputs[k]);
  }
  return true;
}

}  // namespace

std::optional<NodeInfo> describe(const Stmt& stmt) {
  if (as<Kernel>(stmt.exp) != nullptr) return describe_kernel(stmt);
  NodeInfo info;
  info.hints = stmt.hints;
  const Lambda* fn = describe_kind(stmt, info);
  if (fn == nullptr) return std::nullopt;
  if (takes_accumulator(*fn) && !describe_accumulation(stmt, *fn, info)) return std::nullopt;
  // Histograms, destinations and what a flatmap gives.
  info.roles.resize(stmt.pat.size(), {ResultRole::kUpdated});
  info.scalar_rows = info.scalar_rows && takes_scalars(*fn) && gives_scalars(*fn);
  info.is_nest = contains(fn->body, is_soac);
  info.is_wide_nest = contains(fn->body, is_wide);
  info.is_perfect_nest = is_perfect_nest(*fn);
  if (info.is_nest) info.direction = direction_of(*fn);
  info.needs.statements += statement_count(fn->body);
  info.needs.peak = std::max(info.needs.peak, most_alive(fn->body));
  info.needs.given = fn->results.size();
  info.hides_nest = hides_nest(fn->body);
  info.joins_rows = info.kind == NodeKind::kSoac && !info.has_scans && !info.has_reduces &&
                    info.scalar_rows && !info.is_nest && !info.hides_nest &&
                    is_speculatable(fn->body);
  info.arrays = info.inputs;
  return info;
}

std::optional<std::string> why_not_with_accumulator(const NodeInfo& acc, const NodeInfo& other) {
  if (other.kind != NodeKind::kAcc &&
      (other.kind != NodeKind::kSoac || other.has_scans || other.has_reduces))
    return "as SOACs only maps can join writes to an accumulator";
  if (other.is_nest != acc.is_nest)
    return "writes to an accumulator are not flattened, and one of them is a nest";
  if (other.in_order || (acc.in_order && !other.joins_rows))
    return "iterations write several times to an accumulator, in their order";
  if (other.kind == NodeKind::kAcc && acc.makes_accumulators != other.makes_accumulators)
    return "only one of the accumulators is made here";
  return std::nullopt;
}

std::optional<std::string> why_not_vertical(const NodeInfo& producer, const NodeInfo& consumer) {
  if (producer.kernel != nullptr) return why_not_vertical_kernels(producer, consumer);
  if (consumer.kind == NodeKind::kAcc) {
    if (auto why = why_not_with_accumulator(consumer, producer)) return why;
  } else if (producer.kind == NodeKind::kAcc) {
    if (auto why = why_not_with_accumulator(producer, consumer)) return why;
  } else if (producer.kind != NodeKind::kSoac && producer.kind != NodeKind::kPartition) {
    return "the producer's result is complete only when all of it has run";
  }
  if (consumer.consumes) return "the consumer updates the rows in place";
  if (!hints_agree(producer.hints, consumer.hints)) return "they have different hints";
  // A histogram of rows runs over the elements of the rows.
  if (!consumer.scalar_operators && consumer.kind == NodeKind::kHist && !producer.joins_rows)
    return "a histogram of rows takes short maps of scalars only";
  if (consumer.is_perfect_nest && !producer.is_nest && producer.hides_nest)
    return "the producer's code would stand between the levels of the consumer's nest";
  return std::nullopt;
}

std::optional<std::string> why_not_siblings(const NodeInfo& a, const NodeInfo& b) {
  if (a.kernel != nullptr) return why_not_sibling_kernels(a, b);
  const bool related = a.size_of.node >= 0 || b.size_of.node >= 0;
  if (!(a.width == b.width) && !related) return "their sizes are not known to be equal";
  if (!hints_agree(a.hints, b.hints)) return "they have different hints";
  if (a.consumes || b.consumes) return "one of them updates its rows in place";
  if (a.kind == NodeKind::kAcc || b.kind == NodeKind::kAcc) {
    const bool first = a.kind == NodeKind::kAcc;
    if (auto why = why_not_with_accumulator(first ? a : b, first ? b : a)) return why;
    // A map beside iterations that write several times would be taken apart again.
    if (a.in_order || b.in_order)
      return "iterations write several times to an accumulator, in their order";
  }
  if ((!a.scalar_operators && !stands_beside_rows(a, b)) ||
      (!b.scalar_operators && !stands_beside_rows(b, a)))
    return "an operator on arrays stands beside maps and its like only";
  // An operator on arrays is a nest too.
  if (a.scalar_operators && b.scalar_operators &&
      (a.is_nest != b.is_nest || a.is_perfect_nest != b.is_perfect_nest))
    return "one is a nest and the other is not";
  if (are_crossed(a.direction, b.direction))
    return "one reads along the rows of a matrix and the other across them";
  return std::nullopt;
}

}  // namespace skald::passes::fusion
