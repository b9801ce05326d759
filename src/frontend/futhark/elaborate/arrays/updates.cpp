// SPDX-License-Identifier: Apache-2.0
// Paths: fields and indices, in any order.
#include "frontend/futhark/elaborate/arrays/updates.h"

#include "frontend/futhark/elaborate/arrays/arrays.h"
#include "frontend/futhark/elaborate/code/coerce.h"
#include "frontend/futhark/elaborate/values/reps.h"

namespace skald::futhark::elab {

static ValuePtr update_slice(Code& code, const Value& array, const std::vector<DimSlice>& dims,
                             const Tokens& tokens, const ValuePtr& value) {
  RepPtr target = sliced_rep(array, dims);
  ValuePtr v =
      coerce(code, value, target, {std::string("Shape of slice does not match shape of value.")});
  std::vector<Operand> from = leaves_of(*v), leaves = array.leaves;
  std::vector<core::Type> types = leaf_types(*array.rep);
  for (size_t i = 0; i < leaves.size(); ++i) {
    // The value may be a view of an array that was shared: that is no obstacle, it is only read.
    Name dest = code.consume(leaves[i], types[i]);
    leaves[i] = code.emit1(types[i], core::Update{dest, dims, from.at(i)}, "updated", tokens);
  }
  return make_value(array.rep, leaves);
}

// The leaves of one field of an array of records, as an array.
static RepPtr field_under(const RepPtr& rep, const std::string& field, size_t& first,
                          size_t& count) {
  if (rep->kind == Rep::kArray) {
    RepPtr inner = field_under(rep->elem, field, first, count);
    return inner ? array_rep(rep->dim, inner) : nullptr;
  }
  if (rep->kind != Rep::kRecord) return nullptr;
  first = 0;
  for (const auto& [name, r] : rep->fields) {
    count = static_cast<size_t>(leaf_count(*r));
    if (name == field) return r;
    first += count;
  }
  return nullptr;
}

ValuePtr update_path(Code& code, const ValuePtr& v, const std::vector<PathStep>& path, size_t i,
                     const std::function<ValuePtr()>& value, const IndexOf& index_of,
                     std::string name) {
  if (i == path.size()) return value();
  if (const auto* field = std::get_if<Ident>(&path[i].step)) {
    auto fields = v->fields;
    bool found = false;
    for (auto& f : fields) {
      if (f.first != field->name) continue;
      if (!name.empty()) name += "." + field->name;
      f.second = update_path(code, f.second, path, i + 1, value, index_of, name);
      found = true;
    }
    SKALD_CHECK(found, "no field {}", field->name);
    return record_value(std::move(fields));
  }
  // Indices, then fields of the element, then further indices: all of them address leaves of this
  // array directly, as long as no slice comes before them.
  std::vector<DimSlice> dims;
  Tokens tokens;
  size_t first = 0, count = v->leaves.size();
  ValuePtr element = v;  // what the path has reached, for the shapes of further indices
  RepPtr part_rep = v->rep;
  for (; i < path.size(); ++i) {
    if (const auto* field = std::get_if<Ident>(&path[i].step)) {
      size_t offset = 0, n = 0;
      part_rep = field_under(part_rep, field->name, offset, n);
      SKALD_CHECK(part_rep, "no field {}", field->name);
      first += offset;
      count = n;
      element = project(element, field->name);
      continue;
    }
    const auto& steps = std::get<std::vector<DimIndex>>(path[i].step);
    bool sliced = false;
    for (const DimSlice& d : dims) sliced = sliced || !d.is_index;
    if (sliced) {
      // A slice of a slice: build the part separately and write it back.
      ValuePtr old = copy(code, element);
      ValuePtr updated = update_path(code, old, path, i, value, index_of, {});
      Value sub;
      sub.rep = part_rep;
      sub.leaves.assign(v->leaves.begin() + static_cast<std::ptrdiff_t>(first),
                        v->leaves.begin() + static_cast<std::ptrdiff_t>(first + count));
      ValuePtr done = update_slice(code, sub, dims, tokens, updated);
      std::vector<Operand> leaves = v->leaves;
      for (size_t k = 0; k < count; ++k) leaves[first + k] = done->leaves[k];
      return make_value(v->rep, leaves);
    }
    // A part of an array has no name.
    Slice s = slice(code, steps, *element, index_of, std::exchange(name, {}));
    dims.insert(dims.end(), s.dims.begin(), s.dims.end());
    tokens.insert(tokens.end(), s.tokens.begin(), s.tokens.end());
    if (i + 1 < path.size()) element = index_value(code, *element, s.dims, s.tokens);
  }
  ValuePtr new_value = value();
  Value sub;
  sub.rep = part_rep;
  sub.leaves.assign(v->leaves.begin() + static_cast<std::ptrdiff_t>(first),
                    v->leaves.begin() + static_cast<std::ptrdiff_t>(first + count));
  ValuePtr done = update_slice(code, sub, dims, tokens, new_value);
  std::vector<Operand> leaves = v->leaves;
  std::vector<Operand> changed = leaves_of(*done);
  for (size_t k = 0; k < count; ++k) leaves[first + k] = changed[k];
  return make_value(v->rep, leaves);
}

ValuePtr path_value(Code& code, const std::vector<PathStep>& path, const ValuePtr& v,
                    const IndexOf& index_of) {
  ValuePtr out = v;
  for (const PathStep& step : path) {
    if (const auto* field = std::get_if<Ident>(&step.step)) {
      out = project(out, field->name);
    } else {
      Slice s = slice(code, std::get<std::vector<DimIndex>>(step.step), *out, index_of, {});
      out = index_value(code, *out, s.dims, s.tokens);
    }
  }
  return out;
}

}  // namespace skald::futhark::elab
