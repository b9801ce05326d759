// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/loops/unrolled_rows.h"

#include <algorithm>

namespace skald::imp {

namespace {

constexpr int64_t kLongestRow = 8;
// Of the points that are written out.
constexpr int64_t kMostWrittenOut = 64;
// Statements of thunks that are written out because rows may turn out to be so short.
constexpr size_t kMostIfRows = 20;
static_assert((kMostIfRows + 1) * 3 < kMostWrittenOut);

// Code that may be written out several times, of points whose rows matter.
WhyNot why_not_written_out(const KernelFacts& facts) {
  if (!facts.has_vectors) return "it runs on the host of a device";
  if (facts.node.domain.kind != core::Domain::kGrid || facts.dims.size() < 2)
    return "there are no rows";
  if (facts.elementwise) return "all rows together are one";
  if (!facts.straight) return "the points are no straight code";
  return std::nullopt;
}

}  // namespace

void for_each_place(std::vector<Operand> indices, std::span<const int64_t> lengths,
                    const std::function<void(const std::vector<Operand>&)>& then) {
  if (lengths.empty()) return then(indices);
  indices.emplace_back();
  for (int64_t k = 0; k < lengths[0]; ++k) {
    indices.back() = const_i64(k);
    for_each_place(indices, lengths.subspan(1), then);
  }
}

std::vector<int64_t> unrolled_lengths(const KernelFacts& facts) {
  if (why_not_written_out(facts)) return {};
  std::vector<int64_t> lengths;
  int64_t statements = static_cast<int64_t>(facts.node.pull.body.stmts.size()) + 1;
  for (size_t k = facts.dims.size(); k-- > 1;) {
    const Const* known = core::as_const(facts.dims[k]);
    const int64_t length = known == nullptr ? 0 : core::int_value(*known);
    if (length < 1 || length > kLongestRow || length * statements > kMostWrittenOut) break;
    statements *= length;
    lengths.insert(lengths.begin(), length);
  }
  return lengths;
}

WhyNot why_no_unrolled_rows(KernelWriter& kernel) {
  if (auto why = why_not_written_out(kernel.facts)) return why;
  if (unrolled_lengths(kernel.facts).empty()) return "rows are not known to be so short";
  return std::nullopt;
}

void in_lanes_by_rows(KernelWriter& kernel, Code& code, const std::vector<int64_t>& lengths,
                      const std::function<void(Code&, const std::vector<Operand>&)>& row) {
  std::vector<Operand> outer_dims = kernel.facts.dims;
  outer_dims.resize(outer_dims.size() - lengths.size());
  KernelWriter rows(kernel, kernel.facts.with_dims(kernel.fn, outer_dims));
  Operand total = const_i64(1);
  for (const Operand& dim : outer_dims) total = code.mul_i64(total, dim);
  int64_t points = 1;
  for (const int64_t length : lengths) points *= length;
  const int64_t grain = kernel.facts.grain;
  const int64_t worth_a_task = grain == 0 ? 0 : std::max(grain / points, int64_t{1});
  const RowBody in_lanes = [&](Code& inner, const std::vector<Operand>& outer, const Operand& from,
                               const Operand& to) {
    inner.loop(
        from, to,
        [&](Code& at, const Operand& i) {
          std::vector<Operand> indices = outer;
          indices.push_back(i);
          row(at, indices);
        },
        1, LoopHint::kSimd);
  };
  code.parallel_range(total, const_i64(worth_a_task),
                      [&](Code& inner, const Operand& begin, const Operand& end) {
                        rows.rows_of(inner, begin, end, in_lanes);
                      });
}

void for_each_unrolled_segment(
    KernelWriter& kernel, Code& code,
    const std::function<void(Code&, const std::vector<Operand>& outer, int64_t length)>& segment) {
  const std::vector<int64_t> lengths = unrolled_lengths(kernel.facts);
  const std::span<const int64_t> all(lengths);
  in_lanes_by_rows(kernel, code, lengths, [&](Code& at, const std::vector<Operand>& row) {
    for_each_place(row, all.first(all.size() - 1),
                   [&](const std::vector<Operand>& outer) { segment(at, outer, lengths.back()); });
  });
}

WhyNot why_no_rows_of_few(KernelWriter& kernel) {
  if (auto why = why_not_written_out(kernel.facts)) return why;
  if (core::as_name(kernel.facts.dims.back()) == nullptr) return "the length of rows is known";
  if (kernel.node.pull.body.stmts.size() > kMostIfRows)
    return "the thunk is too long for two versions";
  return std::nullopt;
}

namespace {

// Calls `then` while a size is known to be `known` wherever it occurs.  Which sizes are equal to it
// is known by their names.
void with_known_size(FunctionLowering& fn, const Operand& unknown, const Operand& known,
                     const std::function<void()>& then) {
  const std::unordered_map<Name, Operand> alias = fn.alias;
  std::vector<std::pair<Name, ArrayPlace>> places;
  for (const auto& [name, place] : fn.arrays)
    if (std::ranges::count(place.type.shape, unknown) +
            std::ranges::count(place.loc.strides, unknown) >
        0)
      places.emplace_back(name, place);
  for (auto& [name, operand] : fn.alias)
    if (operand == unknown) operand = known;
  fn.alias[std::get<Name>(unknown)] = known;
  for (const auto& [name, place] : places) {
    ArrayPlace& here = fn.arrays.at(name);
    std::ranges::replace(here.type.shape, unknown, known);
    std::ranges::replace(here.loc.strides, unknown, known);
  }
  then();
  for (auto& [name, place] : places) fn.arrays[name] = std::move(place);
  fn.alias = alias;
}

}  // namespace

void if_rows_of(KernelWriter& kernel, Code& code, int64_t most,
                const std::function<void(KernelWriter&, Code&)>& then, const Otherwise& otherwise) {
  const Operand length = kernel.facts.dims.back();
  const std::function<void(Code&, int64_t)> ask = [&](Code& at, int64_t known) {
    if (known > most) return otherwise(at);
    const Operand is_known = at.let(
        Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, length, const_i64(known)}, "rows_of");
    at.branch(
        is_known,
        [&](Code& inner) {
          with_known_size(kernel.fn, length, const_i64(known), [&] {
            std::vector<Operand> dims = kernel.facts.dims;
            dims.back() = const_i64(known);
            KernelWriter here(kernel, kernel.facts.with_dims(kernel.fn, std::move(dims)));
            then(here, inner);
          });
        },
        [&](Code& inner) { ask(inner, known + 1); });
  };
  ask(code, 1);
}

}  // namespace skald::imp
