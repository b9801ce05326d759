// SPDX-License-Identifier: Apache-2.0
// Calls, and a function of core for each shape that a function is called with.
#include "frontend/nesl/elaborate/elaborator.h"
#include "frontend/nesl/elaborate/primitives.h"
#include "frontend/nesl/elaborate/tail_calls.h"
#include "support/bug.h"

namespace skald::nesl {

Value Elaborator::call_library(const std::string& name, const Value& arg, Span span) {
  if (library_.empty())
    for (size_t k = 0; k < checked_.globals.size(); ++k)
      if (checked_.globals[k].is_library) library_[checked_.globals[k].name] = static_cast<int>(k);
  const auto found = library_.find(name);
  SKALD_CHECK(found != library_.end(), "the library has no `{}`", name);
  return call_global(found->second, arg, span);
}

Value Elaborator::call_value(const Value& function, const Value& arg, Span span) {
  if (function.shape->lambda == nullptr) return call_global(function.shape->global, arg, span);
  // What it has captured, and nothing else.
  Locals outer = std::move(locals_);
  locals_.clear();
  size_t at = 0;
  for (size_t k = 0; k < function.shape->names.size(); ++k) {
    const ShapeRef& shape = function.shape->args[k];
    const auto begin = function.parts.begin() + static_cast<std::ptrdiff_t>(at);
    at += part_count(*shape);
    locals_.push_back({function.shape->names[k],
                       {shape, {begin, function.parts.begin() + static_cast<std::ptrdiff_t>(at)}}});
  }
  const auto& lambda = std::get<Lambda>(function.shape->lambda->node);
  bind(*lambda.pattern, arg);
  Value result = exp(*lambda.body);
  locals_ = std::move(outer);
  return result;
}

Value Elaborator::call_global(int global, const Value& arg, Span span) {
  const Global& what = checked_.globals[static_cast<size_t>(global)];
  switch (what.kind) {
    case Global::kConstructor: return {record_shape(what.name, arg.shape), arg.parts};
    case Global::kPrimitive: {
      if (is_operation(what.name))
        refuse(span, "this reads or writes, which is not possible inside an apply-to-each");
      const core::Loc before = code_.set_place(span);
      Value result = call_primitive(*this, what.name, arg, span);
      code_.set_loc(before);
      return result;
    }
    case Global::kValue: return call_value(values_.at(global), arg, span);
    case Global::kConstant: SKALD_BUG("constants of the library are no functions");
    case Global::kFunction: return call_function(global, arg, span);
  }
  SKALD_BUG("no such global");
}

// Types for the checker's unification; functions have the types they were found to have.
TypeRef Elaborator::type_of(const Shape& shape) {
  Types& types = checked_.types;
  switch (shape.kind) {
    case Shape::kInt: return types.base("int");
    case Shape::kFloat: return types.base("float");
    case Shape::kBool: return types.base("bool");
    case Shape::kChar: return types.base("char");
    case Shape::kPair: {
      const TypeRef first = type_of(*shape.args[0]);
      return types.pair(first, type_of(*shape.args[1]));
    }
    case Shape::kSequence: return types.sequence(type_of(*shape.args[0]));
    case Shape::kRecord: {
      const TypeRef constructor = types.instantiate(checked_.datatypes.at(shape.record));
      types.unify(constructor->args[0], type_of(*shape.args[0]));
      return constructor->args[1];
    }
    case Shape::kFunction:
      return shape.global < 0
                 ? types.variable()
                 : types.instantiate(checked_.globals[static_cast<size_t>(shape.global)].type);
  }
  SKALD_BUG("no such shape");
}

ShapeRef Elaborator::shape_of(TypeRef type, Span span) {
  type = resolved(type);
  // Nothing depends on it: a function that never returns, say.
  if (type->is_variable() || type->name == "int") return scalar_shape(Shape::kInt);
  if (type->name == "float") return scalar_shape(Shape::kFloat);
  if (type->name == "bool") return scalar_shape(Shape::kBool);
  if (type->name == "char") return scalar_shape(Shape::kChar);
  if (type->name == "[]") return sequence_shape(shape_of(type->args[0], span));
  if (type->name == ",") {
    ShapeRef first = shape_of(type->args[0], span);
    return pair_shape(std::move(first), shape_of(type->args[1], span));
  }
  if (type->name == "->") refuse(span, "a function here is not known when the program is compiled");
  const TypeRef constructor = checked_.types.instantiate(checked_.datatypes.at(type->name));
  checked_.types.unify(constructor->args[1], type);
  return record_shape(type->name, shape_of(constructor->args[0], span));
}

namespace {

TypeRef written_type(Types& types, const TypeExp& type) {
  std::vector<TypeRef> args;
  for (const TypeExpPtr& arg : type.args) args.push_back(written_type(types, *arg));
  return types.make(type.name, std::move(args));
}

std::string core_name(const std::string& name, size_t number) {
  std::string letters;
  for (const char c : name) letters += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_';
  return fmt::format("{}_{}", letters, number);
}

}  // namespace

ShapeRef Elaborator::written_shape(const TypeExp& type) {
  return shape_of(written_type(checked_.types, type), type.span);
}

ShapeRef Elaborator::inferred_result(int global, const ShapeRef& arg, Span span) {
  const TypeRef type =
      checked_.types.instantiate(checked_.globals[static_cast<size_t>(global)].type);
  checked_.types.unify(type->args[0], type_of(*arg));
  return shape_of(type->args[1], span);
}

// Parameters: the argument, the values of forms it uses, the seed, the output.  Results: its value,
// then the seed and the output.
void Elaborator::make_instance(int global, const ShapeRef& arg, Instance& made) {
  Locals outer_locals = std::move(locals_);
  std::map<int, Value> outer_values = std::move(values_);
  const std::optional<Operand> outer_seed = seed_;
  const std::optional<Value> outer_output = output_;
  locals_.clear();
  values_.clear();
  seed_.reset();
  output_.reset();

  const FunctionDef& def = *checked_.globals[static_cast<size_t>(global)].def;
  core::Function function;
  function.name = made.name;
  std::vector<core::Param>& params = function.params;
  const auto add = [&](const ShapeRef& shape, std::string_view base) {
    const size_t from = params.size();
    for (core::Param& param : code_.params(*shape, base)) params.push_back(std::move(param));
    return Code::value_of(shape, params, from);
  };
  const Value value = add(arg, "arg");
  for (const int used : made.effects.values) values_[used] = add(value_shapes_.at(used), "value");
  if (made.effects.random) seed_ = add(scalar_shape(Shape::kInt), "seed").parts[0];
  if (made.effects.prints) output_ = add(sequence_shape(scalar_shape(Shape::kChar)), "out");
  bind(*def.param, value);
  std::vector<core::Param> results;
  function.body = code_.block([&] {
    code_.set_place(def.body->span);
    Value result = exp(*def.body);
    made.result = result.shape;
    results = code_.params(*result.shape, "r");
    if (made.effects.random) {
      result.parts.push_back(*seed_);
      results.push_back({code_.fresh("seed"), core::scalar_type(Prim::kI64)});
    }
    if (made.effects.prints) {
      result.parts.insert(result.parts.end(), output_->parts.begin(), output_->parts.end());
      for (core::Param& param : code_.params(*output_->shape, "out"))
        results.push_back(std::move(param));
    }
    return result.parts;
  });
  function.results = Code::results(results);
  tail_calls_to_loop(code_.program(), function);
  code_.program().functions.push_back(std::move(function));
  made.is_done = true;

  locals_ = std::move(outer_locals);
  values_ = std::move(outer_values);
  seed_ = outer_seed;
  output_ = outer_output;
}

Elaborator::Instance& Elaborator::instance(int global, const ShapeRef& arg, const std::string& key,
                                           Span span) {
  const auto [found, is_new] = instances_.try_emplace(key);
  Instance& made = found->second;
  if (is_new) {
    made.name = core_name(checked_.globals[static_cast<size_t>(global)].name, instances_.size());
    made.effects = effects_.of_global(global);
    made.effects.add(effects_.of_shape(*arg));
    make_instance(global, arg, made);
  } else if (made.result == nullptr) {
    made.result = inferred_result(global, arg, span);
  }
  return made;
}

Value Elaborator::call_function(int global, const Value& arg, Span span) {
  if (effects_.of_global(global).acts)
    refuse(span, "this reads or writes, which is not possible inside an apply-to-each");
  const std::string key = fmt::format("{} {}", global, shape_key(*arg.shape));
  const Instance& made = instance(global, arg.shape, key, span);
  if (made.effects.prints && !output_) refuse(span, "this prints, which is not possible here");
  core::Call call{made.name, arg.parts};
  const auto pass = [&](const std::vector<Operand>& parts) {
    call.args.insert(call.args.end(), parts.begin(), parts.end());
  };
  for (const int used : made.effects.values) pass(values_.at(used).parts);
  if (made.effects.random) pass({*seed_});
  if (made.effects.prints) pass(output_->parts);
  std::vector<core::Param> pattern = code_.params(*made.result, "r");
  const Value result = Code::value_of(made.result, pattern);
  if (made.effects.random) {
    pattern.push_back({code_.fresh("seed"), core::scalar_type(Prim::kI64)});
    seed_ = pattern.back().name;
  }
  if (made.effects.prints) {
    const size_t from = pattern.size();
    for (core::Param& param : code_.params(*output_->shape, "out"))
      pattern.push_back(std::move(param));
    output_ = Code::value_of(output_->shape, pattern, from);
  }
  const core::Loc before = code_.set_place(span);
  builder().let_pat(std::move(pattern), std::move(call));
  code_.set_loc(before);
  return result;
}

}  // namespace skald::nesl
