// SPDX-License-Identifier: Apache-2.0
#include "passes/scalarise/unrolling.h"

#include "core/ir/visit.h"

namespace skald::passes {

using namespace core;

namespace {

int64_t product(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t dim : shape) count *= dim;
  return count;
}

Operand zero(Prim type) {
  if (type == Prim::kBool) return const_bool(false);
  return is_float(type) ? const_float(type, 0) : const_int(type, 0);
}

}  // namespace

std::optional<std::vector<int64_t>> constant_shape(const Type& type) {
  if (type.kind != Type::kArray) return std::nullopt;
  std::vector<int64_t> shape;
  int64_t count = 1;
  for (const Operand& dim : type.shape) {
    const Const* c = as_const(dim);
    if (c == nullptr) return std::nullopt;
    shape.push_back(int_value(*c));
    if (shape.back() < 0 || shape.back() > kMostRounds) return std::nullopt;
    count *= shape.back();
    if (count > kMostRounds) return std::nullopt;
  }
  return shape;
}

std::optional<int64_t> scalar_count(const Type& type) {
  const std::optional<std::vector<int64_t>> shape = constant_shape(type);
  if (!shape) return std::nullopt;
  return product(*shape);
}

SmallArray load_elements(Builder& out, Name array, const Type& type) {
  SmallArray result{type.elem, *constant_shape(type), {}};
  const int64_t count = product(result.shape);
  for (int64_t k = 0; k < count; ++k) {
    std::vector<DimSlice> slice(result.shape.size());
    int64_t rest = k;
    for (size_t d = slice.size(); d-- > 0;) {
      slice[d] = {true, const_i64(rest % result.shape[d])};
      rest /= result.shape[d];
    }
    result.elems.emplace_back(out.let1(scalar_type(type.elem), Index{array, slice}, "elem"));
  }
  return result;
}

Name store_elements(Builder& out, const Type& type, const std::vector<Operand>& elems) {
  const Operand count = const_i64(static_cast<int64_t>(elems.size()));
  const Type row = scalar_type(type.elem);
  const Name flat = out.let1(array_of(count, row), ArrayLit{row, elems}, "elems");
  if (type.rank() == 1) return flat;
  return out.let1(type, Reshape{flat, type.shape}, "array");
}

// ---- names

void Unrolling::bind(Name name, SmallValue value) {
  if (const Operand* operand = std::get_if<Operand>(&value))
    subst_.insert_or_assign(name, *operand);
  else
    arrays_.insert_or_assign(name, std::get<SmallArray>(std::move(value)));
}

Operand Unrolling::operand(const Operand& o) const {
  const Name* name = as_name(o);
  if (name == nullptr) return o;
  const auto found = subst_.find(*name);
  return found == subst_.end() ? o : found->second;
}

const SmallArray* Unrolling::small(Name name) const {
  const auto found = arrays_.find(name);
  return found == arrays_.end() ? nullptr : &found->second;
}

std::optional<SmallValue> Unrolling::value(const Operand& o) const {
  if (const Name* name = as_name(o))
    if (const SmallArray* array = small(*name)) return *array;
  return operand(o);
}

std::vector<Name> Unrolling::tokens(const Stmt& stmt) const {
  std::vector<Name> result;
  for (const Name token : stmt.tokens) {
    const Operand mapped = operand(token);
    if (const Name* name = as_name(mapped)) result.push_back(*name);
  }
  result.insert(result.end(), held_.begin(), held_.end());
  return result;
}

// ---- bodies

Unrolling::Values Unrolling::apply(Builder& out, const Lambda& fn,
                                   const std::vector<SmallValue>& args) {
  for (size_t k = 0; k < fn.params.size(); ++k) {
    if (fn.params[k].type.kind != Type::kArray) return std::nullopt;
    bind(fn.params[k].name, args[k]);
  }
  return body(out, fn.body);
}

Unrolling::Values Unrolling::body(Builder& out, const Body& body) {
  for (const Stmt& inner : body.stmts)
    if (!within_budget(out) || !stmt(out, inner)) return std::nullopt;
  Results results;
  for (const Operand& result : body.result) results.push_back(*value(result));
  return results;
}

bool Unrolling::stmt(Builder& out, const Stmt& stmt) {
  out.set_loc(stmt.loc);
  if (const auto* node = as<Index>(stmt.exp)) return index(out, stmt, *node);
  Values results;
  // What is inside runs after the checks before it.
  const size_t held_before = held_.size();
  if (as<Soac>(stmt.exp) != nullptr || as<Loop>(stmt.exp) != nullptr || as<If>(stmt.exp) != nullptr)
    held_ = tokens(stmt);
  if (const auto* node = as<Soac>(stmt.exp)) {
    results = soac(out, *node);
  } else if (const auto* node = as<Loop>(stmt.exp)) {
    results = loop(out, *node);
  } else if (const auto* node = as<If>(stmt.exp)) {
    results = branch(out, stmt, *node);
  } else {
    if (stmt.pat.size() != 1) return false;
    if (!stmt.pat[0].type.is_array()) return scalar_stmt(out, stmt);
    const std::optional<SmallArray> made = array_stmt(out, stmt);
    if (!made || static_cast<int64_t>(made->elems.size()) > kMostRounds) return false;
    results = Results{after_checks(out, *made, tokens(stmt))};
  }
  held_.resize(held_before);
  if (!results) return false;
  for (size_t k = 0; k < stmt.pat.size(); ++k) bind(stmt.pat[k].name, std::move((*results)[k]));
  return true;
}

