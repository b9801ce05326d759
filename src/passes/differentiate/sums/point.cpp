// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/sums/point.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/plain.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"

namespace skald::passes::ad {

namespace {

bool is_plain_scalar(const Exp& exp) {
  return as<UnOp>(exp) || as<BinOp>(exp) || as<CmpOp>(exp) || as<TernOp>(exp) || as<Convert>(exp) ||
         as<Bitcast>(exp) || as<Select>(exp) || as<Value>(exp);
}

bool has_loops(const Exp& exp) {
  if (as<If>(exp) == nullptr) return true;
  bool found = false;
  for_each_body(exp, [&](const Body& body) {
    for (const Stmt& stmt : body.stmts)
      found = found || (holds_code(stmt.exp) && has_loops(stmt.exp));
  });
  return found;
}

}  // namespace

bool is_heavy(const Stmt& stmt) {
  if (const auto* e = as<UnOp>(stmt.exp))
    return is_float(e->type) && e->op != UnOpKind::kNeg && e->op != UnOpKind::kAbs;
  if (const auto* e = as<BinOp>(stmt.exp))
    return is_float(e->type) && e->op != BinOpKind::kAdd && e->op != BinOpKind::kSub &&
           e->op != BinOpKind::kMul && e->op != BinOpKind::kMin && e->op != BinOpKind::kMax;
  return holds_code(stmt.exp);
}

Point::Point(Session& session, const NameMap<Definition>& inside, const std::vector<Stmt*>& path,
             std::vector<Operand> at, std::vector<Store>& stores, Emit& out)
    : session_(session),
      inside_(inside),
      path_(path),
      at_(std::move(at)),
      out_(out),
      stores_(stores) {
  for (size_t level = 0; level < path.size(); ++level) {
    const Soac& e = *as<Soac>(path[level]->exp);
    for (size_t k = 0; k < e.inputs.size(); ++k)
      sources_.insert_or_assign(e.fn.params[k].name, Source{e.inputs[k], at_[level]});
  }
}

Operand Point::scalar(const Operand& operand) {
  const Name* name = as_name(operand);
  if (name == nullptr || failed_) return operand;
  if (const auto found = done_.find(*name); found != done_.end()) return found->second;
  if (!is_inside(operand)) return operand;
  Operand value = const_i64(0);
  if (const auto source = sources_.find(*name); source != sources_.end()) {
    const Source from = source->second;
    value = element(from.array, {from.index});
  } else {
    value = defined_scalar(*name, inside_.at(*name));
  }
  done_.insert_or_assign(*name, value);
  return value;
}

Operand Point::defined_scalar(Name name, const Definition& def) {
  if (def.stmt == nullptr) return fail();
  if (is_stored(name) && depth(def)) return stored(name, def, {});
  if (const auto* e = as<Index>(def.stmt->exp)) {
    std::vector<Operand> at;
    for (const DimSlice& dim : e->slice) at.push_back(scalar(dim.start));
    if (is_inside(e->array)) return element(e->array, std::move(at));
    std::vector<DimSlice> slice;
    for (const Operand& index : at) slice.push_back(at_index(index));
    return out_.index(e->array, std::move(slice), tokens(def.stmt->tokens));
  }
  if (is_heavy(*def.stmt) && repeats(def, 0)) return stored(name, def, {});
  if (is_plain_scalar(def.stmt->exp)) return copied(name, def);
  return copied_code(name, def);
}

Operand Point::copied(Name name, const Definition& def) {
  note_copy(def);
  Exp copy = plain_copy(def.stmt->exp);
  map_operands(copy, [&](const Operand& operand) { return scalar(operand); });
  return out_.let1(session_.type_of(name), std::move(copy), session_.prog.names.base(name),
                   tokens(def.stmt->tokens));
}

// A branch, or whatever the innermost map computes with other code.
Operand Point::copied_code(Name name, const Definition& def) {
  const bool innermost = def.level + 1 == static_cast<int>(path_.size());
  if (as<UpdateAcc>(def.stmt->exp) || as<Assert>(def.stmt->exp)) return fail();
  if (!innermost && has_loops(def.stmt->exp)) return stored(name, def, {});
  note_copy(def);
  Substitution renamed;
  for (const Name free : free_names(*def.stmt)) {
    if (!is_inside(free)) continue;
    const Type type = session_.type_of(free);
    if (type.kind != Type::kArray) return fail();
    renamed.emplace(free, type.is_scalar() ? scalar(free) : Operand(view(free)));
    if (failed_) return fail();
  }
  Stmt copy = copy_with_fresh_names(*def.stmt, session_.prog.names, renamed);
  session_.learn(copy);
  for (size_t k = 0; k < copy.pat.size(); ++k)
    if (copy.pat[k].type.is_scalar())
      done_.insert_or_assign(def.stmt->pat[k].name, Operand(copy.pat[k].name));
  out_.append(std::move(copy));
  return done_.at(name);
}

Operand Point::element(Name array, std::vector<Operand> indices) {
  if (failed_) return fail();
  if (const auto source = sources_.find(array); source != sources_.end()) {
    const Source from = source->second;
    indices.insert(indices.begin(), from.index);
    return element(from.array, std::move(indices));
  }
  const auto def = inside_.find(array);
  if (def != inside_.end()) {
    if (def->second.stmt == nullptr) return fail();
    return defined_element(array, def->second, std::move(indices));
  }
  std::vector<DimSlice> slice;
  for (const Operand& index : indices) slice.push_back(at_index(index));
  return out_.index(array, std::move(slice));
}

Operand Point::defined_element(Name array, const Definition& def, std::vector<Operand> indices) {
  const Exp& exp = def.stmt->exp;
  const auto of = [&](const Operand& source, std::vector<Operand> at) {
    return at.empty() ? scalar(source) : element(std::get<Name>(source), std::move(at));
  };
  if (const auto* e = as<Value>(exp)) return of(e->arg, std::move(indices));
  if (const auto* e = as<Copy>(exp)) return of(e->array, std::move(indices));
  if (const auto* e = as<Index>(exp)) {
    if (!def.stmt->tokens.empty()) return stored(array, def, indices);
    return sliced_element(*e, indices);
  }
  if (const auto* e = as<Rearrange>(exp)) {
    std::vector<Operand> at(indices.size(), const_i64(0));
    for (size_t d = 0; d < at.size(); ++d) at[static_cast<size_t>(e->perm[d])] = indices[d];
    return of(e->array, std::move(at));
  }
  if (const auto* e = as<Reshape>(exp)) {
    if (session_.type_of(e->array).shape.size() == e->shape.size())
      return of(e->array, std::move(indices));
    return stored(array, def, indices);
  }
  if (const auto* e = as<Replicate>(exp)) {
    indices.erase(indices.begin(), indices.begin() + static_cast<ptrdiff_t>(e->shape.size()));
    return of(e->value, std::move(indices));
  }
  if (const auto* e = as<Update>(exp)) return updated_element(array, def, *e, indices);
  if (const auto* e = as<Iota>(exp)) {
    const Operand i = out_.convert(Prim::kI64, e->type, indices[0]);
    const Operand offset = out_.bin(BinOpKind::kMul, e->type, i, scalar(e->step));
    return out_.bin(BinOpKind::kAdd, e->type, scalar(e->start), offset);
  }
  if (const auto* e = as<Soac>(exp);
      e != nullptr && e->scans.empty() && e->post.empty() && def.stmt->tokens.empty()) {
    size_t reduced = 0;
    for (const Operator& op : e->reduces) reduced += op.neutral.size();
    if (def.result >= reduced) return mapped_element(array, def, std::move(indices));
  }
  return stored(array, def, indices);
}

// Of an array with rows that were written: what was written, or what was there.
Operand Point::updated_element(Name array, const Definition& def, const Update& e,
                               const std::vector<Operand>& indices) {
  if (!def.stmt->tokens.empty() || e.slice.size() > indices.size() ||
      !std::ranges::all_of(e.slice, [](const DimSlice& dim) { return dim.is_index; }))
    return stored(array, def, indices);
  Operand here = const_bool(true);
  for (size_t d = 0; d < e.slice.size(); ++d)
    here =
        out_.both(here, out_.cmp(CmpOpKind::kEq, Prim::kI64, indices[d], scalar(e.slice[d].start)));
  std::vector<Operand> rest(indices.begin() + static_cast<ptrdiff_t>(e.slice.size()),
                            indices.end());
  const Operand written =
      rest.empty() ? scalar(e.value) : element(std::get<Name>(e.value), std::move(rest));
  const Operand old = element(e.array, indices);
  return failed_ ? fail() : out_.select(here, written, old);
}

Operand Point::sliced_element(const Index& e, const std::vector<Operand>& indices) {
  std::vector<Operand> at;
  size_t next = 0;
  for (const DimSlice& dim : e.slice) {
    if (dim.is_index) {
      at.push_back(scalar(dim.start));
      continue;
    }
    const Operand offset =
        out_.bin(BinOpKind::kMul, Prim::kI64, indices[next++], scalar(dim.stride));
    at.push_back(out_.bin(BinOpKind::kAdd, Prim::kI64, scalar(dim.start), offset));
  }
  at.insert(at.end(), indices.begin() + static_cast<ptrdiff_t>(next), indices.end());
  return element(e.array, std::move(at));
}

Operand Point::mapped_element(Name array, const Definition& def, std::vector<Operand> indices) {
  const Soac& e = *as<Soac>(def.stmt->exp);
  if (repeats(def, static_cast<int>(indices.size())) &&
      std::ranges::any_of(e.fn.body.stmts, is_heavy))
    return stored(array, def, indices);
  const Name key = def.stmt->pat[0].name;
  const auto before = applied_.find(key);
  if (before != applied_.end() && before->second != indices[0]) return fail();
  applied_.insert_or_assign(key, indices[0]);
  for (size_t k = 0; k < e.inputs.size(); ++k)
    sources_.insert_or_assign(e.fn.params[k].name, Source{e.inputs[k], indices[0]});
  const Operand result = e.fn.body.result[def.result];
  indices.erase(indices.begin());
  return indices.empty() ? scalar(result) : element(std::get<Name>(result), std::move(indices));
}

int Point::level_of(const Definition& def, std::vector<Stmt*>& off) const {
  const Definition* at = &def;
  while (at->level == Definition::kElsewhere) {
    Stmt* map = at->around;
    const auto* e = map == nullptr ? nullptr : as<Soac>(map->exp);
    if (e == nullptr || !e->scans.empty() || !e->post.empty() || !map->tokens.empty() ||
        !applied_.contains(map->pat[0].name))
      return Definition::kElsewhere;
    off.insert(off.begin(), map);
    at = &inside_.at(map->pat[0].name);
  }
  return at->level;
}

std::optional<int> Point::depth(const Definition& def) const {
  std::vector<Stmt*> off;
  const int level = level_of(def, off);
  if (level < 0) return std::nullopt;
  return level + 1 + static_cast<int>(off.size());
}

Operand Point::stored(Name name, const Definition& def, const std::vector<Operand>& indices) {
  const Type type = session_.type_of(name);
  // What loops compute is stored even if each value is used once.
  const int spare = is_stored(name) || (def.stmt != nullptr && holds_code(def.stmt->exp)) ? 1 : 0;
  if (!repeats(def, type.rank() - spare)) return fail();
  for (const Operand& dim : type.shape)
    if (is_inside(dim)) return fail();
  std::vector<Stmt*> off;
  const int last = level_of(def, off);
  std::vector<Stmt*> maps(path_.begin(), path_.begin() + last + 1);
  maps.insert(maps.end(), off.begin(), off.end());
  Type whole_type = type;
  for (size_t k = maps.size(); k-- > 0;) {
    const Operand width = as<Soac>(maps[k]->exp)->width;
    if (is_inside(width)) return fail();
    whole_type = array_of(width, whole_type);
  }
  const auto known = std::ranges::find(stores_, name, &Store::value);
  Name array = {};
  if (known != stores_.end()) {
    array = known->array;
  } else {
    array = out_.fresh("stored");
    session_.types.insert_or_assign(array, whole_type);
    stores_.push_back({last, name, array, off});
  }
  std::vector<DimSlice> slice;
  for (int level = 0; level <= last; ++level)
    slice.push_back(at_index(at_[static_cast<size_t>(level)]));
  for (const Stmt* map : off) slice.push_back(at_index(applied_.at(map->pat[0].name)));
  for (const Operand& index : indices) slice.push_back(at_index(index));
  return out_.index(array, std::move(slice));
}

// A row of an array from outside.
Name Point::view(Name array) {
  if (!is_inside(array)) return array;
  const auto source = sources_.find(array);
  if (source == sources_.end()) {
    fail();
    return array;
  }
  const Source from = source->second;
  const Name whole_array = view(from.array);
  return failed_ ? array : out_.index(whole_array, {at_index(from.index)});
}

std::vector<Name> Point::tokens(const std::vector<Name>& names) {
  std::vector<Name> result;
  for (const Name token : names) {
    if (const auto found = done_.find(token); found != done_.end()) {
      result.push_back(std::get<Name>(found->second));
      continue;
    }
    if (!is_inside(token)) {
      result.push_back(token);
      continue;
    }
    const Definition& def = inside_.at(token);
    if (def.stmt == nullptr || as<Assert>(def.stmt->exp) == nullptr) {
      fail();
      continue;
    }
    Exp copy = plain_copy(def.stmt->exp);
    map_operands(copy, [&](const Operand& operand) { return scalar(operand); });
    const Name made = out_.fresh("checked");
    out_.append({.pat = {{.name = made, .type = token_type()}},
                 .exp = std::move(copy),
                 .tokens = tokens(def.stmt->tokens),
                 .loc = def.stmt->loc});
    done_.insert_or_assign(token, Operand(made));
    result.push_back(made);
  }
  return result;
}

}  // namespace skald::passes::ad
