// SPDX-License-Identifier: Apache-2.0
// Which skeleton a kernel gets, and the skeleton of those that only map.
#include "core/ir/sinks.h"
#include "core/ir/visit.h"
#include "imp/lower/cpu/kernel/kernel_lowering.h"

namespace skald::imp {

using core::Sink;

namespace {

// Is the value, computed in this body, a choice with a negative constant among the alternatives?
bool may_be_negative_constant(const core::Body& body, const Operand& operand) {
  if (const core::Const* c = core::as_const(operand)) return core::int_value(*c) < 0;
  for (const core::Stmt& stmt : body.stmts)
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      if (operand != Operand(stmt.pat[k].name)) continue;
      if (const auto* e = core::as<core::Select>(stmt.exp))
        return may_be_negative_constant(body, e->then) ||
               may_be_negative_constant(body, e->otherwise);
      if (const auto* e = core::as<core::If>(stmt.exp))
        return may_be_negative_constant(e->then_body, e->then_body.result[k]) ||
               may_be_negative_constant(e->else_body, e->else_body.result[k]);
      return false;
    }
  return false;
}

}  // namespace

KernelLowering::KernelLowering(FunctionLowering& fn, const core::Stmt& stmt,
                               const core::Kernel& kernel)
    : fn_(fn), stmt_(stmt), kernel_(kernel) {
  size_t values = kernel.guarded ? 1 : 0, results = 0;
  for (const Sink& sink : kernel.sinks) {
    size_t& at = sink.late ? late_values_ : values;
    sinks_.push_back({&sink, at, results});
    if (sink.kind == Sink::kHist) sinks_.back().writes = core::writes_of_point(sink);
    if (sink.kind == Sink::kReduce) laned_.push_back(sinks_.back());
    at += static_cast<size_t>(sink.count);
    if (sink.kind == Sink::kPartition)
      results += static_cast<size_t>(sink.classes * sink.count);
    else if (sink.kind == Sink::kScatter || sink.kind == Sink::kHist)
      results += sink.dests.size();
    else if (kernel.post.empty() || sink.kind == Sink::kReduce)
      results += static_cast<size_t>(sink.count);
  }
  first_array_ = results;
  for (const Operand& dim : kernel.domain.dims) dims_.push_back(fn.value(dim));
  // The planner says so by `scratch` in the block of the output.
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind != Sink::kOut || !kernel.post.empty()) continue;
    for (size_t k = 0; k < static_cast<size_t>(info.sink->count); ++k)
      for (const core::Stmt& made : kernel.pull.body.stmts)
        if (core::as<core::Scratch>(made.exp) != nullptr &&
            kernel.pull.body.result[info.values + k] == Operand{made.pat[0].name} &&
            made.pat[0].mem[0].block == stmt.pat[info.results + k].mem[0].block)
          in_place_.insert(info.values + k);
  }
}

bool KernelLowering::has(Sink::Kind kind) const {
  for (const SinkInfo& info : sinks_)
    if (info.sink->kind == kind) return true;
  return false;
}

const ArrayPlace& KernelLowering::result_place(size_t k) const {
  return fn_.place(stmt_.pat[k].name);
}

void KernelLowering::lower(Code& code) {
  if (kernel_.domain.kind == core::Domain::kSeg) {
    ++fn_.parallel_depth_;
    segments(code);
    --fn_.parallel_depth_;
    return;
  }
  const bool flat = dims_.size() == 1;
  // A nested kernel does not occur: thunks are sequential.
  ++fn_.parallel_depth_;
  const auto plain = [&](Code& at) {
    if (is_mixed())
      mixed(at);
    else if (has(Sink::kScan))
      flat ? scan_flat(at) : scan_grid(at);
    else if (has(Sink::kPartition))
      partition(at);
    else if (has(Sink::kReduce))
      flat ? reduce_flat(at) : reduce_grid(at);
    else if (has(Sink::kHist))
      hist(at);
    else
      map_only(at);
  };
  if (flat || !tiled(code, plain)) plain(code);
  --fn_.parallel_depth_;
}

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

}  // namespace

