// SPDX-License-Identifier: Apache-2.0
#include "core/edit/plain.h"

#include "core/ir/visit.h"
#include "support/bug.h"

namespace skald::core {

bool holds_code(const Exp& exp) {
  return visit(exp, [](const auto& node) {
    return !std::is_copy_constructible_v<std::decay_t<decltype(node)>>;
  });
}

Exp plain_copy(const Exp& exp) {
  return visit(exp, [](const auto& node) -> Exp {
    if constexpr (std::is_copy_constructible_v<std::decay_t<decltype(node)>>)
      return node;
    else
      SKALD_BUG("a copy of code needs new names");
  });
}

}  // namespace skald::core
