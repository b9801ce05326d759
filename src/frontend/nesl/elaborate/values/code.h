// SPDX-License-Identifier: Apache-2.0
// Values, and the code that makes them: what every part of the elaboration builds with.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/edit/builder.h"
#include "frontend/nesl/elaborate/values/shape.h"
#include "source/source.h"

namespace skald::nesl {

using core::Name;
using core::Operand;
using core::Prim;

struct Value {
  ShapeRef shape;
  std::vector<Operand> parts;  // part_count(*shape) of them
};

Value first_of(const Value& pair);
Value second_of(const Value& pair);
Value pair_of(const Value& first, const Value& second);
Value scalar_value(Shape::Kind kind, const Operand& operand);

// A sequence that is part of another one.
struct Part {
  Value whole;
  Operand start;
  std::vector<Name> tokens;  // of checks that it is there
};

// [size]prim
inline core::Type array_type(const Operand& size, Prim prim) {
  return core::array_of(size, core::scalar_type(prim));
}

// Of a sequence.
inline const Operand& length_of(const Value& sequence) {
  return sequence.parts.front();
}
inline const ShapeRef& element_of(const Value& sequence) {
  return sequence.shape->args[0];
}

// Whether lengths are known to be none below 0.
enum class Lengths : uint8_t { kRight, kAny };

class Code {
 public:
  Code(core::Program& program, const source::SourceMap& sources)
      : program_(program), sources_(sources) {}

  core::Builder& builder() { return *builder_; }
  core::Program& program() { return program_; }
  // Statements made from now on belong to this place; gives the place before.
  core::Loc set_place(Span span);
  void set_loc(core::Loc loc) { builder().set_loc(loc); }
  Name fresh(std::string_view base) { return program_.names.fresh(base); }

  // A block of its own: `fill` builds statements and gives the results.
  core::Body block(const std::function<std::vector<Operand>()>& fill);

  // New names for the parts of a value of this shape, with their types.
  std::vector<core::Param> params(const Shape& shape, std::string_view base);
  static Value value_of(ShapeRef shape, const std::vector<core::Param>& params, size_t from = 0);
  static std::vector<core::Ret> results(const std::vector<core::Param>& params);

  // An i64 scalar operation.
  Operand add(const Operand& a, const Operand& b) { return builder().size_add(a, b); }
  Operand less(const Operand& a, const Operand& b) {
    return builder().cmpop(core::CmpOpKind::kLt, Prim::kI64, a, b);
  }
  Operand at_most(const Operand& a, const Operand& b) {
    return builder().cmpop(core::CmpOpKind::kLe, Prim::kI64, a, b);
  }
  Operand equal(const Operand& a, const Operand& b) {
    return builder().cmpop(core::CmpOpKind::kEq, Prim::kI64, a, b);
  }
  // Tokens of a check for what relies on it; none if it holds anyway.
  std::vector<Name> check(const Operand& cond, std::vector<core::MessagePart> message);

  // Arrays of one dimension.
  Operand read(const Operand& array, Prim prim, const Operand& index,
               std::vector<Name> tokens = {});
  Operand slice(const Operand& array, Prim prim, const Operand& start, const Operand& count,
                std::vector<Name> tokens = {});
  Operand iota(const Operand& count, const Operand& start = core::const_i64(0),
               const Operand& step = core::const_i64(1));
  Operand replicate(const Operand& count, Prim prim, const Operand& value);
  Operand concat(Prim prim, const std::vector<Operand>& arrays, const Operand& size);
  // The same array with another name for its size.
  Operand resized(const Operand& array, Prim prim, const Operand& size,
                  std::vector<Name> tokens = {});
  Operand copy(const Operand& array, Prim prim, const Operand& size);

  // One result per element: `fn` gets the elements of the arrays (which are of type `prims`).
  std::vector<Operand> map(
      const Operand& width, const std::vector<Operand>& arrays, const std::vector<Prim>& prims,
      const std::vector<Prim>& result_prims,
      const std::function<std::vector<Operand>(const std::vector<Operand>&)>& fn);
  // The sum of the numbers before each place, and the total; where a length may be below 0, that is
  // the least length then.
  std::pair<Operand, Operand> offsets(const Operand& width, const Operand& lengths,
                                      Lengths which = Lengths::kRight);
  Operand reduce(const Operand& width, const Operand& array, Prim prim, core::BinOpKind op,
                 const core::Const& neutral);
  // Inclusive.
  Operand scan(const Operand& width, const Operand& array, Prim prim, core::BinOpKind op,
               const core::Const& neutral);
  // A copy of an array of i64 whose elements at `indices` are combined with the values there.
  Operand combined(const Operand& size, const Operand& array, core::BinOpKind op,
                   const core::Const& neutral, const Operand& width, const Operand& indices,
                   const Operand& values);

  // What a sequence was put together from.
  void remember_elements(const Value& sequence, std::vector<Value> elements);
  // Null if that is not known.
  const Value* known_element(const Value& sequence, const Operand& index) const;

  // Strings that are written out.
  void remember_text(const Value& string, std::string text);
  // Null if that is not known.
  const std::string* known_text(const Value& string) const;

  // What a sequence is part of.  Null if that is not known.
  void remember_part(const Value& sequence, Part part);
  const Part* known_part(const Value& sequence) const;

  // Numbers that are the length of a sequence.
  void mark_length(const Operand& length);
  bool is_length(const Operand& number) const;

  // Arrays that a map gives.
  void mark_mapped(const Operand& array);
  bool is_mapped(const Operand& array) const;

  // Starts whose segments follow each other without gaps.
  void mark_dense(const Operand& starts);
  bool is_dense(const Operand& starts) const;

 private:
  core::Operator op_lambda(Prim prim, core::BinOpKind op, const core::Const& neutral);

  core::Program& program_;
  const source::SourceMap& sources_;
  core::Builder* builder_ = nullptr;
  std::set<uint32_t> dense_, lengths_, mapped_;
  std::map<uint32_t, std::vector<Operand>> concats_;  // the arrays that one was made of
  std::map<uint32_t, std::pair<std::vector<Operand>, std::vector<Value>>> elements_;
  std::map<uint32_t, std::pair<std::vector<Operand>, Part>> parts_;
  std::map<uint32_t, std::string> texts_;
};

}  // namespace skald::nesl
