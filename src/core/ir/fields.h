// SPDX-License-Identifier: Apache-2.0
// Whole pieces of code, seen through the nodes' field lists.  visit.h walks over one expression
// without entering bodies; this header goes all the way down and also does two pieces side by side.
// It is what substitution, copying, free names, equality and hashing are written with.
#pragma once

#include "core/ir/visit.h"

namespace skald::core::detail {

// Shows `v` every name in `code`, in order: v.bind(Name&) where one is bound, v.use(Operand&) and
// v.use(Name&) where one is used.  "No name" is left out, except inside an operand.
template <class T, class V>
void walk_deep(T& code, V& v) {
  using U = std::remove_const_t<T>;
  if constexpr (std::is_same_v<U, Operand>) {
    v.use(code);
  } else if constexpr (std::is_same_v<U, Name>) {
    if (code) v.use(code);
  } else if constexpr (std::is_same_v<U, Exp>) {
    visit(code, [&](auto& node) { walk_deep(node, v); });
  } else if constexpr (std::is_same_v<U, MessagePart>) {
    if (auto* operand = std::get_if<Operand>(&code)) v.use(*operand);
  } else if constexpr (std::is_same_v<U, Param>) {
    if (code.name) v.bind(code.name);
    walk_deep(code.type, v);
    walk_deep(code.mem, v);
  } else if constexpr (std::is_same_v<U, Ret>) {
    if (code.name) v.bind(code.name);
    walk_deep(code.type, v);
  } else if constexpr (is_vector<U>) {
    for (auto& element : code) walk_deep(element, v);
  } else if constexpr (HasFields<U>) {
    std::apply([&](auto&... field) { (walk_deep(field, v), ...); }, U::fields(code));
  }
}

// Goes through two pieces of the same kind at once.  `v` has name(Name, Name) → bool for names,
// bound or used (both may be 0); everything else is compared by ==, except that places are
// ignored.  Stops at the first difference and answers false.
template <class T, class V>
bool match_deep(const T& a, const T& b, V& v) {
  if constexpr (std::is_same_v<T, Name>) {
    return v.name(a, b);
  } else if constexpr (std::is_same_v<T, Operand> || std::is_same_v<T, MessagePart>) {
    if (a.index() != b.index()) return false;
    return a.index() == 0 ? match_deep(std::get<0>(a), std::get<0>(b), v)
                          : match_deep(std::get<1>(a), std::get<1>(b), v);
  } else if constexpr (std::is_same_v<T, Exp>) {
    if (a.index() != b.index()) return false;
    return visit(a, [&](auto& node) {
      using Node = std::remove_cvref_t<decltype(node)>;
      return match_deep(node, *std::get_if<Node>(&b), v);
    });
  } else if constexpr (std::is_same_v<T, Loc>) {
    return true;
  } else if constexpr (is_vector<T>) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (!match_deep(a[i], b[i], v)) return false;
    return true;
  } else if constexpr (HasFields<T>) {
    auto fields_a = T::fields(a);
    auto fields_b = T::fields(b);
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return (match_deep(std::get<I>(fields_a), std::get<I>(fields_b), v) && ...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(fields_a)>>());
  } else {
    return a == b;
  }
}

// A deep copy of `in`, with v.name(Name) → Name for binders and names that must stay names, and
// v.operand(Name) → Operand for other uses.
template <class T, class V>
T clone_deep(const T& in, V& v) {
  if constexpr (std::is_same_v<T, Name>) {
    return in ? v.name(in) : in;
  } else if constexpr (std::is_same_v<T, Operand>) {
    const Name* name = as_name(in);
    return name && *name ? v.operand(*name) : in;
  } else if constexpr (std::is_same_v<T, MessagePart>) {
    if (const auto* operand = std::get_if<Operand>(&in)) return clone_deep(*operand, v);
    return in;
  } else if constexpr (std::is_same_v<T, Exp>) {
    return visit(in, [&](auto& node) -> Exp { return clone_deep(node, v); });
  } else if constexpr (is_vector<T>) {
    T out;
    out.reserve(in.size());
    for (const auto& element : in) out.push_back(clone_deep(element, v));
    return out;
  } else if constexpr (HasFields<T>) {
    T out{};
    auto fields_in = T::fields(in);
    auto fields_out = T::fields(out);
    [&]<size_t... I>(std::index_sequence<I...>) {
      ((std::get<I>(fields_out) = clone_deep(std::get<I>(fields_in), v)), ...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(fields_in)>>());
    return out;
  } else {
    return in;
  }
}

}  // namespace skald::core::detail
