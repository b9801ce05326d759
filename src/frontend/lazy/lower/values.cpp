// SPDX-License-Identifier: Apache-2.0
// Scalar code for one element of an array of the plan.
#include <algorithm>
#include <bit>
#include <utility>

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

// Is `at` in the part that is written?  `value_at`: where in the value.
Operand Lowering::inside(Scope& scope, const PlanNode& node, const Indices& at, Indices& value_at) {
  Builder& b = scope.b;
  Operand good = const_bool(true);
  const auto within = [&](const Operand& i, const Operand& count) {
    good = b.logical_and(good, b.cmpop(CmpOpKind::kLe, Prim::kI64, const_i64(0), i));
    good = b.logical_and(good, b.cmpop(CmpOpKind::kLt, Prim::kI64, i, count));
  };
  const PlanInput& target = node.target;
  if (target.form == ViewForm::kFlat) {
    // With one axis, in a matrix: position = offset + k * stride.
    const Operand flat =
        b.size_add(b.size_mul(operand(scope, at[0]), number(node.shape[1])), operand(scope, at[1]));
    const Operand from = b.size_sub(flat, number(target.starts[0]));
    const Operand stride = number(target.strides[0]);
    const Operand k = b.binop(BinOpKind::kQuot, Prim::kI64, from, stride);
    good = b.cmpop(CmpOpKind::kEq, Prim::kI64, b.size_mul(k, stride), from);
    within(k, number(node.target_shape[0]));
    value_at = {Affine::name(b.let1(scalar_type(Prim::kI64), Value{k}))};
    return good;
  }
  if (target.form == ViewForm::kDiagonal) {
    Affine row = at[0], column = at[1];
    row.add(position(target.starts[0]), -1);
    column.add(position(target.starts[1]), -1);
    const Operand k = operand(scope, row);
    good = b.cmpop(CmpOpKind::kEq, Prim::kI64, k, operand(scope, column));
    within(k, number(node.target_shape[0]));
    value_at = {row};
    return good;
  }
  value_at.assign(node.target_shape.size(), Affine::number(0));
  if (target.form == ViewForm::kWhole) {
    value_at = at;
    return good;
  }
  std::vector<bool> used(at.size(), false);
  for (const int axis : target.axes) {
    if (axis >= 0) used[static_cast<size_t>(axis)] = true;
  }
  // Positions that are known decide alone.
  for (size_t k = 0; k < at.size(); ++k) {
    if (used[k]) continue;
    Affine moved = at[k];
    moved.add(position(target.starts[k]), -1);
    if (moved.terms.empty() && moved.constant != 0) return const_bool(false);
    good = b.logical_and(good,
                         b.cmpop(CmpOpKind::kEq, Prim::kI64, operand(scope, moved), const_i64(0)));
  }
  for (size_t i = 0; i < target.axes.size(); ++i) {
    if (target.axes[i] < 0) continue;
    const auto axis = static_cast<size_t>(target.axes[i]);
    Affine moved = at[axis];
    moved.add(position(target.starts[axis]), -1);
    const bool all_of_it = target.starts[axis] == PlanNumber{false, 0} &&
                           target.strides[i] == PlanNumber{false, 1} &&
                           node.target_shape[i] == node.shape[axis];
    if (all_of_it) {
      value_at[i] = moved;
      continue;
    }
    if (!target.strides[i].is_symbol && target.strides[i].value == 1) {
      within(operand(scope, moved), number(node.target_shape[i]));
      value_at[i] = moved;
      continue;
    }
    const Operand from = operand(scope, moved), step = number(target.strides[i]);
    const Operand k = b.binop(BinOpKind::kQuot, Prim::kI64, from, step);
    good = b.logical_and(good, b.cmpop(CmpOpKind::kEq, Prim::kI64, b.size_mul(k, step), from));
    within(k, number(node.target_shape[i]));
    value_at[i] = Affine::name(b.let1(scalar_type(Prim::kI64), Value{k}));
  }
  return good;
}

static Parts as_parts(const std::vector<Name>& names) {
  return {names.begin(), names.end()};
}

