// SPDX-License-Identifier: Apache-2.0
// Derivatives: jvp2, vjp2, jmp2, mjp2, with_vjp.
#include "frontend/futhark/elaborate/arrays/soacs.h"
#include "frontend/futhark/elaborate/bodies/lambdas.h"
#include "frontend/futhark/elaborate/code/coerce.h"

namespace skald::futhark::elab {

static std::vector<MessagePart> wrong_shape() {
  return {std::string("the shape of a tangent or cotangent is not that of its value")};
}

RepPtr Soacs::field_hint(const Use& use, const char* field) {
  if (!use.type) return nullptr;
  const RepPtr rep = types_.resolve(use.type, use.env);
  if (rep->kind != Rep::kRecord) return nullptr;
  for (const auto& f : rep->fields)
    if (f.first == field) return f.second;
  return nullptr;
}

std::pair<ValuePtr, ValuePtr> Soacs::derivative(Mode mode, const ValuePtr& fn, const ValuePtr& x,
                                                const ValuePtr& seed, const RepPtr& hint,
                                                const Use& use) {
  const RepPtr arg = rep_of(*x);
  Use inner{use.span};
  const auto call = [&](const Args& row) { return evaluator_.apply(fn, {row[0]}, inner); };
  LambdaResult made = lambda(code_, types_, {arg}, call, hint);
  const bool forward = mode == Mode::kForward;
  const ValuePtr seeds = coerce(code_, seed, forward ? arg : made.rep, wrong_shape());
  std::vector<core::Type> types = leaf_types(*made.rep);
  const size_t n = types.size();
  for (const core::Type& type : leaf_types(forward ? *made.rep : *arg)) types.push_back(type);
  std::vector<Operand> results;
  if (forward)
    results =
        code_.emit(types, core::Jvp{std::move(made.fn), leaves_of(*x), leaves_of(*seeds)}, "jvp");
  else
    results =
        code_.emit(types, core::Vjp{std::move(made.fn), leaves_of(*x), leaves_of(*seeds)}, "vjp");
  // They may be parts of what was given.
  for (const Operand& result : results)
    if (const Name* name = core::as_name(result)) code_.sharing().share(*name);
  const auto middle = results.begin() + static_cast<std::ptrdiff_t>(n);
  return {make_value(made.rep, {results.begin(), middle}),
          make_value(forward ? made.rep : arg, {middle, results.end()})};
}

ValuePtr Soacs::jvp(const Args& args, const Use& use) {
  const auto [value, tangent] =
      derivative(Mode::kForward, args.at(0), args.at(1), args.at(2), field_hint(use, "0"), use);
  return tuple_value({value, tangent});
}

ValuePtr Soacs::vjp(const Args& args, const Use& use) {
  const auto [value, cotangent] =
      derivative(Mode::kReverse, args.at(0), args.at(1), args.at(2), field_hint(use, "0"), use);
  return tuple_value({value, cotangent});
}

// The value once, and a map over the seeds.
ValuePtr Soacs::derivatives(Mode mode, const Args& args, const Use& use) {
  const ValuePtr& seeds = args.at(2);
  const RepPtr hint = field_hint(use, "0");
  const Operand width = *seeds->rep->dim.op;
  Use inner{use.span};
  const ValuePtr value = evaluator_.apply(args.at(0), {args.at(1)}, inner);
  core::Soac soac;
  soac.width = width;
  soac.inputs = inputs_of(code_, *seeds, width);
  const RepPtr result = mode == Mode::kForward ? rep_of(*value) : rep_of(*args.at(1));
  const auto each = [&](const Args& row) {
    return derivative(mode, args[0], args[1], row[0], hint, use).second;
  };
  soac.fn = lambda_to(code_, {seeds->rep->elem}, each, result, "seed");
  const RepPtr rep = array_rep(width, result);
  const std::vector<core::Type> types = leaf_types(*rep);
  if (types.empty()) return tuple_value({value, make_value(rep, {})});
  return tuple_value({value, make_value(rep, code_.emit(types, std::move(soac), "derivatives"))});
}

ValuePtr Soacs::jmp(const Args& args, const Use& use) {
  return derivatives(Mode::kForward, args, use);
}

ValuePtr Soacs::mjp(const Args& args, const Use& use) {
  return derivatives(Mode::kReverse, args, use);
}

ValuePtr Soacs::with_vjp(const Args& args, const Use& use) {
  const ValuePtr& x = args.at(2);
  const RepPtr arg = rep_of(*x);
  const RepPtr hint = use.type ? types_.resolve(use.type, use.env) : nullptr;
  Use inner{use.span};
  const auto call = [&](const Args& row) { return evaluator_.apply(args[0], {row[0]}, inner); };
  LambdaResult made = lambda(code_, types_, {arg}, call, hint);
  const auto rule = [&](const Args& rows) {
    return evaluator_.apply(args[1], {rows[0], rows[1]}, inner);
  };
  core::WithVjp node;
  node.rule = lambda_to(code_, {made.rep, made.rep}, rule, arg, "y");
  node.fn = std::move(made.fn);
  node.args = leaves_of(*x);
  const std::vector<Operand> results = code_.emit(leaf_types(*made.rep), std::move(node), "custom");
  for (const Operand& result : results)
    if (const Name* name = core::as_name(result)) code_.sharing().share(*name);
  return make_value(made.rep, results);
}

}  // namespace skald::futhark::elab
