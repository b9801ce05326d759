// SPDX-License-Identifier: Apache-2.0
// Writes into parts of arrays that are stored.
#include <algorithm>

#include "frontend/lazy/lower/loops.h"
#include "frontend/lazy/lower/lowering.h"
#include "frontend/lazy/lower/rest.h"

namespace skald::lazy {

using namespace core;

// The part that is written.
std::vector<DimSlice> Lowering::box_of(const PlanNode& node) const {
  std::vector<DimSlice> box;
  for (const PlanNumber& start : node.target.starts)
    box.push_back({.is_index = false, .start = number(start), .count = const_i64(1)});
  for (size_t i = 0; i < node.target.axes.size(); ++i) {
    if (node.target.axes[i] < 0) continue;
    box[static_cast<size_t>(node.target.axes[i])].count = number(node.target_shape[i]);
  }
  return box;
}

// A new array with all that is not written taken from the old one; what is written is left open.
Name Lowering::with_rest(const PlanNode& node, Name old) {
  const Type type = array_type(node.type, node.shape);
  Builder& b = top_.b;
  const size_t rank = node.shape.size();
  for (size_t i = 0; i < node.target.axes.size(); ++i) {
    const PlanNumber& step = node.target.strides[i];
    if (node.target.axes[i] >= 0 && (step.is_symbol || step.value != 1))
      return b.let1(type, Copy{old}, "new");
  }
  const std::vector<DimSlice> box = box_of(node);
  const std::vector<Slab> slabs = slabs_around(b, type.shape, box);
  Name into = b.let1(type, Scratch{type.elem, type.shape}, "new");
  const auto is_number = [](const PlanNumber& start) { return !start.is_symbol; };
  const bool thin = std::all_of(node.target.starts.begin(), node.target.starts.end(), is_number);
  if (machine_ == Machine::kDevice && thin && slabs.size() > 1 && !is_complex(node.type))
    return with_slabs(top_, type, into, slabs,
                      [&](Scope& scope, const std::vector<Operand>& at) -> Operand {
                        Index read{.array = old, .slice = {}};
                        for (const Operand& index : at) read.slice.push_back({.start = index});
                        return scope.b.let1(scalar_type(type.elem), std::move(read), "x");
                      });
  for (const Slab& slab : slabs) {
    Type part = type;
    for (size_t k = 0; k < rank; ++k) part.shape[k] = slab[k].count;
    const Name rows = b.let1(part, Index{old, slab}, "part");
    into = b.let1(type, Update{into, slab, rows}, "new");
  }
  return into;
}

// The same, with thin parts of the rest coming from elsewhere.
Name Lowering::with_computed_rest(const PlanNode& node) {
  const Type type = array_type(node.type, node.shape);
  const std::vector<Slab> slabs = slabs_around(top_.b, type.shape, box_of(node));
  const Name into = top_.b.let1(type, Scratch{type.elem, type.shape}, "new");
  if (slabs.empty()) return into;
  return with_slabs(top_, type, into, slabs,
                    [&](Scope& scope, const std::vector<Operand>& at) -> Operand {
                      Indices indices;
                      for (const Operand& index : at) {
                        const Name* name = as_name(index);
                        indices.push_back(name ? Affine::name(*name)
                                               : Affine::number(int_value(std::get<Const>(index))));
                      }
                      return input(scope, node.inputs[0], indices, node.type)[0];
                    });
}

// The same where the part is not a box.
Operand Lowering::written(const PlanNode& node, Name into, const Parts& values) {
  const Type whole = array_type(node.type, node.shape);
  Builder& b = top_.b;
  Operand total = const_i64(1);
  for (const Operand& n : whole.shape) total = b.size_mul(total, n);
  const Type flat_type{Type::kArray, whole.elem, {total}};
  Name flat = b.let1(flat_type, Reshape{into, {total}}, "flat");
  FlatUpdate update{
      .array = flat, .offset = number(node.target.starts[0]), .dims = {}, .value = {}};
  if (node.target.form == ViewForm::kDiagonal) {
    const Operand columns = number(node.shape[1]);
    update.offset = b.size_add(b.size_mul(number(node.target.starts[0]), columns),
                               number(node.target.starts[1]));
    update.dims.push_back({number(node.target_shape[0]), b.size_add(columns, const_i64(1))});
  }
  for (size_t i = 0; i < node.target.strides.size(); ++i) {
    update.dims.push_back({number(node.target_shape[i]), number(node.target.strides[i])});
  }
  // Parts of complex numbers are elements of their own here.
  const Operand step = const_i64(static_cast<int64_t>(values.size()));
  update.offset = b.size_mul(update.offset, step);
  for (FlatDim& dim : update.dims) dim.stride = b.size_mul(dim.stride, step);
  for (size_t part = 0; part < values.size(); ++part) {
    FlatUpdate one = update;
    one.array = flat;
    one.offset = b.size_add(update.offset, const_i64(static_cast<int64_t>(part)));
    one.value = *as_name(values[part]);
    flat = b.let1(flat_type, std::move(one), "flat");
  }
  return b.let1(whole, Reshape{flat, whole.shape}, "new");
}

// The axes of what is written, put into the array's order; those that the array does not have are
// of one element, and go.
static Operand in_order(Builder& b, const PlanNode& node, const std::vector<DimSlice>& slice,
                        Name part) {
  const Prim type = prim_of(node.type);
  std::vector<int> order, kept;
  for (size_t k = 0; k < node.shape.size(); ++k) {
    for (size_t i = 0; i < node.target.axes.size(); ++i) {
      if (node.target.axes[i] == static_cast<int>(k)) order.push_back(static_cast<int>(i));
    }
  }
  if (order.empty()) {
    const std::vector<DimSlice> first(node.target_shape.size());
    return b.let1(scalar_type(type), Index{part, first}, "part");
  }
  if (order.size() < node.target_shape.size()) {
    Type thin{Type::kArray, type, {}};
    for (size_t i = 0; i < node.target_shape.size(); ++i) {
      if (node.target.axes[i] < 0) continue;
      thin.shape.push_back(slice[static_cast<size_t>(node.target.axes[i])].count);
      kept.push_back(static_cast<int>(i));
    }
    part = b.let1(thin, Reshape{part, thin.shape}, "part");
    for (int& axis : order) {
      axis = static_cast<int>(std::find(kept.begin(), kept.end(), axis) - kept.begin());
    }
  }
  if (std::is_sorted(order.begin(), order.end())) return part;
  Type turned{Type::kArray, type, {}};
  for (const DimSlice& dim : slice) {
    if (!dim.is_index) turned.shape.push_back(dim.count);
  }
  return b.let1(turned, Rearrange{part, order}, "part");
}

// What rolls move is computed in its own order, each element once for all that is written beside
// it, and written where it goes.
Operand Lowering::pushed(const PlanNode& node) {
  const std::vector<const PlanNode*> rolls = rolls_before_write(plan_, node);
  const Shape& shape = node.target_shape;
  const Type type = array_type(node.type, shape);
  Operand width = const_i64(1);
  for (const PlanNumber& n : shape) width = top_.b.size_mul(width, number(n));
  const Name positions = top_.b.let1({Type::kArray, Prim::kI64, {width}},
                                     Iota{Prim::kI64, width, const_i64(0), const_i64(1)}, "is");
  const Name into = top_.b.let1(type, Scratch{type.elem, type.shape}, "new");
  Scope inner(prog_, &top_);
  Builder& b = inner.b;
  const Name point = prog_.names.fresh("i");
  Indices at(shape.size());
  Operand rest = point;
  for (size_t i = shape.size(); i-- > 0;) {
    Operand index = rest;
    if (i > 0) {
      const Operand above = b.binop(BinOpKind::kQuot, Prim::kI64, rest, number(shape[i]));
      index = b.size_sub(rest, b.size_mul(above, number(shape[i])));
      rest = above;
    }
    at[i] = Affine::name(b.let1(scalar_type(Prim::kI64), Value{index}, "i"));
  }
  std::vector<Operand> results;
  for (const Affine& index : at) results.push_back(operand(inner, index));
  for (auto roll = rolls.rbegin(); roll != rolls.rend(); ++roll) {
    const auto axis = static_cast<size_t>(__builtin_ctzll((*roll)->axes));
    const Operand extent = number(shape[axis]), shift = number((*roll)->shift);
    const bool backwards = !(*roll)->shift.is_symbol && (*roll)->shift.value < 0;
    const Operand moved = b.size_add(results[axis], shift);
    const Operand limit = backwards ? Operand(const_i64(0)) : extent;
    const Operand around = backwards ? b.size_add(moved, extent) : b.size_sub(moved, extent);
    const Operand is_before = b.cmpop(CmpOpKind::kLt, Prim::kI64, moved, limit);
    results[axis] = b.let1(scalar_type(Prim::kI64), Select{is_before, backwards ? around : moved,
                                                           backwards ? moved : around});
  }
  const PlanInput& source = rolls.empty() ? node.inputs[1] : rolls.back()->inputs[0];
  results.push_back(input(inner, source, at, node.type)[0]);
  Scatter scatter{
      .width = width,
      .inputs = {positions},
      .dests = {{.shape = type.shape, .dest = into}},
      .fn = {
          .params = {{.name = point, .type = scalar_type(Prim::kI64)}}, .results = {}, .body = {}}};
  for (size_t i = 0; i < shape.size(); ++i)
    scatter.fn.results.push_back({.type = scalar_type(Prim::kI64)});
  scatter.fn.results.push_back({.type = scalar_type(type.elem)});
  scatter.fn.body = b.finish(std::move(results));
  return top_.b.let1(type, std::move(scatter), "xs");
}

Operand Lowering::written(const PlanNode& node, Name into) {
  const Prim type = prim_of(node.type);
  const auto value_at = [&](Scope& scope, const Indices& place) {
    Parts value = input(scope, node.inputs[1], place, node.type);
    if (node.inputs.size() < 3) return value;
    const Operand mask = input(scope, node.inputs[2], place, DType::kBool)[0];
    PlanInput old = node.inputs[0];
    old.form = node.target.form;
    old.axes = node.target.axes;
    old.strides = node.target.strides;
    old.starts = node.target.starts;
    const Parts kept = input(scope, old, place, node.type);
    for (size_t i = 0; i < value.size(); ++i)
      value[i] = scope.b.let1(scalar_type(type), Select{mask, value[i], kept[i]});
    return value;
  };
  const bool is_pushed = decided_.pushed[static_cast<size_t>(&node - plan_.nodes.data())];
  const Parts parts =
      is_pushed ? Parts{pushed(node)} : nest(node.target_shape, node.type, value_at);
  if (node.target.form == ViewForm::kFlat || node.target.form == ViewForm::kDiagonal)
    return written(node, into, parts);
  // One part for each axis of the array; those that the view does not have are indices.
  std::vector<DimSlice> slice;
  for (size_t k = 0; k < node.shape.size(); ++k) {
    DimSlice dim{.is_index = true, .start = number(node.target.starts[k])};
    for (size_t i = 0; i < node.target.axes.size(); ++i) {
      if (node.target.axes[i] != static_cast<int>(k)) continue;
      dim = {.is_index = false,
             .start = number(node.target.starts[k]),
             .count = number(node.target_shape[i]),
             .stride = number(node.target.strides[i])};
    }
    slice.push_back(dim);
  }
  for (size_t part = 0; part < parts.size(); ++part) {
    Update update{.array = into, .slice = slice, .value = parts[part]};
    if (!node.target_shape.empty())
      update.value = in_order(top_.b, node, slice, *as_name(parts[part]));
    if (is_complex(node.type))
      update.slice.push_back({.start = const_i64(static_cast<int64_t>(part))});
    into = top_.b.let1(array_type(node.type, node.shape), std::move(update), "new");
  }
  return into;
}

Operand Lowering::assigned(int index) {
  const PlanNode& node = plan_.nodes[static_cast<size_t>(index)];
  const PlanInput& source = node.inputs[0];
  const auto old_index = static_cast<size_t>(source.index);
  const bool external = source.source == SourceKind::kExternal;
  const Stored& old = external ? externals_[old_index] : stored_[old_index];
  const Type whole = array_type(node.type, node.shape);
  if (!external && !old.exists && (is_thin(node) || !tells_places(node))) {
    const PlanNode& before = plan_.nodes[old_index];
    if (before.kind == NodeKind::kFill && before.op == kUndefined)
      return written(node, top_.b.let1(whole, Scratch{whole.elem, whole.shape}, "new"));
    // Much is not written: the old array is stored as it is, and the part written into it.
    const Operand all = array_of_all(
        node.shape, node.type,
        [&](Scope& scope, const Indices& place) { return input(scope, source, place, node.type); });
    return written(node, *as_name(all));
  }
  if (!external && !old.exists && decided_.moved[old_index] && is_box(node))
    return written(node, with_computed_rest(node));
  if (node.target.form == ViewForm::kWhole || node.shape.empty() || (!external && !old.exists)) {
    return array_of_all(node.shape, node.type, [&](Scope& scope, const Indices& place) {
      return selected(scope, node, place);
    });
  }
  const Name old_name = *as_name(old.value);
  if (may_consume(index)) return written(node, old_name);
  if (node.target.form == ViewForm::kFlat || node.target.form == ViewForm::kDiagonal)
    return written(node, top_.b.let1(whole, Copy{old_name}, "new"));
  return written(node, with_rest(node, old_name));
}

}  // namespace skald::lazy
