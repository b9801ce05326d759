// SPDX-License-Identifier: Apache-2.0
// Walking over the core IR, written once over the nodes' field lists.
//
//   as<Soac>(exp)                  one node kind, or null
//   visit(exp, f)                  f(node) for whatever node it is
//   for_each_operand(exp, f)       every operand and name that the expression itself uses: its
//   fields, slices,
//                                  types of parameters and results; not what is inside its bodies
//   for_each_body(exp, f)          the bodies directly inside (of lambdas, branches, loops)
//   for_each_param(exp, f)         the parameters bound by the expression (lambdas, loops)
//   map_operands(exp, f)           replaces every operand that for_each_operand would show, in
//   place
//
// A field that is a `Name` is a use, except Param::name and Ret::name, which bind.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/exp.h"
#include "core/program.h"

namespace skald::core {

template <class Node>
const Node* as(const Exp& exp) {
  return std::get_if<Node>(&exp);
}
template <class Node>
Node* as(Exp& exp) {
  return std::get_if<Node>(&exp);
}

// A switch, not std::visit: std::visit costs about three times as much build time per use.
template <class E, class F>
decltype(auto) visit(E& exp, F&& f) {
  enum Kind : size_t {
#define X(node) k##node,
    SKALD_CORE_NODES(X)
#undef X
        kCount
  };
  static_assert(std::variant_size_v<std::remove_const_t<E>> == kCount,
                "node list and variant differ");
  switch (exp.index()) {
#define X(node) \
  case k##node: return f(*std::get_if<node>(&exp));
    SKALD_CORE_NODES(X)
#undef X
    default: break;
  }
  return f(*std::get_if<Value>(&exp));
}

namespace detail {

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
concept HasFields = requires(T& t) { T::fields(t); };

// Walks everything reachable from a field without entering bodies.  `v` has operand(Operand&),
// name(Name&), param(Param&) (after its type), body(Body&).
template <class T, class V>
void walk_field(T& field, V& v) {
  using U = std::remove_const_t<T>;
  if constexpr (std::is_same_v<U, Operand>) {
    v.operand(field);
  } else if constexpr (std::is_same_v<U, Name>) {
    if (field) v.name(field);
  } else if constexpr (std::is_same_v<U, Body>) {
    v.body(field);
  } else if constexpr (std::is_same_v<U, Param>) {
    walk_field(field.type, v);
    walk_field(field.mem, v);
    if (field.name) v.param(field);
  } else if constexpr (std::is_same_v<U, Ret>) {
    walk_field(field.type, v);
  } else if constexpr (std::is_same_v<U, MessagePart>) {
    if (auto* operand = std::get_if<Operand>(&field)) v.operand(*operand);
  } else if constexpr (is_vector<U>) {
    for (auto& element : field) walk_field(element, v);
  } else if constexpr (HasFields<U>) {
    std::apply([&](auto&... inner) { (walk_field(inner, v), ...); }, U::fields(field));
  }
}

}  // namespace detail

// Calls the members of `v` (see detail::walk_field) on the expression's fields.
template <class E, class V>
void walk(E& exp, V& v) {
  visit(exp, [&](auto& node) {
    std::apply([&](auto&... field) { (detail::walk_field(field, v), ...); },
               std::remove_const_t<std::remove_reference_t<decltype(node)>>::fields(node));
  });
}

// Names bound by Ret inside `exp` (unusual) are also shown as uses if a later result type mentions
// them.
template <class E, class F>
void for_each_operand(E& exp, F&& use) {
  struct V {
    F& use;
    void operand(const Operand& o) { use(o); }
    void name(Name n) { use(Operand{n}); }
    void param(const Param&) {}
    void body(const Body&) {}
  } v{use};
  walk(exp, v);
}

template <class E, class F>
void for_each_body(E& exp, F&& f) {
  using B = std::conditional_t<std::is_const_v<E>, const Body, Body>;
  struct V {
    F& f;
    void operand(const Operand&) {}
    void name(const Name&) {}
    void param(const Param&) {}
    void body(B& b) { f(b); }
  } v{f};
  walk(exp, v);
}

template <class E, class F>
void for_each_param(E& exp, F&& f) {
  using P = std::conditional_t<std::is_const_v<E>, const Param, Param>;
  struct V {
    F& f;
    void operand(const Operand&) {}
    void name(const Name&) {}
    void param(P& p) { f(p); }
    void body(const Body&) {}
  } v{f};
  walk(exp, v);
}

// `f` maps an Operand to an Operand; for a field that must be a name its answer must be a name.
template <class F>
void map_operands(Exp& exp, F&& f) {
  struct V {
    F& f;
    void operand(Operand& o) { o = f(o); }
    void name(Name& n) { n = std::get<Name>(f(Operand{n})); }
    void param(Param&) {}
    void body(Body&) {}
  } v{f};
  walk(exp, v);
}

}  // namespace skald::core
