// SPDX-License-Identifier: Apache-2.0
// What a random program has at hand while it is made; private to this folder.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/edit/builder.h"
#include "core/random/random.h"
#include "core/random/random_program.h"

namespace skald::core::random {

struct Var {
  Name name;
  Type type;
  // Nothing else shares its memory, so it may be consumed.
  bool fresh;
};

// No body runs more often, no array has more elements, no body lies deeper in others.
inline constexpr int64_t kMaxWork = 2000;
inline constexpr int64_t kMaxElements = 4000;
inline constexpr int kMaxDepth = 4;

struct Scope {
  Random random;
  const RandomOptions options;
  Program prog = {};
  Builder* out = nullptr;
  std::vector<Var> vars = {};
  // Where the variables of the current body begin.
  size_t body_begin = 0;
  int depth = 0;
  // How many statements there may be yet.
  int budget = 0;
  // How often the current body runs at most.
  int64_t work = 1;
  // The largest values of sizes.
  std::unordered_map<Name, int64_t> bounds = {};

  Name bind(const Type& type, std::string_view base, bool fresh);
  // let {base : type} = exp; known from now on.
  Name let(Type type, Exp exp, std::string_view base, bool fresh = false,
           std::vector<Name> tokens = {});
  std::vector<Name> lets(std::vector<Param> pat, Exp exp, bool fresh = true);
  Param param(const Type& type, std::string_view base, bool fresh = false);
  Operand binop(BinOpKind op, Prim type, Operand lhs, Operand rhs, std::string_view base = "t");
  Operand cmpop(CmpOpKind op, Prim type, Operand lhs, Operand rhs);

  // Some array for which `wanted` holds.
  template <class F>
  const Var* find_array(F&& wanted);
  const Var* find_array() {
    return find_array([](const Var&) { return true; });
  }
  void not_fresh(Name name);
  // An array that may be consumed now and is forgotten: one at hand or a copy.
  std::optional<Var> consumable();
  Name copy_of(const Var& var);

  int64_t bound(const Operand& size) const;
  int64_t elements(const Type& type) const;
  bool affordable(const Operand& width) const { return work * bound(width) <= kMaxWork; }
  // What `fill` emits, with the results it gives.
  template <class F>
  Body body(F&& fill);
};

template <class F>
const Var* Scope::find_array(F&& wanted) {
  std::vector<const Var*> found;
  for (const Var& var : vars)
    if (var.type.is_array() && wanted(var)) found.push_back(&var);
  return found.empty() ? nullptr : random.pick(found);
}

template <class F>
Body Scope::body(F&& fill) {
  Builder builder(prog);
  builder.set_loc(out ? out->loc() : Loc{});
  Builder* outer = std::exchange(out, &builder);
  const size_t outer_begin = std::exchange(body_begin, vars.size());
  const size_t begin = body_begin;
  ++depth;
  std::vector<Operand> results = fill();
  --depth;
  vars.resize(begin, Var{});
  body_begin = outer_begin;
  out = outer;
  return builder.finish(std::move(results));
}

}  // namespace skald::core::random
