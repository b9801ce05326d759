// SPDX-License-Identifier: Apache-2.0
// A map joins a flatmap.
//
//   before   let {ys} = map(n, {xs}, f)    let {m, …} = flatmap(n, d, {ys}, g)
//   after    let {m, …} = flatmap(n, d, {xs}, f g)
#include "passes/fusion/composer.h"

namespace skald::passes::fusion {

using namespace core;

void Composer::add(Stmt& stmt, FlatMap flat, std::optional<Guard> guard) {
  std::vector<Ret> results = flat.fn.results;
  Applied applied = apply(std::move(flat.fn), flat.inputs, guard);
  flat.fn = Lambda{};
  flat.fn.results = std::move(results);
  flat.fn.body.result = std::move(applied.results);
  flatmap_ = std::move(flat);
  flatmap_pat_ = std::move(stmt.pat);
}

}  // namespace skald::passes::fusion
