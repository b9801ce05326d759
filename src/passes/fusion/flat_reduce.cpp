// SPDX-License-Identifier: Apache-2.0
// A reduction over a flattened array that a nest in the same block makes.
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
#include "passes/fusion/flat_reduce.h"

#include <algorithm>

#include "core/rename.h"
#include "core/visit.h"
#include "passes/fusion/shape.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

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

bool makes_rows(const Exp& exp) {
  const Soac* soac = as<Soac>(exp);
  return soac != nullptr && soac->scans.empty();
}

}  // namespace

void unflatten_reductions(Body& body, Program& prog, PassContext& ctx) {
  bool any = false;
  std::unordered_map<Name, std::vector<Operand>> made;  // arrays of nests in this block
  std::unordered_map<Name, std::vector<Operand>> shapes;
  std::unordered_map<Name, Name> flattened;  // flat array → what was flattened
  for (Stmt& stmt : body.stmts) {
    if (makes_rows(stmt.exp))
      for (const Param& p : stmt.pat)
        if (p.type.rank() >= 2) made.emplace(p.name, p.type.shape);
    for (const Param& p : stmt.pat)
      if (p.type.rank() >= 2) shapes.emplace(p.name, p.type.shape);
    if (const Reshape* e = as<Reshape>(stmt.exp);
        e != nullptr && e->shape.size() == 1 && stmt.tokens.empty() && shapes.contains(e->array))
      flattened.emplace(stmt.pat[0].name, e->array);
    Soac* soac = as<Soac>(stmt.exp);
    if (soac == nullptr || !stmt.attrs.empty() || !only_reduces(*soac)) continue;
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
    if (!all_flattened || !any_made || !ctx.may_rewrite("unflatten-reduction")) continue;
    Soac flat = std::move(*soac);
    stmt.exp = nest(std::move(flat), arrays, shapes[arrays[0]], 0, prog, stmt.loc);
    any = true;
  }
  if (!any) return;
  // A view that nobody looks at any more would make its source seem needed.
  std::unordered_set<Name> used;
  for (const Stmt& stmt : body.stmts) used.merge(free_names(stmt));
  for (const Operand& o : body.result)
    if (const Name* name = as_name(o)) used.insert(*name);
  std::erase_if(body.stmts, [&](const Stmt& stmt) {
    return as<Reshape>(stmt.exp) != nullptr && !used.contains(stmt.pat[0].name);
  });
}

}  // namespace skald::passes::fusion
