// SPDX-License-Identifier: Apache-2.0
// A partition joins (rules 3 and 4): after maps, after another partition, before whatever reads the
// rows of one of its classes.
//
//   before   let {m, ys} = partition(n, 1, {xs}, \{x} -> p in {c, x})
//            let {k, zs} = partition(m, 1, {ys}, \{y} -> q in {d, y})
//
//   after    let {k, zs} = partition(n, 1, {xs}, \{x} -> p q
//              let {keep} = eq(c, 0)
//              let {class} = select(keep, d, -1)
//              in {class, x})
#include "passes/fusion/composer.h"

namespace skald::passes::fusion {

using namespace core;

void Composer::add(Stmt& stmt, Partition part, std::optional<Guard> guard) {
  std::vector<Ret> results = part.fn.results;
  Applied applied =
      apply(std::move(part.fn), part.inputs, guard, [&](size_t k) -> std::optional<Operand> {
        if (k == 0) return Operand{const_i64(-1)};
        return std::nullopt;
      });
  PartitionPart made;
  made.classes = part.classes;
  made.cls = applied.results[0];
  const auto classes = static_cast<size_t>(part.classes);
  const size_t values = results.size() - 1;
  for (size_t k = 0; k < values; ++k) {
    made.values.push_back(applied.results[1 + k]);
    made.types.push_back(results[1 + k].type);
    for (size_t c = 0; c < classes; ++c)
      values_[stmt.pat[classes + c * values + k].name] = {applied.results[1 + k],
                                                          results[1 + k].type, Phase::kPre};
  }
  made.pat = std::move(stmt.pat);
  partitions_.push_back(std::move(made));
}

}  // namespace skald::passes::fusion
