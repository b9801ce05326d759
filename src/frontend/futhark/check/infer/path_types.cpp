// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/infer/path_types.h"

#include <algorithm>

#include "frontend/futhark/check/infer/infer.h"

namespace skald::futhark {

namespace {

size_t count_slices(const std::vector<DimIndex>& dims) {
  return static_cast<size_t>(
      std::ranges::count_if(dims, [](const DimIndex& d) { return d.is_slice; }));
}

}  // namespace

const Type* PathTypes::array_of(const Type* elem, size_t rank) {
  for (size_t i = 0; i < rank; ++i) elem = f_.array({}, elem);
  return elem;
}

void PathTypes::dims(std::vector<DimIndex>& dims) {
  for (DimIndex& d : dims) {
    if (d.index) {
      infer_.exp(*d.index);
      require(uni_, *d.index, kSignedPrims, "this is an index");
    }
    for (Ptr<Exp>* part : {&d.start, &d.end, &d.stride})
      if (*part) {
        infer_.exp(**part);
        require(uni_, **part, prim_bit(Prim::kI64), "the bounds of a slice are i64");
      }
  }
}

const Type* PathTypes::index(EIndex& e, Span span) {
  const Type* array = infer_.exp(*e.array);
  dims(e.dims);
  const Type* elem = uni_.fresh(span, Liftedness::kUnlifted);
  uni_.unify(array, array_of(elem, e.dims.size()), {e.array->span});
  return array_of(elem, count_slices(e.dims));
}

void PathTypes::path_steps(std::vector<PathStep>& path) {
  for (PathStep& s : path)
    if (auto* ds = std::get_if<std::vector<DimIndex>>(&s.step)) dims(*ds);
}

void PathTypes::must_have(const std::vector<PathStep>& path, size_t from, const Type* whole,
                          const Type* part, Span span) {
  if (from == path.size()) {
    uni_.unify(whole, part, {span});
    return;
  }
  const auto& step = path[from].step;
  if (auto* field = std::get_if<Ident>(&step)) {
    const Type* inner = uni_.fresh(span, Liftedness::kLifted);
    const Span at = field->span.known() ? field->span : span;
    if (!uni_.unify(whole, uni_.fresh_record(span, field->name, inner), {at})) return;
    if (from + 1 < path.size()) return must_have(path, from + 1, inner, part, span);
    uni_.unify(inner, part, {span, [&] {
                               return "Type mismatch when updating record field " +
                                      quote(field->name) + ".\n" +
                                      uni_.show_both("New:      ", part, "Existing: ", inner);
                             }});
    return;
  }
  const auto& ds = std::get<std::vector<DimIndex>>(step);
  const Type* elem = uni_.fresh(span, Liftedness::kUnlifted);
  uni_.unify(whole, array_of(elem, ds.size()), {span});
  const Type* inner = array_of(elem, count_slices(ds));
  must_have(path, from + 1, inner, part, span);
}

const Type* PathTypes::update(EUpdate& e) {
  const Type* src = infer_.exp(*e.src);
  const Type* value = infer_.exp(*e.value);
  path_steps(e.path);
  must_have(e.path, 0, src, value, e.src->span);
  return src;
}

}  // namespace skald::futhark
