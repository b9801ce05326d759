// SPDX-License-Identifier: Apache-2.0
// Scans of rows that are shorter than a few registers.
//
// If the rows follow one another in all arrays that are read and written, some hundred points are
// computed as one vector loop that knows nothing of rows, and then scanned in registers that may
// hold several rows (imp::ScanRows).
#include "core/free_names.h"
#include "core/rename.h"
#include "core/visit.h"
#include "imp/lower/kernel_lowering.h"

namespace skald::imp {

using core::Sink;

namespace {

// Points that are computed and scanned at a time.
constexpr int64_t kPoints = 1024;

bool is_param(const core::DimSlice& slice, const core::Param& param) {
  const Name* name = std::get_if<Name>(&slice.start);
  return slice.is_index && name != nullptr && *name == param.name;
}

}  // namespace

// The statements of the thunk that read the array at its own point, if no other one knows the point
// and those arrays, like the results, are dense.
std::optional<std::vector<size_t>> KernelLowering::reads_of_flat_points(Code& code) {
  if (!can_scan_in_vectors() || dims_.size() != 2 || !kernel_.post.empty()) return std::nullopt;
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind != Sink::kScan) return std::nullopt;
    for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v) {
      const ArrayPlace& place = result_place(info.results + v);
      if (is_float(place.type.elem) || !place.loc.strides.empty()) return std::nullopt;
    }
  }
  const std::vector<core::Param>& params = kernel_.pull.params;
  const auto knows_point = [&](const std::unordered_set<Name>& used) {
    return used.contains(params[0].name) || used.contains(params[1].name);
  };
  std::vector<size_t> reads;
  const std::vector<core::Stmt>& stmts = kernel_.pull.body.stmts;
  for (size_t k = 0; k < stmts.size(); ++k) {
    if (!knows_point(core::free_names(stmts[k]))) continue;
    const auto* index = core::as<core::Index>(stmts[k].exp);
    if (index == nullptr || index->slice.size() != 2) return std::nullopt;
    const ArrayPlace* place = fn_.find_place(index->array);
    if (place == nullptr || !is_param(index->slice[0], params[0]) ||
        !is_param(index->slice[1], params[1]))
      return std::nullopt;
    const std::vector<Operand> strides = fn_.strides(code, *place);
    if (!(strides[0] == dims_[1]) || !(strides[1] == Operand{const_i64(1)})) return std::nullopt;
    reads.push_back(k);
  }
  for (const Operand& result : kernel_.pull.body.result) {
    const Name* name = std::get_if<Name>(&result);
    if (name != nullptr && knows_point({*name})) return std::nullopt;
  }
  return reads;
}

void KernelLowering::scan_short_rows(Code& code, const std::vector<size_t>& reads) {
  const Operand length = code.let(
      Prim::kI64, core::BinOp{BinOpKind::kMax, Prim::kI64, dims_[1], const_i64(1)}, "length");
  const Operand rows = code.binop(BinOpKind::kQuot, const_i64(kPoints), length, "rows");
  const Operand groups = chunk_count(code, dims_[0], rows);
  const Operand grain = segment_grain(code, code.mul_i64(rows, dims_[1]));
  code.parallel_for(groups, grain, [&](Code& at, const Operand& group) {
    const Operand first = at.mul_i64(group, rows);
    const Operand count = at.mul_i64(at.min_i64(rows, at.sub_i64(dims_[0], first)), dims_[1]);
    const auto start_of = [&](const ArrayPlace& place) {
      return fn_.address(at, place, {first, const_i64(0)});
    };
    std::vector<std::pair<Name, Operand>> from;
    for (const size_t read : reads) {
      const Name array = core::as<core::Index>(kernel_.pull.body.stmts[read].exp)->array;
      const ArrayPlace& place = fn_.place(array);
      from.emplace_back(place.loc.block, start_of(place));
    }
    // By the values of the thunk.
    std::vector<const ArrayPlace*> to(kernel_.pull.results.size());
    std::vector<Operand> starts(to.size(), const_i64(0));
    for (const SinkInfo& info : sinks_)
      for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v) {
        to[info.values + v] = &result_place(info.results + v);
        starts[info.values + v] = start_of(*to[info.values + v]);
      }
    // Elements of one array are scanned from where they are.  (Of several, the result of one scan
    // may lie where the next one would read.)
    const std::vector<Operand>& results = kernel_.pull.body.result;
    const bool plain = results.size() == 1 && reads.size() == 1 &&
                       Operand{kernel_.pull.body.stmts[reads[0]].pat[0].name} == results[0];
    const auto compute = [&] {
      at.loop(
          const_i64(0), count,
          [&](Code& inner, const Operand& k) {
            core::Lambda thunk = core::copy_with_fresh_names(kernel_.pull, fn_.prog_.names);
            for (size_t r = 0; r < reads.size(); ++r) {
              core::Stmt& stmt = thunk.body.stmts[reads[r]];
              stmt.exp = core::Value{inner.load(stmt.pat[0].type.elem, from[r].first,
                                                inner.add_i64(from[r].second, k), "x")};
            }
            const std::vector<Operand> values = fn_.apply(inner, thunk, {first, const_i64(0)});
            for (size_t v = 0; v < to.size(); ++v)
              inner.add(Store{to[v]->type.elem, to[v]->loc.block, inner.add_i64(starts[v], k),
                              values[v]});
          },
          1, LoopHint::kSimd);
    };
    if (!plain) compute();
    for (const SinkInfo& info : sinks_)
      for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v) {
        const core::BinOp* node = core::as<core::BinOp>(info.sink->op[0].fn.body.stmts[v].exp);
        const size_t k = info.values + v;
        at.add(ScanRows{node->op, node->type, to[k]->loc.block, starts[k],
                        plain ? from[0].first : to[k]->loc.block,
                        plain ? from[0].second : starts[k], count, length});
      }
  });
}

}  // namespace skald::imp
