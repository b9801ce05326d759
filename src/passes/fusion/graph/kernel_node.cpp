// SPDX-License-Identifier: Apache-2.0
// What fusion needs to know about one kernel, and the rules that look at two of them only.
//
// A kernel reads an array row by row if it reads it at its own index and nowhere else:
//
//   kernel(flat(n), \{i} -> let {x} = xs[i] let {y} = ys[i] let {z} = ys[k] …)
//
// Here xs is an input; ys is needed as a whole.
#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/sinks.h"
#include "core/ir/visit.h"
#include "passes/fusion/graph/hints.h"
#include "passes/fusion/graph/shape.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

// A map or reduction of more statements is worth its vector lanes, which it would lose beside a
// histogram or partition.
constexpr size_t kWorthLanes = 24;

struct Reads {
  std::vector<Name> own, other;  // arrays, in the order of their first read
  bool position = false;         // an index is used for something else
  std::unordered_set<Name> bound;
};

void note(std::vector<Name>& list, Name name) {
  if (std::ranges::find(list, name) == list.end()) list.push_back(name);
}

void find_reads(const Body& body, const std::vector<Name>& index, const std::vector<Param>& params,
                Reads& reads) {
  const auto use = [&](const Operand& o) {
    const Name* name = as_name(o);
    if (name == nullptr) return;
    const bool is_index =
        std::ranges::any_of(params, [&](const Param& p) { return p.name == *name; });
    reads.position = reads.position || is_index;
    if (!is_index && !reads.bound.contains(*name)) note(reads.other, *name);
  };
  for (const Stmt& stmt : body.stmts) {
    for (const Param& p : stmt.pat) reads.bound.insert(p.name);
    if (is_own_read(stmt, index) && !reads.bound.contains(as<Index>(stmt.exp)->array)) {
      note(reads.own, as<Index>(stmt.exp)->array);
    } else {
      for_each_operand(stmt.exp, use);
      for_each_param(stmt.exp, [&](const Param& p) { reads.bound.insert(p.name); });
      for_each_body(stmt.exp, [&](const Body& inner) { find_reads(inner, index, params, reads); });
    }
    for (const Param& p : stmt.pat)
      for (const Operand& dim : p.type.shape) use(dim);
  }
  for (const Operand& o : body.result) use(o);
}

bool is_group_sensitive(const Sink& sink) {
  return sink.kind == Sink::kReduce || sink.kind == Sink::kScan || sink.kind == Sink::kPartition;
}

void add_needs(const Sink& sink, Needs& needs) {
  if (sink.kind == Sink::kReduce || sink.kind == Sink::kScan) return needs.fold(sink.op[0]);
  ++needs.sinks;
  for (const Operator& op : sink.op) needs.statements += statement_count(op.fn.body);
  if (sink.kind != Sink::kPartition) return;
  // The members of each class are counted.
  const auto classes = static_cast<size_t>(sink.classes);
  needs.carried += classes;
  needs.group_bytes += classes * sizeof(int64_t);
}

void add_roles_of(const Sink& sink, bool has_post, std::vector<ResultRole>& roles) {
  const auto add = [&](size_t count, ResultRole role) { roles.insert(roles.end(), count, role); };
  const auto count = static_cast<size_t>(sink.count);
  if (sink.kind == Sink::kPartition) {
    const size_t first = roles.size();
    const auto classes = static_cast<size_t>(sink.classes);
    add(classes, {ResultRole::kSize});
    for (size_t c = 0; c < classes; ++c) add(count - 1, {ResultRole::kMember, first + c});
  } else if (!sink.dests.empty()) {
    add(sink.dests.size(), {ResultRole::kUpdated});
  } else if (sink.kind == Sink::kReduce) {
    add(count, {ResultRole::kTotal});
  } else if (!has_post) {
    add(count, {sink.kind == Sink::kScan ? ResultRole::kScanned : ResultRole::kRows});
  }
}

// True if the skeleton works on one point at a time.
bool is_scalar_skeleton(const NodeInfo& info) {
  return std::ranges::any_of(info.kernel->sinks, [](const Sink& sink) {
    return sink.kind == Sink::kHist || sink.kind == Sink::kPartition || sink.kind == Sink::kScan;
  });
}

}  // namespace

std::vector<Name> own_index(const Kernel& kernel) {
  std::vector<Name> index;
  if (kernel.domain.kind == Domain::kSeg) return {kernel.pull.params[2].name};
  for (const Param& p : kernel.pull.params) index.push_back(p.name);
  return index;
}

bool is_own_read(const Stmt& stmt, const std::vector<Name>& index) {
  const Index* e = as<Index>(stmt.exp);
  if (e == nullptr || !stmt.pat[0].type.is_scalar() || e->slice.size() != index.size())
    return false;
  for (size_t k = 0; k < index.size(); ++k)
    if (!e->slice[k].is_index || !(e->slice[k].start == Operand{index[k]})) return false;
  return true;
}

