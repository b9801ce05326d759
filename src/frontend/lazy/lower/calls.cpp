// SPDX-License-Identifier: Apache-2.0
// Calls of core functions inside plans.
#include "core/edit/rename.h"
#include "frontend/lazy/lower/lowering.h"
#include "support/bug.h"

namespace skald::lazy {

using namespace core;

// Complex numbers are no arguments.
static Operand as_argument(Builder& b, DType from, Prim wanted, const Parts& value) {
  const Prim own = prim_of(from);
  return own == wanted ? value[0] : b.convert(own, wanted, value[0]);
}

// An array that a function may read, or consume if `unique`, of the type it asks for.
Name Lowering::array_argument(const PlanInput& from, const Shape& shape, const Type& wanted,
                              bool unique) {
  Type type{Type::kArray, wanted.elem, sizes(shape)};
  Name array;
  bool fresh = false;
  const bool external = from.source == SourceKind::kExternal;
  const auto index = static_cast<size_t>(from.index);
  Stored* stored = external                           ? &externals_[index]
                   : from.source == SourceKind::kNode ? &stored_[index]
                                                      : nullptr;
  if (stored && stored->exists && from.form == ViewForm::kWhole &&
      prim_of(from.type) == wanted.elem) {
    array = *as_name(stored->value);
  } else {
    Indices at;
    const auto element = [&](Scope& scope, const Indices& place) -> Parts {
      return {as_argument(scope.b, from.type, wanted.elem, input(scope, from, place, from.type))};
    };
    array = *as_name(nest(top_, shape, 0, at, scalar_type(wanted.elem), element)[0]);
    fresh = true;
  }
  if (type.shape != wanted.shape) array = top_.b.let1(wanted, Reshape{array, wanted.shape}, "arg");
  if (unique && !fresh) array = top_.b.let1(wanted, Copy{array}, "arg");
  return array;
}

void Lowering::store_call(int index) {
  const PlanNode& node = plan_.nodes[static_cast<size_t>(index)];
  const Callee& callee = find_callee_(static_cast<int64_t>(node.axes));
  const Function& fn = callee.fn();
  const std::string name = linker_.link(callee.program, callee.function);
  const auto count = static_cast<size_t>(callee.sizes);
  SKALD_CHECK(fn.params.size() == count + node.inputs.size() && node.target_shape.size() == count,
              "a call of {} with other arguments than it has parameters", name);
  Substitution subst;
  std::vector<Operand> args;
  for (size_t i = 0; i < fn.params.size(); ++i) {
    const Param& param = fn.params[i];
    Operand arg = const_i64(0);
    if (i < count) {
      arg = number(node.target_shape[i]);
    } else if (param.type.is_scalar()) {
      const PlanInput& from = node.inputs[i - count];
      arg = as_argument(top_.b, from.type, param.type.elem, input(top_, from, {}, from.type));
    } else {
      Type wanted = param.type;
      substitute(wanted, subst);
      arg = array_argument(node.inputs[i - count], node.input_shapes[i - count], wanted,
                           param.unique);
    }
    subst[param.name] = arg;
    args.push_back(arg);
  }
  std::vector<Type> types;
  for (const Ret& result : fn.results) {
    types.push_back(result.type);
    substitute(types.back(), subst);
  }
  calls_[index].names = top_.b.let(types, Call{name, std::move(args)}, "called");
  calls_[index].types = std::move(types);
}

void Lowering::store_part(int index) {
  const PlanNode& node = plan_.nodes[static_cast<size_t>(index)];
  const Called& call = calls_.at(static_cast<int>(node.inputs[0].index));
  const Type wanted{Type::kArray, prim_of(node.type), sizes(node.shape)};
  Name result = call.names[node.op];
  if (call.types[node.op].shape != wanted.shape)
    result = top_.b.let1(wanted, Reshape{result, wanted.shape}, "part");
  stored_[static_cast<size_t>(index)].value = result;
}

}  // namespace skald::lazy
