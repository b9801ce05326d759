// SPDX-License-Identifier: Apache-2.0
// Scalar code for one element of an array of the plan.
#include <algorithm>
#include <bit>

#include "frontend/lazy/lower/lowering.h"
#include "support/bug.h"

namespace skald::lazy {

using namespace core;

static Parts scalar_input(const std::vector<Name>& scalars, const PlanInput& input) {
  if (input.source == SourceKind::kComplex)
    return {scalar_input(scalars, input.parts[0])[0], scalar_input(scalars, input.parts[1])[0]};
  if (input.source == SourceKind::kScalar) return {scalars[static_cast<size_t>(input.index)]};
  const Prim type = prim_of(input.type);
  if (type == Prim::kBool) return {const_bool(input.index != 0)};
  if (skald::is_float(type)) return {const_float(type, std::bit_cast<double>(input.index))};
  return {const_int(type, input.index)};
}

Operand Lowering::element(Scope& scope, Name array, const Indices& at, Prim type) {
  if (reads_) reads_->push_back(at);
  std::string key = "r" + std::to_string(array.id);
  for (const Affine& index : at) key += "," + index.key();
  if (const Parts* found = scope.find(key)) return found->front();
  Index index{.array = array, .slice = {}};
  for (const Affine& position : at) index.slice.push_back({.start = operand(scope, position)});
  const Operand read = scope.b.let1(scalar_type(type), std::move(index), "x");
  scope.known.emplace(key, Parts{read});
  return read;
}

Parts Lowering::read(Scope& scope, const Stored& array, const Indices& at, DType type) {
  const Prim prim = prim_of(type);
  if (is_complex(type) && !array.imag) {
    Indices real = at, imag = at;
    real.push_back(Affine::number(0));
    imag.push_back(Affine::number(1));
    const Name pairs = *as_name(array.value);
    return {element(scope, pairs, real, prim), element(scope, pairs, imag, prim)};
  }
  Parts parts{array.value};
  if (array.imag) parts.push_back(*array.imag);
  if (at.empty()) return parts;
  for (Operand& part : parts) part = element(scope, *as_name(part), at, prim);
  return parts;
}

Parts Lowering::read(Scope& scope, Stored& array, const Shape& shape, const Affine& at,
                     DType type) {
  if (shape.empty()) return read(scope, array, {}, type);
  if (shape.size() == 1) return read(scope, array, {at}, type);
  if (array.flat.empty()) {
    Operand total = const_i64(1);
    for (const PlanNumber& n : shape) total = top_.b.size_mul(total, number(n));
    Type flat{Type::kArray, prim_of(type), {total}};
    if (is_complex(type) && !array.imag) flat.shape.push_back(const_i64(2));
    array.flat.push_back(top_.b.let1(flat, Reshape{*as_name(array.value), flat.shape}, "flat"));
    if (array.imag)
      array.flat.push_back(top_.b.let1(flat, Reshape{*as_name(*array.imag), flat.shape}, "flat"));
  }
  Stored flat{.value = array.flat[0]};
  if (array.imag) flat.imag = array.flat[1];
  return read(scope, flat, {at}, type);
}

Parts converted(Builder& b, DType from, DType to, Parts value) {
  if (from == to) return value;
  const Prim part = prim_of(from), wanted = prim_of(to);
  if (is_complex(from) && to == DType::kBool) return {complex_truth(b, part, value)};
  if (is_complex(from) && !is_complex(to)) value.pop_back();
  if (part != wanted) {
    for (Operand& each : value) each = b.convert(part, wanted, each);
  }
  if (is_complex(to) && !is_complex(from)) value.push_back(const_float(wanted, 0));
  return value;
}

Parts Lowering::input(Scope& scope, const PlanInput& input, const Indices& at, DType type) {
  if (input.source != SourceKind::kNode && input.source != SourceKind::kExternal)
    return converted(scope.b, input.type, type, scalar_input(scalars_, input));
  const bool external = input.source == SourceKind::kExternal;
  const auto index = static_cast<size_t>(input.index);
  const Shape& shape = external ? plan_.externals[index].shape : plan_.nodes[index].shape;
  Stored& array = external ? externals_[index] : stored_[index];
  Parts element;
  if (input.form == ViewForm::kFlat && (external || array.exists)) {
    element = read(scope, array, shape, flat_position(scope, input, at), input.type);
  } else {
    const Indices indices = input.form == ViewForm::kFlat
                                ? Indices{flat_position(scope, input, at)}
                                : source_indices(scope, input, at, shape.size());
    element = external || array.exists ? read(scope, array, indices, input.type)
                                       : value(scope, static_cast<int>(input.index), indices);
  }
  return converted(scope.b, input.type, type, std::move(element));
}

Parts Lowering::value(Scope& scope, int node, const Indices& at) {
  std::string key = "v" + std::to_string(node);
  for (const Affine& index : at) key += "," + index.key();
  if (const Parts* found = scope.find(key)) return *found;
  ++computed_;
  // The program will be thrown away.
  if (thrift_ == Thrift::kOfBytes && computed_ > kTooMuch) {
    const DType type = plan_.nodes[static_cast<size_t>(node)].type;
    return Parts(is_complex(type) ? 2 : 1, lower_zero(prim_of(type)));
  }
  Parts result = compute(scope, node, at);
  scope.known.emplace(key, result);
  return result;
}

// -1, 0, 1 or what is no number: one comparison, and the sign of a float is a bit of it.
static Operand sign_of_float(Builder& b, Prim type, const Operand& x) {
  const Operand zero = const_float(type, 0);
  const Operand is_some = b.cmpop(CmpOpKind::kLt, type, zero, b.unop(UnOpKind::kAbs, type, x));
  const Operand one = b.binop(BinOpKind::kCopysign, type, const_float(type, 1), x);
  // -0 + 0 is 0.
  const Operand rest = b.binop(BinOpKind::kAdd, type, x, zero);
  return b.let1(scalar_type(type), Select{is_some, one, rest});
}

Parts Lowering::elementwise(Scope& scope, const PlanNode& node, const Indices& at) {
  const std::string_view op = op_name_(node.op);
  if (op == "with_real" || op == "with_imag") {
    Parts parts = input(scope, node.inputs[1], at, node.type);
    parts[op == "with_imag" ? 1 : 0] = input(scope, node.inputs[0], at, part_type(node.type))[0];
    return parts;
  }
  const bool chooses = op == "where";
  const DType type = chooses ? node.type : node.compute_type;
  std::vector<Parts> args;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    args.push_back(input(scope, node.inputs[i], at, chooses && i == 0 ? DType::kBool : type));
  }
  return operated(scope, node, args);
}

