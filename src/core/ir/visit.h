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
//   statement_count(body)          how many statements there are at all depths
//
// A field that is a `Name` is a use, except Param::name and Ret::name, which bind.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/ir/exp.h"
#include "core/ir/program.h"

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

}  // namespace detail

// Sees what an expression holds, without entering bodies.  A parameter is shown after the operands
// of its type.
class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
  virtual void operand(Operand&) {}
  virtual void name(Name&) {}
  virtual void param(Param&) {}
  virtual void body(Body&) {}
};

// In visit.cpp, not a template: 35 kinds of nodes for every caller would cost minutes of build
// time.
void walk(Exp& exp, FieldVisitor& v);

// Names bound by Ret inside `exp` (unusual) are also shown as uses if a later result type mentions
// them.
template <class E, class F>
void for_each_operand(E& exp, F&& use) {
  struct V : FieldVisitor {
    explicit V(F& f) : use(f) {}
    F& use;
    void operand(Operand& o) override { use(std::as_const(o)); }
    void name(Name& n) override { use(Operand{n}); }
  } v(use);
  // Nothing is changed: the visitor shows constants only.
  walk(const_cast<Exp&>(exp), v);
}

template <class E, class F>
void for_each_body(E& exp, F&& f) {
  using B = std::conditional_t<std::is_const_v<E>, const Body, Body>;
  struct V : FieldVisitor {
    explicit V(F& g) : f(g) {}
    F& f;
    void body(Body& b) override { f(static_cast<B&>(b)); }
  } v(f);
  walk(const_cast<Exp&>(exp), v);
}

template <class E, class F>
void for_each_param(E& exp, F&& f) {
  using P = std::conditional_t<std::is_const_v<E>, const Param, Param>;
  struct V : FieldVisitor {
    explicit V(F& g) : f(g) {}
    F& f;
    void param(Param& p) override { f(static_cast<P&>(p)); }
  } v(f);
  walk(const_cast<Exp&>(exp), v);
}

// `f` maps an Operand to an Operand; for a field that must be a name its answer must be a name.
template <class F>
void map_operands(Exp& exp, F&& f) {
  struct V : FieldVisitor {
    explicit V(F& g) : f(g) {}
    F& f;
    void operand(Operand& o) override { o = f(std::as_const(o)); }
    void name(Name& n) override { n = std::get<Name>(f(Operand{n})); }
  } v(f);
  walk(exp, v);
}

// A value, or an operator on scalars: neither reads arrays nor can fail.
bool is_scalar_operator(const Exp& exp);

// The number of statements at all depths.
size_t statement_count(const Body& body);
size_t statement_count(const Stmt& stmt);

}  // namespace skald::core
