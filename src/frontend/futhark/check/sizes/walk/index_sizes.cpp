// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/sizes/walk/index_sizes.h"

#include <algorithm>

#include "frontend/futhark/check/sizes/walk/exp_sizes.h"

namespace skald::futhark {

void IndexSizes::dims(std::vector<DimIndex>& dims) {
  for (DimIndex& d : dims)
    for (Ptr<Exp>* part : {&d.index, &d.start, &d.end, &d.stride})
      if (*part) exps_.exp(**part);
}

const Type* IndexSizes::slice(const Type* array, std::vector<DimIndex>& dims, SliceMode mode,
                              Span span, std::vector<VName>& ext) {
  if (dims.empty() || array->kind != Type::kArray) return array;
  DimIndex& d = dims[0];
  std::vector<DimIndex> rest;
  for (size_t i = 1; i < dims.size(); ++i) rest.push_back(std::move(dims[i]));
  const Type* elem = slice(array->elem, rest, mode, span, ext);
  for (size_t i = 1; i < dims.size(); ++i) dims[i] = std::move(rest[i - 1]);
  if (!d.is_slice) return elem;

  if (mode == SliceMode::kFlexible)
    return f_.array({f_.size_var(table_.flexible(span, "slice_dim", "size of slice"))}, elem);
  if (mode == SliceMode::kExistential) {
    const VName v = f_.fresh("slice_anydim");
    ext.push_back(v);
    return f_.array({f_.size_var(v)}, elem);
  }
  const Exp* whole = array->size.exp;
  auto is_const = [](const Ptr<Exp>& e, int64_t value) {
    return e && size_const_value(e.get()) == value;
  };
  const Exp* size = nullptr;
  bool binds = false;
  auto usable = [&](std::initializer_list<const Exp*> es) {
    for (const Exp* e : es)
      if (e && !can_be_size(*e)) binds = true;
    return !binds;
  };
  const bool forward = !d.stride || is_const(d.stride, 1);
  const bool backward = is_const(d.stride, -1);
  if (forward && (!d.start || is_const(d.start, 0))) {
    if (usable({d.end.get()})) size = d.end ? strip_size(d.end.get()) : whole;
  } else if (forward && d.start) {
    const Exp* end = d.end ? d.end.get() : whole;
    if (usable({d.start.get(), d.end.get()}) && end) size = f_.size_binary("-", end, d.start.get());
  } else if (backward && !d.start && !d.end) {
    size = whole;
  } else if (backward && d.start && d.end) {
    if (usable({d.start.get(), d.end.get()}))
      size = f_.size_binary("-", d.start.get(), d.end.get());
  }
  if (binds)
    ctx_.warn("size-expression-bind", d.span,
              "Size expression with binding is replaced by unknown size");
  if (!size) {
    const VName v =
        table_.unknown(span, "n", "is size produced by slice at " + ctx_.where(span) + ".",
                       "the length of this slice");
    ext.push_back(v);
    size = f_.size_var(v);
  }
  return f_.array({size}, elem);
}

const Type* IndexSizes::update_target(std::vector<PathStep>& path, const Type* src, Span span) {
  for (PathStep& s : path) {
    src = table_.norm(src);
    if (auto* ds = std::get_if<std::vector<DimIndex>>(&s.step)) {
      dims(*ds);
      std::vector<VName> ext;
      src = slice(src, *ds, SliceMode::kFlexible, span, ext);
    } else {
      src = project(src, std::get<Ident>(s.step).name);
    }
  }
  return src;
}

// A pure field update may change the sizes of the field.
const Type* IndexSizes::update_fields(const std::vector<PathStep>& path, size_t at, const Type* src,
                                      const Type* value, Span span) {
  if (report_.halted()) return src;
  if (at == path.size()) {
    const Type* any = fresh_.everywhere(
        src, [&] { return Size{f_.size_var(table_.flexible(span, "any", "record update"))}; },
        span);
    std::string names;
    for (const PathStep& s : path)
      names += (names.empty() ? "" : ".") + std::get<Ident>(s.step).name;
    unifier_.unify(any, value, {span, "record update", [&] {
                                  return "Type mismatch when updating record field " +
                                         quote(names) + ".\nNew:      " + words_.show(value) +
                                         "\nExisting: " + words_.show(any);
                                }});
    return value;
  }
  const std::string& name = std::get<Ident>(path[at].step).name;
  const Type* field = find_field(*src, name);
  SKALD_CHECK(field, "the unsized step let an update of a missing field pass");
  const Type* updated = update_fields(path, at + 1, field, value, span);
  Type copy = *src;
  for (auto& [n, t] : copy.fields)
    if (n == name) t = updated;
  return f_.make(std::move(copy));
}

namespace {

bool only_fields(const std::vector<PathStep>& path) {
  return std::ranges::all_of(
      path, [](const PathStep& s) { return std::holds_alternative<Ident>(s.step); });
}

}  // namespace

const Type* IndexSizes::update(EUpdate& e) {
  const Type* src = table_.norm(exps_.exp(*e.src));
  if (only_fields(e.path)) {
    const Type* value = exps_.exp(*e.value);
    return update_fields(e.path, 0, src, value, e.src->span);
  }
  const Type* target = update_target(e.path, src, e.src->span);
  const Type* value = exps_.exp(*e.value);
  unifier_.unify(target, value,
                 {e.value->span, "type of update target", {}, {}, e.value.get(), SizeWhy::kUpdate});
  return src;
}

const Type* IndexSizes::let_with(ELetWith& e, Span span, std::vector<VName>& ext) {
  const Type* src =
      table_.norm(f_.with_unique(fresh_.of_name(&e.src, {{}, e.src.name, e.src.span},
                                                d_.field_inst[&e.src], f_.unit(), e.src.span),
                                 false));
  const Type* dst = src;
  if (only_fields(e.path)) {
    const Type* value = exps_.exp(*e.value);
    dst = update_fields(e.path, 0, src, value, e.src.span);
  } else {
    const Type* target = update_target(e.path, src, span);
    const Type* value = exps_.exp(*e.value);
    unifier_.unify(
        target, value,
        {e.value->span, "type of update target", {}, {}, e.value.get(), SizeWhy::kUpdate});
  }
  table_.bind_param({e.dst.name, e.dst.id}, e.dst.span);
  d_.locals[e.dst.id]->sized = dst;
  return scope_.unscope(table_.norm(exps_.exp(*e.body)), span, {e.dst.id}, ext);
}

const Type* IndexSizes::path_section(EPathSection& e, const Type* unsized, Span span) {
  const Type* fn = uni_.shallow(unsized);
  const Type* from = fresh_.replace_metas(fn->from, span, false);
  const Type* t = from;
  std::vector<VName> ext;
  for (PathStep& s : e.path) {
    t = table_.norm(t);
    if (auto* ds = std::get_if<std::vector<DimIndex>>(&s.step)) {
      dims(*ds);
      t = slice(t, *ds, SliceMode::kExistential, span, ext);
    } else {
      t = project(t, std::get<Ident>(s.step).name);
    }
  }
  return f_.arrow(from, t, {}, ext);
}

const Type* IndexSizes::project(const Type* t, const std::string& field) {
  const Type* r = find_field(*t, field);
  return r ? r : f_.unit();
}

const Type* IndexSizes::index(EIndex& e, Span span, std::vector<VName>& ext) {
  dims(e.dims);
  const Type* t = table_.norm(exps_.exp(*e.array));
  return slice(t, e.dims, SliceMode::kKnown, span, ext);
}

}  // namespace skald::futhark
