// SPDX-License-Identifier: Apache-2.0
// Scatter in reverse mode.
//
//   ys = scatter xs is vs:   v̄s[j] += ȳs[is[j]],   x̄s += scatter ȳs is 0
//
// Writes out of bounds give nothing.  Of several writes to one place one survives, and only that
// one gets the cotangent of the place: a scatter of the numbers of the writes says which.  (If the
// values differ, it is not known which one survived, and there is no derivative.)
#include "core/ir/visit.h"
#include "passes/differentiate/reverse/gather.h"
#include "passes/differentiate/reverse/reverse.h"

namespace skald::passes::ad {

namespace {

// For each place the number of a write to it that survives, or -1.
Name surviving_writes(const Operand& width, const std::vector<Name>& places,
                      const std::vector<Operand>& shape, Emit& out) {
  const Type number = scalar_type(Prim::kI64), type = array_of(shape, number);
  Scatter node;
  node.width = width;
  node.inputs = places;
  node.inputs.push_back(out.let1(array_of(width, number),
                                 Iota{Prim::kI64, width, const_i64(0), const_i64(1)}, "numbers"));
  for (size_t k = 0; k < node.inputs.size(); ++k) {
    const Name x = out.fresh("x");
    node.fn.params.push_back({.name = x, .type = number});
    node.fn.results.push_back({.type = number});
    node.fn.body.result.emplace_back(x);
  }
  out.session().learn(node.fn.params);
  node.dests.push_back({shape, out.let1(type, Replicate{shape, const_i64(-1)}, "none")});
  return out.let1(type, std::move(node), "winners");
}

// gather, but zero also for a write (by its number) that did not survive.
Operand gather_if_last(Name array, Name winners, const std::vector<Operand>& indices,
                       const std::vector<Operand>& shape, const Operand& number, Emit& out) {
  std::vector<Operand> at = indices;
  const Operand winner = gather(winners, indices, shape, out);
  // The others look where nothing is.
  const Operand wins = out.cmp(CmpOpKind::kEq, Prim::kI64, winner, number);
  at[0] = out.select(wins, at[0], const_i64(-1));
  return gather(array, at, shape, out);
}

}  // namespace

void Reverse::scatter(Stmt& stmt, Scatter& e, Emit& out) {
  const Name y = stmt.pat[0].name;
  const Type type = stmt.pat[0].type;
  const Name bar = std::get<Name>(*find(y));
  const bool owned = owns(y);
  const std::vector<Operand> shape = e.dests[0].shape;
  const size_t d = shape.size();
  const std::vector<Name> places(e.inputs.begin(), e.inputs.begin() + static_cast<ptrdiff_t>(d));
  if (active(e.inputs[d])) {
    const Name winners = surviving_writes(e.width, places, shape, out);
    const Name got = out.map(e.width, places, [&](Emit& in, const Emit::Rows& rows) {
      const std::vector<Operand> at(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(d));
      return Emit::Rows{gather_if_last(bar, winners, at, shape, rows[d], in)};
    })[0];
    add(e.inputs[d], got, out, Own::kYes);
  }
  if (!active(e.dests[0].dest)) return;
  Scatter blank;
  blank.width = e.width;
  blank.inputs = places;
  const Type row = row_type(type, static_cast<int>(d));
  for (size_t k = 0; k < d; ++k) {
    const Name at = out.fresh("i");
    blank.fn.params.push_back({.name = at, .type = scalar_type(Prim::kI64)});
    blank.fn.results.push_back({.type = scalar_type(Prim::kI64)});
    blank.fn.body.result.emplace_back(at);
  }
  session_.learn(blank.fn.params);
  blank.fn.results.push_back({.type = row});
  blank.fn.body.result.push_back(out.zero(row));
  blank.dests.push_back({shape, own_copy(bar, owned, out)});
  add(e.dests[0].dest, out.let1(type, std::move(blank), "bar", stmt.tokens), out, Own::kYes);
}

}  // namespace skald::passes::ad
