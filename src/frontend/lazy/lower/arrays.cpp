// SPDX-License-Identifier: Apache-2.0
// Arrays that are stored: nests of maps, scans, writes into parts.
#include <algorithm>

#include "frontend/lazy/lower/loops.h"
#include "frontend/lazy/lower/lowering.h"
#include "frontend/lazy/lower/rest.h"

namespace skald::lazy {

using namespace core;

static std::vector<Ret> returns(const std::vector<Type>& types) {
  std::vector<Ret> list;
  for (const Type& type : types) list.push_back({.type = type});
  return list;
}

Parts Lowering::nest(Scope& scope, const Shape& shape, size_t axis, Indices& at,
                     const Type& element, const Body& body) {
  if (axis == shape.size()) return body(scope, at);
  const Operand width = number(shape[axis]);
  const Name positions = scope.b.let1({Type::kArray, Prim::kI64, {width}},
                                      Iota{Prim::kI64, width, const_i64(0), const_i64(1)}, "is");
  Scope inner(prog_, &scope);
  const Name i = prog_.names.fresh("i");
  at.push_back(Affine::name(i));
  const Parts rows = nest(inner, shape, axis + 1, at, element, body);
  at.pop_back();
  Type row_type{Type::kArray, element.elem, {}};
  for (size_t k = axis + 1; k < shape.size(); ++k) row_type.shape.push_back(number(shape[k]));
  row_type.shape.insert(row_type.shape.end(), element.shape.begin(), element.shape.end());
  Soac map{.width = width,
           .inputs = {positions},
           .fn = {.params = {{.name = i, .type = scalar_type(Prim::kI64)}},
                  .results = returns(std::vector<Type>(rows.size(), row_type)),
                  .body = inner.b.finish(rows)}};
  const std::vector<Type> types(rows.size(), array_of(width, row_type));
  const std::vector<Name> names = scope.b.let(types, std::move(map), "xs");
  return {names.begin(), names.end()};
}

// Both parts of complex numbers come from one nest, which the middle end lets write where they
// belong, if the array is there before it.
Operand Lowering::array_of_all(const Shape& shape, DType type, const Body& body) {
  if (!is_complex(type)) return nest(shape, type, body)[0];
  const Type whole = array_type(type, shape);
  if (shape.empty())
    return top_.b.let1(whole, ArrayLit{scalar_type(whole.elem), body(top_, {})}, "pair");
  Name into = top_.b.let1(whole, Scratch{whole.elem, whole.shape}, "pairs");
  const Parts parts = nest(shape, type, body);
  std::vector<DimSlice> slice;
  for (const PlanNumber& n : shape) slice.push_back({.is_index = false, .count = number(n)});
  for (size_t part = 0; part < parts.size(); ++part) {
    std::vector<DimSlice> place = slice;
    place.push_back({.start = const_i64(static_cast<int64_t>(part))});
    into = top_.b.let1(whole, Update{into, std::move(place), parts[part]}, "pairs");
  }
  return into;
}

Parts Lowering::nest(const Shape& shape, DType type, const Body& body) {
  Indices at;
  return nest(top_, shape, 0, at, scalar_type(prim_of(type)), body);
}

// A scan along an axis that is not the last one runs over the last one of the array turned round.
Parts Lowering::scanned(const PlanNode& node) {
  const Prim type = prim_of(node.compute_type);
  const auto axis = static_cast<size_t>(__builtin_ctzll(node.axes));
  const size_t rank = node.shape.size();
  Shape outer = node.shape;
  outer.erase(outer.begin() + static_cast<std::ptrdiff_t>(axis));
  const Operand width = number(node.shape[axis]);
  // The row of the scan is one more axis at the end.
  const std::function<Parts(Scope&, Indices&)> rows_of = [&](Scope& scope, Indices& at) {
    const size_t depth = at.size();
    const bool last = depth == outer.size();
    const Operand count = last ? width : number(outer[depth]);
    const Name positions = scope.b.let1({Type::kArray, Prim::kI64, {count}},
                                        Iota{Prim::kI64, count, const_i64(0), const_i64(1)}, "is");
    Scope inner(prog_, &scope);
    const Name i = prog_.names.fresh("i");
    at.push_back(Affine::name(i));
    Type row_type{Type::kArray, type, {}};
    Parts rows;
    if (last) {
      Indices turned(at.begin(), at.end() - 1);
      turned.insert(turned.begin() + static_cast<std::ptrdiff_t>(axis), at.back());
      rows = input(inner, node.inputs[0], turned, node.compute_type);
    } else {
      rows = rows_of(inner, at);
      for (size_t k = depth + 1; k < outer.size(); ++k) row_type.shape.push_back(number(outer[k]));
      row_type.shape.push_back(width);
    }
    at.pop_back();
    Soac soac{.width = count,
              .inputs = {positions},
              .fn = {.params = {{.name = i, .type = scalar_type(Prim::kI64)}},
                     .results = returns(std::vector<Type>(rows.size(), row_type)),
                     .body = inner.b.finish(rows)}};
    if (last) soac.scans = combining(prog_, op_name_(node.op), node.compute_type);
    const std::vector<Type> types(rows.size(), array_of(count, row_type));
    const std::vector<Name> names = scope.b.let(types, std::move(soac), "xs");
    return Parts{names.begin(), names.end()};
  };
  Indices at;
  Parts results = rows_of(top_, at);
  if (axis + 1 == rank) return results;
  const Type result_type{Type::kArray, type, sizes(node.shape)};
  for (Operand& result : results) {
    Rearrange back{.array = *as_name(result), .perm = {}};
    for (size_t i = 0; i < rank; ++i) {
      back.perm.push_back(static_cast<int>(i == axis ? rank - 1 : i < axis ? i : i - 1));
    }
    const Name turned = top_.b.let1(result_type, std::move(back), "xs");
    result = top_.b.let1(result_type, Copy{turned}, "xs");
  }
  return results;
}

// What happens before the array of node `before` is written.
class Before {
 public:
  Before(const Plan& plan, const std::vector<bool>& stored, int before)
      : plan_(plan), stored_(stored), before_(before) {}

