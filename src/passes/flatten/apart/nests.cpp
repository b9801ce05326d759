// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analysis/parallelism.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/flatten/apart/apart.h"
#include "passes/kernels/sequentialise_internal.h"
#include "passes/kernels/straighten.h"

namespace skald::passes::apart {

using namespace core;

// A map over the writes of all iterations.  `arrays`: by parameter, where it comes from.
Writes Apart::around(const Writes& writes, const Slice& slice, const Operand& width,
                     const std::map<Name, Name>& arrays, const std::map<Name, Name>& outer,
                     Loc loc) {
  Soac soac;
  soac.width = width;
  Writes result;
  Stmt stmt;
  stmt.loc = loc;
  Lambda fn;
  for (const auto* params : {&slice.params, &slice.kept})
    for (const Param& p : *params) {
      soac.inputs.push_back(arrays.at(p.name));
      fn.params.push_back(p);
    }
  Body body;
  for (const Stmt* each : slice.stmts) {
    body.stmts.push_back(
        {each->pat, copy_with_fresh_names(each->exp, prog_.names), {}, {}, each->loc});
  }
  for (const Stmt& each : writes.stmts)
    body.stmts.push_back(
        {each.pat, copy_with_fresh_names(each.exp, prog_.names), {}, {}, each.loc});
  for (size_t k = 0; k < writes.accs.size(); ++k) {
    soac.inputs.push_back(outer.at(writes.accs[k]));
    fn.params.push_back({writes.accs[k], writes.types[k]});
    fn.results.push_back({{}, writes.types[k]});
    body.result.emplace_back(writes.last[k]);
    result.accs.push_back(outer.at(writes.accs[k]));
    result.types.push_back(writes.types[k]);
    result.last.push_back(prog_.names.fresh_like(writes.last[k]));
    inside_.insert(result.last.back());
    stmt.pat.push_back({result.last.back(), writes.types[k]});
  }
  fn.body = std::move(body);
  soac.fn = copy_with_fresh_names(fn, prog_.names);
  for (const Param& p : soac.fn.params) inside_.insert(p.name);
  stmt.exp = std::move(soac);
  result.stmts.push_back(std::move(stmt));
  return result;
}

// Names that are kept become arrays; false if their sizes are not known outside.
bool Apart::keep(const std::vector<Slice>& slices, const Operand& width, std::vector<Param>& kept,
                 std::map<Name, Name>& arrays) {
  for (const Slice& slice : slices)
    for (const Param& p : slice.kept) {
      if (arrays.contains(p.name)) continue;
      if (p.type.kind != Type::kArray || !is_outside(p.type) || !is_outside(width)) return false;
      kept.push_back(p);
      arrays.emplace(p.name, prog_.names.fresh_like(p.name));
      inside_.insert(arrays.at(p.name));
    }
  return true;
}

static Type rows_of(const Operand& count, const Type& row) {
  std::vector<Operand> shape = {count};
  shape.insert(shape.end(), row.shape.begin(), row.shape.end());
  return array_of(shape, scalar_type(row.elem));
}

bool Apart::nested(Stmt& stmt, Roots& roots, std::optional<Stmt>& values,
                   std::vector<Writes>& all) {
  Soac& soac = *as<Soac>(stmt.exp);
  if (!soac.scans.empty() || !soac.post.empty()) return false;
  std::map<Name, Name> inner_roots, outer, arrays;
  Scope scope{&soac.fn.body, {}, {}, in_branch_ || !stmt.tokens.empty()};
  for (size_t k = 0; k < soac.inputs.size(); ++k) {
    const Param& p = soac.fn.params[k];
    if (holds_accumulator(p.type)) {
      inner_roots.emplace(p.name, p.name);
      outer.emplace(p.name, roots.at(soac.inputs[k]));
    } else {
      // What is consumed is not there any more.
      (consumed_.contains(p.name) ? scope.states : scope.params).push_back(p);
      arrays.emplace(p.name, soac.inputs[k]);
    }
  }
  if (!scope.states.empty()) return false;
  std::vector<Writes> inner;
  if (!take(soac.fn.body, inner_roots, inner)) return false;
  std::vector<Slice> slices;
  for (const Writes& writes : inner) slices.push_back(slice(writes, scope));
  size_t folded = 0;
  for (const Operator& op : soac.reduces) folded += op.neutral.size();
  // What the map gives anyway need not be kept again.
  for (size_t k = folded; k < stmt.pat.size(); ++k)
    if (const Name* name = as_name(soac.fn.body.result[k]);
        name != nullptr && !holds_accumulator(stmt.pat[k].type) && is_outside(stmt.pat[k].type))
      arrays.emplace(*name, stmt.pat[k].name);
  std::vector<Param> kept;
  if (!keep(slices, soac.width, kept, arrays)) return false;
  for (size_t k = 0; k < inner.size(); ++k)
    all.push_back(around(inner[k], slices[k], soac.width, arrays, outer, stmt.loc));
  std::vector<Param> pat;
  std::vector<Ret> results;
  std::vector<Operand> given;
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    if (holds_accumulator(stmt.pat[k].type)) {
      const Name root = inner_roots.at(std::get<Name>(soac.fn.body.result[k]));
      roots.emplace(stmt.pat[k].name, outer.at(root));
      continue;
    }
    pat.push_back(stmt.pat[k]);
    results.push_back(soac.fn.results[k]);
    given.push_back(soac.fn.body.result[k]);
  }
  for (const Param& p : kept) {
    pat.push_back({arrays.at(p.name), rows_of(soac.width, p.type)});
    results.push_back({{}, p.type});
    given.emplace_back(p.name);
  }
  // A check of the whole would be lost.
  if (pat.empty()) return stmt.tokens.empty();
  for (size_t k = soac.inputs.size(); k-- > 0;) {
    if (!holds_accumulator(soac.fn.params[k].type)) continue;
    soac.inputs.erase(soac.inputs.begin() + static_cast<std::ptrdiff_t>(k));
    soac.fn.params.erase(soac.fn.params.begin() + static_cast<std::ptrdiff_t>(k));
  }
  soac.fn.results = std::move(results);
  soac.fn.body.result = std::move(given);
  stmt.pat = std::move(pat);
  values = std::move(stmt);
  return true;
}

