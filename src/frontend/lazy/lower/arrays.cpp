// SPDX-License-Identifier: Apache-2.0
// Arrays that are stored: nests of maps, scans.
#include <algorithm>

#include "frontend/lazy/lower/loops.h"
#include "frontend/lazy/lower/lowering.h"

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