std::optional<NodeInfo> describe_kernel(const Stmt& stmt) {
  const Kernel& e = *as<Kernel>(stmt.exp);
  // Rows of different lengths are written by a kernel of their own.
  if (std::ranges::any_of(e.sinks, writes_rows) || holds_kernels(e)) return std::nullopt;
  NodeInfo info;
  info.kind = NodeKind::kKernel;
  info.kernel = &e;
  info.hints = stmt.hints;
  if (e.domain.kind == Domain::kFlat) info.width = e.domain.dims[0];
  Reads reads;
  find_reads(e.pull.body, own_index(e), e.pull.params, reads);
  NameSet elsewhere(reads.other.begin(), reads.other.end());
  for (const Lambda& post : e.post) elsewhere.merge(free_names(post));
  for (const Sink& sink : e.sinks) {
    for (const Operator& op : sink.op) elsewhere.merge(free_names(op.fn));
    elsewhere.insert(sink.dests.begin(), sink.dests.end());
  }
  for (const Name name : reads.own)
    if (!elsewhere.contains(name)) info.inputs.push_back(name);
  info.arrays = reads.own;
  info.arrays.insert(info.arrays.end(), reads.other.begin(), reads.other.end());
  info.uses_position = reads.position;
  info.direction = direction_of(e);

  for (const Sink& sink : e.sinks) {
    for (const Operator& op : sink.op)
      info.scalar_operators = info.scalar_operators && takes_scalars(op.fn);
    add_needs(sink, info.needs);
    info.has_scans = info.has_scans || sink.kind == Sink::kScan;
    info.has_reduces = info.has_reduces || sink.kind == Sink::kReduce;
    add_roles_of(sink, !e.post.empty(), info.roles);
  }
  info.roles.resize(stmt.pat.size(), {ResultRole::kScanned});
  const auto is_scalar = [](const Ret& r) { return r.type.is_scalar(); };
  // Neither a row nor anything else that a post-function might need is an array.
  info.scalar_rows = std::ranges::all_of(e.pull.results, is_scalar);
  const auto makes_arrays = [](const Body& body) {
    for (const Stmt& inner : body.stmts)
      for (const Param& p : inner.pat)
        if (p.type.is_array()) return true;
    return false;
  };
  info.scalar_rows = info.scalar_rows && !makes_arrays(e.pull.body);
  for (const Lambda& post : e.post)
    info.scalar_rows = info.scalar_rows && std::ranges::all_of(post.results, is_scalar) &&
                       !makes_arrays(post.body);
  info.needs.statements += statement_count(e.pull.body);
  info.needs.given = e.pull.results.size();
  info.needs.peak = most_alive(e.pull.body);
  for (const Lambda& post : e.post) {
    info.needs.statements += statement_count(post.body);
    info.needs.peak = std::max(info.needs.peak, most_alive(post.body));
  }
  return info;
}

std::optional<std::string> why_not_vertical_kernels(const NodeInfo& producer,
                                                    const NodeInfo& consumer) {
  if (producer.kernel->guarded || consumer.kernel->guarded) return "a guard stands before a kernel";
  if (!hints_agree(producer.hints, consumer.hints)) return "they have different hints";
  if (!producer.scalar_operators || !consumer.scalar_operators)
    return "an operator on arrays would make the whole sequential";
  return std::nullopt;
}

std::optional<std::string> why_not_sibling_kernels(const NodeInfo& a, const NodeInfo& b) {
  if (a.kernel->guarded || b.kernel->guarded) return "a guard stands before a kernel";
  if (!hints_agree(a.hints, b.hints)) return "they have different hints";
  if (!a.scalar_operators || !b.scalar_operators)
    return "an operator on arrays would make the whole sequential";
  const bool related = a.size_of.node >= 0 || b.size_of.node >= 0;
  if (!related && !same_domain(*a.kernel, *b.kernel)) return "they run over different domains";
  if (are_crossed(a.direction, b.direction))
    return "one reads along the rows of a matrix and the other across them";
  if (is_scalar_skeleton(a) != is_scalar_skeleton(b)) {
    const NodeInfo& other = is_scalar_skeleton(a) ? b : a;
    if (other.needs.statements > kWorthLanes)
      return "one would lose its vector lanes beside the other, and has much to compute";
  }
  return std::nullopt;
}

bool same_domain(const Kernel& a, const Kernel& b) {
  const Domain &x = a.domain, &y = b.domain;
  if (x.kind == y.kind) return x.dims == y.dims && x.offsets == y.offsets;
  // All elements of the segments, as far as nobody asks where one ends.
  const auto is_flat_over = [](const Kernel& flat, const Domain& seg) {
    return flat.domain.kind == Domain::kFlat && seg.kind == Domain::kSeg &&
           flat.domain.dims[0] == seg.dims[1] &&
           std::ranges::none_of(flat.sinks, is_group_sensitive);
  };
  return is_flat_over(a, y) || is_flat_over(b, x);
}

}  // namespace skald::passes::fusion