// A task should take some ten microseconds; a statement takes about a nanosecond.
int64_t KernelLowering::grain() const {
  constexpr int64_t kStatementsPerTask = 16384;
  int64_t cost = 1 + static_cast<int64_t>(kernel_.pull.results.size());
  std::vector<const core::Body*> bodies = {&kernel_.pull.body};
  for (const core::Lambda& post : kernel_.post) bodies.push_back(&post.body);
  for (const SinkInfo& info : sinks_)
    for (const core::Operator& op : info.sink->op) bodies.push_back(&op.fn.body);
  for (const core::Body* body : bodies) {
    const std::optional<int64_t> inside = cost_of(*body);
    if (!inside) return 0;
    cost += *inside;
  }
  for (const core::Ret& ret : kernel_.pull.results)
    if (ret.type.is_array()) return 0;
  return std::max<int64_t>(1, kStatementsPerTask / cost);
}

int64_t KernelLowering::least_chunk() const {
  // Of expensive points a few are worth a task.
  constexpr int64_t kFewPoints = 4;
  const int64_t points = grain();
  return points == 0 ? kFewPoints : points;
}

Operand KernelLowering::segment_grain(Code& code, const Operand& points) {
  const int64_t each = grain();
  if (each == 0) return const_i64(0);
  const Operand segments =
      code.binop(BinOpKind::kQuot, const_i64(each), code.max_i64(points, const_i64(1)), "grain");
  return code.max_i64(segments, const_i64(1));
}

void KernelLowering::segments_in_groups(Code& code, const Operand& segments, int64_t rows,
                                        const Code::LoopBody& group, const Code::LoopBody& row) {
  if (rows == 1) return code.parallel_for(segments, segment_grain(code, dims_.back()), group);
  const Operand size = const_i64(rows);
  const Operand groups = code.binop(BinOpKind::kQuot, segments, size, "groups");
  code.parallel_for(groups, segment_grain(code, code.mul_i64(dims_.back(), size)),
                    [&](Code& at, const Operand& number) { group(at, at.mul_i64(number, size)); });
  // The rest is a kernel too, in one piece, so that the host's code has no loop that takes long
  // unless it is compiled well.
  const Operand grouped = code.mul_i64(groups, size);
  code.branch(code.less_i64(grouped, segments), [&](Code& rest) {
    rest.parallel_for(rest.sub_i64(segments, grouped), size, [&](Code& at, const Operand& number) {
      row(at, at.add_i64(grouped, number));
    });
  });
}

namespace {

// Maps over longer rows have a loop for each.
constexpr int64_t kShortFlatRow = 8;

}  // namespace

void KernelLowering::map_only(Code& code) {
  const auto by_rows = [&](Code& at) { map_by_rows(at); };
  if (!in_blocks(code, by_rows)) by_rows(code);
}

void KernelLowering::map_by_rows(Code& code) {
  if (const std::vector<int64_t> lengths = short_rows(); !lengths.empty())
    return map_short_rows(code, lengths);
  const auto longer = [&](Code& at) {
    const std::optional<FlatRows> flat = find_flat_rows(at);
    if (!flat || core::as_const(dims_.back()) != nullptr) return map_long_rows(at);
    const Operand few = at.less_i64(dims_.back(), const_i64(kShortFlatRow));
    const Operand some = at.less_i64(const_i64(0), dims_.back());
    at.branch(
        at.both(some, few, "short_rows"), [&](Code& in) { map_flat_rows(in, *flat); },
        [&](Code& in) { map_long_rows(in); });
  };
  if_rows_of(code, 1, [&](Code& at) { map_short_rows(at, short_rows()); }, longer);
}

void KernelLowering::map_long_rows(Code& code) {
  Operand total = const_i64(1);
  for (const Operand& dim : dims_) total = code.mul_i64(total, dim);
  const auto all_points = [&](bool inside) {
    return [&, inside](Code& here) {
      fn_.reduce_inside_ = inside;
      here.parallel_range(
          total, const_i64(grain()), [&](Code& inner, const Operand& begin, const Operand& end) {
            points(
                inner, begin, end,
                [&](Code& at, const std::vector<Operand>& indices,
                    const std::vector<Operand>& values) { direct_sinks(at, indices, values); },
                inside ? LoopHint::kNone : LoopHint::kSimd);
          });
      fn_.reduce_inside_ = false;
    };
  };
  const bool inside = should_reduce_inside();
  if (map_with_kept_rows(code, inside, all_points(false), all_points(inside))) return;
  all_points(inside)(code);
}