// The value that is written at `at`, which is known to be a place that is written: where the target
// shows one position of an axis, `at` is that position, so that what is computed there has one
// name.
Parts Lowering::value_of_write(Scope& scope, const PlanNode& node, const Indices& at,
                               const Indices& value_at) {
  const PlanInput& from = node.inputs[1];
  const bool is_array = from.source == SourceKind::kNode || from.source == SourceKind::kExternal;
  if (!is_array || from.form != ViewForm::kAxes || node.target.form != ViewForm::kAxes)
    return input(scope, from, value_at, node.type);
  const auto index = static_cast<size_t>(from.index);
  const Shape& shape =
      from.source == SourceKind::kNode ? plan_.nodes[index].shape : plan_.externals[index].shape;
  Indices indices = source_indices(scope, from, value_at, shape.size());
  const auto runs_along = [](const PlanInput& view, size_t axis) {
    const auto& axes = view.axes;
    return std::find(axes.begin(), axes.end(), static_cast<int>(axis)) != axes.end();
  };
  for (size_t k = 0; k < std::min(shape.size(), node.shape.size()); ++k) {
    const bool is_same = shape[k] == node.shape[k] && from.starts[k] == node.target.starts[k];
    if (is_same && !runs_along(from, k) && !runs_along(node.target, k)) indices[k] = at[k];
  }
  PlanInput whole = from;
  whole.form = ViewForm::kWhole;
  return input(scope, whole, indices, node.type);
}

// The written value where something was written, else the old one.
Parts Lowering::selected(Scope& scope, const PlanNode& node, const Indices& at) {
  Indices value_at;
  Operand good = inside(scope, node, at, value_at);
  if (const Const* known = as_const(good)) {
    if (*known == const_bool(false)) return input(scope, node.inputs[0], at, node.type);
    if (node.inputs.size() < 3) return input(scope, node.inputs[1], value_at, node.type);
  }
  const Type type = scalar_type(prim_of(node.type));
  const auto choose = [&](Scope& where, const Operand& cond, const Parts& then, const Parts& rest) {
    Parts chosen;
    for (size_t i = 0; i < then.size(); ++i)
      chosen.push_back(where.b.let1(type, Select{cond, then[i], rest[i]}));
    return chosen;
  };
  // The old value exists everywhere, and is wanted nearly everywhere if a thin part is written.
  Parts old;
  if (is_thin(node) && node.inputs.size() < 3) old = input(scope, node.inputs[0], at, node.type);
  // Each branch has a scope of its own, as positions may be out of bounds in the other.
  Scope then(prog_, &scope), otherwise(prog_, &scope);
  Parts written = value_of_write(then, node, at, value_at);
  if (then.b.stmts().empty() && node.inputs.size() < 3) {
    // A constant is written, or what the old value needs too: no branch is needed.
    if (old.empty()) old = input(scope, node.inputs[0], at, node.type);
    return choose(scope, good, written, old);
  }
  if (old.empty()) old = input(otherwise, node.inputs[0], at, node.type);
  if (node.inputs.size() == 3) {
    const Operand mask = input(then, node.inputs[2], value_at, DType::kBool)[0];
    const Parts kept = input(then, node.inputs[0], at, node.type);
    written = choose(then, mask, written, kept);
  }
  If branch{
      .cond = good, .then_body = then.b.finish(written), .else_body = otherwise.b.finish(old)};
  return as_parts(scope.b.let(std::vector<Type>(old.size(), type), std::move(branch)));
}

Parts Lowering::sum_over(Scope& scope, const Operand& width, std::string_view op, DType type,
                         const Body& body) {
  const Name positions = scope.b.let1({Type::kArray, Prim::kI64, {width}},
                                      Iota{Prim::kI64, width, const_i64(0), const_i64(1)}, "is");
  Scope inner(prog_, &scope);
  const Name i = prog_.names.fresh("k");
  const Parts element = body(inner, {Affine::name(i)});
  const std::vector<Type> types(element.size(), scalar_type(prim_of(type)));
  Soac soac{.width = width,
            .inputs = {positions},
            .fn = {.params = {{.name = i, .type = scalar_type(Prim::kI64)}},
                   .results = {},
                   .body = inner.b.finish(element)}};
  for (const Type& each : types) soac.fn.results.push_back({.type = each});
  soac.reduces = combining(prog_, op, type);
  return as_parts(scope.b.let(types, std::move(soac), "sum"));
}

Parts Lowering::reduce_axes(Scope& scope, const PlanNode& node, const Shape& shape, size_t axis,
                            Indices& at) {
  while (axis < shape.size() && (node.axes >> axis & 1) == 0) ++axis;
  if (axis == shape.size()) return input(scope, node.inputs[0], at, node.compute_type);
  return sum_over(scope, number(shape[axis]), op_name_(node.op), node.compute_type,
                  [&](Scope& inner, const Indices& place) {
                    at[axis] = place[0];
                    return reduce_axes(inner, node, shape, axis + 1, at);
                  });
}

