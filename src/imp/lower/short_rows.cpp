// SPDX-License-Identifier: Apache-2.0
// Rows of a few elements, of a known number: a loop for each would hardly begin before it ends.  So
// their elements are written out one after another, and neighbouring rows are the lanes of vectors.
//
//   map over [n][3]         simd for (i < n) { point(i, 0); point(i, 1); point(i, 2) }
//   sums over [n][2][4]     simd for (i < n) { point(i, 0, 0) + … + point(i, 0, 3);
//                                              point(i, 1, 0) + … + point(i, 1, 3) }
#include <span>

#include "imp/lower/kernel_lowering.h"

namespace skald::imp {

using core::Sink;

namespace {

constexpr int64_t kLongestRow = 8;
// Of the points that are written out.
constexpr int64_t kMostWrittenOut = 64;

// Calls `then` for each place in a box of these lengths, with the indices of it behind `indices`.
void for_each_place(std::vector<Operand> indices, std::span<const int64_t> lengths,
                    const std::function<void(const std::vector<Operand>&)>& then) {
  if (lengths.empty()) return then(indices);
  indices.emplace_back();
  for (int64_t k = 0; k < lengths[0]; ++k) {
    indices.back() = const_i64(k);
    for_each_place(indices, lengths.subspan(1), then);
  }
}

}  // namespace

// The lengths of the last dimensions if they are so short; nothing otherwise.
std::vector<int64_t> KernelLowering::short_rows() const {
  if (fn_.target_ != Target::kCpu || kernel_.domain.kind != core::Domain::kGrid ||
      is_elementwise() || !is_straight())
    return {};
  std::vector<int64_t> lengths;
  int64_t statements = static_cast<int64_t>(kernel_.pull.body.stmts.size()) + 1;
  for (size_t k = dims_.size(); k-- > 1;) {
    const Const* known = core::as_const(dims_[k]);
    const int64_t length = known == nullptr ? 0 : core::int_value(*known);
    if (length < 1 || length > kLongestRow || length * statements > kMostWrittenOut) break;
    statements *= length;
    lengths.insert(lengths.begin(), length);
  }
  return lengths;
}

void KernelLowering::in_lanes_by_rows(
    Code& code, const std::vector<int64_t>& lengths,
    const std::function<void(Code&, const std::vector<Operand>&)>& row) {
  const std::vector<Operand> all_dims = dims_;
  dims_.resize(dims_.size() - lengths.size());
  Operand total = const_i64(1);
  for (const Operand& dim : dims_) total = code.mul_i64(total, dim);
  int64_t points = 1;
  for (const int64_t length : lengths) points *= length;
  const int64_t worth_a_task = grain() == 0 ? 0 : std::max(grain() / points, int64_t{1});
  code.parallel_range(total, const_i64(worth_a_task),
                      [&](Code& inner, const Operand& begin, const Operand& end) {
                        rows_of(inner, begin, end,
                                [&](Code& rows, const std::vector<Operand>& outer,
                                    const Operand& from, const Operand& to) {
                                  rows.loop(
                                      from, to,
                                      [&](Code& at, const Operand& i) {
                                        std::vector<Operand> indices = outer;
                                        indices.push_back(i);
                                        row(at, indices);
                                      },
                                      1, LoopHint::kSimd);
                                });
                      });
  dims_ = all_dims;
}

void KernelLowering::map_short_rows(Code& code, const std::vector<int64_t>& lengths) {
  in_lanes_by_rows(code, lengths, [&](Code& at, const std::vector<Operand>& row) {
    for_each_place(row, lengths, [&](const std::vector<Operand>& indices) {
      point(at, indices,
            [&](Code& inside, const std::vector<Operand>& place,
                const std::vector<Operand>& values) { direct_sinks(inside, place, values); });
    });
  });
}

void KernelLowering::reduce_short_rows(Code& code, const std::vector<int64_t>& lengths) {
  const std::span<const int64_t> all(lengths);
  in_lanes_by_rows(code, lengths, [&](Code& at, const std::vector<Operand>& row) {
    for_each_place(row, all.first(all.size() - 1), [&](const std::vector<Operand>& segment) {
      const std::vector<Accumulators> accs = start_all(at, Sink::kReduce);
      for_each_place(segment, all.last(1),
                     [&](const std::vector<Operand>& indices) { reduce_point(at, indices, accs); });
      store_reduced(at, segment, accs);
    });
  });
}

}  // namespace skald::imp
