// SPDX-License-Identifier: Apache-2.0
// Histograms with any operator in reverse mode.
//
// Sorted by their bins, the values of a bin are a segment, and a histogram is a reduction of each
// segment:
//
//   h[b] = the reduction of segment b ;   ys[b] = xs[b] ⊕ h[b]
//
// The rules of xs[b] ⊕ h[b] give x̄s[b] and h̄[b].  Inside of a segment the rule is that for
// reductions (reduce.cpp) with scans of segments instead of scans.  At the end cotangents go back
// to where the values came from.  Values out of bounds are a last segment that nobody asks for.
#include "core/ir/visit.h"
#include "passes/differentiate/reverse/gather.h"
#include "passes/differentiate/reverse/reverse.h"
#include "passes/differentiate/reverse/scanning.h"

namespace skald::passes::ad {

namespace {

constexpr int kDigitBits = 2;

Type numbers_type(const Operand& width) {
  return array_of(width, scalar_type(Prim::kI64));
}

Name scatter_to(Name dest, const Operand& count, const Operand& width, Name places, Name values,
                Emit& out) {
  Scatter node;
  node.width = width;
  node.inputs = {places, values};
  node.fn = same_values(node.inputs, out);
  node.dests.push_back({{count}, dest});
  return out.let1(out.session().type_of(dest), std::move(node), "scattered");
}

// The numbers of elements in the order of their keys, which are at most `most`: a partition by two
// bits after the other.
Name sorted_order(const Operand& width, Name keys, const Operand& most, Emit& out) {
  Session& session = out.session();
  const Type number = scalar_type(Prim::kI64), numbers = numbers_type(width);
  const Operand free_bits = out.un(UnOpKind::kClz, Prim::kI64, most);
  const Operand clz = out.convert(Prim::kI32, Prim::kI64, free_bits);
  const Operand bits = out.bin(BinOpKind::kSub, Prim::kI64, const_i64(64 + kDigitBits - 1), clz);
  Loop loop;
  loop.var = {.name = out.fresh("digit"), .type = number};
  loop.bound = out.bin(BinOpKind::kQuot, Prim::kI64, bits, const_i64(kDigitBits));
  const Name order = out.fresh("order");
  loop.params.push_back(
      {.param = {.name = order, .type = numbers},
       .init = out.let1(numbers, Iota{Prim::kI64, width, const_i64(0), const_i64(1)}, "numbers")});
  session.types.insert_or_assign(order, numbers);
  session.types.insert_or_assign(loop.var.name, number);
  Emit in(session, out.loc());
  const Operand shift = in.bin(BinOpKind::kMul, Prim::kI64, loop.var.name, const_i64(kDigitBits));
  const Name digits = in.map(width, {order}, [&](Emit& row, const Emit::Rows& rows) {
    const Operand key = row.row(keys, rows[0]);
    const Operand rest = row.bin(BinOpKind::kLshr, Prim::kI64, key, shift);
    return Emit::Rows{row.bin(BinOpKind::kAnd, Prim::kI64, rest, const_i64((1 << kDigitBits) - 1))};
  })[0];
  Partition part;
  part.width = width;
  part.classes = 1 << kDigitBits;
  part.inputs = {digits, order};
  part.fn = same_values(part.inputs, in);
  std::vector<Param> pat;
  std::vector<Name> classes;
  for (int c = 0; c < part.classes; ++c) pat.push_back({.name = in.fresh("size"), .type = number});
  for (int c = 0; c < part.classes; ++c) {
    classes.push_back(in.fresh("class"));
    pat.push_back(
        {.name = classes.back(), .type = numbers_type(Operand(pat[static_cast<size_t>(c)].name))});
  }
  in.let_pat(std::move(pat), std::move(part));
  const Name sorted = in.let1(numbers, Concat{0, width, classes}, "sorted");
  loop.body = in.finish({sorted});
  return out.let1(numbers, std::move(loop), "order");
}

}  // namespace

// What the rule knows about values in the order of their bins.
struct Reverse::SortedValues {
  Name order, keys;
  Name ends;  // flags
  Operand bins = const_i64(0);
  std::vector<Name> values = {};
  std::vector<Name> before = {}, whole = {}, after = {};  // lᵢ, lᵢ ⊕ aᵢ, rᵢ
};

void Reverse::sorted_hist(Stmt& stmt, Hist& e, Emit& out) {
  const HistOp& op = e.ops[0];
  const size_t d = op.shape.size(), n = op.dests.size();
  const SortedValues sorted = sort_values(e, out);
  // Reductions of segments: each last element writes.
  const Operand last = out.bin(BinOpKind::kSub, Prim::kI64, e.width, const_i64(1));
  const Name ends = out.map(e.width, {sorted.keys}, [&](Emit& in, const Emit::Rows& rows) {
    If node;
    node.cond = in.cmp(CmpOpKind::kLt, Prim::kI64, rows[1], last);
    Emit yes(session_, in.loc());
    const Operand next = yes.bin(BinOpKind::kAdd, Prim::kI64, rows[1], const_i64(1));
    const Operand other = yes.row(sorted.keys, next);
    const Operand same = yes.cmp(CmpOpKind::kEq, Prim::kI64, other, rows[0]);
    const Operand place = yes.select(same, const_i64(-1), rows[0]);
    node.then_body = yes.finish({place});
    node.else_body = Body({}, {rows[0]});
    return Emit::Rows{in.let1(scalar_type(Prim::kI64), std::move(node), "place")};
  })[0];
  std::vector<Name> old, totals, bars;
  for (size_t k = 0; k < n; ++k) {
    const Type row = row_type(stmt.pat[k].type, static_cast<int>(d));
    const Type type = array_of(sorted.bins, row);
    const Name none = out.let1(type, Replicate{{sorted.bins}, op.op.neutral[k]}, "none");
    totals.push_back(scatter_to(none, sorted.bins, e.width, ends, sorted.whole[k], out));
    old.push_back(out.let1(type, Reshape{op.dests[k], type.shape}, "old"));
    const Name bar = std::get<Name>(seed(stmt.pat[k].name, out));
    bars.push_back(out.let1(type, Reshape{bar, type.shape}, "bar"));
    if (active(e.inputs[d + k])) activity_.mark(totals.back());
    if (active(op.dests[k])) activity_.mark(old.back());
  }
  fold_rows(sorted.bins, op.op, old, totals, bars, out);
  for (size_t k = 0; k < n; ++k) {
    if (const auto bar = find(old[k])) {
      const Type type = session_.type_of(op.dests[k]);
      add(op.dests[k], out.let1(type, Reshape{std::get<Name>(*bar), type.shape}, "bar"), out);
    }
    bars[k] = std::get<Name>(seed(totals[k], out));
  }
  sorted_backward(e, sorted, bars, out);
}

Reverse::SortedValues Reverse::sort_values(const Hist& e, Emit& out) {
  const HistOp& op = e.ops[0];
  const size_t d = op.shape.size(), n = op.dests.size();
  SortedValues sorted;
  sorted.bins = out.product(op.shape);
  const std::vector<Name> places(e.inputs.begin(), e.inputs.begin() + static_cast<ptrdiff_t>(d));
  const Name bins = out.map(e.width, places, [&](Emit& in, const Emit::Rows& rows) {
    const Emit::Rows at(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(d));
    Operand bin = at[0];
    for (size_t k = 1; k < d; ++k)
      bin = in.bin(BinOpKind::kAdd, Prim::kI64,
                   in.bin(BinOpKind::kMul, Prim::kI64, bin, op.shape[k]), at[k]);
    return Emit::Rows{in.select(in_bounds(at, op.shape, in), bin, sorted.bins)};
  })[0];
  sorted.order = sorted_order(e.width, bins, sorted.bins, out);
  const std::vector<Name> rows_of =
      out.map(e.width, {sorted.order}, [&](Emit& in, const Emit::Rows& rows) {
        Emit::Rows found = {in.row(bins, rows[0])};
        for (size_t k = 0; k < n; ++k) found.push_back(in.row(e.inputs[d + k], rows[0]));
        return found;
      });
  sorted.keys = rows_of[0];
  sorted.values.assign(rows_of.begin() + 1, rows_of.end());
  for (size_t k = 0; k < n; ++k)
    if (active(e.inputs[d + k])) activity_.mark(sorted.values[k]);
  // Flags where the key differs from that of the neighbour before.
  const auto flags = [&](Name keys) {
    return out.map(e.width, {keys}, [&](Emit& in, const Emit::Rows& rows) {
      const Operand before = before_index({keys}, {Operand(const_i64(-1))}, rows[1], in)[0];
      return Emit::Rows{in.cmp(CmpOpKind::kNe, Prim::kI64, before, rows[0])};
    })[0];
  };
  // What is before each element of a segment.
  const auto inside = [&](Name starts, const std::vector<Name>& scanned) {
    return out.map(e.width, {starts}, [&](Emit& in, const Emit::Rows& rows) {
      // A segment begins with what is before index 0.
      const Operand at = in.select(rows[0], const_i64(0), rows[1]);
      return before_index(scanned, op.op.neutral, at, in);
    });
  };
  const Name starts = flags(sorted.keys);
  sorted.whole = segmented_scan(e.width, op.op, starts, sorted.values, out);
  sorted.before = inside(starts, sorted.whole);
  const auto turned = [&](Name array) { return out.index(array, reversed(e.width, out)); };
  std::vector<Name> turned_values;
  for (const Name values : sorted.values) turned_values.push_back(turned(values));
  const Name turned_starts = flags(turned(sorted.keys));
  const std::vector<Name> from_right =
      segmented_scan(e.width, turned_operator(session_, op.op), turned_starts, turned_values, out);
  for (const Name rest : inside(turned_starts, from_right)) sorted.after.push_back(turned(rest));
  sorted.ends = turned(turned_starts);
  return sorted;
}

// From cotangents of the reductions of segments to those of values.
void Reverse::sorted_backward(const Hist& e, const SortedValues& sorted,
                              const std::vector<Name>& bars, Emit& out) {
  const HistOp& op = e.ops[0];
  const size_t d = op.shape.size(), n = op.dests.size();
  std::vector<Name> inputs = sorted.whole;
  inputs.insert(inputs.end(), sorted.after.begin(), sorted.after.end());
  inputs.push_back(sorted.keys);
  inputs.push_back(sorted.ends);
  const NameMap<Adjoint> outer = std::exchange(adjoints_, {});
  const std::vector<Name> seeds = out.map(e.width, inputs, [&](Emit& in, const Emit::Rows& rows) {
    std::vector<Operand> given;
    for (const Name bar : bars) given.push_back(gather(bar, {rows[2 * n]}, {sorted.bins}, in));
    return pull_back_unless(rows[2 * n + 1], op.op, given, in, [&](Emit&) {
      return std::vector<Operand>(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(2 * n));
    });
  });
  adjoints_ = outer;
  fold_rows(e.width, op.op, sorted.before, sorted.values, seeds, out);
  for (size_t k = 0; k < n; ++k) {
    const auto bar = find(sorted.values[k]);
    if (!bar) continue;
    const Type type = session_.type_of(e.inputs[d + k]);
    const Name blank = out.let1(type, Scratch{type.elem, type.shape}, "blank");
    add(e.inputs[d + k],
        scatter_to(blank, e.width, e.width, sorted.order, std::get<Name>(*bar), out), out,
        Own::kYes);
  }
}

}  // namespace skald::passes::ad
