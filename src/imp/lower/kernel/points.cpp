// SPDX-License-Identifier: Apache-2.0
// The points of a kernel, in rows and segments.
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "imp/lower/kernel/writer.h"

namespace skald::imp {

KernelWriter::KernelWriter(FunctionLowering& lowering, const core::Stmt& of_stmt,
                           const core::Kernel& kernel)
    : fn(lowering), stmt(of_stmt), node(kernel), facts(lowering, of_stmt, kernel) {}

KernelWriter::KernelWriter(const KernelWriter& kernel, KernelFacts other)
    : fn(kernel.fn),
      stmt(kernel.stmt),
      node(kernel.node),
      facts(std::move(other)),
      source(kernel.source),
      staged(kernel.staged) {}

void KernelWriter::point(Code& code, const std::vector<Operand>& indices, const PointBody& then) {
  if (source) return source(code, indices, then);
  if (facts.is_seg) return segment_point(code, indices, then);
  const std::vector<Operand> values = fn.apply(code, node.pull, indices);
  if (!node.guarded) return then(code, indices, values);
  code.branch(values[0], [&](Code& inner) { then(inner, indices, values); });
}

void KernelWriter::point(Code& code, std::vector<Operand> outer, const Operand& i,
                         const PointBody& then) {
  outer.push_back(i);
  point(code, outer, then);
}

std::vector<Operand> KernelWriter::values_with(
    Code& code, const std::vector<Operand>& indices,
    const std::function<std::optional<Operand>(size_t)>& known) {
  const core::Lambda& pull = node.pull;
  core::Substitution subst;
  for (size_t k = 0; k < indices.size(); ++k) subst[pull.params[k].name] = indices[k];
  for (size_t k = 0; k < pull.body.stmts.size(); ++k) {
    const core::Stmt& stmt = pull.body.stmts[k];
    if (const std::optional<Operand> value = known(k))
      subst[stmt.pat[0].name] = *value;
    else
      fn.stmt(code, core::copy_with_fresh_names(stmt, fn.prog.names, subst));
  }
  std::vector<Operand> values;
  for (Operand result : pull.body.result) {
    core::substitute(result, subst);
    values.push_back(fn.value(result));
  }
  return values;
}

void KernelWriter::points(Code& code, const Operand& begin, const Operand& end,
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

void KernelWriter::points_in_turn(Code& code, const Operand& begin, const Operand& end,
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

void KernelWriter::rows_of(Code& code, const Operand& begin, const Operand& end,
                           const RowBody& body) {
  if (node.domain.kind == core::Domain::kSeg) {
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
  if (facts.dims.size() == 1 || facts.elementwise)
    return body(code, std::vector<Operand>(facts.dims.size() - 1, const_i64(0)), begin, end);
  // Row r covers the points r*m … (r+1)*m-1; the first and the last row may be cut.
  const Operand m = facts.dims.back();
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

std::vector<Operand> KernelWriter::segment_indices(Code& code, const Operand& number) {
  std::vector<Operand> indices(facts.dims.size() - 1);
  Operand rest = number;
  for (size_t k = indices.size(); k-- > 1;) {
    const Operand quotient = code.binop(BinOpKind::kQuot, rest, facts.dims[k], "i");
    indices[k] = code.sub_i64(rest, code.mul_i64(quotient, facts.dims[k]));
    rest = quotient;
  }
  if (!indices.empty()) indices[0] = rest;
  return indices;
}

Operand KernelWriter::segment_count(Code& code) {
  Operand count = const_i64(1);
  for (size_t k = 0; k + 1 < facts.dims.size(); ++k) count = code.mul_i64(count, facts.dims[k]);
  return count;
}

Operand KernelWriter::point_count(Code& code) {
  if (node.domain.kind == core::Domain::kSeg) return facts.dims[1];
  Operand total = const_i64(1);
  for (const Operand& dim : facts.dims) total = code.mul_i64(total, dim);
  return total;
}

Operand KernelWriter::segment_grain(Code& code, const Operand& points) {
  const int64_t each = facts.grain;
  if (each == 0) return const_i64(0);
  const Operand segments =
      code.binop(BinOpKind::kQuot, const_i64(each), code.max_i64(points, const_i64(1)), "grain");
  return code.max_i64(segments, const_i64(1));
}

void KernelWriter::segments_in_groups(Code& code, const Operand& segments, int64_t rows,
                                      const Code::LoopBody& group, const Code::LoopBody& row) {
  if (rows == 1) return code.parallel_for(segments, segment_grain(code, facts.dims.back()), group);
  const Operand size = const_i64(rows);
  const Operand groups = code.binop(BinOpKind::kQuot, segments, size, "groups");
  code.parallel_for(groups, segment_grain(code, code.mul_i64(facts.dims.back(), size)),
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

Operand KernelWriter::segment_begin(Code& code, const Operand& s) {
  return load(code, fn.place(node.domain.offsets[0]), {s}, "begin");
}

void KernelWriter::segment_point(Code& code, const std::vector<Operand>& indices,
                                 const PointBody& then) {
  const Operand position = code.add_i64(segment_begin(code, indices[0]), indices[1]);
  const std::vector<Operand> values = fn.apply(code, node.pull, {indices[0], indices[1], position});
  if (!node.guarded) return then(code, {position}, values);
  code.branch(values[0], [&](Code& inner) { then(inner, {position}, values); });
}

// The last segment that begins at or before `position`: low … high-1 until one is left.
Name KernelWriter::find_segment(Code& code, const Operand& position) {
  const Name low = code.var(Prim::kI64, const_i64(0), "low");
  const Name high = code.var(Prim::kI64, facts.dims[0], "high");
  // Sixty-three halvings are enough for any count.
  code.short_loop(const_i64(0), const_i64(63), [&](Code& at, const Operand&) {
    const Operand more = at.less_i64(const_i64(1), at.sub_i64(high, low));
    at.branch(more, [&](Code& step) {
      const Operand middle =
          step.binop(BinOpKind::kQuot, step.add_i64(low, high), const_i64(2), "middle");
      const Operand after = step.less_i64(position, segment_begin(step, middle));
      step.branch(
          after, [&](Code& left) { left.add(Assign{high, middle}); },
          [&](Code& right) { right.add(Assign{low, middle}); });
    });
  });
  return low;
}

}  // namespace skald::imp
