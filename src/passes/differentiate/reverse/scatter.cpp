// SPDX-License-Identifier: Apache-2.0
// Scatter in reverse mode.
//
//   ys = scatter xs is vs:   v̄s[j] += ȳs[is[j]],   x̄s += scatter ȳs is 0
//
// Writes out of bounds give nothing.  Of several writes to one place each gets the cotangent of the
// place, because nobody knows which one survived; values that differ there have no derivative.
#include "core/ir/visit.h"
#include "passes/differentiate/reverse/reverse.h"

namespace skald::passes::ad {

void Reverse::scatter(Stmt& stmt, Scatter& e, Emit& out) {
  const Name y = stmt.pat[0].name;
  const Type type = stmt.pat[0].type;
  const Name bar = std::get<Name>(*find(y));
  const bool owned = owns(y);
  const std::vector<Operand> shape = e.dests[0].shape;
  const size_t d = shape.size();
  const std::vector<Name> places(e.inputs.begin(), e.inputs.begin() + static_cast<ptrdiff_t>(d));
  if (active(e.inputs[d])) {
    const Name got = out.map(e.width, places, [&](Emit& in, const Emit::Rows& rows) {
      const std::vector<Operand> at(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(d));
      return Emit::Rows{gather(bar, at, shape, in)};
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