void KernelLowering::point(Code& code, const std::vector<Operand>& indices, const PointBody& then) {
  if (transposed_.in_use) return transposed_point(code, indices, then);
  if (kept_rows_ != nullptr) return kept_rows_point(code, indices, then);
  if (!staged_.empty()) return staged_point(code, indices, then);
  if (kernel_.domain.kind == core::Domain::kSeg) return segment_point(code, indices, then);
  if (!tabled_.empty()) return tabled_point(code, indices, then);
  const std::vector<Operand> values = fn_.apply(code, kernel_.pull, indices);
  if (!kernel_.guarded) return then(code, indices, values);
  code.branch(values[0], [&](Code& inner) { then(inner, indices, values); });
}

void KernelLowering::points(Code& code, const Operand& begin, const Operand& end,
                            const PointBody& then, LoopHint hint) {
  rows_of(
      code, begin, end,
      [&](Code& row, const std::vector<Operand>& outer, const Operand& from, const Operand& to) {
        row.loop(
            from, to,
            [&](Code& inner, const Operand& i) {
              std::vector<Operand> indices = outer;
              indices.push_back(i);
              point(inner, indices, then);
            },
            1, hint);
      });
}

void KernelLowering::points_in_turn(Code& code, const Operand& begin, const Operand& end,
                                    int64_t ways, const std::function<PointBody(int64_t)>& then) {
  rows_of(
      code, begin, end,
      [&](Code& row, const std::vector<Operand>& outer, const Operand& from, const Operand& to) {
        const Operand rounds =
            row.binop(BinOpKind::kQuot, row.sub_i64(to, from), const_i64(ways), "rounds");
        const Operand whole = row.add_i64(from, row.mul_i64(rounds, const_i64(ways)));
        const auto at = [&](Code& inner, const Operand& i, int64_t way) {
          std::vector<Operand> indices = outer;
          indices.push_back(inner.add_i64(i, const_i64(way)));
          point(inner, indices, then(way));
        };
        row.loop(
            from, whole,
            [&](Code& inner, const Operand& i) {
              for (int64_t way = 0; way < ways; ++way) at(inner, i, way);
            },
            ways);
        row.short_loop(whole, to, [&](Code& inner, const Operand& i) { at(inner, i, 0); });
      });
}

void KernelLowering::rows_of(Code& code, const Operand& begin, const Operand& end,
                             const RowBody& body) {
  if (kernel_.domain.kind == core::Domain::kSeg) {
    // There is at least one point; segments between the first and the last may be empty.
    const Name low = find_segment(code, begin);
    const Name high = find_segment(code, code.sub_i64(end, const_i64(1)));
    return code.loop(low, code.add_i64(high, const_i64(1)), [&](Code& at, const Operand& s) {
      const Operand first = segment_begin(at, s);
      const Operand from = at.max_i64(begin, first);
      const Operand to = at.min_i64(end, segment_begin(at, at.add_i64(s, const_i64(1))));
      const Operand last = at.sub_i64(to, first);
      body(at, {s}, at.sub_i64(from, first), last);
    });
  }
  // Where only the position in memory matters, the domain is one long row.
  if (dims_.size() == 1 || is_elementwise())
    return body(code, std::vector<Operand>(dims_.size() - 1, const_i64(0)), begin, end);
  // Row r covers the points r*m … (r+1)*m-1; the first and the last row may be cut.
  const Operand m = dims_.back();
  const Operand some_points = code.less_i64(begin, end);
  code.branch(some_points, [&](Code& some) {
    const Operand first = some.binop(BinOpKind::kQuot, begin, m, "row");
    const Operand last = some.binop(BinOpKind::kQuot, some.sub_i64(end, const_i64(1)), m, "row");
    some.loop(first, some.add_i64(last, const_i64(1)), [&](Code& rows, const Operand& row) {
      const std::vector<Operand> outer = segment_indices(rows, row);
      const Operand base = rows.mul_i64(row, m);
      const Operand from = rows.max_i64(const_i64(0), rows.sub_i64(begin, base));
      const Operand to = rows.min_i64(m, rows.sub_i64(end, base));
      body(rows, outer, from, to);
    });
  });
}

std::vector<Operand> KernelLowering::segment_indices(Code& code, const Operand& number) {
  std::vector<Operand> indices(dims_.size() - 1);
  Operand rest = number;
  for (size_t k = indices.size(); k-- > 1;) {
    const Operand quotient = code.binop(BinOpKind::kQuot, rest, dims_[k], "i");
    indices[k] = code.sub_i64(rest, code.mul_i64(quotient, dims_[k]));
    rest = quotient;
  }
  if (!indices.empty()) indices[0] = rest;
  return indices;
}