  // Has all that reads through `reader` happened?
  bool is_done(int reader) {
    if (reader == before_) return true;
    if (stored_[static_cast<size_t>(reader)]) return reader < before_;
    if (const auto known = done_.find(reader); known != done_.end()) return known->second;
    bool all = true;
    for (size_t i = static_cast<size_t>(reader) + 1; all && i < plan_.nodes.size(); ++i) {
      for (const PlanInput& input : plan_.nodes[i].inputs) {
        const bool reads = input.source == SourceKind::kNode && input.index == reader;
        all = all && (!reads || is_done(static_cast<int>(i)));
      }
    }
    return done_[reader] = all;
  }

  // Is what is written computed from what `reader` reads, and not stored on the way?
  bool takes_from(int reader) {
    if (reader == before_) return true;
    if (stored_[static_cast<size_t>(reader)]) return false;
    if (const auto known = taken_.find(reader); known != taken_.end()) return known->second;
    bool some = false;
    for (int i = reader + 1; !some && i <= before_; ++i) {
      for (const PlanInput& input : plan_.nodes[static_cast<size_t>(i)].inputs) {
        const bool reads = input.source == SourceKind::kNode && input.index == reader;
        some = some || (reads && takes_from(i));
      }
    }
    return taken_[reader] = some;
  }

