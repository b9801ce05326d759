// SPDX-License-Identifier: Apache-2.0
// Functions on values of any type, which follow the shape: eql, @, hash, identity, select.
#include <algorithm>

#include "frontend/nesl/elaborate/primitives.h"
#include "support/bug.h"

namespace skald::nesl {

namespace {

using core::BinOpKind;

Operand equal_values(Elaborator& elab, const Value& a, const Value& b, Span span) {
  Code& code = elab.code();
  if (a.shape->is_scalar())
    return elab.builder().cmpop(core::CmpOpKind::kEq, prim_of(a.shape->kind), a.parts[0],
                                b.parts[0]);
  switch (a.shape->kind) {
    case Shape::kPair: {
      const Operand first = equal_values(elab, first_of(a), first_of(b), span);
      const Operand second = equal_values(elab, second_of(a), second_of(b), span);
      return elab.builder().logical_and(first, second);
    }
    case Shape::kRecord:
      return equal_values(elab, {a.shape->args[0], a.parts}, {b.shape->args[0], b.parts}, span);
    case Shape::kFunction: return core::const_bool(same_shape(*a.shape, *b.shape));
    default: break;
  }
  const Operand same = code.equal(length_of(a), length_of(b));
  return elab
      .branch(
          same, span,
          [&] {
            const Value c = with_length(code, b, length_of(a), {});
            std::vector<Operand> arrays = row_arrays(a);
            const size_t own = arrays.size();
            std::vector<Prim> prims = row_prims(*element_of(a));
            for (const Operand& row : row_arrays(c)) arrays.push_back(row);
            prims.insert(prims.end(), prims.begin(),
                         prims.begin() + static_cast<std::ptrdiff_t>(own));
            if (arrays.empty()) return scalar_value(Shape::kBool, core::const_bool(true));
            const Operand flags = code.map(
                length_of(a), arrays, prims, {Prim::kBool}, [&](const std::vector<Operand>& x) {
                  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(own);
                  return std::vector{equal_values(elab, row_element(code, a, {x.begin(), middle}),
                                                  row_element(code, c, {middle, x.end()}), span)};
                })[0];
            return scalar_value(Shape::kBool, code.reduce(length_of(a), flags, Prim::kBool,
                                                          BinOpKind::kAnd, core::const_bool(true)));
          },
          [&] { return scalar_value(Shape::kBool, core::const_bool(false)); })
      .parts[0];
}

Value text_of(Elaborator& elab, const Value& value, bool quotes, Span span);

// Without parentheses around a pair: tuples are flat on the right.
Value tuple_text(Elaborator& elab, const Value& value, bool quotes, Span span) {
  if (value.shape->kind != Shape::kPair) return text_of(elab, value, quotes, span);
  const Value first = text_of(elab, first_of(value), quotes, span);
  const Value comma = appended(elab.code(), first, elab.string_constant(", "));
  return appended(elab.code(), comma, tuple_text(elab, second_of(value), quotes, span));
}

Value enclosed(Elaborator& elab, std::string_view before, const Value& text,
               std::string_view after) {
  const Value begun = appended(elab.code(), elab.string_constant(before), text);
  return appended(elab.code(), begun, elab.string_constant(after));
}

// With `quotes`, sequences of characters stand in quotes.
Value text_of(Elaborator& elab, const Value& value, bool quotes, Span span) {
  Code& code = elab.code();
  switch (value.shape->kind) {
    case Shape::kInt: return elab.call_library("int_text", value, span);
    case Shape::kFloat: return elab.call_library("float_text", value, span);
    case Shape::kBool: return elab.call_library("bool_text", value, span);
    case Shape::kChar:
      return listed(code, {scalar_value(Shape::kChar, core::const_int(Prim::kU8, '`')), value});
    case Shape::kPair: return enclosed(elab, "(", tuple_text(elab, value, quotes, span), ")");
    case Shape::kRecord:
      return enclosed(elab, value.shape->record + "(",
                      tuple_text(elab, {value.shape->args[0], value.parts}, quotes, span), ")");
    case Shape::kFunction: return elab.string_constant("function");
    case Shape::kSequence: break;
  }
  if (quotes && element_of(value)->kind == Shape::kChar)
    return elab.call_library("quoted", value, span);
  std::vector<Operand> arrays = row_arrays(value);
  std::vector<Prim> prims = row_prims(*element_of(value));
  if (arrays.empty()) {
    arrays.push_back(code.iota(length_of(value)));
    prims.push_back(Prim::kI64);
  }
  const Value texts =
      collected(code, length_of(value), arrays, prims, [&](const std::vector<Operand>& x) {
        return text_of(elab, row_element(code, value, x), quotes, span);
      });
  return elab.call_library("sequence_text", texts, span);
}

}  // namespace

Value zero_value(Elaborator& elab, const ShapeRef& shape) {
  if (shape->is_scalar()) {
    const Prim prim = prim_of(shape->kind);
    return {shape,
            {prim == Prim::kBool  ? core::const_bool(false)
             : prim == Prim::kF64 ? core::const_float(prim, 0)
                                  : core::const_int(prim, 0)}};
  }
  if (shape->kind == Shape::kSequence) return empty_sequence(elab.code(), shape->args[0]);
  Value all{shape, {}};
  for (const ShapeRef& arg : shape->args) {
    const Value part = zero_value(elab, arg);
    all.parts.insert(all.parts.end(), part.parts.begin(), part.parts.end());
  }
  return all;
}

namespace {

// The bits of a scalar; both zeros have the same.
Operand bits_of(Elaborator& elab, const Value& scalar) {
  core::Builder& b = elab.builder();
  const Operand value = scalar.parts[0];
  if (scalar.shape->kind == Shape::kInt) return value;
  if (scalar.shape->kind != Shape::kFloat)
    return b.convert(prim_of(scalar.shape->kind), Prim::kI64, value);
  const Operand sum = b.binop(BinOpKind::kAdd, Prim::kF64, value, core::const_float(Prim::kF64, 0));
  return b.let1(core::scalar_type(Prim::kI64), core::Bitcast{Prim::kF64, Prim::kI64, sum});
}

// A number that is the same for equal values.
Operand hash_of(Elaborator& elab, const Value& value, Span span) {
  Code& code = elab.code();
  // Perhaps inside a map, which has a builder of its own.
  const auto mix = [&](const Operand& x, const Operand& y) {
    return mixed_seed(elab.builder(), x, y);
  };
  if (value.shape->is_scalar())
    return mixed_place(elab.builder(), bits_of(elab, value), core::const_i64(1));
  if (value.shape->kind == Shape::kPair) {
    const Operand first = hash_of(elab, first_of(value), span);
    return mix(first, hash_of(elab, second_of(value), span));
  }
  if (value.shape->kind == Shape::kRecord)
    return hash_of(elab, {value.shape->args[0], value.parts}, span);
  if (value.shape->kind == Shape::kFunction) return core::const_i64(0);
  std::vector<Operand> arrays = row_arrays(value);
  std::vector<Prim> prims = row_prims(*element_of(value));
  arrays.push_back(code.iota(length_of(value)));
  prims.push_back(Prim::kI64);
  const Operand hashes =
      code.map(length_of(value), arrays, prims, {Prim::kI64}, [&](const std::vector<Operand>& x) {
        const Value element = row_element(code, value, x);
        const Operand bits =
            element.shape->is_scalar() ? bits_of(elab, element) : hash_of(elab, element, span);
        return std::vector{mixed_place(elab.builder(), bits, x.back())};
      })[0];
  return mix(code.reduce(length_of(value), hashes, Prim::kI64, BinOpKind::kXor, core::const_i64(0)),
             length_of(value));
}

}  // namespace

Value printed_text(Elaborator& elab, const Value& value, Span span) {
  return elab.without_effects([&] { return text_of(elab, value, true, span); });
}

namespace {

void add_message(Elaborator& elab, const Value& value, std::vector<core::MessagePart>& message) {
  if (value.shape->kind == Shape::kPair) {
    add_message(elab, first_of(value), message);
    add_message(elab, second_of(value), message);
  } else if (value.shape->is_scalar()) {
    message.emplace_back(value.parts[0]);
  } else {
    const std::string* text = elab.code().known_text(value);
    SKALD_CHECK(text != nullptr, "a message of the library is not written out");
    message.emplace_back(*text);
  }
}

// The value, which needs the tokens.
Value relying_on(Code& code, Value value, const std::vector<Name>& tokens) {
  if (tokens.empty() || value.parts.empty()) return value;
  if (value.shape->kind == Shape::kSequence) {
    const Value result = with_length(code, value, length_of(value), tokens);
    if (const Part* known = code.known_part(value)) {
      Part part = *known;
      part.tokens.insert(part.tokens.end(), tokens.begin(), tokens.end());
      code.remember_part(result, std::move(part));
    }
    return result;
  }
  if (value.shape->is_scalar()) {
    value.parts[0] = code.builder().let1(core::scalar_type(prim_of(value.shape->kind)),
                                         core::Value{value.parts[0]}, "x", tokens);
    return value;
  }
  const Value first{
      value.shape->args[0],
      {value.parts.begin(),
       value.parts.begin() + static_cast<std::ptrdiff_t>(part_count(*value.shape->args[0]))}};
  const Value checked = relying_on(code, first, tokens);
  std::ranges::copy(checked.parts, value.parts.begin());
  return value;
}

Value required(Elaborator& elab, const Operand& holds, const Value& message, const Value& value) {
  std::vector<core::MessagePart> parts;
  add_message(elab, message, parts);
  return relying_on(elab.code(), value, elab.code().check(holds, std::move(parts)));
}

std::optional<Value> pure_primitive(Elaborator& elab, const std::string& name, const Value& arg,
                                    Span span) {
  if (name == "eql")
    return scalar_value(Shape::kBool, equal_values(elab, first_of(arg), second_of(arg), span));
  if (name == "@") return text_of(elab, arg, false, span);
  if (name == "required") {
    const Value rest = second_of(arg);
    return required(elab, arg.parts[0], first_of(rest), second_of(rest));
  }
  if (name == "identity") return zero_value(elab, arg.shape);
  if (name == "hash_bits") return scalar_value(Shape::kInt, hash_of(elab, arg, span));
  if (name == "select") {
    const Value values = second_of(arg);
    return elab.branch(
        arg.parts[0], span, [&] { return first_of(values); }, [&] { return second_of(values); });
  }
  return object_primitive(elab, name, arg, span);
}

}  // namespace

std::optional<Value> shape_primitive(Elaborator& elab, const std::string& name, const Value& arg,
                                     Span span) {
  std::optional<Value> result;
  elab.without_effects([&]() -> Value {
    result = pure_primitive(elab, name, arg, span);
    return {};
  });
  return result;
}

}  // namespace skald::nesl