// The same elements, but only after the checks.
SmallArray Unrolling::after_checks(Builder& out, SmallArray array,
                                   const std::vector<Name>& checks) {
  if (checks.empty()) return array;
  for (Operand& elem : array.elems)
    elem = out.let1(scalar_type(array.elem), Value{elem}, "checked", checks);
  return array;
}

bool Unrolling::scalar_stmt(Builder& out, const Stmt& stmt) {
  const Name name = stmt.pat[0].name;
  if (const auto* node = as<Assert>(stmt.exp)) {
    const Operand cond = operand(node->cond);
    std::vector<MessagePart> message;
    for (const MessagePart& part : node->message)
      message.push_back(std::holds_alternative<Operand>(part) ? operand(std::get<Operand>(part))
                                                              : part);
    const Name token = out.check(cond, std::move(message));
    // A check that cannot fail has no token: anything that is no name stands for that.
    bind(name, token == Name{} ? Operand{const_bool(true)} : Operand{token});
    return true;
  }
  // Checks before an operation keep it from being folded.
  const bool free = tokens(stmt).empty();
  if (const auto* node = as<Value>(stmt.exp); node != nullptr && free) {
    bind(name, operand(node->arg));
    return true;
  }
  if (const auto* node = as<BinOp>(stmt.exp); node != nullptr && free) {
    bind(name, out.binop(node->op, node->type, operand(node->lhs), operand(node->rhs)));
    return true;
  }
  if (const auto* node = as<CmpOp>(stmt.exp); node != nullptr && free) {
    bind(name, out.cmpop(node->op, node->type, operand(node->lhs), operand(node->rhs)));
    return true;
  }
  if (const auto* node = as<Convert>(stmt.exp); node != nullptr && free) {
    bind(name, out.convert(node->from, node->to, operand(node->arg)));
    return true;
  }
  if (!is_scalar_operator(stmt.exp)) return false;
  bind(name, out.let1(stmt.pat[0].type, copy_with_fresh_names(stmt.exp, prog_.names, subst_), "t",
                      tokens(stmt)));
  return true;
}

// ---- arrays

std::optional<Unrolling::Selected> Unrolling::select(const SmallArray& array,
                                                     const std::vector<DimSlice>& slice) const {
  // By dimension: the first index, how many, and how far apart.
  struct Dim {
    int64_t start, count, stride;
  };
  std::vector<Dim> dims;
  Selected result;
  for (size_t d = 0; d < array.shape.size(); ++d) {
    Dim dim{0, array.shape[d], 1};
    if (d < slice.size()) {
      const Operand start = operand(slice[d].start), count = operand(slice[d].count),
                    stride = operand(slice[d].stride);
      const Const *s = as_const(start), *c = as_const(count), *t = as_const(stride);
      if (s == nullptr || (!slice[d].is_index && (c == nullptr || t == nullptr)))
        return std::nullopt;
      dim = slice[d].is_index ? Dim{int_value(*s), 1, 1}
                              : Dim{int_value(*s), int_value(*c), int_value(*t)};
      const int64_t last = dim.start + (dim.count - 1) * dim.stride;
      if (dim.count < 0 || dim.count > kMostRounds) return std::nullopt;
      const bool inside =
          dim.start >= 0 && dim.start < array.shape[d] && last >= 0 && last < array.shape[d];
      if (dim.count > 0 && !inside) return std::nullopt;
    }
    dims.push_back(dim);
    if (d >= slice.size() || !slice[d].is_index) result.shape.push_back(dim.count);
  }
  result.places = {0};
  for (size_t d = 0; d < dims.size(); ++d) {
    std::vector<size_t> next;
    for (const size_t place : result.places)
      for (int64_t k = 0; k < dims[d].count; ++k)
        next.push_back(place * static_cast<size_t>(array.shape[d]) +
                       static_cast<size_t>(dims[d].start + k * dims[d].stride));
    if (next.size() > static_cast<size_t>(kMostRounds)) return std::nullopt;
    result.places = std::move(next);
  }
  return result;
}

