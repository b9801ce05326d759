// SPDX-License-Identifier: Apache-2.0
// A reduction over a flattened array that a nest in the same block makes, or goes through (rule
// 10: a flat domain and a grid of the same points).
//
//   before   let {yss} = map(n, {xss}, \{xs} -> … map(m, {xs}, f) …)
//            let {ys} = reshape([k], yss)
//            let {s} = soac(k, {ys}, g, reduce op)
//
//   after    let {yss} = map(n, {xss}, \{xs} -> … map(m, {xs}, f) …)
//            let {s} = soac(n, {yss}, \{row} ->
//                let {t} = soac(m, {row}, g, reduce op)
//                in {t}, reduce op)
//
// The operator is associative, so rows may be reduced first.  Then producer and consumer have the
// same size, and fusion makes them one.
#include "passes/fusion/rewrite/flat_reduce.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/fusion/graph/shape.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

constexpr size_t kMaxBlock = 500;

// Only reductions, with operators on scalars.
bool only_reduces(const Soac& soac) {
  size_t values = 0;
  for (const Operator& op : soac.reduces) {
    if (!takes_scalars(op.fn)) return false;
    values += op.neutral.size();
  }
  return soac.scans.empty() && soac.post.empty() && !soac.reduces.empty() &&
         values == soac.fn.results.size() && takes_scalars(soac.fn) && !soac.inputs.empty();
}

Operator copy_operator(const Operator& op, NameTable& names) {
  Operator copy;
  copy.fn = copy_with_fresh_names(op.fn, names);
  copy.neutral = op.neutral;
  copy.commutative = op.commutative;
  return copy;
}

// The reduction of `arrays`, of the given shape, from dimension `level` inwards.
Soac nest(Soac flat, const std::vector<Name>& arrays, const std::vector<Operand>& shape,
          size_t level, Program& prog, Loc loc) {
  flat.width = shape[level];
  flat.inputs = arrays;
  if (level + 1 == shape.size()) return flat;
  Soac outer;
  outer.width = shape[level];
  outer.inputs = arrays;
  std::vector<Name> rows;
  const std::vector<Operand> rest(shape.begin() + static_cast<ptrdiff_t>(level) + 1, shape.end());
  for (const Param& p : flat.fn.params) {
    rows.push_back(prog.names.fresh("row"));
    outer.fn.params.push_back({rows.back(), array_of(rest, p.type)});
  }
  Stmt inner{{}, Value{const_i64(0)}, {}, {}, loc};
  for (const Operator& op : flat.reduces) outer.reduces.push_back(copy_operator(op, prog.names));
  for (const Ret& ret : flat.fn.results) {
    const Name name = prog.names.fresh("of_row");
    inner.pat.push_back({name, ret.type});
    outer.fn.results.push_back({{}, ret.type});
    outer.fn.body.result.emplace_back(name);
  }
  inner.exp = nest(std::move(flat), rows, shape, level + 1, prog, loc);
  outer.fn.body.stmts.push_back(std::move(inner));
  return outer;
}

// Arrays whose rows a nest of the block goes through, with the number of its statement.  One that
// the nest reads otherwise, too, is worth as much.
std::unordered_map<Name, std::vector<size_t>> read_by_nests(const Body& body) {
  std::unordered_map<Name, std::vector<size_t>> readers;
  for (size_t s = 0; s < body.stmts.size(); ++s) {
    if (as<Soac>(body.stmts[s].exp) == nullptr) continue;
    const std::optional<NodeInfo> info = describe(body.stmts[s]);
    if (!info || !info->is_perfect_nest || !info->hints.empty()) continue;
    for (const Name input : info->inputs) readers[input].push_back(s);
  }
  return readers;
}

// Does one of the statements need the other, directly or through others?
bool depend(const Body& body, size_t a, size_t b) {
  const size_t first = std::min(a, b), last = std::max(a, b);
  std::unordered_set<Name> from;
  for (const Param& p : body.stmts[first].pat) from.insert(p.name);
  for (size_t s = first + 1; s <= last; ++s) {
    const Stmt& stmt = body.stmts[s];
    bool needs = std::ranges::any_of(stmt.tokens, [&](Name t) { return from.contains(t); });
    if (!needs)
      for (const Name name : free_names(stmt)) needs = needs || from.contains(name);
    if (!needs) continue;
    if (s == last) return true;
    for (const Param& p : stmt.pat) from.insert(p.name);
  }
  return false;
}

bool makes_rows(const Exp& exp) {
  const Soac* soac = as<Soac>(exp);
  return soac != nullptr && soac->scans.empty();
}

}  // namespace

void unflatten_reductions(Body& body, Program& prog, const ArrayTypes& types, PassContext& ctx) {
  bool any = false;
  std::unordered_map<Name, std::vector<Operand>> made;  // arrays of nests in this block
  std::unordered_map<Name, std::vector<Operand>> shapes;
  std::unordered_map<Name, Name> flattened;  // flat array → what was flattened
  // Large blocks do without.
  std::unordered_map<Name, std::vector<size_t>> read_by;
  if (body.stmts.size() <= kMaxBlock) read_by = read_by_nests(body);
  for (size_t s = 0; s < body.stmts.size(); ++s) {
    Stmt& stmt = body.stmts[s];
    if (makes_rows(stmt.exp))
      for (const Param& p : stmt.pat)
        if (p.type.rank() >= 2) made.emplace(p.name, p.type.shape);
    for (const Param& p : stmt.pat)
      if (p.type.rank() >= 2) shapes.emplace(p.name, p.type.shape);
    if (const Reshape* e = as<Reshape>(stmt.exp);
        e != nullptr && e->shape.size() == 1 && stmt.tokens.empty()) {
      const auto outer = types.find(e->array);
      if (outer != types.end() && outer->second.rank() >= 2)
        shapes.emplace(e->array, outer->second.shape);
      if (shapes.contains(e->array)) flattened.emplace(stmt.pat[0].name, e->array);
    }
    Soac* soac = as<Soac>(stmt.exp);
    if (soac == nullptr || !stmt.hints.empty() || !only_reduces(*soac)) continue;
    std::vector<Name> arrays;
    bool any_made = false, all_flattened = true;
    for (const Name input : soac->inputs) {
      const auto source = flattened.find(input);
      if (source == flattened.end()) {
        all_flattened = false;
        break;
      }
      arrays.push_back(source->second);
      any_made = any_made || made.contains(source->second);
      all_flattened = all_flattened && shapes[arrays.back()] == shapes[arrays[0]];
    }
    // A nest that goes through the same array can be merged with the reduction just as well.
    for (size_t k = 0; k < arrays.size() && all_flattened && !any_made; ++k)
      for (const size_t nest : read_by[arrays[k]]) any_made = any_made || !depend(body, nest, s);
    if (!all_flattened || !any_made || !ctx.may_rewrite("unflatten-reduction")) continue;
    Soac flat = std::move(*soac);
    stmt.exp = nest(std::move(flat), arrays, shapes[arrays[0]], 0, prog, stmt.loc);
    any = true;
  }
  if (!any) return;
  // A view that nobody looks at any more would make its source seem needed.
  NameSet used;
  for (const Stmt& stmt : body.stmts) used.merge(free_names(stmt));
  for (const Operand& o : body.result)
    if (const Name* name = as_name(o)) used.insert(*name);
  std::erase_if(body.stmts, [&](const Stmt& stmt) {
    return as<Reshape>(stmt.exp) != nullptr && !used.contains(stmt.pat[0].name);
  });
}

}  // namespace skald::passes::fusion
