// SPDX-License-Identifier: Apache-2.0
#include "core/ir/visit.h"

namespace skald::core {

namespace {

template <class T>
void walk_field(T& field, FieldVisitor& v) {
  if constexpr (std::is_same_v<T, Operand>) {
    v.operand(field);
  } else if constexpr (std::is_same_v<T, Name>) {
    if (field) v.name(field);
  } else if constexpr (std::is_same_v<T, Body>) {
    v.body(field);
  } else if constexpr (std::is_same_v<T, Param>) {
    walk_field(field.type, v);
    walk_field(field.mem, v);
    if (field.name) v.param(field);
  } else if constexpr (std::is_same_v<T, Ret>) {
    walk_field(field.type, v);
  } else if constexpr (std::is_same_v<T, MessagePart>) {
    if (auto* operand = std::get_if<Operand>(&field)) v.operand(*operand);
  } else if constexpr (detail::is_vector<T>) {
    for (auto& element : field) walk_field(element, v);
  } else if constexpr (detail::HasFields<T>) {
    std::apply([&](auto&... inner) { (walk_field(inner, v), ...); }, T::fields(field));
  }
}

}  // namespace

void walk(Exp& exp, FieldVisitor& v) {
  visit(exp, [&](auto& node) { walk_field(node, v); });
}

bool is_scalar_operator(const Exp& exp) {
  return as<Value>(exp) != nullptr || as<UnOp>(exp) != nullptr || as<BinOp>(exp) != nullptr ||
         as<CmpOp>(exp) != nullptr || as<TernOp>(exp) != nullptr || as<Convert>(exp) != nullptr ||
         as<Bitcast>(exp) != nullptr || as<Select>(exp) != nullptr;
}

size_t statement_count(const Stmt& stmt) {
  size_t count = 1;
  for_each_body(stmt.exp, [&](const Body& inner) { count += statement_count(inner); });
  return count;
}

size_t statement_count(const Body& body) {
  size_t count = 0;
  for (const Stmt& stmt : body.stmts) count += statement_count(stmt);
  return count;
}

}  // namespace skald::core