bool Unrolling::index(Builder& out, const Stmt& stmt, const Index& node) {
  const Param& p = stmt.pat[0];
  if (const SmallArray* array = small(node.array)) {
    const std::optional<Selected> selected = select(*array, node.slice);
    if (!selected) return false;
    SmallArray part{array->elem, selected->shape, {}};
    for (const size_t place : selected->places) part.elems.push_back(array->elems[place]);
    part = after_checks(out, std::move(part), tokens(stmt));
    if (p.type.is_array())
      bind(p.name, std::move(part));
    else
      bind(p.name, part.elems[0]);
    return true;
  }
  const Operand source = operand(node.array);
  if (p.type.is_array() && !constant_shape(p.type)) return false;
  const Name part =
      out.let1(p.type, copy_with_fresh_names(stmt.exp, prog_.names, subst_), "part", tokens(stmt));
  if (p.type.is_array())
    bind(p.name, load_elements(out, part, p.type));
  else
    bind(p.name, Operand{part});
  return as_name(source) != nullptr;
}

// The elements of the array in the order of another, whose dimension d is dimension perm[d].
static std::vector<Operand> rearranged(const SmallArray& array, const std::vector<int>& perm,
                                       const std::vector<int64_t>& shape) {
  std::vector<Operand> elems;
  for (int64_t k = 0; k < product(shape); ++k) {
    std::vector<int64_t> at(shape.size());
    int64_t rest = k;
    for (size_t d = shape.size(); d-- > 0;) {
      at[static_cast<size_t>(perm[d])] = rest % shape[d];
      rest /= shape[d];
    }
    size_t place = 0;
    for (size_t d = 0; d < at.size(); ++d)
      place = place * static_cast<size_t>(array.shape[d]) + static_cast<size_t>(at[d]);
    elems.push_back(array.elems[place]);
  }
  return elems;
}

std::optional<SmallArray> Unrolling::array_stmt(Builder& out, const Stmt& stmt) {
  const std::optional<std::vector<int64_t>> shape = constant_shape(stmt.pat[0].type);
  if (!shape) return std::nullopt;
  SmallArray result{stmt.pat[0].type.elem, *shape, {}};
  const auto count = static_cast<size_t>(product(*shape));
  const auto add = [&](const Operand& o) {
    const std::optional<SmallValue> part = value(o);
    if (const auto* array = std::get_if<SmallArray>(&*part))
      result.elems.insert(result.elems.end(), array->elems.begin(), array->elems.end());
    else
      result.elems.push_back(std::get<Operand>(*part));
  };
  // Whole arrays that are not taken apart yet.
  const auto known = [&](Name name) { return small(name) != nullptr; };
  if (const auto* node = as<ArrayLit>(stmt.exp)) {
    for (const Operand& elem : node->elems) {
      if (node->row.is_array() && (as_name(elem) == nullptr || !known(*as_name(elem))))
        return std::nullopt;
      add(elem);
    }
  } else if (const auto* node = as<Replicate>(stmt.exp)) {
    const Name* source = as_name(node->value);
    const bool scalar = node->shape.size() == shape->size();
    if (!scalar && (source == nullptr || !known(*source))) return std::nullopt;
    if (count > 0)
      while (result.elems.size() < count) add(node->value);
  } else if (const auto* node = as<Iota>(stmt.exp)) {
    Operand next = operand(node->start);
    const Operand step = operand(node->step);
    for (size_t k = 0; k < count; ++k) {
      result.elems.push_back(next);
      if (k + 1 < count) next = out.binop(BinOpKind::kAdd, node->type, next, step);
    }
  } else if (as<Scratch>(stmt.exp) != nullptr) {
    result.elems.assign(count, zero(result.elem));
  } else if (const auto* node = as<Value>(stmt.exp)) {
    const Name* source = as_name(node->arg);
    if (source == nullptr || !known(*source)) return std::nullopt;
    add(node->arg);
  } else if (const auto* node = as<Copy>(stmt.exp)) {
    if (!known(node->array)) return std::nullopt;
    add(node->array);
  } else if (const auto* node = as<Reshape>(stmt.exp)) {
    if (!known(node->array)) return std::nullopt;
    add(node->array);
  } else if (const auto* node = as<Rearrange>(stmt.exp)) {
    const SmallArray* array = small(node->array);
    if (array == nullptr) return std::nullopt;
    result.elems = rearranged(*array, node->perm, *shape);
  } else if (const auto* node = as<Concat>(stmt.exp)) {
    if (node->dim != 0) return std::nullopt;
    for (const Name array : node->arrays) {
      if (!known(array)) return std::nullopt;
      add(array);
    }
  } else if (const auto* node = as<Update>(stmt.exp)) {
    const SmallArray* array = small(node->array);
    if (array == nullptr) return std::nullopt;
    const std::optional<Selected> selected = select(*array, node->slice);
    if (!selected) return std::nullopt;
    result = *array;
    std::vector<Operand> values;
    const std::optional<SmallValue> given = value(node->value);
    if (const auto* part = std::get_if<SmallArray>(&*given))
      values = part->elems;
    else
      values = {std::get<Operand>(*given)};
    if (values.size() != selected->places.size()) return std::nullopt;
    for (size_t k = 0; k < values.size(); ++k) result.elems[selected->places[k]] = values[k];
  } else {
    return std::nullopt;
  }
  if (result.elems.size() != count) return std::nullopt;
  return result;
}

}  // namespace skald::passes
