// SPDX-License-Identifier: Apache-2.0
// Rows of a few elements, of a known number: a loop for each would hardly begin before it ends.  So
// their elements are written out one after another, and neighbouring rows are the lanes of vectors.
//
//   map over [n][3]         simd for (i < n) { point(i, 0); point(i, 1); point(i, 2) }
//   sums over [n][2][4]     simd for (i < n) { point(i, 0, 0) + … + point(i, 0, 3);
//                                              point(i, 1, 0) + … + point(i, 1, 3) }
//
// If the number is not known, the program asks whether it is one (or two or three, for reductions),
// and has code for that.  Other short rows: map/rows_as_one_loop.cpp.
#include <algorithm>
#include <span>

#include "imp/lower/cpu/kernel/kernel_lowering.h"

namespace skald::imp {

using core::Sink;

namespace {

constexpr int64_t kLongestRow = 8;
// Of the points that are written out.
constexpr int64_t kMostWrittenOut = 64;
// Statements of thunks that are written out because rows may turn out to be so short.
constexpr size_t kMostIfRows = 20;
static_assert((kMostIfRows + 1) * 3 < kMostWrittenOut);

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

// Which sizes are equal to that of a row is known by their names.
void KernelLowering::if_rows_of(Code& code, int64_t most, const std::function<void(Code&)>& then,
                                const std::function<void(Code&)>& otherwise) {
  const Name* length = core::as_name(dims_.back());
  if (length == nullptr || dims_.size() < 2 || fn_.target_ != Target::kCpu ||
      kernel_.domain.kind != core::Domain::kGrid || !is_straight() || is_elementwise() ||
      kernel_.pull.body.stmts.size() > kMostIfRows)
    return otherwise(code);
  const auto with = [&](Code& at, const Operand& known) {
    const Operand unknown = dims_.back();
    const std::unordered_map<Name, Operand> alias = fn_.alias_;
    std::vector<std::pair<Name, ArrayPlace>> places;
    for (const auto& [name, place] : fn_.arrays_)
      if (std::ranges::count(place.type.shape, unknown) +
              std::ranges::count(place.loc.strides, unknown) >
          0)
        places.emplace_back(name, place);
    for (auto& [name, operand] : fn_.alias_)
      if (operand == unknown) operand = known;
    fn_.alias_[std::get<Name>(unknown)] = known;
    for (const auto& [name, place] : places) {
      ArrayPlace& here = fn_.arrays_.at(name);
      std::ranges::replace(here.type.shape, unknown, known);
      std::ranges::replace(here.loc.strides, unknown, known);
    }
    dims_.back() = known;
    then(at);
    dims_.back() = unknown;
    for (auto& [name, place] : places) fn_.arrays_[name] = std::move(place);
    fn_.alias_ = alias;
  };
  const std::function<void(Code&, int64_t)> choose = [&](Code& at, int64_t known) {
    if (known > most) return otherwise(at);
    const Operand is_known =
        at.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, dims_.back(), const_i64(known)},
               "rows_of");
    at.branch(
        is_known, [&](Code& inner) { with(inner, const_i64(known)); },
        [&](Code& inner) { choose(inner, known + 1); });
  };
  choose(code, 1);
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

void KernelLowering::scan_written_out(Code& code, const std::vector<int64_t>& lengths) {
  const std::span<const int64_t> all(lengths);
  in_lanes_by_rows(code, lengths, [&](Code& at, const std::vector<Operand>& row) {
    for_each_place(row, all.first(all.size() - 1), [&](const std::vector<Operand>& segment) {
      const std::vector<Accumulators> accs = start_all(at, Sink::kScan);
      for_each_place(segment, all.last(1), [&](const std::vector<Operand>& indices) {
        scan_point(at, indices, accs, true);
      });
    });
  });
}

}  // namespace skald::imp
