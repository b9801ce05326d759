// SPDX-License-Identifier: Apache-2.0
// Subscripts of arrays that were just made: the index transforms that cost nothing.
//
//   index-iota        iota(n, a, s)[i] = a + i * s
//   index-replicate   replicate([n], x)[i] = x, for a scalar x
//   index-literal     array({a, b})[1] = b
//   index-slice       xs[a for n by s][i] = xs[a + i * s]
//   index-rearrange   rearrange((1, 0), xs)[i, j] = xs[j, i]
//   index-coercion    a reshape that only renames sizes is looked through
//   index-flattened   reshape([n*m], xss)[k] = xss[k / m, k % m], if every dimension is indexed
//
// Only where the result is a scalar, or the array itself is a view: reading through a view is the
// same read of the same memory.
#include "core/ir/visit.h"
#include "passes/simplify/rules.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

constexpr Prim kI64 = Prim::kI64;

// Appends arithmetic in front of the rewritten statement; folds what is trivial.
class Arithmetic {
 public:
  Arithmetic(Rewrite& rewrite, Env& env, const Stmt& stmt)
      : rewrite_(rewrite), env_(env), stmt_(stmt) {}
  Operand op(BinOpKind kind, const Operand& a, const Operand& b, Prim type = kI64) {
    if (kind == BinOpKind::kAdd && b == Operand{const_int(type, 0)}) return a;
    if (kind == BinOpKind::kAdd && a == Operand{const_int(type, 0)}) return b;
    if (kind == BinOpKind::kMul && b == Operand{const_int(type, 1)}) return a;
    Name name;
    rewrite_.before.push_back(
        env_.make(scalar_type(type), BinOp{kind, type, a, b}, "at", stmt_.loc, &name));
    return name;
  }
  Operand convert(Prim to, const Operand& a) {
    if (to == kI64) return a;
    Name name;
    rewrite_.before.push_back(
        env_.make(scalar_type(to), Convert{kI64, to, a}, "at", stmt_.loc, &name));
    return name;
  }

 private:
  Rewrite& rewrite_;
  Env& env_;
  const Stmt& stmt_;
};

bool all_indices(const std::vector<DimSlice>& slice) {
  for (const DimSlice& dim : slice)
    if (!dim.is_index) return false;
  return true;
}

std::optional<Rewrite> index_iota(const Stmt& stmt, Env& env) {
  const Index& e = *as<Index>(stmt.exp);
  const Iota* iota = env.definition_as<Iota>(e.array);
  if (iota == nullptr || !all_indices(e.slice)) return std::nullopt;
  Rewrite r;
  Arithmetic a(r, env, stmt);
  const Operand i = a.convert(iota->type, e.slice[0].start);
  const Operand scaled = a.op(BinOpKind::kMul, i, iota->step, iota->type);
  r.value = a.op(BinOpKind::kAdd, scaled, iota->start, iota->type);
  r.tokens = env.tokens(e.array);  // the range itself may be invalid
  return r;
}

std::optional<Rewrite> index_replicate(const Stmt& stmt, Env& env) {
  const Index& e = *as<Index>(stmt.exp);
  const Replicate* rep = env.definition_as<Replicate>(e.array);
  if (rep == nullptr || !stmt.pat[0].type.is_scalar() || e.slice.size() != rep->shape.size())
    return std::nullopt;
  // With an array for a value there would be more dimensions than indices.
  Rewrite r = equals(rep->value);
  r.tokens = env.tokens(e.array);
  return r;
}

std::optional<Rewrite> index_literal(const Stmt& stmt, Env& env) {
  const Index& e = *as<Index>(stmt.exp);
  const ArrayLit* lit = env.definition_as<ArrayLit>(e.array);
  if (lit == nullptr || !all_indices(e.slice) || !lit->row.is_scalar()) return std::nullopt;
  const Const* i = as_const(e.slice[0].start);
  if (i == nullptr || int_value(*i) < 0 || static_cast<size_t>(int_value(*i)) >= lit->elems.size())
    return std::nullopt;
  return equals(lit->elems[static_cast<size_t>(int_value(*i))]);
}

