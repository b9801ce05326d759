// SPDX-License-Identifier: Apache-2.0
#include "frontend/nesl/elaborate/values/views.h"

#include <algorithm>

namespace skald::nesl {

namespace {

// Is it a tuple or a record with sequences?
bool has_parts(const Shape& shape) {
  return (shape.kind == Shape::kPair || shape.kind == Shape::kRecord) && has_sequence(shape);
}

}  // namespace

std::optional<View> Views::view_of(Code& code, const Value& sequence) const {
  const auto is_outer = [&](const Operand& part) {
    const Name* name = core::as_name(part);
    return name == nullptr || name->id < first_inner_name_;
  };
  // Rows of one length are a grid.
  if (is_outer(length_of(sequence))) return std::nullopt;
  std::vector<Part> parts;
  Value whole = sequence;
  while (!std::ranges::all_of(whole.parts, is_outer)) {
    const Part* part = code.known_part(whole);
    if (part == nullptr) return std::nullopt;
    parts.push_back(*part);
    whole = part->whole;
  }
  Operand start = core::const_i64(0);
  for (const Part& part : parts) {
    Operand own = part.start;
    if (!part.tokens.empty())
      own = code.builder().let1(core::scalar_type(Prim::kI64), core::Value{own}, "start",
                                part.tokens);
    start = start == Operand{core::const_i64(0)} ? own : code.add(start, own);
  }
  return View{whole, start, length_of(sequence)};
}

void Views::take_out(Code& code, const ShapeRef& shape, const Value& value, size_t& at,
                     Value& out) {
  const auto begin = value.parts.begin() + static_cast<std::ptrdiff_t>(at);
  const auto end = begin + static_cast<std::ptrdiff_t>(part_count(*shape));
  if (shape->kind == Shape::kSequence) {
    views_.push_back(view_of(code, {shape, {begin, end}}));
    at += part_count(*shape);
    if (const std::optional<View>& view = views_.back()) {
      out.shape = pair_shape(scalar_shape(Shape::kInt), scalar_shape(Shape::kInt));
      out.parts = {view->start, view->length};
    } else {
      out = {shape, {begin, end}};
    }
  } else if (!has_parts(*shape)) {
    out = {shape, {begin, end}};
    at += part_count(*shape);
  } else if (shape->kind == Shape::kPair) {
    Value first, second;
    take_out(code, shape->args[0], value, at, first);
    take_out(code, shape->args[1], value, at, second);
    out = pair_of(first, second);
  } else {
    take_out(code, shape->args[0], value, at, out);
  }
}

Value Views::without_parts(Code& code, const Value& value) {
  Value result;
  size_t at = 0;
  take_out(code, value.shape, value, at, result);
  return result;
}

void Views::put_back(const ShapeRef& shape, const Value& sequence, size_t& at, size_t& next,
                     const std::vector<Operand>& entries, const std::vector<Operand>& arrays,
                     std::vector<Operand>& columns) const {
  if (has_parts(*shape)) {
    for (const ShapeRef& arg : shape->args)
      put_back(arg, sequence, at, next, entries, arrays, columns);
    return;
  }
  const bool is_view = shape->kind == Shape::kSequence && views_[next].has_value();
  const size_t count = is_view ? 2 : column_count(*shape);
  for (size_t k = 0; k < count; ++k) columns.push_back(sequence.parts[at++]);
  if (shape->kind != Shape::kSequence) return;
  const std::optional<View>& view = views_[next++];
  if (!view) return;
  // Segments that pass as they are keep their names, by which dense ones are known.
  for (size_t k = 0; k + 1 < entries.size(); ++k)
    if (entries[k] == view->start && entries[k + 1] == view->length)
      std::copy_n(arrays.begin() + static_cast<std::ptrdiff_t>(k), 2, columns.end() - 2);
  columns.insert(columns.end(), view->whole.parts.begin(), view->whole.parts.end());
}

Value Views::with_parts(const ShapeRef& element, const Value& sequence,
                        const std::vector<Operand>& entries,
                        const std::vector<Operand>& arrays) const {
  Value result{sequence_shape(element), {length_of(sequence)}};
  size_t at = 1, next = 0;
  put_back(element, sequence, at, next, entries, arrays, result.parts);
  return result;
}

}  // namespace skald::nesl
