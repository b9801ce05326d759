// SPDX-License-Identifier: Apache-2.0
// Walking over imp, written once over the nodes' field lists.
//
//   as<For>(stmt)             one node kind, or null
//   visit(node, f)            f(node) for whatever node it is
//   for_each_use(stmt, f)     every operand and name the statement itself uses (not in its bodies)
//   for_each_body(stmt, f)    the bodies directly inside
//   for_each_binder(stmt, f)  the names it binds, with their types: what follows in the same body
//                             sees (`outer`), or what its own body sees (`inner`)
#pragma once

#include <type_traits>

#include "core/ir/visit.h"
#include "imp/ir/imp.h"

namespace skald::imp {

template <class N>
const N* as(const Stmt& stmt) {
  return std::get_if<N>(&stmt.node);
}
template <class N>
N* as(Stmt& stmt) {
  return std::get_if<N>(&stmt.node);
}

template <class V, class F>
decltype(auto) visit(V& node, F&& f) {
  enum Kind : size_t {
#define X(n) k##n,
    SKALD_IMP_NODES(X)
#undef X
        kCount
  };
  static_assert(std::variant_size_v<std::remove_const_t<V>> == kCount, "list and variant differ");
  switch (node.index()) {
#define X(n) \
  case k##n: return f(*std::get_if<n>(&node));
    SKALD_IMP_NODES(X)
#undef X
    default: break;
  }
  return f(*std::get_if<Let>(&node));
}

template <class E, class F>
decltype(auto) visit_exp(E& exp, F&& f) {
  static_assert(std::variant_size_v<std::remove_const_t<E>> == 8);
  switch (exp.index()) {
    case 0: return f(*std::get_if<0>(&exp));
    case 1: return f(*std::get_if<1>(&exp));
    case 2: return f(*std::get_if<2>(&exp));
    case 3: return f(*std::get_if<3>(&exp));
    case 4: return f(*std::get_if<4>(&exp));
    case 5: return f(*std::get_if<5>(&exp));
    case 6: return f(*std::get_if<6>(&exp));
    default: return f(*std::get_if<7>(&exp));
  }
}

namespace detail {

// Shows operands; fields of type Name are handled by the caller, since some bind.
template <class T, class F>
void operands_of(T& field, F& use) {
  using U = std::remove_const_t<T>;
  if constexpr (std::is_same_v<U, Operand>) {
    use(field);
  } else if constexpr (std::is_same_v<U, MessagePart>) {
    if (auto* operand = std::get_if<Operand>(&field)) use(*operand);
  } else if constexpr (std::is_same_v<U, Exp>) {
    visit_exp(field, [&](auto& e) {
      std::apply([&](auto&... inner) { (operands_of(inner, use), ...); },
                 std::remove_cvref_t<decltype(e)>::fields(e));
    });
  } else if constexpr (core::detail::is_vector<U> && !std::is_same_v<U, std::vector<Decl>>) {
    for (auto& element : field) operands_of(element, use);
  }
}

}  // namespace detail

// `use` gets a const Operand&, also for blocks.
template <class F>
void for_each_use(const Stmt& stmt, F&& use) {
  visit(stmt.node, [&](const auto& n) {
    using N = std::remove_cvref_t<decltype(n)>;
    std::apply([&](const auto&... field) { (detail::operands_of(field, use), ...); }, N::fields(n));
    if constexpr (requires { n.block; }) use(Operand{n.block});
    if constexpr (std::is_same_v<N, CopyBytes> || std::is_same_v<N, TransposeBlock> ||
                  std::is_same_v<N, ScanBlock> || std::is_same_v<N, ScanRows>) {
      use(Operand{n.dest});
      use(Operand{n.src});
    }
    if constexpr (std::is_same_v<N, MatrixSum>) {
      use(Operand{n.c});
      use(Operand{n.a});
      use(Operand{n.b});
    }
    if constexpr (std::is_same_v<N, Collect>) {
      use(Operand{n.next});
      for (const Collected& each : n.members) {
        use(Operand{each.block});
        use(each.value);
      }
    }
    if constexpr (std::is_same_v<N, BlockVar>) {
      if (n.init) use(Operand{n.init});
    }
    if constexpr (std::is_same_v<N, BlockAssign>) {
      use(Operand{n.var});
      use(Operand{n.value});
    }
    if constexpr (std::is_same_v<N, Assign>) use(Operand{n.var});
    if constexpr (std::is_same_v<N, ScanBlock>) use(Operand{n.carry});
    if constexpr (std::is_same_v<N, Locked>)
      for (const Meeting& each : n.meetings) use(Operand{each.own});
  });
}

// `f` gets a Body& (const or not, as the statement is).
template <class S, class F>
void for_each_body(S& stmt, F&& f) {
  visit(stmt.node, [&](auto& n) {
    if constexpr (requires { n.body; }) f(n.body);
    if constexpr (requires { n.then_body; }) {
      f(n.then_body);
      f(n.else_body);
    }
    if constexpr (requires { n.meet_body; }) f(n.meet_body);
  });
}

// May it stand between calls that run side by side (Call::beside)?
inline bool prepares_call(const Stmt& stmt) {
  if (const auto* alloc = as<Alloc>(stmt)) return alloc->space == Space::kHeap;
  const auto* range = as<ParallelRange>(stmt);
  if (range == nullptr) return as<CopyBytes>(stmt) != nullptr;
  for (const Stmt& inner : range->body.stmts)
    if (as<Let>(inner) == nullptr && as<CopyBytes>(inner) == nullptr) return false;
  return true;
}

enum class BinderScope { kOuter, kInner };

// f(Name, Type, BinderScope)
template <class F>
void for_each_binder(const Stmt& stmt, F&& f) {
  constexpr auto kOuter = BinderScope::kOuter, kInner = BinderScope::kInner;
  const Type i64 = scalar(Prim::kI64);
  visit(stmt.node, [&](const auto& n) {
    using N = std::remove_cvref_t<decltype(n)>;
    if constexpr (std::is_same_v<N, Let> || std::is_same_v<N, Var> || std::is_same_v<N, Load> ||
                  std::is_same_v<N, Earlier> || std::is_same_v<N, FetchAdd> ||
                  std::is_same_v<N, Shuffle>) {
      f(n.name, scalar(n.type), kOuter);
    } else if constexpr (std::is_same_v<N, Alloc> || std::is_same_v<N, BlockVar>) {
      f(n.name, block(n.space), kOuter);
    } else if constexpr (std::is_same_v<N, Call>) {
      for (const Decl& d : n.results) f(d.name, d.type, kOuter);
    } else if constexpr (std::is_same_v<N, ChunkSize> || std::is_same_v<N, Workers> ||
                         std::is_same_v<N, Tunable> || std::is_same_v<N, Misaligned>) {
      f(n.name, i64, kOuter);
    } else if constexpr (std::is_same_v<N, QuickQuotient>) {
      f(n.name, scalar(Prim::kF64), kOuter);
      if (n.usual) f(n.usual, scalar(Prim::kBool), kOuter);
    } else if constexpr (std::is_same_v<N, Ballot>) {
      f(n.name, scalar(Prim::kU32), kOuter);
    } else if constexpr (std::is_same_v<N, MyTurn>) {
      f(n.name, scalar(Prim::kBool), kOuter);
    } else if constexpr (std::is_same_v<N, For>) {
      f(n.var, scalar(n.type), kInner);
    } else if constexpr (std::is_same_v<N, ParallelFor>) {
      f(n.var, i64, kInner);
    } else if constexpr (std::is_same_v<N, ParallelRange>) {
      f(n.begin, i64, kInner);
      f(n.end, i64, kInner);
    } else if constexpr (std::is_same_v<N, ParallelChunks>) {
      f(n.begin, i64, kInner);
      f(n.end, i64, kInner);
      f(n.chunk, i64, kInner);
    } else if constexpr (std::is_same_v<N, Launch>) {
      f(n.group, i64, kInner);
      f(n.thread, i64, kInner);
    } else if constexpr (std::is_same_v<N, AtomicUpdate>) {
      f(n.old, scalar(n.type), kInner);
      if (n.given) f(n.given, scalar(n.type), kInner);
    } else if constexpr (std::is_same_v<N, Locked>) {
      for (auto& each : n.meetings) f(each.other, scalar(each.type), kInner);
    }
  });
}

}  // namespace skald::imp
