// SPDX-License-Identifier: Apache-2.0
// Random checks, branches, loops and calls.
#include "core/random/statements.h"
#include "core/random/values.h"

namespace skald::core::random {

Name check(Scope& scope, Operand cond, std::string words) {
  scope.out->set_loc(
      scope.prog.locs.add(fmt::format("random.fut:{}:1-9", scope.random.between(1, 99))));
  const Name token = scope.out->let1(token_type(), Assert{cond, {std::move(words), cond}}, "check");
  scope.out->set_loc({});
  return token;
}

void check_stmt(Scope& scope) {
  const Operand n = some_size(scope);
  Operand cond = scope.cmpop(CmpOpKind::kLe, Prim::kI64, const_i64(0), n);
  if (scope.options.failures && scope.depth <= 2 && scope.random.chance(15))
    cond = some_scalar(scope, Prim::kBool);
  const Name token = check(scope, cond, "a check failed: ");
  const Prim type = some_prim(scope);
  scope.let(scalar_type(type), Value{some_scalar(scope, type)}, "v", false, {token});
}

void if_stmt(Scope& scope) {
  // Perhaps an array of a length that differs, then some values.
  std::vector<Param> pat;
  const bool has_array = scope.random.chance(40);
  const Prim elem = some_prim(scope);
  std::vector<Type> types;
  for (int i = scope.random.between(1, 3); i > 0; --i) types.push_back(some_type(scope));
  int64_t most = 1;
  const auto side = [&] {
    return scope.body([&] {
      statements(scope, scope.random.below(4));
      std::vector<Operand> results;
      if (has_array) {
        const Var* var = scope.find_array(
            [&](const Var& v) { return v.type.rank() == 1 && v.type.elem == elem; });
        Name name = var ? var->name : Name{};
        if (!name) name = some_array(scope, elem, some_size(scope));
        Operand length;
        for (const Var& v : scope.vars)
          if (v.name == name) length = v.type.shape[0];
        scope.not_fresh(name);
        most = std::max(most, scope.bound(length));
        results = {length, name};
      }
      for (const Type& type : types) results.push_back(some_value(scope, type));
      return results;
    });
  };
  If e{.cond = some_scalar(scope, Prim::kBool)};
  e.then_body = side();
  e.else_body = side();
  if (has_array) {
    pat.push_back({.name = scope.prog.names.fresh("len"), .type = scalar_type(Prim::kI64)});
    scope.bounds[pat[0].name] = most;
    pat.push_back({.name = scope.prog.names.fresh("either"),
                   .type = array_of(pat[0].name, scalar_type(elem))});
  }
  for (const Type& type : types) pat.push_back({.name = scope.prog.names.fresh("r"), .type = type});
  scope.lets(std::move(pat), std::move(e), false);
}

void for_stmt(Scope& scope) {
  const Operand bound_operand =
      scope.random.chance(50) ? some_size(scope) : Operand{const_i64(scope.random.between(-1, 4))};
  if (!scope.affordable(bound_operand)) return;
  Loop e;
  e.form = Loop::kFor;
  e.bound = bound_operand;
  const auto updated = scope.random.chance(50) ? scope.consumable() : std::nullopt;
  std::vector<Type> types;
  for (int i = scope.random.between(1, 3); i > 0; --i) types.push_back(some_type(scope));
  std::vector<Operand> inits;
  for (const Type& type : types) inits.push_back(some_value(scope, type));
  std::vector<Param> pat;
  const auto add = [&](const Type& type, const Operand& init, bool unique) {
    e.params.push_back(
        {{.name = scope.prog.names.fresh("p"), .type = type, .unique = unique}, init});
    pat.push_back({.name = scope.prog.names.fresh("r"), .type = type});
  };
  if (updated) add(updated->type, updated->name, true);
  for (size_t i = 0; i < types.size(); ++i) add(types[i], inits[i], false);
  e.var = {.name = scope.prog.names.fresh("i"), .type = scalar_type(Prim::kI64)};
  const int64_t outer_work = std::exchange(scope.work, scope.work * scope.bound(bound_operand));
  e.body = scope.body([&] {
    scope.vars.push_back({e.var.name, e.var.type, false});
    for (const LoopParam& p : e.params)
      if (!p.param.unique) scope.vars.push_back({p.param.name, p.param.type, false});
    statements(scope, scope.random.between(1, 4));
    std::vector<Operand> results;
    for (size_t i = 0; i < types.size(); ++i) results.push_back(some_value(scope, types[i]));
    if (updated) {
      const Name array = e.params[0].param.name;
      const Operand width = updated->type.shape[0];
      const Type row = row_type(updated->type);
      const Operand next = some_value(scope, row);
      If branch;
      branch.cond = scope.cmpop(CmpOpKind::kLt, Prim::kI64, e.var.name, width);
      branch.then_body = scope.body([&] {
        return std::vector<Operand>{
            scope.let(updated->type, Update{array, {{.start = e.var.name}}, next}, "upd", true)};
      });
      branch.else_body = scope.body([&] { return std::vector<Operand>{array}; });
      results.insert(results.begin(), scope.let(updated->type, std::move(branch), "upd", true));
    }
    return results;
  });
  scope.work = outer_work;
  scope.lets(std::move(pat), std::move(e), false);
}

// An array that gets longer in every round.
void growing_loop_stmt(Scope& scope) {
  const Prim elem = some_prim(scope);
  const Operand length = some_size(scope);
  if (scope.bound(length) * scope.work > 100) return;
  const Name init = some_array(scope, elem, length);
  scope.not_fresh(init);
  Loop e;
  e.bound = const_i64(scope.random.between(0, 3));
  const Param n = {.name = scope.prog.names.fresh("n"), .type = scalar_type(Prim::kI64)};
  const Param xs = {.name = scope.prog.names.fresh("xs"),
                    .type = array_of(n.name, scalar_type(elem))};
  e.params = {{n, length}, {xs, init}};
  e.var = {.name = scope.prog.names.fresh("i"), .type = scalar_type(Prim::kI64)};
  const int64_t most = scope.bound(length) * 8;
  e.body = scope.body([&]() -> std::vector<Operand> {
    const Operand twice = scope.binop(BinOpKind::kAdd, Prim::kI64, n.name, n.name, "twice");
    return {twice, scope.let(array_of(twice, scalar_type(elem)),
                             Concat{0, twice, {xs.name, xs.name}}, "longer", true)};
  });
  const Param m = {.name = scope.prog.names.fresh("m"), .type = scalar_type(Prim::kI64)};
  scope.bounds[m.name] = most;
  scope.lets(
      {m, {.name = scope.prog.names.fresh("grown"), .type = array_of(m.name, scalar_type(elem))}},
      std::move(e), false);
}

void while_stmt(Scope& scope) {
  if (!scope.affordable(Operand{const_i64(4)})) return;
  const Prim type = some_prim(scope);
  Loop e;
  e.form = Loop::kWhile;
  const Param go = {.name = scope.prog.names.fresh("go"), .type = scalar_type(Prim::kBool)};
  const Param i = {.name = scope.prog.names.fresh("i"), .type = scalar_type(Prim::kI64)};
  const Param x = {.name = scope.prog.names.fresh("x"), .type = scalar_type(type)};
  e.cond = go.name;
  e.params = {
      {go, some_scalar(scope, Prim::kBool)}, {i, const_i64(0)}, {x, some_scalar(scope, type)}};
  const int64_t outer_work = std::exchange(scope.work, scope.work * 4);
  e.body = scope.body([&]() -> std::vector<Operand> {
    for (const Param& p : {i, x}) scope.vars.push_back({p.name, p.type, false});
    statements(scope, scope.random.between(1, 3));
    const Operand next = scope.binop(BinOpKind::kAdd, Prim::kI64, i.name, const_i64(1));
    const Operand more =
        scope.cmpop(CmpOpKind::kLt, Prim::kI64, next, const_i64(scope.random.between(1, 4)));
    const Operand wanted = some_scalar(scope, Prim::kBool);
    return {scope.binop(BinOpKind::kAnd, Prim::kBool, more, wanted, "c"), next,
            some_scalar(scope, type)};
  });
  scope.work = outer_work;
  scope.lets({{.name = scope.prog.names.fresh("done"), .type = go.type},
              {.name = scope.prog.names.fresh("count"), .type = i.type},
              {.name = scope.prog.names.fresh("r"), .type = x.type}},
             std::move(e), false);
}

void call_stmt(Scope& scope) {
  if (scope.prog.functions.empty()) return;
  const Function& fn = scope.prog.functions[static_cast<size_t>(
      scope.random.below(static_cast<int>(scope.prog.functions.size())))];
  if (fn.name == "recursive") {
    const Type type = fn.results[0].type;
    const Operand depth = const_i64(scope.random.between(-1, 5));
    const Operand start = some_scalar(scope, type.elem);
    scope.let(type, Call{fn.name, {depth, start}}, "call");
    return;
  }
  if (scope.work > 50) return;
  const Operand n = some_size(scope);
  if (fn.name == "recursive_rows") {
    const Name xs = some_array(scope, Prim::kI64, n);
    const Name length = scope.prog.names.fresh("length"), rows = scope.prog.names.fresh("rows");
    scope.bounds[length] = scope.bound(n);
    scope.not_fresh(xs);
    scope.lets({{.name = length, .type = scalar_type(Prim::kI64)},
                {.name = rows, .type = array_of(length, scalar_type(Prim::kI64))}},
               Call{fn.name, {const_i64(scope.random.between(-1, 3)), n, xs}}, false);
    return;
  }
  Call e{fn.name, {n}};
  Name xs = some_array(scope, fn.params[1].type.elem, n);
  if (fn.params[1].unique) {
    Type type = array_of(n, scalar_type(fn.params[1].type.elem));
    xs = scope.let(type, Copy{xs}, "copy", true);
    scope.vars.pop_back();
  }
  e.args.push_back(xs);
  for (size_t i = 2; i < fn.params.size(); ++i)
    e.args.push_back(some_scalar(scope, fn.params[i].type.elem));
  std::vector<Param> pat;
  for (const Ret& ret : fn.results) {
    Type type = ret.type;
    for (Operand& dim : type.shape)
      if (dim == Operand{fn.params[0].name}) dim = n;
    pat.push_back({.name = scope.prog.names.fresh("call"), .type = std::move(type)});
  }
  if (!fn.params[1].unique) scope.not_fresh(xs);
  scope.lets(std::move(pat), std::move(e), false);
}

}  // namespace skald::core::random
