// SPDX-License-Identifier: Apache-2.0
// Operators on scalars as they are written in the text of core and imp: add_i32(a, b).
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "core/ir/exp.h"

namespace skald::core::text {

// add_i32 → add, i32; no type if the word does not end in one.
std::pair<std::string_view, std::optional<Prim>> split_type(std::string_view word);

class ScalarOperator {
 public:
  // The one that is written so; none if there is none.
  static std::optional<ScalarOperator> find(std::string_view word);

  size_t arity() const;
  // With as many operands as it takes.  `E` is the expressions of core or of imp.
  template <class E>
  E applied_to(std::span<const Operand> args) const {
    if (const auto* op = std::get_if<UnOpKind>(&kind_)) return UnOp{*op, type_, args[0]};
    if (const auto* op = std::get_if<BinOpKind>(&kind_)) return BinOp{*op, type_, args[0], args[1]};
    if (const auto* op = std::get_if<CmpOpKind>(&kind_)) return CmpOp{*op, type_, args[0], args[1]};
    return TernOp{std::get<TernOpKind>(kind_), type_, args[0], args[1], args[2]};
  }

 private:
  using Kind = std::variant<UnOpKind, BinOpKind, CmpOpKind, TernOpKind>;
  ScalarOperator(Kind kind, Prim type) : kind_(kind), type_(type) {}

  Kind kind_;
  Prim type_;
};

}  // namespace skald::core::text