// The operation on operands of the type that it computes in.
Parts Lowering::operated(Scope& scope, const PlanNode& node, const std::vector<Parts>& args) {
  const std::string_view op = op_name_(node.op);
  const DType type = op == "where" ? node.type : node.compute_type;
  if (is_complex(type)) return lower_complex(scope.b, op, prim_of(type), args);
  std::vector<Operand> operands;
  for (const Parts& arg : args) operands.push_back(arg[0]);
  const bool is_float_sign = op == "sign" && skald::is_float(prim_of(type));
  if (machine_ == Machine::kDevice && is_float_sign)
    return {sign_of_float(scope.b, prim_of(type), operands[0])};
  return {lower_op(scope.b, op, prim_of(type), operands)};
}

Parts Lowering::compute(Scope& scope, int index, const Indices& at) {
  const PlanNode& node = plan_.nodes[static_cast<size_t>(index)];
  const Prim type = prim_of(node.type);
  Builder& b = scope.b;
  switch (node.kind) {
    case NodeKind::kElementwise: return elementwise(scope, node, at);
    case NodeKind::kCast: {
      if (node.op != kImaginaryPart) return input(scope, node.inputs[0], at, node.type);
      const PlanInput& source = node.inputs[0];
      return {input(scope, source, at, source.type)[1]};
    }
    case NodeKind::kFill: return scalar_input(scalars_, node.inputs[0]);
    case NodeKind::kIota: {
      const Operand i = b.convert(Prim::kI64, type, operand(scope, at[0]));
      const Operand moved =
          b.binop(BinOpKind::kMul, type, i, scalar_input(scalars_, node.inputs[1])[0]);
      return {b.binop(BinOpKind::kAdd, type, scalar_input(scalars_, node.inputs[0])[0], moved)};
    }
    case NodeKind::kRandom: {
      Operand flat = const_i64(0);
      for (size_t i = 0; i < at.size(); ++i) {
        flat = b.size_add(b.size_mul(flat, number(node.shape[i])), operand(scope, at[i]));
      }
      const Operand counter =
          b.binop(BinOpKind::kAdd, Prim::kU64, scalar_input(scalars_, node.inputs[0])[0],
                  b.convert(Prim::kI64, Prim::kU64, flat));
      const Operand bits = lower_random(b, counter, scalar_input(scalars_, node.inputs[1])[0]);
      if (type == Prim::kU64) return {bits};
      const Operand upper = b.binop(BinOpKind::kLshr, Prim::kU64, bits, const_int(Prim::kU64, 11));
      // 53 bits fit a signed number, which converts faster.
      const Operand real =
          b.convert(Prim::kI64, Prim::kF64, b.convert(Prim::kU64, Prim::kI64, upper));
      return {b.binop(BinOpKind::kMul, Prim::kF64, real, const_float(Prim::kF64, 0x1p-53))};
    }
    case NodeKind::kRoll: return rolled(scope, node, at);
    case NodeKind::kReduce:
    case NodeKind::kProduct: return reduced(scope, node, at);
    case NodeKind::kAssign:
      return decided_.moved[static_cast<size_t>(index)] ? moved(scope, node, at)
                                                        : selected(scope, node, at);
    default: SKALD_BUG("a node that cannot be computed at one position");
  }
}

// Element i comes from i - shift, or from the other end; written so that lanes see the border.
Parts Lowering::rolled(Scope& scope, const PlanNode& node, const Indices& at) {
  const auto axis = static_cast<size_t>(__builtin_ctzll(node.axes));
  Builder& b = scope.b;
  const Operand i = operand(scope, at[axis]), extent = number(node.shape[axis]);
  const Operand shift = number(node.shift);
  const bool backwards = !node.shift.is_symbol && node.shift.value < 0;
  // Places of the first part are `away` from where they come from, those of the second one other.
  const Operand border = backwards ? top_.b.size_add(extent, shift) : shift;
  const Operand opposite = top_.b.size_sub(const_i64(0), shift);
  const Operand round =
      backwards ? top_.b.size_sub(opposite, extent) : top_.b.size_sub(extent, shift);
  const Operand inside = b.cmpop(CmpOpKind::kLt, Prim::kI64, i, border);
  const Operand away =
      b.let1(scalar_type(Prim::kI64),
             Select{inside, backwards ? opposite : round, backwards ? round : opposite}, "away");
  Indices from = at;
  from[axis] = Affine::name(b.let1(scalar_type(Prim::kI64),
                                   Value{b.binop(BinOpKind::kAdd, Prim::kI64, i, away)}, "from"));
  return input(scope, node.inputs[0], from, node.type);
}

}  // namespace skald::lazy
