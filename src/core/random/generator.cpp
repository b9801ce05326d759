// SPDX-License-Identifier: Apache-2.0
// Random programs: a few functions, and one that calls them.
//
// They are made from front to back: what is in scope is kept (scope.h), and every step appends a
// statement that uses some of it (statements.h).  Three things keep programs well formed and quick:
//   sizes   are parameters, small constants, sizes of arrays at hand, or masked values; an upper
//           bound of each is known, and loops and maps are made only while the product of the
//           bounds around is small
//   arrays  are consumed only by the body that made them, and are forgotten then
//   order   operators are lawful and writes do not collide, so that every order gives the same
#include "core/random/statements.h"
#include "core/random/values.h"

namespace skald::core {

namespace random {

namespace {

// A function of scalars and an array, called from main.
void helper_function(Scope& scope, int number) {
  Function fn;
  fn.name = fmt::format("helper{}", number);
  scope.vars.clear();
  scope.bounds.clear();
  const Name n = scope.bind(scalar_type(Prim::kI64), "n", false);
  scope.bounds[n] = 64;
  fn.params.push_back({.name = n, .type = scalar_type(Prim::kI64)});
  const bool unique = scope.random.chance(40);
  const Param xs = {.name = scope.prog.names.fresh("xs"),
                    .type = array_of(n, scalar_type(some_prim(scope))),
                    .unique = unique};
  fn.params.push_back(xs);
  for (int i = scope.random.below(3); i > 0; --i)
    fn.params.push_back(scope.param(scalar_type(some_prim(scope)), "x"));
  const uint32_t start = scope.prog.names.size();
  // Its callers may be deep inside maps.
  scope.work = 50;
  scope.budget = 6;
  fn.body = scope.body([&] {
    scope.vars.push_back({xs.name, xs.type, unique});
    statements(scope, 5);
    std::vector<Operand> results;
    for (auto& [operand, type] : choose(scope, scope.random.between(1, 2), start)) {
      results.push_back(operand);
      fn.results.push_back({.type = type});
    }
    return results;
  });
  scope.work = 1;
  if (scope.random.chance(30)) fn.hints.inlining = Inlining::kNever;
  scope.prog.functions.push_back(std::move(fn));
}

// count (k, x) = if k <= 0 then x else count (k - 1, … x …)
void recursive_function(Scope& scope) {
  Function fn;
  fn.name = "recursive";
  const Prim type = some_prim(scope);
  scope.vars.clear();
  scope.bounds.clear();
  fn.params = {scope.param(scalar_type(Prim::kI64), "k"), scope.param(scalar_type(type), "x")};
  fn.results = {{.type = scalar_type(type)}};
  const Operand k = fn.params[0].name, x = fn.params[1].name;
  fn.body = scope.body([&]() -> std::vector<Operand> {
    const Operand stop = scope.cmpop(CmpOpKind::kLe, Prim::kI64, k, const_i64(0));
    If branch{.cond = stop};
    branch.then_body = scope.body([&] { return std::vector<Operand>{x}; });
    branch.else_body = scope.body([&] {
      scope.budget = 3;
      scope.work = 200;
      statements(scope, 3);
      scope.work = 1;
      const Operand less = scope.binop(BinOpKind::kSub, Prim::kI64, k, const_i64(1));
      const Name again = scope.let(scalar_type(type),
                                   Call{"recursive", {less, some_scalar(scope, type)}}, "again");
      return std::vector<Operand>{again};
    });
    return {scope.let(scalar_type(type), std::move(branch), "r")};
  });
  scope.prog.functions.push_back(std::move(fn));
}

// halves (k, n, xs) = if k <= 0 then xs else halves of one class ++ halves of the other
void recursive_rows(Scope& scope) {
  const Type i64 = scalar_type(Prim::kI64);
  const auto name = [&](std::string_view base) { return scope.prog.names.fresh(base); };
  const Name k = name("k"), n = name("n"), xs = name("xs"), m = name("m");
  Function fn;
  fn.name = "recursive_rows";
  fn.params = {{k, i64}, {n, i64}, {xs, array_of(n, i64)}};
  fn.results = {{m, i64}, {{}, array_of(m, i64)}};
  Builder code(scope.prog), on(scope.prog);
  const Operand stop = code.cmpop(CmpOpKind::kLe, Prim::kI64, k, const_i64(0));
  // A mask of 3 drops the elements of two more classes.
  Partition split{.width = n, .classes = 2, .inputs = {xs}, .fn = {}};
  const Name x = name("x");
  split.fn.params = {{x, i64}};
  split.fn.results = {{{}, i64}, {{}, i64}};
  Builder each(scope.prog);
  const int64_t mask = scope.random.chance(50) ? 1 : 3;
  const Operand side = each.binop(BinOpKind::kAnd, Prim::kI64, x, const_i64(mask));
  const Operand next =
      each.binop(BinOpKind::kAdd, Prim::kI64, x, const_i64(scope.random.between(-3, 3)));
  split.fn.body = each.finish({side, next});
  const Name sizes[2] = {name("size"), name("size")}, parts[2] = {name("part"), name("part")};
  on.let_pat({{sizes[0], i64},
              {sizes[1], i64},
              {parts[0], array_of(sizes[0], i64)},
              {parts[1], array_of(sizes[1], i64)}},
             std::move(split));
  const Operand less = on.binop(BinOpKind::kSub, Prim::kI64, k, const_i64(1));
  Name lengths[2], rows[2];
  for (int c = 0; c < 2; ++c) {
    lengths[c] = name("length");
    rows[c] = name("rows");
    on.let_pat({{lengths[c], i64}, {rows[c], array_of(lengths[c], i64)}},
               Call{fn.name, {less, sizes[c], parts[c]}});
  }
  const Operand both = on.binop(BinOpKind::kAdd, Prim::kI64, lengths[0], lengths[1]);
  const Name joined = on.let1(array_of(both, i64), Concat{0, both, {rows[0], rows[1]}}, "joined");
  const Name size = name("size"), result = name("result");
  code.let_pat({{size, i64}, {result, array_of(size, i64)}},
               If{stop, Body({}, {n, xs}), on.finish({both, joined})});
  fn.body = code.finish({size, result});
  scope.prog.functions.push_back(std::move(fn));
}

void main_function(Scope& scope) {
  Function fn;
  fn.name = "main";
  fn.entry = EntryPoint{.name = "main"};
  scope.vars.clear();
  scope.bounds.clear();
  const int sizes = scope.random.between(1, 2);
  for (int i = 0; i < sizes; ++i) {
    fn.params.push_back(scope.param(scalar_type(Prim::kI64), "n"));
    scope.bounds[fn.params.back().name] = 9;
  }
  fn.entry->sizes = sizes;
  for (int i = scope.random.between(2, 5); i > 0; --i) {
    Type type = scalar_type(some_prim(scope));
    for (int rank = scope.random.below(3); rank > 0; --rank)
      type.shape.push_back(fn.params[static_cast<size_t>(scope.random.below(sizes))].name);
    const bool unique = type.is_array() && scope.random.chance(30);
    fn.params.push_back({.name = scope.prog.names.fresh("p"), .type = type, .unique = unique});
    std::string text;
    for (int k = 0; k < type.rank(); ++k) text += "[]";
    fn.entry->params.push_back({.name = fmt::format("p{}", i),
                                .type = text + std::string(prim_name(type.elem)),
                                .unique = unique});
  }
  scope.budget = scope.options.size;
  scope.work = 1;
  fn.body = scope.body([&] {
    for (size_t i = static_cast<size_t>(sizes); i < fn.params.size(); ++i)
      scope.vars.push_back({fn.params[i].name, fn.params[i].type, fn.params[i].unique});
    while (scope.budget > 0) statement(scope);
    // Results: what was made last.  Sizes that are not parameters come first, with names.
    std::vector<Operand> values, lengths;
    std::vector<Ret> rets, length_rets;
    std::unordered_map<Name, Name> ret_names;
    std::vector<Var> candidates(scope.vars.begin() + static_cast<ptrdiff_t>(scope.body_begin),
                                scope.vars.end());
    for (int i = scope.random.between(2, 5); i > 0 && !candidates.empty(); --i) {
      const int range = std::min<int>(static_cast<int>(candidates.size()), 8);
      const size_t at = candidates.size() - 1 - static_cast<size_t>(scope.random.below(range));
      Var var = candidates[at];
      candidates.erase(candidates.begin() + static_cast<ptrdiff_t>(at));
      std::string text;
      for (Operand& dim : var.type.shape) {
        text += "[]";
        const Name* name = as_name(dim);
        if (!name) continue;
        bool is_param = false;
        for (const Param& p : fn.params) is_param = is_param || p.name == *name;
        if (is_param) continue;
        const auto [place, is_new] = ret_names.try_emplace(*name, Name{});
        if (is_new) {
          place->second = scope.prog.names.fresh("size");
          lengths.push_back(*name);
          length_rets.push_back({.name = place->second, .type = scalar_type(Prim::kI64)});
        }
        dim = place->second;
      }
      values.push_back(var.name);
      fn.entry->results.push_back({.type = text + std::string(prim_name(var.type.elem))});
      rets.push_back({.type = var.type});
    }
    fn.entry->result_sizes = static_cast<int>(lengths.size());
    fn.results = std::move(length_rets);
    fn.results.insert(fn.results.end(), rets.begin(), rets.end());
    lengths.insert(lengths.end(), values.begin(), values.end());
    return lengths;
  });
  scope.prog.functions.push_back(std::move(fn));
}

}  // namespace

}  // namespace random

Program random_program(uint64_t seed, const RandomOptions& options) {
  random::Scope scope{Random(seed), options};
  const int helpers = scope.random.below(3);
  for (int i = 0; i < helpers; ++i) random::helper_function(scope, i);
  if (scope.random.chance(30)) random::recursive_function(scope);
  if (scope.random.chance(20)) random::recursive_rows(scope);
  random::main_function(scope);
  return std::move(scope.prog);
}

}  // namespace skald::core
