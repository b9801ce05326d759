// SPDX-License-Identifier: Apache-2.0
#include "core/text/scalar_operator.h"

#include "core/ir/ops.h"

namespace skald::core::text {

std::pair<std::string_view, std::optional<Prim>> split_type(std::string_view word) {
  const size_t underscore = word.rfind('_');
  if (underscore == std::string_view::npos) return {word, std::nullopt};
  return {word.substr(0, underscore), prim_from_name(word.substr(underscore + 1))};
}

std::optional<ScalarOperator> ScalarOperator::find(std::string_view word) {
  const auto [name, type] = split_type(word);
  if (!type) return std::nullopt;
  if (const auto op = binop_from_mnemonic(name)) return ScalarOperator(*op, *type);
  if (const auto op = unop_from_mnemonic(name)) return ScalarOperator(*op, *type);
  if (const auto op = cmpop_from_mnemonic(name)) return ScalarOperator(*op, *type);
  if (const auto op = ternop_from_mnemonic(name)) return ScalarOperator(*op, *type);
  return std::nullopt;
}

size_t ScalarOperator::arity() const {
  if (std::holds_alternative<UnOpKind>(kind_)) return 1;
  return std::holds_alternative<TernOpKind>(kind_) ? 3 : 2;
}

}  // namespace skald::core::text
