// SPDX-License-Identifier: Apache-2.0
// Values as sequences of numbers, and back: what is written to files and read from them.
#include "frontend/nesl/elaborate/primitives.h"

namespace skald::nesl {

namespace {

using core::BinOpKind;

// What a part of a value is.
struct ObjectPart {
  Prim prim = Prim::kI64;
  std::optional<size_t> size = {};    // of an array: the part that says it
  bool is_size = false;               // a length or a total
  std::optional<size_t> inside = {};  // of starts: the part that says how many there are inside
};

void add_parts(const Shape& shape, std::vector<ObjectPart>& parts) {
  if (shape.is_scalar()) return parts.push_back({.prim = prim_of(shape.kind)});
  if (shape.kind != Shape::kSequence) {
    for (const ShapeRef& arg : shape.args) add_parts(*arg, parts);
    return;
  }
  const size_t length = parts.size();
  parts.push_back({.is_size = true});
  const std::vector<ColumnPart> layout = column_layout(*shape.args[0]);
  for (size_t k = 0; k < layout.size(); ++k) {
    const ColumnPart& part = layout[k];
    if (part.kind == ColumnPart::kTotal) {
      parts.push_back({.is_size = true});
      continue;
    }
    const size_t size = part.total < 0 ? length : length + 1 + static_cast<size_t>(part.total);
    ObjectPart array{.prim = part.prim, .size = size};
    // Starts, lengths, the total.
    if (part.kind == ColumnPart::kStarts) array.inside = length + 1 + k + 2;
    parts.push_back(array);
  }
}

Operand to_number(core::Builder& b, Prim prim, const Operand& x) {
  if (prim == Prim::kI64) return x;
  if (prim == Prim::kF64)
    return b.let1(core::scalar_type(Prim::kI64), core::Bitcast{Prim::kF64, Prim::kI64, x});
  return b.convert(prim, Prim::kI64, x);
}

Operand from_number(core::Builder& b, Prim prim, const Operand& x) {
  if (prim == Prim::kI64) return x;
  if (prim == Prim::kF64)
    return b.let1(core::scalar_type(Prim::kF64), core::Bitcast{Prim::kI64, Prim::kF64, x});
  if (prim == Prim::kBool)
    return b.logical_not(b.cmpop(core::CmpOpKind::kEq, Prim::kI64, x, core::const_i64(0)));
  return b.convert(Prim::kI64, prim, x);
}

Value object_numbers(Elaborator& elab, const Value& given) {
  Code& code = elab.code();
  const Value value = compacted_inside(code, given);
  std::vector<ObjectPart> parts;
  add_parts(*value.shape, parts);
  std::vector<Operand> arrays;
  Operand total = core::const_i64(0);
  for (size_t k = 0; k < parts.size(); ++k) {
    const ObjectPart& part = parts[k];
    if (!part.size) {
      const Operand number = to_number(elab.builder(), part.prim, value.parts[k]);
      arrays.push_back(code.replicate(core::const_i64(1), Prim::kI64, number));
      total = code.add(total, core::const_i64(1));
      continue;
    }
    const Operand& size = value.parts[*part.size];
    arrays.push_back(code.map(size, {value.parts[k]}, {part.prim}, {Prim::kI64},
                              [&](const std::vector<Operand>& x) {
                                return std::vector{to_number(elab.builder(), part.prim, x[0])};
                              })[0]);
    total = code.add(total, size);
  }
  const ShapeRef shape = sequence_shape(scalar_shape(Shape::kInt));
  if (arrays.empty()) return empty_sequence(code, scalar_shape(Shape::kInt));
  return {shape, {total, code.concat(Prim::kI64, arrays, total)}};
}

// Where the parts begin, the sizes, and whether there are enough numbers.
struct Layout {
  std::vector<Operand> begins, sizes;
  Operand ok = core::const_bool(true);
};

Layout layout_of(Elaborator& elab, const std::vector<ObjectPart>& parts, const Value& numbers,
                 const Operand& padded) {
  Code& code = elab.code();
  core::Builder& b = elab.builder();
  const Operand& n = length_of(numbers);
  Layout layout;
  Operand cursor = core::const_i64(0);
  for (const ObjectPart& part : parts) {
    layout.begins.push_back(cursor);
    layout.sizes.emplace_back(core::const_i64(0));
    Operand taken = core::const_i64(1);
    if (part.is_size) {
      const Operand at = b.binop(BinOpKind::kMin, Prim::kI64, cursor, n);
      const Operand size = code.read(padded, Prim::kI64, at);
      const Operand some = b.binop(BinOpKind::kMax, Prim::kI64, size, core::const_i64(0));
      layout.sizes.back() = b.binop(BinOpKind::kMin, Prim::kI64, some, n);
      layout.ok = b.logical_and(layout.ok, code.equal(size, layout.sizes.back()));
    } else if (part.size) {
      taken = layout.sizes[*part.size];
    }
    cursor = code.add(cursor, taken);
  }
  layout.ok = b.logical_and(layout.ok, code.equal(cursor, n));
  return layout;
}

// All segments lie inside.
Operand are_inside(Elaborator& elab, const Operand& count, const Operand& starts,
                   const Operand& lengths, const Operand& total) {
  Code& code = elab.code();
  const Operand flags = code.map(count, {starts, lengths}, {Prim::kI64, Prim::kI64}, {Prim::kBool},
                                 [&](const std::vector<Operand>& x) {
                                   core::Builder& b = elab.builder();
                                   const Operand zero = core::const_i64(0);
                                   const Operand above = b.logical_and(code.at_most(zero, x[0]),
                                                                       code.at_most(zero, x[1]));
                                   const Operand fits = code.at_most(x[1], b.size_sub(total, x[0]));
                                   return std::vector{b.logical_and(above, fits)};
                                 })[0];
  return code.reduce(count, flags, Prim::kBool, BinOpKind::kAnd, core::const_bool(true));
}

Value numbers_object(Elaborator& elab, const Value& example, const Value& numbers, Span span) {
  Code& code = elab.code();
  std::vector<ObjectPart> parts;
  add_parts(*example.shape, parts);
  const Operand zero = code.replicate(core::const_i64(1), Prim::kI64, core::const_i64(0));
  const Operand padded = code.concat(Prim::kI64, {numbers.parts[1], zero},
                                     code.add(length_of(numbers), core::const_i64(1)));
  const Layout layout = layout_of(elab, parts, numbers, padded);
  const auto failed = [&] {
    return pair_of(zero_value(elab, example.shape),
                   scalar_value(Shape::kBool, core::const_bool(false)));
  };
  return elab.branch(
      layout.ok, span,
      [&] {
        Value value{example.shape, {}};
        for (size_t k = 0; k < parts.size(); ++k) {
          const ObjectPart& part = parts[k];
          if (part.is_size) {
            value.parts.push_back(layout.sizes[k]);
          } else if (!part.size) {
            const Operand number = code.read(padded, Prim::kI64, layout.begins[k]);
            value.parts.push_back(from_number(elab.builder(), part.prim, number));
          } else {
            const Operand& size = layout.sizes[*part.size];
            const Operand row = code.slice(padded, Prim::kI64, layout.begins[k], size);
            value.parts.push_back(code.map(
                size, {row}, {Prim::kI64}, {part.prim}, [&](const std::vector<Operand>& x) {
                  return std::vector{from_number(elab.builder(), part.prim, x[0])};
                })[0]);
          }
        }
        Operand ok = core::const_bool(true);
        for (size_t k = 0; k < parts.size(); ++k)
          if (parts[k].inside)
            ok = elab.builder().logical_and(
                ok, are_inside(elab, layout.sizes[*parts[k].size], value.parts[k],
                               value.parts[k + 1], layout.sizes[*parts[k].inside]));
        return elab.branch(
            ok, span,
            [&] { return pair_of(value, scalar_value(Shape::kBool, core::const_bool(true))); },
            failed);
      },
      failed);
}

}  // namespace

std::optional<Value> object_primitive(Elaborator& elab, const std::string& name, const Value& arg,
                                      Span span) {
  if (name == "object_numbers") return object_numbers(elab, arg);
  if (name == "numbers_object") return numbers_object(elab, first_of(arg), second_of(arg), span);
  return std::nullopt;
}

}  // namespace skald::nesl
