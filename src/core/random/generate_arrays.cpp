// SPDX-License-Identifier: Apache-2.0
// Random statements on scalars and arrays, without operators.
#include "core/random/statements.h"
#include "core/random/values.h"

namespace skald::core::random {

namespace {

// Operators whose result on floats is fixed by IEEE arithmetic.
bool is_exact(BinOpKind op, Prim type) {
  if (!is_float(type)) return true;
  switch (op) {
    case BinOpKind::kPow:
    case BinOpKind::kAtan2:
    case BinOpKind::kAtan2Pi:
    case BinOpKind::kHypot: return false;
    default: return true;
  }
}
bool is_exact(UnOpKind op, Prim type) {
  if (!is_float(type)) return true;
  switch (op) {
    case UnOpKind::kNeg:
    case UnOpKind::kAbs:
    case UnOpKind::kSgn:
    case UnOpKind::kIsNan:
    case UnOpKind::kIsInf:
    case UnOpKind::kSqrt:
    case UnOpKind::kCeil:
    case UnOpKind::kFloor:
    case UnOpKind::kTrunc:
    case UnOpKind::kRound: return true;
    default: return false;
  }
}

}  // namespace

void scalar_stmt(Scope& scope) {
  const Prim type = some_prim(scope);
  const int kind = scope.random.below(100);
  if (kind < 40) {
    for (int tries = 0; tries < 20; ++tries) {
      const auto op =
          static_cast<BinOpKind>(scope.random.below(static_cast<int>(BinOpKind::kLdexp) + 1));
      if (!is_legal(op, type) || (!scope.options.inexact && !is_exact(op, type))) continue;
      const Operand rhs = some_scalar(scope, op == BinOpKind::kLdexp ? Prim::kI32 : type);
      scope.binop(op, type, some_scalar(scope, type), rhs);
      return;
    }
  } else if (kind < 55) {
    for (int tries = 0; tries < 20; ++tries) {
      const auto op =
          static_cast<UnOpKind>(scope.random.below(static_cast<int>(UnOpKind::kRound) + 1));
      if (!is_legal(op, type) || (!scope.options.inexact && !is_exact(op, type))) continue;
      scope.let(scalar_type(result_type(op, type)), UnOp{op, type, some_scalar(scope, type)}, "u");
      return;
    }
  } else if (kind < 70) {
    // One after the other: the order of arguments is up to the compiler.
    const auto op = static_cast<CmpOpKind>(scope.random.below(4));
    const Operand lhs = some_scalar(scope, type), rhs = some_scalar(scope, type);
    scope.cmpop(op, type, lhs, rhs);
  } else if (kind < 75) {
    const auto op = static_cast<TernOpKind>(scope.random.below(4));
    if (!is_legal(op, type)) return;
    scope.let(scalar_type(type),
              TernOp{op, type, some_scalar(scope, type), some_scalar(scope, type),
                     some_scalar(scope, type)},
              "t");
  } else if (kind < 85) {
    const Prim to = some_prim(scope);
    scope.let(scalar_type(to), Convert{type, to, some_scalar(scope, type)}, "v");
  } else if (kind < 88) {
    const Prim to = kAllPrims[static_cast<size_t>(scope.random.below(12))];
    // A NaN has no fixed bits.
    if (prim_bits(to) != prim_bits(type) || is_float(type)) return;
    scope.let(scalar_type(to), Bitcast{type, to, some_scalar(scope, type)}, "v");
  } else if (kind < 96) {
    scope.let(
        scalar_type(type),
        Select{some_scalar(scope, Prim::kBool), some_scalar(scope, type), some_scalar(scope, type)},
        "s");
  } else if (kind < 97) {
    scope.let(scalar_type(Prim::kI64), Tunable{"p", "user", some_scalar(scope, Prim::kI64)}, "p");
  } else if (kind < 98) {
    scope.let(scalar_type(type), Value{some_scalar(scope, type)}, "v");
  } else {
    scope.let(scalar_type(type), Opaque{some_scalar(scope, type)}, "o");
  }
}

void new_array_stmt(Scope& scope) {
  const int kind = scope.random.below(100);
  if (kind < 40) {
    const Prim elem = some_prim(scope);
    some_array(scope, elem, some_size(scope));
  } else if (kind < 60) {
    const Type row = some_type(scope);
    ArrayLit lit{row, {}};
    const int count = scope.random.below(5);
    for (int i = 0; i < count; ++i) lit.elems.push_back(some_value(scope, row));
    scope.let(array_of(Operand{const_i64(count)}, row), std::move(lit), "lit", true);
  } else if (kind < 75) {
    const Type row = some_type(scope);
    const Operand width = some_size(scope);
    const Type type = array_of(width, row);
    if (scope.elements(type) * scope.work > kMaxElements * 10) return;
    const Operand repeated = some_value(scope, row);
    scope.let(type, Replicate{{width}, repeated}, "rep", true);
  } else if (kind < 90) {
    // A size that depends on data.
    const Operand masked =
        scope.binop(BinOpKind::kAnd, Prim::kI64, some_scalar(scope, Prim::kI64), const_i64(7), "m");
    scope.bounds[*as_name(masked)] = 7;
    some_array(scope, some_prim(scope), masked);
  } else if (const Var* var = scope.find_array()) {
    scope.copy_of(*var);
  }
}

void view_stmt(Scope& scope) {
  const Var* var = scope.find_array();
  if (!var) return;
  const Name source = var->name;
  const Type type = var->type;
  scope.not_fresh(source);
  const int kind = scope.random.below(100);
  if (type.rank() >= 2 && kind < 40) {
    Rearrange e{source, {}};
    Type result = scalar_type(type.elem);
    for (int k = 0; k < type.rank(); ++k) e.perm.push_back(k);
    for (size_t k = e.perm.size() - 1; k > 0; --k)
      std::swap(e.perm[k],
                e.perm[static_cast<size_t>(scope.random.below(static_cast<int>(k) + 1))]);
    for (int k : e.perm) result.shape.push_back(type.shape[static_cast<size_t>(k)]);
    scope.let(result, std::move(e), "tr");
  } else if (type.rank() >= 2 && kind < 70) {
    // All dimensions in one.
    Operand total = const_i64(1);
    const int64_t most = scope.elements(type);
    for (const Operand& dim : type.shape)
      total = scope.binop(BinOpKind::kMul, Prim::kI64, total, dim, "m");
    scope.bounds[*as_name(total)] = most;
    scope.let(array_of(total, scalar_type(type.elem)), Reshape{source, {total}}, "flat");
  } else if (kind < 85) {
    // The same size under another name.
    const Name length = scope.let(scalar_type(Prim::kI64), Opaque{type.shape[0]}, "len");
    scope.bounds[length] = scope.bound(type.shape[0]);
    Type result = type;
    result.shape[0] = length;
    scope.let(result, Reshape{source, result.shape}, "same");
  } else {
    scope.let(type, Value{source}, "alias");
  }
}

// An element or a row at an index that is made to fit, or checked.
void index_stmt(Scope& scope) {
  const Var* var = scope.find_array();
  if (!var) return;
  const Name source = var->name;
  const Type type = var->type;
  const Operand width = type.shape[0];
  const Type row = row_type(type);
  scope.not_fresh(source);
  if (scope.options.failures && scope.depth <= 2 && scope.random.chance(4)) {
    const Operand i = some_index(scope);
    const Operand low = scope.cmpop(CmpOpKind::kLe, Prim::kI64, const_i64(0), i);
    const Operand high = scope.cmpop(CmpOpKind::kLt, Prim::kI64, i, width);
    const Operand both = scope.binop(BinOpKind::kAnd, Prim::kBool, low, high, "c");
    const Name token = check(scope, both, "index out of bounds");
    scope.let(row, Index{source, {{.start = i}}}, "e", false, {token});
    return;
  }
  If branch;
  branch.cond = scope.cmpop(CmpOpKind::kLt, Prim::kI64, const_i64(0), width);
  branch.then_body = scope.body([&] {
    const Operand i = scope.binop(BinOpKind::kMod, Prim::kI64, some_index(scope), width, "i");
    return std::vector<Operand>{scope.let(row, Index{source, {{.start = i}}}, "e")};
  });
  branch.else_body = scope.body([&] { return std::vector<Operand>{some_value(scope, row)}; });
  scope.let(row, std::move(branch), "e");
}

// The first half, backwards: with n/2 elements from n/2 - 1 down to 0.
void slice_stmt(Scope& scope) {
  const Var* var = scope.find_array();
  if (!var) return;
  const Name source = var->name;
  Type type = var->type;
  scope.not_fresh(source);
  const Operand half =
      scope.binop(BinOpKind::kShr, Prim::kI64, type.shape[0], const_i64(1), "half");
  scope.bounds[*as_name(half)] = scope.bound(type.shape[0]);
  DimSlice slice{.is_index = false, .count = half};
  const int kind = scope.random.below(3);
  if (kind == 0) {
    slice.start = scope.binop(BinOpKind::kSub, Prim::kI64, half, const_i64(1), "last");
    slice.stride = const_i64(-1);
  } else if (kind == 1) {
    slice.stride = const_i64(2);
  } else {
    slice.start = half;
  }
  type.shape[0] = half;
  scope.let(type, Index{source, {slice}}, "slice");
}

void flat_stmt(Scope& scope) {
  const Prim elem = some_prim(scope);
  const Name source =
      scope.let(array_of(Operand{const_i64(12)}, scalar_type(elem)),
                Replicate{{const_i64(12)}, some_scalar(scope, elem)}, "twelve", true);
  const std::vector<FlatDim> dims = {{const_i64(3), const_i64(scope.random.between(0, 4))},
                                     {const_i64(2), const_i64(scope.random.between(1, 3))}};
  Type type = scalar_type(elem);
  for (const FlatDim& dim : dims) type.shape.push_back(dim.count);
  if (scope.random.chance(50)) {
    scope.not_fresh(source);
    scope.let(type, FlatIndex{source, const_i64(0), dims}, "window");
    return;
  }
  // Strides that hit every place at most once.
  const std::vector<FlatDim> apart = {{const_i64(3), const_i64(4)}, {const_i64(2), const_i64(1)}};
  const Operand written = some_value(scope, type);
  scope.vars.erase(std::find_if(scope.vars.begin(), scope.vars.end(),
                                [&](const Var& v) { return v.name == source; }));
  scope.let(array_of(Operand{const_i64(12)}, scalar_type(elem)),
            FlatUpdate{source, const_i64(1), apart, *as_name(written)}, "written", true);
}

void update_stmt(Scope& scope) {
  const auto target = scope.consumable();
  if (!target) return;
  const Operand width = target->type.shape[0];
  const Type row = row_type(target->type);
  If branch;
  branch.cond = scope.cmpop(CmpOpKind::kLt, Prim::kI64, const_i64(0), width);
  branch.then_body = scope.body([&] {
    const Operand i = scope.binop(BinOpKind::kMod, Prim::kI64, some_index(scope), width, "i");
    const Operand written = some_value(scope, row);
    return std::vector<Operand>{
        scope.let(target->type, Update{target->name, {{.start = i}}, written}, "upd", true)};
  });
  branch.else_body = scope.body([&] { return std::vector<Operand>{target->name}; });
  scope.let(target->type, std::move(branch), "upd", true);
}

void concat_stmt(Scope& scope) {
  const Var* first = scope.find_array();
  if (!first) return;
  const Type type = first->type;
  std::vector<Name> arrays = {first->name};
  const int dim = scope.random.below(type.rank());
  const auto at = static_cast<size_t>(dim);
  for (int i = scope.random.below(3); i > 0; --i) {
    const Var* other = scope.find_array([&](const Var& v) {
      Type same = v.type;
      if (same.rank() != type.rank()) return false;
      same.shape[at] = type.shape[at];
      return same == type;
    });
    if (other) arrays.push_back(other->name);
  }
  int64_t most = 0;
  Operand total = const_i64(0);
  for (Name name : arrays) {
    for (const Var& var : scope.vars) {
      if (var.name != name) continue;
      most += scope.bound(var.type.shape[at]);
      const Operand length = var.type.shape[at];
      total = scope.binop(BinOpKind::kAdd, Prim::kI64, total, length, "m");
      break;
    }
  }
  scope.bounds[*as_name(total)] = most;
  Type result = type;
  result.shape[at] = total;
  if (scope.elements(result) * scope.work > kMaxElements * 10) return;
  scope.let(result, Concat{dim, total, std::move(arrays)}, "cat", true);
}

}  // namespace skald::core::random
