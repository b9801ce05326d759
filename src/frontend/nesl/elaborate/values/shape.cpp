// SPDX-License-Identifier: Apache-2.0
#include "frontend/nesl/elaborate/values/shape.h"

#include "support/bug.h"

namespace skald::nesl {

ShapeRef scalar_shape(Shape::Kind kind) {
  return std::make_shared<Shape>(Shape{kind});
}
ShapeRef pair_shape(ShapeRef first, ShapeRef second) {
  return std::make_shared<Shape>(Shape{Shape::kPair, {std::move(first), std::move(second)}});
}
ShapeRef sequence_shape(ShapeRef element) {
  return std::make_shared<Shape>(Shape{Shape::kSequence, {std::move(element)}});
}
ShapeRef record_shape(std::string name, ShapeRef inner) {
  return std::make_shared<Shape>(Shape{Shape::kRecord, {std::move(inner)}, std::move(name)});
}

core::Prim prim_of(Shape::Kind kind) {
  switch (kind) {
    case Shape::kInt: return core::Prim::kI64;
    case Shape::kFloat: return core::Prim::kF64;
    case Shape::kBool: return core::Prim::kBool;
    case Shape::kChar: return core::Prim::kU8;
    default: SKALD_BUG("no scalar");
  }
}

std::string shape_key(const Shape& shape) {
  constexpr std::string_view kLetters = "ifbc";
  if (shape.is_scalar()) return std::string(1, kLetters[static_cast<size_t>(shape.kind)]);
  std::string inner;
  for (const ShapeRef& arg : shape.args) inner += shape_key(*arg);
  if (shape.kind == Shape::kPair) return "(" + inner + ")";
  if (shape.kind == Shape::kSequence) return "[" + inner + "]";
  if (shape.kind == Shape::kRecord) return shape.record + "{" + inner + "}";
  return fmt::format("<{} {} {}>", shape.global, static_cast<const void*>(shape.lambda), inner);
}

bool same_shape(const Shape& a, const Shape& b) {
  return shape_key(a) == shape_key(b);
}

bool has_sequence(const Shape& shape) {
  if (shape.kind == Shape::kSequence) return true;
  for (const ShapeRef& arg : shape.args)
    if (has_sequence(*arg)) return true;
  return false;
}

void collect_functions(const Shape& shape, std::vector<const Shape*>& functions) {
  if (shape.kind == Shape::kFunction) functions.push_back(&shape);
  for (const ShapeRef& arg : shape.args) collect_functions(*arg, functions);
}

size_t part_count(const Shape& shape) {
  if (shape.is_scalar()) return 1;
  if (shape.kind == Shape::kSequence) return 1 + column_count(*shape.args[0]);
  size_t count = 0;
  for (const ShapeRef& arg : shape.args) count += part_count(*arg);
  return count;
}

size_t column_count(const Shape& element) {
  return column_layout(element).size();
}

namespace {

void add_columns(const Shape& element, int level, int total, std::vector<ColumnPart>& parts) {
  if (element.is_scalar()) {
    parts.push_back({ColumnPart::kData, prim_of(element.kind), level, total});
  } else if (element.kind == Shape::kSequence) {
    parts.push_back({ColumnPart::kStarts, core::Prim::kI64, level, total});
    parts.push_back({ColumnPart::kLengths, core::Prim::kI64, level, total});
    const int inner = static_cast<int>(parts.size());
    parts.push_back({ColumnPart::kTotal, core::Prim::kI64, level, -1});
    add_columns(*element.args[0], level + 1, inner, parts);
  } else {
    for (const ShapeRef& arg : element.args) add_columns(*arg, level, total, parts);
  }
}

}  // namespace

std::vector<ColumnPart> column_layout(const Shape& element) {
  std::vector<ColumnPart> parts;
  add_columns(element, 0, -1, parts);
  return parts;
}

}  // namespace skald::nesl