// xs[outer][inner]: the dimensions that the outer slice keeps are those that the inner one indexes.
std::optional<Rewrite> index_slice(const Stmt& stmt, Env& env) {
  const Index& e = *as<Index>(stmt.exp);
  const Index* view = env.definition_as<Index>(e.array);
  if (view == nullptr) return std::nullopt;
  Rewrite r;
  Arithmetic a(r, env, stmt);
  std::vector<DimSlice> slice;
  size_t at = 0;
  for (const DimSlice& dim : view->slice) {
    if (dim.is_index) {
      slice.push_back(dim);
      continue;
    }
    if (at >= e.slice.size()) {
      slice.push_back(dim);
      continue;
    }
    const DimSlice& inner = e.slice[at++];
    DimSlice both = inner;
    both.start = a.op(BinOpKind::kAdd, a.op(BinOpKind::kMul, inner.start, dim.stride), dim.start);
    if (!inner.is_index) both.stride = a.op(BinOpKind::kMul, inner.stride, dim.stride);
    slice.push_back(std::move(both));
  }
  for (; at < e.slice.size(); ++at) slice.push_back(e.slice[at]);
  r.exp = Index{view->array, std::move(slice)};
  r.tokens = env.tokens(e.array);
  return r;
}

std::optional<Rewrite> index_rearrange(const Stmt& stmt, Env& env) {
  const Index& e = *as<Index>(stmt.exp);
  const Rearrange* view = env.definition_as<Rearrange>(e.array);
  if (view == nullptr || !all_indices(e.slice) || e.slice.size() != view->perm.size())
    return std::nullopt;
  std::vector<DimSlice> slice(view->perm.size());
  for (size_t k = 0; k < view->perm.size(); ++k)
    slice[static_cast<size_t>(view->perm[k])] = e.slice[k];
  Rewrite r = becomes(Index{view->array, std::move(slice)});
  r.tokens = env.tokens(e.array);
  return r;
}

// What a scalar is read from if that is a reshaped array: the array's type, or null.
const Type* type_before_reshape(const Stmt& stmt, Env& env, const Reshape*& view) {
  view = env.definition_as<Reshape>(as<Index>(stmt.exp)->array);
  return view == nullptr || !stmt.pat[0].type.is_scalar() ? nullptr : env.type(view->array);
}

std::optional<Rewrite> index_coercion(const Stmt& stmt, Env& env) {
  const Index& e = *as<Index>(stmt.exp);
  const Reshape* view = nullptr;
  const Type* type = type_before_reshape(stmt, env, view);
  if (type == nullptr || type->shape.size() != view->shape.size()) return std::nullopt;
  Rewrite r = becomes(Index{view->array, e.slice});
  r.tokens = env.tokens(e.array);
  return r;
}

std::optional<Rewrite> index_flattened(const Stmt& stmt, Env& env) {
  const Index& e = *as<Index>(stmt.exp);
  const Reshape* view = nullptr;
  const Type* type = type_before_reshape(stmt, env, view);
  if (type == nullptr || !all_indices(e.slice)) return std::nullopt;
  const std::vector<Operand>&from = type->shape, &to = view->shape;
  // Leading dimensions that are the same stay.
  size_t same = 0;
  while (same < from.size() && same < to.size() && from[same] == to[same]) ++same;
  if (same == from.size() || same == to.size()) return std::nullopt;
  Rewrite r;
  Arithmetic a(r, env, stmt);
  std::vector<DimSlice> slice(e.slice.begin(), e.slice.begin() + static_cast<ptrdiff_t>(same));
  if (to.size() == same + 1) {
    // Flattened: divide.
    Operand rest = e.slice[same].start;
    std::vector<DimSlice> tail;
    for (size_t k = from.size(); k-- > same + 1;) {
      const Operand quotient = a.op(BinOpKind::kQuot, rest, from[k]);
      tail.push_back({true, a.op(BinOpKind::kSub, rest, a.op(BinOpKind::kMul, quotient, from[k]))});
      rest = quotient;
    }
    tail.push_back({true, rest});
    slice.insert(slice.end(), tail.rbegin(), tail.rend());
  } else if (from.size() == same + 1) {
    // Unflattened: multiply.
    Operand flat = e.slice[same].start;
    for (size_t k = same + 1; k < to.size(); ++k)
      flat = a.op(BinOpKind::kAdd, a.op(BinOpKind::kMul, flat, to[k]), e.slice[k].start);
    slice.push_back({true, flat});
  } else {
    return std::nullopt;
  }
  r.exp = Index{view->array, std::move(slice)};
  r.tokens = env.tokens(e.array);
  return r;
}

}  // namespace

Rules index_rules() {
  return {
      {"index-iota", node_index<Index>(), index_iota},
      {"index-replicate", node_index<Index>(), index_replicate},
      {"index-literal", node_index<Index>(), index_literal},
      {"index-slice", node_index<Index>(), index_slice},
      {"index-rearrange", node_index<Index>(), index_rearrange},
      {"index-coercion", node_index<Index>(), index_coercion},
      {"index-flattened", node_index<Index>(), index_flattened},
  };
}

}  // namespace skald::passes::simplify_rules
