// SPDX-License-Identifier: Apache-2.0
// What a value looks like once types are known: which core values it consists of.
//
//   int float bool char    one scalar (i64, f64, bool, u8)
//   pair                   the parts of both
//   sequence               its length n, then its columns
//   record                 what is inside
//   function               the values it has captured; which function it is, is part of the shape
//
// The columns of a sequence of n elements:
//
//   scalars                one array [n]
//   pairs, records         those of the parts
//   sequences              starts [n], lengths [n], a total m, and the columns of the m inner
//                          elements; element i is lengths[i] of them from starts[i] on
//
// Segments may overlap, lie in any order and leave gaps: a sequence that is repeated, gathered or
// filtered shares what is inside.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/ir/type.h"
#include "frontend/nesl/ast/ast.h"

namespace skald::nesl {

struct Shape;
using ShapeRef = std::shared_ptr<const Shape>;

struct Shape {
  enum Kind : uint8_t { kInt, kFloat, kBool, kChar, kPair, kSequence, kRecord, kFunction };
  Kind kind = kInt;
  std::vector<ShapeRef> args = {};
  std::string record = {};              // kRecord: the datatype
  int global = -1;                      // kFunction: which global, or
  const Exp* lambda = nullptr;          // which lambda, and
  std::vector<std::string> names = {};  // what it has captured
  bool is_scalar() const { return kind <= kChar; }
};

ShapeRef scalar_shape(Shape::Kind kind);
ShapeRef pair_shape(ShapeRef first, ShapeRef second);
ShapeRef sequence_shape(ShapeRef element);
ShapeRef record_shape(std::string name, ShapeRef inner);

core::Prim prim_of(Shape::Kind kind);
// Equal shapes have equal keys.
std::string shape_key(const Shape& shape);
bool same_shape(const Shape& a, const Shape& b);
bool has_sequence(const Shape& shape);
// All functions that values of this shape hold.
void collect_functions(const Shape& shape, std::vector<const Shape*>& functions);

size_t part_count(const Shape& shape);
size_t column_count(const Shape& element);

// One part of the columns of a sequence.
struct ColumnPart {
  enum Kind : uint8_t { kData, kStarts, kLengths, kTotal };
  Kind kind = kData;
  core::Prim prim = core::Prim::kI64;
  int level = 0;   // how many sequences it is inside of
  int total = -1;  // the part that is its size; -1: the length of the sequence
  bool is_row() const { return level == 0 && kind != kTotal; }
};
std::vector<ColumnPart> column_layout(const Shape& element);

}  // namespace skald::nesl
