// SPDX-License-Identifier: Apache-2.0
// Conversions.
//
//   convert-back   i64 → i32 after i32 → i64 is nothing;  i8 → i32 → i64 is i8 → i64
//   bitcast-back   a bitcast there and back is nothing
#include "core/ir/visit.h"
#include "passes/simplify/rules.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

std::optional<Rewrite> convert_back(const Stmt& stmt, Env& env) {
  const Convert& e = *as<Convert>(stmt.exp);
  const Convert* inner = env.definition_as<Convert>(e.arg);
  if (inner == nullptr || !is_int(e.to) || !is_int(e.from) || !is_int(inner->from) ||
      inner->to != e.from)
    return std::nullopt;
  // The inner one keeps the value.
  const bool widens = prim_size(inner->from) < prim_size(inner->to);
  if (!widens || is_signed_int(inner->from) != is_signed_int(inner->to)) return std::nullopt;
  if (inner->from == e.to) return equals(inner->arg);
  if (prim_size(e.to) > prim_size(e.from) && is_signed_int(e.from) == is_signed_int(e.to))
    return becomes(Convert{inner->from, e.to, inner->arg});
  return std::nullopt;
}

std::optional<Rewrite> bitcast_back(const Stmt& stmt, Env& env) {
  const Bitcast& e = *as<Bitcast>(stmt.exp);
  const Bitcast* inner = env.definition_as<Bitcast>(e.arg);
  if (inner == nullptr || inner->from != e.to || inner->to != e.from) return std::nullopt;
  return equals(inner->arg);
}

}  // namespace

Rules convert_rules() {
  return {
      {"convert-back", node_index<Convert>(), convert_back},
      {"bitcast-back", node_index<Bitcast>(), bitcast_back},
  };
}

}  // namespace skald::passes::simplify_rules