// Is a sum over several axes made of what is the same for all results, and of what belongs to one
// of them?  Then results that lie beside each other are summed in step, each element read once for
// all of them, and one loop does for all axes.
bool Lowering::is_separable(Scope& scope, const PlanNode& node, const Shape& shape, Indices at) {
  std::vector<uint32_t> summed;
  for (size_t i = 0; i < shape.size(); ++i) {
    if ((node.axes >> i & 1) == 0) continue;
    const Name index = prog_.names.fresh("k");
    at[i] = Affine::name(index);
    if (!shape[i].is_one()) summed.push_back(index.id);
  }
  if (summed.size() < 2) return false;
  std::vector<Indices> reads;
  std::vector<Indices>* const outer = std::exchange(reads_, &reads);
  Scope trial(prog_, &scope);
  input(trial, node.inputs[0], at, node.compute_type);
  reads_ = outer;
  bool some_belong_to_one = false;
  for (const Indices& read : reads) {
    bool by_sum = false, by_result = false;
    for (const Affine& index : read) {
      for (const auto& [id, factor] : index.terms) {
        const bool is_summed = std::find(summed.begin(), summed.end(), id) != summed.end();
        (is_summed ? by_sum : by_result) = true;
      }
    }
    if (by_sum && by_result) return false;
    some_belong_to_one = some_belong_to_one || by_result;
  }
  return some_belong_to_one;
}

// One loop over all positions of the summed axes, in order.
Parts Lowering::reduce_at_once(Scope& scope, const PlanNode& node, const Shape& shape,
                               Indices& at) {
  Operand total = const_i64(1);
  for (size_t i = 0; i < shape.size(); ++i) {
    if ((node.axes >> i & 1) != 0) total = top_.b.size_mul(total, number(shape[i]));
  }
  const auto body = [&](Scope& inner, const Indices& place) {
    Operand rest = operand(inner, place[0]);
    size_t open = static_cast<size_t>(std::popcount(node.axes));
    for (size_t i = shape.size(); i-- > 0;) {
      if ((node.axes >> i & 1) == 0) continue;
      const Operand size = number(shape[i]);
      const Operand index =
          --open == 0 ? rest : Operand(inner.b.binop(BinOpKind::kRem, Prim::kI64, rest, size));
      if (open > 0) rest = inner.b.binop(BinOpKind::kQuot, Prim::kI64, rest, size);
      const Name* name = as_name(index);
      at[i] = name ? Affine::name(*name) : Affine::number(0);
    }
    return input(inner, node.inputs[0], at, node.compute_type);
  };
  return sum_over(scope, total, op_name_(node.op), node.compute_type, body);
}

// All elements of the reduced axes, one after the other, from `axis` on: `value` at each of them.
static Parts written_out(const PlanNode& node, size_t axis, Indices& at,
                         const std::function<Parts()>& value,
                         const std::function<Parts(const Parts&, const Parts&)>& combine) {
  const auto& shape = node.target_shape;
  while (axis < shape.size() && (node.axes >> axis & 1) == 0) ++axis;
  if (axis == shape.size()) return value();
  Parts sum;
  for (int64_t i = 0; i < shape[axis].value; ++i) {
    at[axis] = Affine::number(i);
    const Parts next = written_out(node, axis + 1, at, value, combine);
    sum = i == 0 ? next : combine(sum, next);
  }
  return sum;
}

Parts Lowering::reduced(Scope& scope, const PlanNode& node, const Indices& kept) {
  const Shape& shape = node.target_shape;
  if (node.kind == NodeKind::kProduct) {
    return sum_over(scope, number(shape[0]), "add", node.type,
                    [&](Scope& inner, const Indices& place) {
                      Indices left = place, right = place;
                      if ((node.axes & 1) != 0) left.insert(left.begin(), kept.front());
                      if ((node.axes & 2) != 0) right.push_back(kept.back());
                      const Parts x = input(inner, node.inputs[0], left, node.type);
                      const Parts y = input(inner, node.inputs[1], right, node.type);
                      return lower_product(inner.b, node.type, x, y);
                    });
  }
  Indices at(shape.size());
  size_t next = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool reduces = (node.axes >> i & 1) != 0;
    if (!reduces) {
      at[i] = kept[next++];
    } else if (node.keeps_axes) {
      ++next;
    }
  }
  Parts sum;
  if (is_short_reduction(node, machine_)) {
    sum = written_out(
        node, 0, at, [&] { return input(scope, node.inputs[0], at, node.compute_type); },
        [&](const Parts& before, const Parts& after) -> Parts {
          const std::string_view op = op_name_(node.op);
          const Prim type = prim_of(node.compute_type);
          if (is_complex(node.compute_type))
            return lower_complex(scope.b, op, type, {before, after});
          return {lower_op(scope.b, op, type, {before[0], after[0]})};
        });
  } else if (!kept.empty() && is_separable(scope, node, shape, at)) {
    sum = reduce_at_once(scope, node, shape, at);
  } else {
    sum = reduce_axes(scope, node, shape, 0, at);
  }
  return converted(scope.b, node.compute_type, node.type, std::move(sum));
}

}  // namespace skald::lazy
