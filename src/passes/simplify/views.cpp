// SPDX-License-Identifier: Apache-2.0
// Views and copies of whole arrays.
//
//   reshape-same        reshape(xs) to the shape it has = xs
//   reshape-reshape     reshape(s, reshape(t, xs)) = reshape(s, xs)
//   rearrange-identity  rearrange((0, 1), xs) = xs;  two in a row are one
//   whole-slice         xs[0 for n] = xs, if n is its size
//   concat-one          concat(d, n, {xs}) is a copy of xs
//   concat-concat       concat(d, n, {concat(d, m, {xs, ys}), zs}) = concat(d, n, {xs, ys, zs}), if
//   the
//                       inner one has no other use and nobody changes its parts
//   copy-fresh          copy(xs) = xs, if xs was made in this block and nobody else uses it
#include <algorithm>

#include "core/ir/visit.h"
#include "passes/simplify/rules.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

std::optional<Rewrite> reshape_same(const Stmt& stmt, Env& env) {
  const Reshape& e = *as<Reshape>(stmt.exp);
  const Type* type = env.type(e.array);
  if (type == nullptr || type->shape != e.shape) return std::nullopt;
  return equals(e.array);
}

std::optional<Rewrite> reshape_reshape(const Stmt& stmt, Env& env) {
  const Reshape& e = *as<Reshape>(stmt.exp);
  const Reshape* inner = env.definition_as<Reshape>(e.array);
  if (inner == nullptr) return std::nullopt;
  Rewrite r = becomes(Reshape{inner->array, e.shape});
  r.tokens = env.tokens(e.array);
  return r;
}

std::optional<Rewrite> rearrange_identity(const Stmt& stmt, Env& env) {
  const Rearrange& e = *as<Rearrange>(stmt.exp);
  bool identity = true;
  for (size_t k = 0; k < e.perm.size(); ++k)
    identity = identity && e.perm[k] == static_cast<int>(k);
  if (identity) return equals(e.array);
  const Rearrange* inner = env.definition_as<Rearrange>(e.array);
  if (inner == nullptr || inner->perm.size() != e.perm.size()) return std::nullopt;
  std::vector<int> perm;
  for (const int k : e.perm) perm.push_back(inner->perm[static_cast<size_t>(k)]);
  Rewrite r = becomes(Rearrange{inner->array, std::move(perm)});
  r.tokens = env.tokens(e.array);
  return r;
}

std::optional<Rewrite> whole_slice(const Stmt& stmt, Env& env) {
  const Index& e = *as<Index>(stmt.exp);
  const Type* type = env.type(e.array);
  if (type == nullptr) return std::nullopt;
  for (size_t k = 0; k < e.slice.size(); ++k) {
    const DimSlice& dim = e.slice[k];
    if (dim.is_index || !(dim.start == Operand{const_i64(0)}) ||
        !(dim.stride == Operand{const_i64(1)}) || !(dim.count == type->shape[k]))
      return std::nullopt;
  }
  return equals(e.array);
}

std::optional<Rewrite> concat_one(const Stmt& stmt, Env& env) {
  const Concat& e = *as<Concat>(stmt.exp);
  const Type* type = e.arrays.size() == 1 ? env.type(e.arrays[0]) : nullptr;
  if (type == nullptr || type->shape != stmt.pat[0].type.shape) return std::nullopt;
  return becomes(Copy{e.arrays[0]});
}

std::optional<Rewrite> concat_concat(const Stmt& stmt, Env& env) {
  const Concat& e = *as<Concat>(stmt.exp);
  std::vector<Name> arrays;
  std::vector<Name> tokens;
  for (const Name array : e.arrays) {
    const Concat* inner = env.definition_as<Concat>(array);
    const bool merge = inner != nullptr && inner->dim == e.dim && env.uses(array) == 1 &&
                       env.block_of(array) == env.block() &&
                       std::all_of(inner->arrays.begin(), inner->arrays.end(),
                                   [&](Name part) { return env.is_unchanging(part); });
    if (!merge) {
      arrays.push_back(array);
      continue;
    }
    arrays.insert(arrays.end(), inner->arrays.begin(), inner->arrays.end());
    const std::vector<Name> more = env.tokens(array);
    tokens.insert(tokens.end(), more.begin(), more.end());
  }
  if (arrays.size() == e.arrays.size()) return std::nullopt;
  Rewrite r = becomes(Concat{e.dim, e.size, std::move(arrays)});
  r.tokens = std::move(tokens);
  return r;
}

std::optional<Rewrite> copy_fresh(const Stmt& stmt, Env& env) {
  const Copy& e = *as<Copy>(stmt.exp);
  if (!env.is_fresh(e.array) || env.uses(e.array) != 1 || env.block_of(e.array) != env.block())
    return std::nullopt;
  return equals(e.array);
}

}  // namespace

Rules view_rules() {
  return {
      {"reshape-same", node_index<Reshape>(), reshape_same},
      {"reshape-reshape", node_index<Reshape>(), reshape_reshape},
      {"rearrange-identity", node_index<Rearrange>(), rearrange_identity},
      {"whole-slice", node_index<Index>(), whole_slice},
      {"concat-one", node_index<Concat>(), concat_one},
      {"concat-concat", node_index<Concat>(), concat_concat},
      {"copy-fresh", node_index<Copy>(), copy_fresh},
  };
}

}  // namespace skald::passes::simplify_rules
