// SPDX-License-Identifier: Apache-2.0
// Statements of a map's body that are done for all its iterations at once: views, copies and
// replicated values.
//
//   before   map(n, {xss}, \{row} ->           after   v = xss[0 for n, m - 1 for m by -1]
//              r = row[m - 1 for m by -1]              rs = copy(v)
//              in {r})
//
// As a kernel, one thread would copy a whole row.  Often the copy is not needed, and simplification
// removes it: then nothing is left to do.
#include <algorithm>
#include <functional>

#include "core/ir/visit.h"
#include "passes/flatten/distribute.h"

namespace skald::passes {

using namespace core;

namespace {

// What a view looks at; null if it is none.
const Name* viewed(const Exp& exp) {
  if (const auto* e = as<Index>(exp)) return &e->array;
  if (const auto* e = as<Rearrange>(exp)) return &e->array;
  if (const auto* e = as<Reshape>(exp)) return &e->array;
  if (const auto* e = as<Value>(exp)) return as_name(e->arg);
  return nullptr;
}

// The same view of all rows.
Exp view_of_rows(const Exp& exp, Name rows, const Operand& width) {
  if (as<Value>(exp) != nullptr) return Value{rows};
  if (const auto* e = as<Index>(exp)) {
    Index all{rows, {DimSlice{.is_index = false, .start = const_i64(0), .count = width}}};
    all.slice.insert(all.slice.end(), e->slice.begin(), e->slice.end());
    return all;
  }
  if (const auto* e = as<Rearrange>(exp)) {
    Rearrange all{rows, {0}};
    for (const int dim : e->perm) all.perm.push_back(dim + 1);
    return all;
  }
  Reshape all{rows, {width}};
  const auto& shape = as<Reshape>(exp)->shape;
  all.shape.insert(all.shape.end(), shape.begin(), shape.end());
  return all;
}

}  // namespace

bool returns_views(const Body& body) {
  std::unordered_set<Name> views;
  for (const Stmt& stmt : body.stmts) {
    const bool fits = viewed(stmt.exp) != nullptr || as<Copy>(stmt.exp) != nullptr;
    if (!fits || !stmt.pat[0].type.is_array()) return false;
    views.insert(stmt.pat[0].name);
  }
  return !body.result.empty() && std::ranges::all_of(body.result, [&](const Operand& result) {
    const Name* name = as_name(result);
    return name != nullptr && views.contains(*name);
  });
}

const Distribution::Part* Distribution::defining_part(Name name) const {
  for (const Part& part : parts_)
    for (const Param& p : part.stmt.pat)
      if (p.name == name) return &part;
  return nullptr;
}

bool Distribution::is_view_of_all(const Part& part) const {
  return part.kind == Part::kRepeated && views_whole(part);
}

// The part must give an array, from what is stored and what is the same for all iterations.
bool Distribution::views_whole(const Part& part) const {
  const Name* array = viewed(part.stmt.exp);
  if (array == nullptr || !part.stmt.pat[0].type.is_array() || !can_cross(part.stmt.pat[0].type))
    return false;
  const auto others_fit = [&](Name name) { return name == *array || !local_.contains(name); };
  return std::ranges::all_of(part.uses, others_fit) &&
         std::ranges::all_of(part.stmt.tokens, [&](Name t) { return !local_.contains(t); }) &&
         is_whole(*array);
}

// A row in another shape, which is not repeated where it is used, can be one of all rows.
bool Distribution::reshapes_whole(const Part& part) const {
  const Name name = part.stmt.pat[0].name;
  return as<Reshape>(part.stmt.exp) != nullptr && part.kind == Part::kSequential &&
         views_whole(part) && !consumed_.contains(name) &&
         std::ranges::find(map_.fn.body.result, Operand{name}) == map_.fn.body.result.end();
}

bool Distribution::is_whole(Name name) const {
  if (lifted_.contains(name)) return true;
  const Part* part = defining_part(name);
  if (part == nullptr) return false;
  if (part->kind == Part::kRepeated) return is_view_of_all(*part);
  return can_cross(types_.at(name));
}

Name Distribution::whole(Name name) {
  if (const auto found = lifted_.find(name); found != lifted_.end()) return found->second;
  const Part& part = *defining_part(name);
  const Name rows = whole(*viewed(part.stmt.exp));
  Stmt stmt;
  stmt.pat = {{prog_.names.fresh_like(name), array_of(map_.width, part.stmt.pat[0].type)}};
  stmt.exp = view_of_rows(part.stmt.exp, rows, map_.width);
  stmt.tokens = part.stmt.tokens;
  stmt.loc = part.stmt.loc;
  const Name made = stmt.pat[0].name;
  out_->append(std::move(stmt));
  return made;
}

void Distribution::copy_whole(Name name, Name source) {
  Exp copies =
      local_.contains(source) ? Exp(Copy{whole(source)}) : Exp(Replicate{{map_.width}, source});
  lifted_[name] =
      out_->let1(array_of(map_.width, types_.at(name)), std::move(copies), prog_.names.base(name));
}

bool Distribution::copies_whole(const Stmt& stmt) const {
  const auto* copy = as<Copy>(stmt.exp);
  return copy != nullptr && stmt.tokens.empty() && can_cross(stmt.pat[0].type) &&
         (local_.contains(copy->array) ? is_whole(copy->array) : flat_.in_groups());
}

bool Distribution::concats_whole(const Stmt& stmt) const {
  const auto* concat = as<Concat>(stmt.exp);
  const auto fits = [&](Name array) {
    return local_.contains(array) && is_whole(array) && !consumed_.contains(array);
  };
  return concat != nullptr && can_cross(stmt.pat[0].type) &&
         std::ranges::none_of(stmt.tokens, [&](Name t) { return local_.contains(t); }) &&
         std::ranges::all_of(concat->arrays, fits);
}

// Rows put together are columns of all rows put together.
void Distribution::concat_whole(const Stmt& stmt) {
  Concat all = *as<Concat>(stmt.exp);
  ++all.dim;
  for (Name& array : all.arrays) array = whole(array);
  const Param& p = stmt.pat[0];
  lifted_[p.name] = prog_.names.fresh_like(p.name);
  Stmt made{
      {{lifted_[p.name], array_of(map_.width, p.type)}}, std::move(all), stmt.tokens, {}, stmt.loc};
  out_->append(std::move(made));
}

// replicate([a][b], v) as map(a, {}, map(b, {}, v)): a perfect nest with the map around it.  If v
// is an array, its elements are the last levels.
void Distribution::replicate_as_nest(Stmt& stmt) const {
  const auto* rep = as<Replicate>(stmt.exp);
  const Name* value = rep == nullptr ? nullptr : as_name(rep->value);
  if (value == nullptr || !local_.contains(*value) || !can_cross(stmt.pat[0].type) ||
      std::ranges::all_of(rep->shape, [](const Operand& dim) { return as_const(dim) != nullptr; }))
    return;
  const size_t own_levels = rep->shape.size();
  const std::function<Soac(const Type&, size_t, Name)> level = [&](const Type& type, size_t depth,
                                                                   Name rows) {
    Soac map;
    map.width = type.shape[0];
    const Type row = row_type(type);
    Name inner = rows;
    if (depth >= own_levels) {
      inner = prog_.names.fresh_like(rows);
      map.inputs = {rows};
      map.fn.params = {{inner, row}};
    }
    map.fn.results = {{{}, row}};
    if (row.is_scalar()) {
      map.fn.body.result = {inner};
      return map;
    }
    Stmt next;
    next.pat = {{prog_.names.fresh("rep"), row}};
    next.loc = stmt.loc;
    next.exp = level(row, depth + 1, inner);
    map.fn.body.result = {next.pat[0].name};
    map.fn.body.stmts.push_back(std::move(next));
    return map;
  };
  stmt.exp = level(stmt.pat[0].type, 0, *value);
}

}  // namespace skald::passes