Operand KernelLowering::segment_count(Code& code) {
  Operand count = const_i64(1);
  for (size_t k = 0; k + 1 < dims_.size(); ++k) count = code.mul_i64(count, dims_[k]);
  return count;
}

// Is a value of the thunk the point's own index in a dimension of this size?
bool KernelLowering::is_own_index(size_t value, const Operand& size) const {
  if (value >= kernel_.pull.body.result.size()) return false;
  const Name* name = core::as_name(kernel_.pull.body.result[value]);
  for (size_t k = 0; k < kernel_.pull.params.size() && k < dims_.size(); ++k)
    if (name != nullptr && kernel_.pull.params[k].name == *name) return dims_[k] == size;
  return false;
}

Operand KernelLowering::in_bounds(Code& code, const std::vector<Operand>& at,
                                  const SinkInfo& info) {
  const std::vector<Operand>& shape = info.sink->shape;
  Operand all = core::const_bool(true);
  bool first = true;
  for (size_t k = 0; k < at.size(); ++k) {
    if (!info.sink->late && kernel_.domain.kind != core::Domain::kSeg &&
        is_own_index(info.values + k, fn_.value(shape[k])))
      continue;
    // One unsigned comparison tests both ends.
    const Operand index = code.let(Prim::kU64, core::Bitcast{Prim::kI64, Prim::kU64, at[k]}, "u");
    const Operand size =
        code.let(Prim::kU64, core::Bitcast{Prim::kI64, Prim::kU64, fn_.value(shape[k])}, "u");
    const Operand inside =
        code.let(Prim::kBool, core::CmpOp{CmpOpKind::kLt, Prim::kU64, index, size}, "inside");
    all = first ? inside : code.both(all, inside, "inside");
    first = false;
  }
  return all;
}

void KernelLowering::direct_sinks(Code& code, const std::vector<Operand>& indices,
                                  const std::vector<Operand>& values) {
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind == Sink::kOut) out_sink(code, info, indices, values);
    if (info.sink->kind == Sink::kScatter) scatter_sink(code, info, values);
  }
}

void KernelLowering::out_sink(Code& code, const SinkInfo& info, const std::vector<Operand>& indices,
                              const std::vector<Operand>& values) {
  for (size_t k = 0; k < static_cast<size_t>(info.sink->count); ++k)
    if (!in_place_.contains(info.values + k))
      fn_.store(code, result_place(info.results + k), indices, values[info.values + k]);
}

void KernelLowering::scatter_sink(Code& code, const SinkInfo& info,
                                  const std::vector<Operand>& values) {
  const size_t rank = info.sink->shape.size();
  if (core::writes_rows(*info.sink)) {
    const Operand place = values[info.values], length = values[info.values + 1];
    const Operand high = code.sub_i64(fn_.value(info.sink->shape[0]), length);
    const Operand low = code.less_i64(const_i64(-1), place);
    const Operand fits =
        code.both(low, code.less_i64(place, code.add_i64(high, const_i64(1))), "fits");
    code.branch(fits, [&](Code& inner) {
      fn_.copy(inner, fn_.slice(inner, result_place(info.results), {{false, place, length}}),
               fn_.place(std::get<Name>(values[info.values + 2])));
    });
    return;
  }
  const std::vector<Operand> at(values.begin() + static_cast<ptrdiff_t>(info.values),
                                values.begin() + static_cast<ptrdiff_t>(info.values + rank));
  const auto write = [&](Code& inner) {
    fn_.store(inner, result_place(info.results), at, values[info.values + rank]);
  };
  const Operand inside = in_bounds(code, at, info);
  if (leaves_out_points(info))
    code.maybe(inside, write);
  else
    code.branch(inside, write);
}

// Does the thunk say of some points that they are not written, by a place that does not exist?
// Where each goes otherwise, the test is foreseen.
bool KernelLowering::leaves_out_points(const SinkInfo& info) const {
  const core::Body& body = info.sink->late ? kernel_.post[0].body : kernel_.pull.body;
  for (size_t k = 0; k < info.sink->shape.size(); ++k)
    if (may_be_negative_constant(body, body.result[info.values + k])) return true;
  return false;
}

}  // namespace skald::imp