 private:
  const Plan& plan_;
  const std::vector<bool>& stored_;
  int before_;
  std::unordered_map<int, bool> done_, taken_;
};

// What reads an array before a part of it is written, and is needed afterwards: if it is smaller,
// it is stored, so that the array need not be copied.
static void keep_what_was_read(const Plan& plan, Decisions& decided) {
  std::vector<bool>& stored = decided.stored;
  for (size_t w = 0; w < plan.nodes.size(); ++w) {
    const PlanNode& writer = plan.nodes[w];
    if (writer.kind != NodeKind::kAssign || !is_thin(writer) || decided.moved[w]) continue;
    const PlanInput& old = writer.inputs[0];
    for (size_t r = 0; r < w; ++r) {
      const PlanNode& reader = plan.nodes[r];
      const bool is_plain = reader.kind == NodeKind::kElementwise || reader.kind == NodeKind::kCast;
      if (stored[r] || !is_plain || reader.shape.size() >= writer.shape.size()) continue;
      const auto reads = [&](const PlanInput& input) {
        return input.source == old.source && input.index == old.index;
      };
      if (std::any_of(reader.inputs.begin(), reader.inputs.end(), reads) &&
          !Before(plan, stored, static_cast<int>(w)).is_done(static_cast<int>(r)))
        stored[r] = true;
    }
  }
}

// Nobody reads the old array later, and its memory is ours.
bool Lowering::may_consume(int index) const {
  const PlanNode& writer = plan_.nodes[static_cast<size_t>(index)];
  const PlanInput& old = writer.inputs[0];
  bool is_source = false;  // of what is written
  Before before(plan_, decided_.stored, index);
  for (size_t i = 0; i < plan_.nodes.size(); ++i) {
    for (const PlanInput& other : plan_.nodes[i].inputs) {
      if (other.source != old.source || other.index != old.index) continue;
      is_source = is_source || (&other != &old && before.takes_from(static_cast<int>(i)));
      // What is called may give the array back.
      if (plan_.nodes[i].kind == NodeKind::kCall) return false;
      if (!before.is_done(static_cast<int>(i))) return false;
    }
  }
  // What is written is computed from the old array, so it is stored twice: good for thin parts.
  bool thin = writer.target.form != ViewForm::kAxes;
  std::vector<bool> used(writer.shape.size(), false);
  for (const int axis : writer.target.axes) {
    if (axis >= 0) used[static_cast<size_t>(axis)] = true;
  }
  for (size_t k = 0; k < used.size(); ++k) thin = thin || (!used[k] && !writer.shape[k].is_one());
  if (is_source && !thin) return false;
  if (old.source == SourceKind::kExternal)
    return plan_.externals[static_cast<size_t>(old.index)].is_exclusive;
  const PlanNode& source = plan_.nodes[static_cast<size_t>(old.index)];
  return !source.is_output && source.kind != NodeKind::kPart;
}

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
  if (!external && !old.exists && is_thin(node)) {
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

// Complex numbers whose parts only the plan reads, element by element.
static bool is_apart(const Plan& plan, int index) {
  const PlanNode& node = plan.nodes[static_cast<size_t>(index)];
  if (!is_complex(node.type) || node.is_output) return false;
  for (const PlanNode& reader : plan.nodes) {
    if (reader.kind != NodeKind::kAssign) continue;
    const PlanInput& old = reader.inputs[0];
    if (old.source == SourceKind::kNode && old.index == index) return false;
  }
  return true;
}

void Lowering::store(int index) {
  const PlanNode& node = plan_.nodes[static_cast<size_t>(index)];
  Stored& array = stored_[static_cast<size_t>(index)];
  const auto set = [&](const Parts& made) {
    array.value = made[0];
    if (made.size() == 2) array.imag = made[1];
  };
  array.exists = true;
  if (node.kind == NodeKind::kCall || node.kind == NodeKind::kPart) {
    node.kind == NodeKind::kCall ? store_call(index) : store_part(index);
    return;
  }
  if (node.kind == NodeKind::kAssign) {
    array.value = assigned(index);
    return;
  }
  Parts made;
  Stored parts;
  Body element = [&](Scope& scope, const Indices& place) { return compute(scope, index, place); };
  if (node.kind == NodeKind::kScan) {
    made = scanned(node);
  } else if (node.kind == NodeKind::kReduce) {
    contracted(node, made);
  }
  if (made.empty() && is_apart(plan_, index)) made = nest(node.shape, node.type, element);
  if (made.size() == 2 && !is_apart(plan_, index)) {
    parts = {.value = made[0], .imag = made[1]};
    element = [&](Scope& scope, const Indices& at) { return read(scope, parts, at, node.type); };
    made.clear();
  }
  if (made.empty()) made = {array_of_all(node.shape, node.type, element)};
  set(made);
}

bool Lowering::run(LoweredPlan& lowered) {
  Function fn{.name = "plan", .entry = EntryPoint{.name = "plan"}};
  const auto param = [&](Type type, const char* base, bool unique) {
    const Name name = prog_.names.fresh(base);
    EntryValue value{.type = std::string(prim_name(type.elem)), .unique = unique};
    for (size_t i = 0; i < type.shape.size(); ++i) value.type.insert(0, "[]");
    fn.params.push_back({.name = name, .type = std::move(type), .unique = unique});
    fn.entry->params.push_back(std::move(value));
    return name;
  };
  for (int i = 0; i < plan_.symbols; ++i)
    symbols_.push_back(param(scalar_type(Prim::kI64), "n", false));
  const Operand rounds =
      plan_.is_loop ? Operand(param(scalar_type(Prim::kI64), "rounds", false)) : const_i64(0);
  for (const DType type : plan_.scalars)
    scalars_.push_back(param(scalar_type(prim_of(type)), "c", false));
  for (const PlanExternal& external : plan_.externals) {
    const bool unique = external.is_exclusive && !external.shape.empty();
    externals_.push_back(
        {.value = param(array_type(external.type, external.shape), "in", unique), .exists = true});
  }
  LoopShell loop(plan_, prog_);
  if (plan_.is_loop) {
    std::vector<Name> tables;
    for (const Type& type : loop.table_types(rounds)) tables.push_back(param(type, "ns", false));
    loop.read_tables(top_.b, tables, symbols_, scalars_);
    for (size_t i = 0; i < externals_.size(); ++i) {
      const PlanExternal& external = plan_.externals[i];
      loop.carry(i, array_type(external.type, external.shape), externals_[i].value);
    }
  }
  stored_.resize(plan_.nodes.size());
  decided_ = decide_stored(plan_, op_name_, thrift_, machine_);
  keep_what_was_read(plan_, decided_);
  std::vector<Operand> results;
  for (size_t i = 0; i < plan_.nodes.size(); ++i) {
    if (!decided_.stored[i]) continue;
    store(static_cast<int>(i));
    ++lowered.stored;
    if (thrift_ == Thrift::kOfBytes && computed_ > kTooMuch) return false;
  }
  for (size_t i = 0; i < plan_.nodes.size(); ++i) {
    if (!plan_.nodes[i].is_output) continue;
    Type type = array_type(plan_.nodes[i].type, plan_.nodes[i].shape);
    EntryValue value{.type = std::string(prim_name(type.elem))};
    for (size_t k = 0; k < type.shape.size(); ++k) value.type.insert(0, "[]");
    fn.results.push_back({.type = std::move(type)});
    fn.entry->results.push_back(std::move(value));
    results.push_back(stored_[i].value);
  }
  fn.body = top_.b.finish(std::move(results));
  if (plan_.is_loop) fn.body = loop.close(std::move(fn.body), rounds);
  prog_.functions.push_back(std::move(fn));
  lowered.program = std::move(prog_);
  return true;
}

LoweredPlan lower_plan(const Plan& recorded, const OpName& op_name, const FindCallee& find_callee,
                       Machine machine) {
  LoweredPlan lowered;
  Plan plan = recorded;
  merge_equal_nodes(plan);
  forward_writes(plan);
  if (Lowering(plan, op_name, find_callee, Thrift::kOfBytes, machine).run(lowered)) return lowered;
  lowered = {};
  Lowering(plan, op_name, find_callee, Thrift::kOfCode, machine).run(lowered);
  return lowered;
}

}  // namespace skald::lazy
