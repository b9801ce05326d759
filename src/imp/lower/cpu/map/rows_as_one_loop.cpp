// SPDX-License-Identifier: Apache-2.0
// Rows of a few elements, of a number that is known only when the program runs.
//
// If they follow one another in the results, some hundred points of whole rows are one vector loop.
// Elements at the point's own place are read and written in the order of the loop; whatever else
// needs to know the point finds its row and column by a product and a shift:
//
//   map over [n][m]      for each group of 1024 / m rows, from row r on:
//                          simd for (k < count) { i = k * (2¹⁶ / m + 1) >> 16; j = k - i * m;
//                                                 point(r + i, j) }
#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "imp/lower/cpu/kernel/kernel_lowering.h"

namespace skald::imp {

using core::Sink;

namespace {

// Points of a group.  A quotient k / m is exact as long as k * m < 2¹⁶.
constexpr int64_t kPoints = 1024;
constexpr int64_t kInverseBits = 16;
static_assert((kPoints - 1) * kLongestScanRow < 1 << kInverseBits);
// Larger thunks are not worth another version.
constexpr size_t kMostFlatStatements = 24;

bool is_param(const core::DimSlice& slice, const core::Param& param) {
  const Name* name = std::get_if<Name>(&slice.start);
  return slice.is_index && name != nullptr && *name == param.name;
}

}  // namespace

std::optional<KernelLowering::FlatRows> KernelLowering::find_flat_rows(Code& code) {
  if (fn_.target_ != Target::kCpu || kernel_.domain.kind != core::Domain::kGrid ||
      dims_.size() != 2 || kernel_.guarded || !kernel_.post.empty() || is_elementwise())
    return std::nullopt;
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind != sinks_[0].sink->kind ||
        (info.sink->kind != Sink::kScan && info.sink->kind != Sink::kOut))
      return std::nullopt;
    for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v) {
      const ArrayPlace& place = result_place(info.results + v);
      if (place.type.shape.size() != 2 || !place.loc.strides.empty()) return std::nullopt;
    }
  }
  const std::vector<core::Param>& params = kernel_.pull.params;
  const auto knows_point = [&](const std::unordered_set<Name>& used) {
    return used.contains(params[0].name) || used.contains(params[1].name);
  };
  FlatRows rows;
  const std::vector<core::Stmt>& stmts = kernel_.pull.body.stmts;
  for (size_t k = 0; k < stmts.size(); ++k) {
    if (!knows_point(core::free_names(stmts[k]))) continue;
    const auto* index = core::as<core::Index>(stmts[k].exp);
    const ArrayPlace* place = index == nullptr ? nullptr : fn_.find_place(index->array);
    bool own = place != nullptr && index->slice.size() == 2 && stmts[k].pat[0].type.is_scalar() &&
               is_param(index->slice[0], params[0]) && is_param(index->slice[1], params[1]);
    if (own) {
      const std::vector<Operand> strides = fn_.strides(code, *place);
      own = strides[0] == dims_[1] && strides[1] == Operand{const_i64(1)};
    }
    if (own)
      rows.reads.push_back(k);
    else
      rows.knows_point = true;
  }
  for (const Operand& result : kernel_.pull.body.result)
    if (const Name* name = core::as_name(result); name != nullptr && knows_point({*name}))
      rows.knows_point = true;
  if (rows.knows_point && (!is_straight() || stmts.size() > kMostFlatStatements))
    return std::nullopt;
  return rows;
}

void KernelLowering::flat_groups(Code& code,
                                 const std::function<void(Code&, const FlatGroup&)>& group) {
  FlatGroup all;
  all.length = code.max_i64(dims_[1], const_i64(1));
  const Operand rows = code.binop(BinOpKind::kQuot, const_i64(kPoints), all.length, "rows");
  const Operand groups = chunk_count(code, dims_[0], rows);
  const Operand grain = segment_grain(code, code.mul_i64(rows, dims_[1]));
  code.parallel_for(groups, grain, [&](Code& at, const Operand& number) {
    FlatGroup one = all;
    one.first = at.mul_i64(number, rows);
    one.count = at.mul_i64(at.min_i64(rows, at.sub_i64(dims_[0], one.first)), dims_[1]);
    group(at, one);
  });
}

void KernelLowering::flat_points(
    Code& code, const FlatRows& rows, const FlatGroup& group,
    const std::function<void(Code&, const Operand& k, const std::vector<Operand>& values)>& then) {
  std::vector<std::pair<Name, Operand>> from;
  for (const size_t read : rows.reads) {
    const ArrayPlace& place =
        fn_.place(core::as<core::Index>(kernel_.pull.body.stmts[read].exp)->array);
    from.emplace_back(place.loc.block, fn_.address(code, place, {group.first, const_i64(0)}));
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
        core::Lambda thunk = core::copy_with_fresh_names(kernel_.pull, fn_.prog_.names);
        for (size_t r = 0; r < rows.reads.size(); ++r) {
          core::Stmt& stmt = thunk.body.stmts[rows.reads[r]];
          stmt.exp = core::Value{inner.load(stmt.pat[0].type.elem, from[r].first,
                                            inner.add_i64(from[r].second, k), "x")};
        }
        then(inner, k, fn_.apply(inner, thunk, indices));
      },
      1, LoopHint::kSimd);
}

void KernelLowering::map_flat_rows(Code& code, const FlatRows& rows) {
  flat_groups(code, [&](Code& at, const FlatGroup& group) {
    std::vector<Operand> starts;
    for (const SinkInfo& info : sinks_)
      for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v)
        starts.push_back(
            fn_.address(at, result_place(info.results + v), {group.first, const_i64(0)}));
    flat_points(at, rows, group,
                [&](Code& inner, const Operand& k, const std::vector<Operand>& values) {
                  size_t next = 0;
                  for (const SinkInfo& info : sinks_)
                    for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v) {
                      const ArrayPlace& place = result_place(info.results + v);
                      inner.add(Store{place.type.elem, place.loc.block,
                                      inner.add_i64(starts[next++], k), values[info.values + v]});
                    }
                });
  });
}

}  // namespace skald::imp
