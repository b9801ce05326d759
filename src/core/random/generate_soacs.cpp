// SPDX-License-Identifier: Apache-2.0
// Random SOACs.  Their operators are lawful and their writes do not collide, so that the result
// does not depend on the order of iterations.
#include "core/random/statements.h"
#include "core/random/values.h"

namespace skald::core::random {

// ---- operators

// A lambda on two groups of values of the given types; `f` gets all of them.
static Lambda binary_lambda(
    Scope& scope, const std::vector<Type>& types,
    const std::function<std::vector<Operand>(const std::vector<Operand>&)>& f) {
  Lambda fn;
  std::vector<Operand> args;
  for (int side = 0; side < 2; ++side)
    for (const Type& type : types) {
      fn.params.push_back({.name = scope.prog.names.fresh(side == 0 ? "a" : "b"), .type = type});
      args.push_back(fn.params.back().name);
    }
  fn.body = scope.body([&] { return f(args); });
  for (const Type& type : types) fn.results.push_back({.type = type});
  return fn;
}

TypedOperator simple_operator(Scope& scope, Prim type, bool must_commute) {
  if (is_float(type) && !scope.options.inexact) {
    // Takes the first value that is not zero.
    const Type scalar = scalar_type(type);
    TypedOperator result{{}, {scalar}};
    result.op.neutral = {const_float(type, 0)};
    result.op.fn = binary_lambda(scope, {scalar}, [&](const std::vector<Operand>& args) {
      const Operand zero = scope.cmpop(CmpOpKind::kEq, type, args[0], const_float(type, 0));
      return std::vector<Operand>{scope.let(scalar, Select{zero, args[1], args[0]}, "r")};
    });
    SKALD_CHECK(!must_commute, "no exact commutative operator on floats");
    return result;
  }
  struct Choice {
    BinOpKind op;
    Const neutral;
  };
  std::vector<Choice> choices;
  if (type == Prim::kBool) {
    choices = {{BinOpKind::kAnd, const_bool(true)},
               {BinOpKind::kOr, const_bool(false)},
               {BinOpKind::kXor, const_bool(false)}};
  } else if (is_float(type)) {
    choices = {{BinOpKind::kAdd, const_float(type, 0)}};
  } else {
    const int bits = prim_bits(type);
    const bool is_signed = is_signed_int(type);
    const auto most =
        static_cast<int64_t>((is_signed ? uint64_t{1} << (bits - 1) : uint64_t{0}) - 1);
    const Const max = const_int(type, most);
    const Const min = const_int(type, is_signed ? ~most : 0);
    choices = {{BinOpKind::kAdd, const_int(type, 0)},
               {BinOpKind::kMul, const_int(type, 1)},
               {BinOpKind::kMin, max},
               {BinOpKind::kMax, min},
               {BinOpKind::kXor, const_int(type, 0)},
               {BinOpKind::kAnd, const_int(type, -1)}};
  }
  const Choice choice = scope.random.pick(choices);
  TypedOperator result{{}, {scalar_type(type)}};
  result.op.neutral = {choice.neutral};
  result.op.commutative = must_commute || scope.random.chance(60);
  result.op.fn = binary_lambda(scope, {scalar_type(type)}, [&](const std::vector<Operand>& args) {
    return std::vector<Operand>{scope.binop(choice.op, type, args[0], args[1], "r")};
  });
  return result;
}

static TypedOperator some_operator(Scope& scope, bool must_commute) {
  const int kind = scope.random.below(100);
  if (kind < 15 && !must_commute) {
    // x ↦ a·x + b under composition.
    const Prim type = some_int_prim(scope);
    const Type scalar = scalar_type(type);
    TypedOperator result{{}, {scalar, scalar}};
    result.op.neutral = {const_int(type, 1), const_int(type, 0)};
    result.op.fn = binary_lambda(scope, {scalar, scalar}, [&](const std::vector<Operand>& args) {
      const Operand a = scope.binop(BinOpKind::kMul, type, args[0], args[2], "r");
      const Operand scaled = scope.binop(BinOpKind::kMul, type, args[1], args[2], "r");
      return std::vector<Operand>{a, scope.binop(BinOpKind::kAdd, type, scaled, args[3], "r")};
    });
    return result;
  }
  if (kind < 25) {
    // Element by element on arrays.
    const Prim type = some_int_prim(scope);
    const Operand width = some_size(scope);
    const Type vector = array_of(width, scalar_type(type));
    if (!scope.affordable(width) || scope.work * scope.bound(width) > 200)
      return some_operator(scope, must_commute);
    TypedOperator inner = simple_operator(scope, type, true);
    TypedOperator result{{}, {vector}};
    result.op.neutral = {scope.let(vector, Replicate{{width}, inner.op.neutral[0]}, "neutral")};
    result.op.commutative = true;
    result.op.fn = binary_lambda(scope, {vector}, [&](const std::vector<Operand>& args) {
      Soac map{.width = width, .inputs = {*as_name(args[0]), *as_name(args[1])}};
      map.fn = std::move(inner.op.fn);
      return std::vector<Operand>{scope.let(vector, std::move(map), "r", true)};
    });
    return result;
  }
  Prim type = some_prim(scope);
  if (must_commute && is_float(type) && !scope.options.inexact) type = some_int_prim(scope);
  return simple_operator(scope, type, must_commute);
}

// ---- maps

std::optional<Rows> some_rows(Scope& scope, int max_inputs) {
  const Var* var = scope.find_array();
  Rows rows;
  rows.width = var && scope.random.chance(85) ? var->type.shape[0] : some_size(scope);
  if (!scope.affordable(rows.width)) return std::nullopt;
  const int count = scope.random.between(var ? 1 : 0, max_inputs);
  std::vector<Type> types;
  for (int i = 0; i < count; ++i) {
    const Var* input =
        scope.find_array([&](const Var& v) { return v.type.shape[0] == rows.width; });
    if (!input) break;
    rows.inputs.push_back(input->name);
    types.push_back(row_type(input->type));
    scope.not_fresh(rows.inputs.back());
  }
  if (rows.inputs.empty() || scope.random.chance(25)) {
    // Where we are.
    rows.inputs.push_back(scope.let(array_of(rows.width, scalar_type(Prim::kI64)),
                                    Iota{Prim::kI64, rows.width, const_i64(0), const_i64(1)},
                                    "is"));
    types.push_back(scalar_type(Prim::kI64));
  }
  for (const Type& type : types)
    rows.params.push_back({.name = scope.prog.names.fresh("x"), .type = type});
  return rows;
}

void map_stmt(Scope& scope) {
  auto input = some_rows(scope, 3);
  if (!input) return;
  const int64_t outer_work = std::exchange(scope.work, scope.work * scope.bound(input->width));
  Soac e{.width = input->width, .inputs = input->inputs};
  e.fn = some_lambda(scope, std::move(input->params), scope.random.between(1, 3));
  scope.work = outer_work;
  std::vector<Param> pat;
  for (const Ret& ret : e.fn.results) {
    const Type type = array_of(e.width, ret.type);
    pat.push_back({.name = scope.prog.names.fresh("map"), .type = type});
  }
  scope.lets(std::move(pat), std::move(e));
}

void soac_stmt(Scope& scope) {
  const int scans = scope.random.below(3), reduces = scope.random.between(scans == 0 ? 1 : 0, 2);
  std::vector<TypedOperator> scan_ops, reduce_ops;
  for (int i = 0; i < scans; ++i) scan_ops.push_back(some_operator(scope, false));
  for (int i = 0; i < reduces; ++i) reduce_ops.push_back(some_operator(scope, false));
  auto input = some_rows(scope, 2);
  if (!input) return;
  std::vector<Type> values, scanned, reduced;
  for (const TypedOperator& op : scan_ops)
    scanned.insert(scanned.end(), op.types.begin(), op.types.end());
  for (const TypedOperator& op : reduce_ops)
    reduced.insert(reduced.end(), op.types.begin(), op.types.end());
  values = scanned;
  values.insert(values.end(), reduced.begin(), reduced.end());

  Soac e{.width = input->width, .inputs = input->inputs};
  const int64_t outer_work = std::exchange(scope.work, scope.work * scope.bound(input->width));
  e.fn = some_lambda(scope, std::move(input->params), scope.random.below(3), values);
  for (TypedOperator& op : scan_ops) e.scans.push_back(std::move(op.op));
  for (TypedOperator& op : reduce_ops) e.reduces.push_back(std::move(op.op));
  std::vector<Type> row = scanned;
  for (size_t i = values.size(); i < e.fn.results.size(); ++i) row.push_back(e.fn.results[i].type);
  if (!row.empty() && scope.random.chance(35)) {
    std::vector<Param> params;
    for (const Type& type : row)
      params.push_back({.name = scope.prog.names.fresh("y"), .type = type});
    e.post.push_back(some_lambda(scope, std::move(params), scope.random.between(1, 2)));
    row.clear();
    for (const Ret& ret : e.post[0].results) row.push_back(ret.type);
  }
  scope.work = outer_work;
  std::vector<Param> pat;
  for (const Type& type : reduced)
    pat.push_back({.name = scope.prog.names.fresh("red"), .type = type});
  for (const Type& type : row)
    pat.push_back({.name = scope.prog.names.fresh("scan"), .type = array_of(e.width, type)});
  scope.lets(std::move(pat), std::move(e));
}

// ---- writes

void hist_stmt(Scope& scope) {
  const int count = scope.random.between(1, 2);
  Hist e;
  std::vector<Type> indices, values, results;
  for (int i = 0; i < count; ++i) {
    TypedOperator op = some_operator(scope, true);
    HistOp hist;
    hist.shape = {some_size(scope)};
    if (scope.random.chance(25)) hist.shape.push_back(some_size(scope));
    for (const Type& type : op.types) {
      const Type dest = array_of(hist.shape, type);
      if (scope.elements(dest) * scope.work > kMaxElements) return;
      const Operand start = some_value(scope, type);
      hist.dests.push_back(scope.out->let1(dest, Replicate{hist.shape, start}, "dest"));
      values.push_back(type);
      results.push_back(dest);
    }
    indices.insert(indices.end(), hist.shape.size(), scalar_type(Prim::kI64));
    hist.op = std::move(op.op);
    e.ops.push_back(std::move(hist));
  }
  auto input = some_rows(scope, 2);
  if (!input) return;
  e.width = input->width;
  e.inputs = input->inputs;
  indices.insert(indices.end(), values.begin(), values.end());
  const int64_t outer_work = std::exchange(scope.work, scope.work * scope.bound(input->width));
  e.fn = some_lambda(scope, std::move(input->params), 0, indices);
  scope.work = outer_work;
  std::vector<Param> pat;
  for (const Type& type : results)
    pat.push_back({.name = scope.prog.names.fresh("hist"), .type = type});
  scope.lets(std::move(pat), std::move(e));
}

void scatter_stmt(Scope& scope) {
  const auto dest = scope.consumable();
  if (!dest) return;
  auto input = some_rows(scope, 2);
  if (!input) return;
  Scatter e{.width = input->width};
  // The first parameter is the position, so that every index is written at most once.
  const Name positions = scope.let(array_of(e.width, scalar_type(Prim::kI64)),
                                   Iota{Prim::kI64, e.width, const_i64(0), const_i64(1)}, "is");
  const Param i = {.name = scope.prog.names.fresh("i"), .type = scalar_type(Prim::kI64)};
  e.inputs = {positions};
  e.inputs.insert(e.inputs.end(), input->inputs.begin(), input->inputs.end());
  e.dests = {{{dest->type.shape[0]}, dest->name}};
  const Type row = row_type(dest->type);
  const int64_t outer_work = std::exchange(scope.work, scope.work * scope.bound(e.width));
  Lambda fn;
  fn.body = scope.body([&]() -> std::vector<Operand> {
    scope.vars.push_back({i.name, i.type, false});
    for (const Param& p : input->params) scope.vars.push_back({p.name, p.type, false});
    statements(scope, scope.random.between(0, 3));
    constexpr int kFactors[] = {1, 1, 2, 3, -1};
    const Operand scaled = scope.binop(BinOpKind::kMul, Prim::kI64, i.name,
                                       const_i64(kFactors[scope.random.below(5)]), "at");
    const Operand at = scope.binop(BinOpKind::kAdd, Prim::kI64, scaled,
                                   const_i64(scope.random.between(-1, 3)), "at");
    return {at, some_value(scope, row)};
  });
  scope.work = outer_work;
  fn.params = {i};
  fn.params.insert(fn.params.end(), input->params.begin(), input->params.end());
  fn.results = {{.type = scalar_type(Prim::kI64)}, {.type = row}};
  e.fn = std::move(fn);
  scope.lets({{.name = scope.prog.names.fresh("scat"), .type = dest->type}}, std::move(e));
}

// ---- irregular results

void partition_stmt(Scope& scope) {
  auto input = some_rows(scope, 3);
  if (!input) return;
  Partition e{.width = input->width,
              .classes = scope.random.between(1, 3),
              .inputs = input->inputs,
              .fn = {}};
  const int64_t outer_work = std::exchange(scope.work, scope.work * scope.bound(input->width));
  e.fn = some_lambda(scope, std::move(input->params), scope.random.between(1, 2),
                     {scalar_type(Prim::kI64)});
  scope.work = outer_work;
  std::vector<Param> pat;
  for (int c = 0; c < e.classes; ++c) {
    pat.push_back({.name = scope.prog.names.fresh("size"), .type = scalar_type(Prim::kI64)});
    scope.bounds[pat.back().name] = scope.bound(e.width);
  }
  for (int c = 0; c < e.classes; ++c)
    for (size_t i = 1; i < e.fn.results.size(); ++i)
      pat.push_back({.name = scope.prog.names.fresh("part"),
                     .type = array_of(pat[static_cast<size_t>(c)].name, e.fn.results[i].type)});
  scope.lets(std::move(pat), std::move(e));
}

void flatmap_stmt(Scope& scope) {
  auto input = some_rows(scope, 2);
  if (!input) return;
  if (scope.bound(input->width) * scope.work > 200) return;
  const Prim elem = some_prim(scope);
  const Prim further = some_prim(scope);
  FlatMap e{.width = input->width, .data = 1, .inputs = input->inputs, .fn = {}};
  const int64_t outer_work = std::exchange(scope.work, scope.work * scope.bound(input->width));
  const Name length_ret = scope.prog.names.fresh("k");
  e.fn.body = scope.body([&]() -> std::vector<Operand> {
    for (const Param& p : input->params) scope.vars.push_back({p.name, p.type, false});
    statements(scope, scope.random.between(1, 3));
    const Operand length = scope.binop(BinOpKind::kAnd, Prim::kI64, some_scalar(scope, Prim::kI64),
                                       const_i64(3), "len");
    scope.bounds[*as_name(length)] = 3;
    const Name data = some_array(scope, elem, length);
    return {length, data, some_scalar(scope, further)};
  });
  scope.work = outer_work;
  e.fn.params = input->params;
  e.fn.results = {{.name = length_ret, .type = scalar_type(Prim::kI64)},
                  {.type = array_of(length_ret, scalar_type(elem))},
                  {.type = scalar_type(further)}};
  const Name total = scope.prog.names.fresh("total");
  scope.bounds[total] = 3 * scope.bound(input->width);
  const Type i64s = array_of(input->width, scalar_type(Prim::kI64));
  scope.lets(
      {{.name = total, .type = scalar_type(Prim::kI64)},
       {.name = scope.prog.names.fresh("lens"), .type = i64s},
       {.name = scope.prog.names.fresh("flags"), .type = array_of(total, scalar_type(Prim::kBool))},
       {.name = scope.prog.names.fresh("offs"), .type = i64s},
       {.name = scope.prog.names.fresh("data"), .type = array_of(total, scalar_type(elem))},
       {.name = scope.prog.names.fresh("more"),
        .type = array_of(input->width, scalar_type(further))}},
      std::move(e));
}

}  // namespace skald::core::random