bool Apart::loop(Builder& before, Stmt& stmt, Roots& roots, std::optional<Stmt>& values,
                 std::vector<Writes>& all) {
  Loop& node = *as<Loop>(stmt.exp);
  if (node.form != Loop::kFor || !is_outside(node.bound)) return false;
  const auto [width, numbers] = all_rounds(before_, node);
  std::map<Name, Name> inner_roots, outer, arrays = {{node.var.name, numbers}};
  Scope scope{&node.body, {node.var}, {}, in_branch_ || !stmt.tokens.empty()};
  std::vector<LoopParam> params;
  std::vector<Param> pat;
  std::vector<Operand> results;
  for (size_t k = 0; k < node.params.size(); ++k) {
    LoopParam& p = node.params[k];
    if (holds_accumulator(p.param.type)) {
      inner_roots.emplace(p.param.name, p.param.name);
      outer.emplace(p.param.name, roots.at(std::get<Name>(p.init)));
      roots.emplace(stmt.pat[k].name, outer.at(p.param.name));
      continue;
    }
    scope.states.push_back(p.param);
    params.push_back(std::move(p));
    pat.push_back(stmt.pat[k]);
    results.push_back(node.body.result[k]);
  }
  std::vector<Writes> inner;
  if (!take(node.body, inner_roots, inner)) return false;
  std::vector<Slice> slices;
  for (const Writes& writes : inner) slices.push_back(slice(writes, scope));
  std::vector<Param> kept;
  if (!keep(slices, width, kept, arrays)) return false;
  for (size_t k = 0; k < inner.size(); ++k)
    all.push_back(around(inner[k], slices[k], width, arrays, outer, stmt.loc));
  before.set_loc(stmt.loc);
  Builder round(prog_);
  round.set_loc(stmt.loc);
  for (Stmt& each : node.body.stmts) round.append(std::move(each));
  const Operand index = round.convert(node.var.type.elem, Prim::kI64, node.var.name, "round");
  for (const Param& p : kept) {
    const Type type = rows_of(width, p.type);
    const Name start = before.let1(type, Scratch{type.elem, type.shape}, "kept");
    const Name carried = prog_.names.fresh_like(arrays.at(p.name));
    inside_.insert(start);
    params.push_back({{carried, type, true}, start});
    pat.push_back({arrays.at(p.name), type});
    results.push_back(write_row(round, type, carried, {index}, p.name));
  }
  if (pat.empty()) return stmt.tokens.empty();
  node.params = std::move(params);
  node.body = round.finish(std::move(results));
  stmt.pat = std::move(pat);
  values = std::move(stmt);
  return true;
}

}  // namespace skald::passes::apart
