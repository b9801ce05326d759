// SPDX-License-Identifier: Apache-2.0
// Loops that fill arrays.
//
//   loop-map   loop {zs : [m]t = …} for i < m do … let {zs'} = zs with [i] = v in {zs'}
//              map(m, {iota m}, \{i} -> … in {v})
//
// Every round writes the element of its number and looks at nothing that rounds before it wrote, so
// they may run in any order.  What the arrays held at first is gone at the end.
#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/simplify/rules.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

bool is_whole(const DimSlice& slice, const Operand& size) {
  return !slice.is_index && slice.start == Operand{const_i64(0)} &&
         slice.stride == Operand{const_i64(1)} && slice.count == size;
}

// Does `update` write the row of number `i`, all of it?
bool writes_row(const Update& update, Name i, const Type& array) {
  const DimSlice& first = update.slice[0];
  if (!first.is_index || !(first.start == Operand{i})) return false;
  for (size_t d = 1; d < update.slice.size(); ++d)
    if (!is_whole(update.slice[d], array.shape[d])) return false;
  return true;
}

// Code whose order can be seen, or that may not stand in a map.
bool must_stay_a_loop(const Body& body) {
  for (const Stmt& stmt : body.stmts) {
    if (as<Call>(stmt.exp) != nullptr || as<Opaque>(stmt.exp) != nullptr) return true;
    bool found = false;
    for_each_body(stmt.exp, [&](const Body& inner) { found = found || must_stay_a_loop(inner); });
    if (found) return true;
  }
  return false;
}

// The statement that makes result k of the loop by writing row i of its parameter.
const Update* filling_update(const Loop& loop, size_t k, size_t& at) {
  const Name* result = as_name(loop.body.result[k]);
  if (result == nullptr) return nullptr;
  for (at = 0; at < loop.body.stmts.size(); ++at) {
    const Stmt& stmt = loop.body.stmts[at];
    if (stmt.pat.size() != 1 || !(stmt.pat[0].name == *result)) continue;
    const Update* update = as<Update>(stmt.exp);
    const Param& array = loop.params[k].param;
    const bool fits = update != nullptr && update->array == array.name && array.type.is_array() &&
                      array.type.shape[0] == loop.bound &&
                      writes_row(*update, loop.var.name, array.type);
    return fits ? update : nullptr;
  }
  return nullptr;
}

// The rows of number `i` of arrays from outside become inputs of the map.
void take_rows_as_inputs(Soac& map, Name i, Env& env) {
  std::unordered_map<Name, Param> rows;
  for (Stmt& stmt : map.fn.body.stmts) {
    auto* index = as<Index>(stmt.exp);
    if (index == nullptr || !index->slice[0].is_index || !(index->slice[0].start == Operand{i}))
      continue;
    const Type* type = env.type(index->array);
    if (type == nullptr || !(type->shape[0] == map.width)) continue;
    const auto [row, is_new] = rows.try_emplace(index->array);
    if (is_new) {
      row->second = {env.program().names.fresh("row"), row_type(*type)};
      map.inputs.push_back(index->array);
      map.fn.params.push_back(row->second);
    }
    if (index->slice.size() == 1) {
      stmt.exp = Value{row->second.name};
    } else {
      index->array = row->second.name;
      index->slice.erase(index->slice.begin());
    }
  }
}

}  // namespace

bool loop_to_map(Stmt& stmt, std::vector<Stmt>& out, Env& env, PassContext& ctx) {
  Program& prog = env.program();
  Loop* loop = as<Loop>(stmt.exp);
  if (prog.stage != Stage::kSoacs || loop == nullptr || loop->form != Loop::kFor ||
      loop->params.empty() || !stmt.hints.empty() || !(loop->var.type == scalar_type(Prim::kI64)))
    return false;
  Soac map;
  std::vector<bool> writes(loop->body.stmts.size());
  for (size_t k = 0; k < loop->params.size(); ++k) {
    size_t at = 0;
    const Update* update = filling_update(*loop, k, at);
    if (update == nullptr) return false;
    writes[at] = true;
    map.fn.results.push_back({{}, row_type(loop->params[k].param.type)});
    map.fn.body.result.push_back(update->value);
  }
  // Nothing else may look at the arrays, before or after the write.
  std::unordered_set<Name> arrays;
  for (const LoopParam& p : loop->params) arrays.insert(p.param.name);
  for (const Operand& result : loop->body.result) arrays.insert(*as_name(result));
  for (size_t k = 0; k < loop->body.stmts.size(); ++k)
    for (const Name name : free_names(loop->body.stmts[k]))
      if (arrays.contains(name) && !writes[k]) return false;
  for (const Operand& value : map.fn.body.result)
    if (const Name* name = as_name(value); name != nullptr && arrays.contains(*name)) return false;
  if (must_stay_a_loop(loop->body) || !ctx.may_rewrite("loop-map")) return false;

  map.width = loop->bound;
  const Name numbers = prog.names.fresh("iota");
  Stmt iota{{{numbers, array_of(loop->bound, loop->var.type)}},
            Iota{Prim::kI64, loop->bound, const_i64(0), const_i64(1)},
            {},
            {},
            stmt.loc};
  map.inputs = {numbers};
  map.fn.params = {loop->var};
  for (size_t k = 0; k < loop->body.stmts.size(); ++k)
    if (!writes[k]) map.fn.body.stmts.push_back(std::move(loop->body.stmts[k]));
  take_rows_as_inputs(map, loop->var.name, env);
  out.push_back(std::move(iota));
  stmt.exp = std::move(map);
  return true;
}

}  // namespace skald::passes::simplify_rules
