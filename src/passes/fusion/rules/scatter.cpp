// SPDX-License-Identifier: Apache-2.0
// A scatter joins: after maps, after filters, beside other scatters.
//
//   before   let {ys} = map(n, {xs}, f)    let {r} = scatter(n, {is, ys}, to [k] d, g)
//   after    let {r} = scatter(n, {is, xs}, to [k] d, f g)
//
//   before   let {r} = scatter(n, {is, xs}, to [k] d, f)    let {s} = scatter(n, {is, xs}, to [l]
//   e, g) after    let {r, s} = scatter(n, {is, xs}, to [k] d, to [l] e, f g)
//
// Rows that a filter dropped get the index -1, which is out of bounds and so ignored.
#include "passes/fusion/composer.h"

namespace skald::passes::fusion {

using namespace core;

void Composer::add(Stmt& stmt, Scatter scatter, std::optional<Guard> guard) {
  std::vector<Ret> results = scatter.fn.results;
  size_t indices = 0;
  for (const ScatterDest& dest : scatter.dests) indices += dest.shape.size();
  Applied applied =
      apply(std::move(scatter.fn), scatter.inputs, guard, [&](size_t k) -> std::optional<Operand> {
        if (k < indices) return Operand{const_i64(-1)};
        return std::nullopt;
      });
  size_t index_at = 0, value_at = indices, pat_at = 0;
  for (ScatterDest& dest : scatter.dests) {
    ScatterPart part;
    for (size_t k = 0; k < dest.shape.size(); ++k)
      part.indices.push_back(applied.results[index_at++]);
    part.type = results[value_at].type;
    part.value = applied.results[value_at++];
    part.param = std::move(stmt.pat[pat_at++]);
    part.dest = std::move(dest);
    scatters_.push_back(std::move(part));
  }
}

}  // namespace skald::passes::fusion
