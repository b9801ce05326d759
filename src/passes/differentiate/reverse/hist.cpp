// SPDX-License-Identifier: Apache-2.0
// Histograms in reverse mode.
//
//   ys = hist xs ⊕ is vs:   ys[b] = xs[b] ⊕ (all vs[j] with is[j] = b)
//
// +          v̄s[j] = ȳs[is[j]],  x̄s = ȳs.
// *          ȳs[b] times the product of the others, from the products without zeros and the numbers
//            of zeros of all bins.
// min, max   ȳs[b] goes to the first that is the minimum or maximum: a histogram of pairs of values
//            and numbers finds it; xs[b] has number -1.
// others     sorted_hist.cpp
//
// Values out of bounds give nothing.
#include "core/ir/visit.h"
#include "passes/differentiate/reverse/gather.h"
#include "passes/differentiate/reverse/operators.h"
#include "passes/differentiate/reverse/reverse.h"

namespace skald::passes::ad {

namespace {

// A histogram with two destinations of numbers; `values` are arrays of `width` numbers.
std::vector<Name> pair_histogram(const Operand& width, const std::vector<Name>& places,
                                 const std::vector<Name>& values, const std::vector<Operand>& shape,
                                 const std::vector<Name>& dests, Operator op, Emit& out) {
  Session& session = out.session();
  Hist node;
  node.width = width;
  node.inputs = places;
  node.inputs.insert(node.inputs.end(), values.begin(), values.end());
  for (const Name input : node.inputs) {
    const Type type = row_type(session.type_of(input));
    node.fn.params.push_back({.name = out.fresh("x"), .type = type});
    node.fn.results.push_back({.type = type});
    node.fn.body.result.emplace_back(node.fn.params.back().name);
  }
  session.learn(node.fn.params);
  std::vector<Type> types;
  for (const Name dest : dests) types.push_back(session.type_of(dest));
  node.ops.push_back({shape, dests, std::move(op)});
  return out.let(types, std::move(node), "bins");
}

Emit::Rows places_of(const Emit::Rows& rows, size_t d) {
  return {rows.begin(), rows.begin() + static_cast<ptrdiff_t>(d)};
}

}  // namespace

void Reverse::hist(Stmt& stmt, Hist& e, Emit& out) {
  const HistOp& op = e.ops[0];
  if (!is_addition(op.op.fn)) {
    const auto simple = simple_operator(op.op);
    if (simple == BinOpKind::kMul && is_float(stmt.pat[0].type.elem))
      return hist_of_products(stmt, e, out);
    if (simple == BinOpKind::kMin || simple == BinOpKind::kMax)
      return hist_of_extremes(stmt, e, *simple, out);
    return sorted_hist(stmt, e, out);
  }
  const std::vector<Operand> shape = op.shape;
  const size_t d = shape.size();
  const std::vector<Name> places(e.inputs.begin(), e.inputs.begin() + static_cast<ptrdiff_t>(d));
  for (size_t k = 0; k < op.dests.size(); ++k) {
    const auto bar = find(stmt.pat[k].name);
    if (!bar) continue;
    if (active(e.inputs[d + k])) {
      const Name got = out.map(e.width, places, [&](Emit& in, const Emit::Rows& rows) {
        return Emit::Rows{gather(std::get<Name>(*bar), places_of(rows, d), shape, in)};
      })[0];
      add(e.inputs[d + k], got, out, Own::kYes);
    }
    add(op.dests[k], *bar, out);
  }
}

void Reverse::hist_of_products(Stmt& stmt, Hist& e, Emit& out) {
  const HistOp& op = e.ops[0];
  const std::vector<Operand>& shape = op.shape;
  const size_t d = shape.size();
  const Type type = stmt.pat[0].type;
  const Prim prim = type.elem;
  const Type counts = array_of(shape, scalar_type(Prim::kI64));
  const std::vector<Name> places(e.inputs.begin(), e.inputs.begin() + static_cast<ptrdiff_t>(d));
  const Name bar = std::get<Name>(*find(stmt.pat[0].name)), values = e.inputs[d];
  const std::vector<Name> parts = out.map(e.width, {values}, [&](Emit& in, const Emit::Rows& rows) {
    const ProductPart part = product_part(rows[0], prim, in);
    return Emit::Rows{part.nonzero, part.zeros};
  });
  const Name ones = out.let1(type, Replicate{shape, const_float(prim, 1)}, "ones");
  const Name none = out.let1(counts, Replicate{shape, const_i64(0)}, "none");
  const std::vector<Name> written = pair_histogram(e.width, places, parts, shape, {ones, none},
                                                   product_operator(session_, prim), out);
  // With the destinations, which are factors too.  Bins of several dimensions in one row.
  const Operand count = out.product(shape);
  const auto flat = [&](Name array) {
    const Type flat_type = array_of(count, scalar_type(session_.type_of(array).elem));
    return out.let1(flat_type, Reshape{array, {count}}, "flat");
  };
  const std::vector<Name> bins = {flat(written[0]), flat(written[1]), flat(op.dests[0]), flat(bar)};
  const std::vector<Name> all = out.map(count, bins, [&](Emit& in, const Emit::Rows& rows) {
    const ProductPart part = product_part(rows[2], prim, in);
    const Operand product = in.bin(BinOpKind::kMul, prim, rows[0], part.nonzero);
    const Operand zeros = in.bin(BinOpKind::kAdd, Prim::kI64, rows[1], part.zeros);
    const Operand slope = product_slope(part, product, zeros, prim, in);
    return Emit::Rows{product, zeros, in.mul(prim, slope, rows[3])};
  });
  const auto shaped = [&](Name array) {
    const Type shaped_type = array_of(shape, scalar_type(session_.type_of(array).elem));
    return out.let1(shaped_type, Reshape{array, shape}, "shaped");
  };
  const Name products = shaped(all[0]), zeros = shaped(all[1]);
  if (active(values)) {
    std::vector<Name> inputs = places;
    inputs.push_back(values);
    const Name made = out.map(e.width, inputs, [&](Emit& in, const Emit::Rows& rows) {
      const Emit::Rows at = places_of(rows, d);
      const ProductPart part = product_part(rows[d], prim, in);
      const Operand slope = product_slope(part, gather(products, at, shape, in),
                                          gather(zeros, at, shape, in), prim, in);
      return Emit::Rows{in.mul(prim, slope, gather(bar, at, shape, in))};
    })[0];
    add(values, made, out, Own::kYes);
  }
  add(op.dests[0], shaped(all[2]), out, Own::kYes);
}

void Reverse::hist_of_extremes(Stmt& stmt, Hist& e, BinOpKind kind, Emit& out) {
  const HistOp& op = e.ops[0];
  const std::vector<Operand>& shape = op.shape;
  const size_t d = shape.size();
  const Prim prim = stmt.pat[0].type.elem;
  const Type number = scalar_type(Prim::kI64);
  const std::vector<Name> places(e.inputs.begin(), e.inputs.begin() + static_cast<ptrdiff_t>(d));
  const Name bar = std::get<Name>(*find(stmt.pat[0].name)), values = e.inputs[d];
  const Name numbers = out.let1(array_of(e.width, number),
                                Iota{Prim::kI64, e.width, const_i64(0), const_i64(1)}, "numbers");
  const Name own = out.let1(array_of(shape, number), Replicate{shape, const_i64(-1)}, "own");
  const Name dest = out.let1(stmt.pat[0].type, Copy{op.dests[0]}, "kept");
  const Name winners = pair_histogram(e.width, places, {values, numbers}, shape, {dest, own},
                                      extreme_operator(session_, op.op, kind, prim), out)[1];
  if (active(values)) {
    const Name made = out.map(e.width, places, [&](Emit& in, const Emit::Rows& rows) {
      const Emit::Rows at = places_of(rows, d);
      const Operand inside = in_bounds(at, shape, in);
      const Operand wins =
          in.cmp(CmpOpKind::kEq, Prim::kI64, gather(winners, at, shape, in), rows[d]);
      const Operand found = gather(bar, at, shape, in);
      return Emit::Rows{in.select(in.both(inside, wins), found, Operand(Const{prim, 0}))};
    })[0];
    add(values, made, out, Own::kYes);
  }
  if (!active(op.dests[0])) return;
  const Operand count = out.product(shape);
  const Name flat_winners = out.let1(array_of(count, number), Reshape{winners, {count}}, "winners");
  const Name flat_bar = out.let1(array_of(count, scalar_type(prim)), Reshape{bar, {count}}, "bar");
  const Name kept = out.map(count, {flat_winners, flat_bar}, [&](Emit& in, const Emit::Rows& rows) {
    const Operand mine = in.cmp(CmpOpKind::kEq, Prim::kI64, rows[0], const_i64(-1));
    return Emit::Rows{in.select(mine, rows[1], Operand(Const{prim, 0}))};
  })[0];
  add(op.dests[0], out.let1(stmt.pat[0].type, Reshape{kept, shape}, "bar"), out, Own::kYes);
}

}  // namespace skald::passes::ad
