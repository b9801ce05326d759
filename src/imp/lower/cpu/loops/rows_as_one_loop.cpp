// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/loops/rows_as_one_loop.h"

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"

namespace skald::imp {

using core::Sink;

namespace {

// Points of a group.  A quotient k / m is exact as long as k * m < 2¹⁶.
constexpr int64_t kGroupPoints = 1024;
constexpr int64_t kInverseBits = 16;
static_assert((kGroupPoints - 1) * kLongestScanRow < 1 << kInverseBits);
// Larger thunks are not worth another version.
constexpr size_t kMostFlatStatements = 24;

bool is_param(const core::DimSlice& slice, const core::Param& param) {
  const Name* name = std::get_if<Name>(&slice.start);
  return slice.is_index && name != nullptr && *name == param.name;
}

}  // namespace

std::optional<RowsAsOneLoop> find_rows_as_one_loop(KernelWriter& kernel, Code& code) {
  if (!kernel.facts.has_vectors || kernel.node.domain.kind != core::Domain::kGrid ||
      kernel.facts.dims.size() != 2 || kernel.node.guarded || !kernel.node.post.empty() ||
      kernel.facts.elementwise)
    return std::nullopt;
  for (const SinkInfo& info : kernel.facts.sinks) {
    if (info.sink->kind != kernel.facts.sinks[0].sink->kind ||
        (info.sink->kind != Sink::kScan && info.sink->kind != Sink::kOut))
      return std::nullopt;
    for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v) {
      const ArrayPlace& place = kernel.result_place(info.results + v);
      if (place.type.shape.size() != 2 || !place.loc.strides.empty()) return std::nullopt;
    }
  }
  const std::vector<core::Param>& params = kernel.node.pull.params;
  const auto knows_point = [&](const std::unordered_set<Name>& used) {
    return used.contains(params[0].name) || used.contains(params[1].name);
  };
  RowsAsOneLoop rows;
  const std::vector<core::Stmt>& stmts = kernel.node.pull.body.stmts;
  for (size_t k = 0; k < stmts.size(); ++k) {
    if (!knows_point(core::free_names(stmts[k]))) continue;
    const auto* index = core::as<core::Index>(stmts[k].exp);
    const ArrayPlace* place = index == nullptr ? nullptr : kernel.fn.find_place(index->array);
    bool own = place != nullptr && index->slice.size() == 2 && stmts[k].pat[0].type.is_scalar() &&
               is_param(index->slice[0], params[0]) && is_param(index->slice[1], params[1]);
    if (own) {
      const std::vector<Operand> steps = strides(code, *place);
      own = steps[0] == kernel.facts.dims[1] && steps[1] == Operand{const_i64(1)};
    }
    if (own)
      rows.reads.push_back(k);
    else
      rows.knows_point = true;
  }
  for (const Operand& result : kernel.node.pull.body.result)
    if (const Name* name = core::as_name(result); name != nullptr && knows_point({*name}))
      rows.knows_point = true;
  if (rows.knows_point && (!kernel.facts.straight || stmts.size() > kMostFlatStatements))
    return std::nullopt;
  return rows;
}

void for_each_row_group(KernelWriter& kernel, Code& code,
                        const std::function<void(Code&, const RowGroup&)>& group) {
  RowGroup all;
  all.length = code.max_i64(kernel.facts.dims[1], const_i64(1));
  const Operand rows = code.binop(BinOpKind::kQuot, const_i64(kGroupPoints), all.length, "rows");
  const Operand groups = chunk_count(code, kernel.facts.dims[0], rows);
  const Operand grain = kernel.segment_grain(code, code.mul_i64(rows, kernel.facts.dims[1]));
  code.parallel_for(groups, grain, [&](Code& at, const Operand& number) {
    RowGroup one = all;
    one.first = at.mul_i64(number, rows);
    one.count = at.mul_i64(at.min_i64(rows, at.sub_i64(kernel.facts.dims[0], one.first)),
                           kernel.facts.dims[1]);
    group(at, one);
  });
}

void points_of_group(
    KernelWriter& kernel, Code& code, const RowsAsOneLoop& rows, const RowGroup& group,
    const std::function<void(Code&, const Operand& k, const std::vector<Operand>& values)>& then) {
  std::vector<std::pair<Name, Operand>> from;
  for (const size_t read : rows.reads) {
    const ArrayPlace& place =
        kernel.fn.place(core::as<core::Index>(kernel.node.pull.body.stmts[read].exp)->array);
    from.emplace_back(place.loc.block, address(code, place, {group.first, const_i64(0)}));
  }
  // Numbers of a group fit into 32 bits, and vectors hold more of these.
  const auto narrowed = [](Code& at, const Operand& value, std::string_view base) {
    return at.let(Prim::kI32, core::Convert{Prim::kI64, Prim::kI32, value}, base);
  };
  Operand length, inverse;
  if (rows.knows_point) {
    const Operand quotient =
        code.binop(BinOpKind::kQuot, const_i64(1 << kInverseBits), group.length, "inverse");
    inverse = narrowed(code, code.add_i64(quotient, const_i64(1)), "inverse");
    length = narrowed(code, group.length, "length");
  }
  const auto operation = [](Code& at, BinOpKind op, const Operand& a, const Operand& b) {
    return at.let(Prim::kI32, core::BinOp{op, Prim::kI32, a, b}, "t");
  };
  const auto widened = [](Code& at, const Operand& value, std::string_view base) {
    return at.let(Prim::kI64, core::Convert{Prim::kI32, Prim::kI64, value}, base);
  };
  code.loop(
      const_i64(0), group.count,
      [&](Code& inner, const Operand& k) {
        std::vector<Operand> indices = {group.first, const_i64(0)};
        if (rows.knows_point) {
          const Operand number = narrowed(inner, k, "number");
          const Operand row =
              operation(inner, BinOpKind::kLshr, operation(inner, BinOpKind::kMul, number, inverse),
                        core::const_int(Prim::kI32, kInverseBits));
          const Operand column = operation(inner, BinOpKind::kSub, number,
                                           operation(inner, BinOpKind::kMul, row, length));
          indices[0] = inner.add_i64(group.first, widened(inner, row, "row"));
          indices[1] = widened(inner, column, "column");
        }
        core::Lambda thunk = core::copy_with_fresh_names(kernel.node.pull, kernel.fn.prog.names);
        for (size_t r = 0; r < rows.reads.size(); ++r) {
          core::Stmt& stmt = thunk.body.stmts[rows.reads[r]];
          stmt.exp = core::Value{inner.load(stmt.pat[0].type.elem, from[r].first,
                                            inner.add_i64(from[r].second, k), "x")};
        }
        then(inner, k, kernel.fn.apply(inner, thunk, indices));
      },
      1, LoopHint::kSimd);
}

WhyNot why_no_rows_as_one_loop(KernelWriter& kernel) {
  Code elsewhere(kernel.fn.prog);
  if (find_rows_as_one_loop(kernel, elsewhere)) return std::nullopt;
  return "rows do not follow one another in the results, or the points are too costly to repeat";
}

}  // namespace skald::imp
