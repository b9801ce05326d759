// SPDX-License-Identifier: Apache-2.0
#include "frontend/nesl/elaborate/scripts.h"

#include <utility>

#include "frontend/nesl/elaborate/primitives.h"

namespace skald::nesl {

using frontend::ScriptStep;

namespace {

constexpr std::string_view kInsideEach =
    "this reads or writes, which is not possible inside an apply-to-each";

bool has_only_names(const Exp& exp) {
  if (const auto* pair = std::get_if<Pair>(&exp.node))
    return has_only_names(*pair->first) && has_only_names(*pair->second);
  return std::holds_alternative<Var>(exp.node);
}

}  // namespace

std::vector<int> Scripts::slots_of(const Value& value) {
  std::vector<int> slots;
  for (const Operand& part : value.parts)
    slots.push_back(static_cast<int>(core::int_value(*core::as_const(part))));
  return slots;
}

Value Scripts::new_slots(ShapeRef shape) {
  Value value{std::move(shape), {}};
  for (size_t k = part_count(*value.shape); k-- > 0;)
    value.parts.emplace_back(core::const_i64(slots_++));
  return value;
}

ScriptStep& Scripts::add(ScriptStep step) {
  steps_->push_back(std::move(step));
  return steps_->back();
}

void Scripts::copy(const Value& from, const Value& to) {
  add({.kind = ScriptStep::kCopy, .args = slots_of(from), .results = slots_of(to)});
}

Effects Scripts::effects_of(const Exp& exp) {
  Effects effects = elab_.effects_.of(exp);
  for (const std::string& name : free_names(exp, elab_.checked_))
    for (size_t k = elab_.locals_.size(); k-- > 0;)
      if (elab_.locals_[k].first == name) {
        effects.add(elab_.effects_.of_shape(*elab_.locals_[k].second.shape));
        break;
      }
  return effects;
}

Value Scripts::computed(const std::vector<Named>& inputs, const Effects& effects,
                        const std::function<Value()>& make) {
  const std::string name = fmt::format("form step {}", ++entries_);
  core::Function function;
  function.name = fmt::format("form_step_{}", entries_);
  ScriptStep step{.kind = ScriptStep::kEntry,
                  .name = name,
                  .prints = effects.prints,
                  .takes_seed = effects.random};
  const auto param = [&](const ShapeRef& shape) {
    const size_t from = function.params.size();
    for (core::Param& each : elab_.code_.params(*shape, "value"))
      function.params.push_back(std::move(each));
    return Code::value_of(shape, function.params, from);
  };
  Elaborator::Locals locals;
  std::map<int, Value> values;
  for (const auto& [local, value] : inputs) {
    locals.emplace_back(local, param(value.shape));
    for (const int slot : slots_of(value)) step.args.push_back(slot);
  }
  for (const int used : effects.values) {
    const Value& value = elab_.values_.at(used);
    values[used] = param(value.shape);
    for (const int slot : slots_of(value)) step.args.push_back(slot);
  }
  std::swap(elab_.locals_, locals);
  std::swap(elab_.values_, values);
  if (effects.random) elab_.seed_ = param(scalar_shape(Shape::kInt)).parts[0];
  Value result;
  std::vector<core::Param> results;
  const ShapeRef text = sequence_shape(scalar_shape(Shape::kChar));
  const auto give = [&](const Shape& shape) {
    for (core::Param& each : elab_.code_.params(shape, "r")) results.push_back(std::move(each));
  };
  function.body = elab_.code_.block([&] {
    if (effects.prints) elab_.output_ = elab_.string_constant("");
    result = make();
    std::vector<Operand> parts;
    if (effects.prints) {
      give(*text);
      parts = elab_.output_->parts;
    }
    give(*result.shape);
    parts.insert(parts.end(), result.parts.begin(), result.parts.end());
    if (effects.random) {
      give(*scalar_shape(Shape::kInt));
      parts.push_back(*elab_.seed_);
    }
    return parts;
  });
  std::swap(elab_.locals_, locals);
  std::swap(elab_.values_, values);
  elab_.seed_.reset();
  elab_.output_.reset();
  function.results = Code::results(results);
  core::EntryPoint entry;
  entry.name = name;
  for (const core::Param& each : function.params)
    entry.params.push_back({.type = each.type.is_array() ? "[]" : "scalar"});
  for (const core::Param& each : results)
    entry.results.push_back({.type = each.type.is_array() ? "[]" : "scalar"});
  function.entry = std::move(entry);
  elab_.code_.program().functions.push_back(std::move(function));
  const Value slots = new_slots(result.shape);
  step.results = slots_of(slots);
  add(std::move(step));
  return slots;
}

Value Scripts::operation(std::string name, const Value& arg, ShapeRef result) {
  const Value slots = new_slots(std::move(result));
  add({.kind = ScriptStep::kOperation,
       .name = std::move(name),
       .args = slots_of(arg),
       .results = slots_of(slots)});
  return slots;
}

Value Scripts::branch(const Exp& exp, const If& choice) {
  const Value cond = this->exp(*choice.cond);
  ScriptStep step{.kind = ScriptStep::kIf, .args = slots_of(cond)};
  std::vector<ScriptStep>* const outer = steps_;
  steps_ = &step.then;
  const Value then = elab_.scoped([&] { return this->exp(*choice.then); });
  const Value result = new_slots(then.shape);
  copy(then, result);
  steps_ = &step.otherwise;
  const Value otherwise = elab_.scoped([&] { return this->exp(*choice.otherwise); });
  if (!same_shape(*then.shape, *otherwise.shape))
    elab_.refuse(exp.span,
                 "the branches of this `if` give different functions, which cannot be told apart");
  copy(otherwise, result);
  steps_ = outer;
  add(std::move(step));
  return result;
}

Value Scripts::timed(const Time& time) {
  const ShapeRef seconds = scalar_shape(Shape::kFloat);
  const Value start = operation("clock", {}, seconds);
  const Value value = exp(*time.value);
  return pair_of(value, operation("elapsed", start, seconds));
}

// Names the part that acts.
void Scripts::refuse_inside_each(const Exp& exp) {
  const Exp* part = &exp;
  for (const Exp* inner = part; inner != nullptr;) {
    part = inner;
    inner = nullptr;
    for_each_child(*part, [&](const Exp& child) {
      if (!std::holds_alternative<Var>(child.node) && effects_of(child).acts) inner = &child;
    });
  }
  const auto* call = std::get_if<Apply>(&part->node);
  const auto* name = call == nullptr ? nullptr : std::get_if<Var>(&call->fn->node);
  elab_.refuse(part->span,
               name != nullptr && name->name == "error"
                   ? "`error` stops the program, which is not possible inside an apply-to-each"
                   : std::string(kInsideEach));
}

Value Scripts::combined(const Exp& exp) {
  std::vector<Named> inputs;
  std::vector<const Exp*> acting;
  const auto* each = std::get_if<Each>(&exp.node);
  for_each_child(exp, [&](const Exp& child) {
    if (!effects_of(child).acts) return;
    if (each != nullptr && (&child == each->body.get() || &child == each->filter.get()))
      refuse_inside_each(child);
    acting.push_back(&child);
    inputs.emplace_back(fmt::format("part {}", acting.size()), this->exp(child));
  });
  Effects effects = effects_of(exp);
  for (const std::string& name : free_names(exp, elab_.checked_))
    for (size_t k = elab_.locals_.size(); k-- > 0;)
      if (elab_.locals_[k].first == name) {
        inputs.push_back(elab_.locals_[k]);
        break;
      }
  for (const Named& input : inputs) effects.add(elab_.effects_.of_shape(*input.second.shape));
  return computed(inputs, effects, [&] {
    for (size_t k = 0; k < acting.size(); ++k) elab_.given_[acting[k]] = elab_.locals_[k].second;
    Value result = elab_.exp(exp);
    elab_.given_.clear();
    return result;
  });
}

Value Scripts::exp(const Exp& exp) {
  if (const auto* pair = std::get_if<Pair>(&exp.node);
      pair != nullptr && (has_only_names(exp) || effects_of(exp).acts)) {
    const Value first = this->exp(*pair->first);
    return pair_of(first, this->exp(*pair->second));
  }
  if (const auto* var = std::get_if<Var>(&exp.node)) {
    const auto global = elab_.checked_.references.find(&exp);
    if (global == elab_.checked_.references.end() ||
        elab_.checked_.globals[static_cast<size_t>(global->second)].kind != Global::kConstant)
      return elab_.variable(exp, *var);
  }
  if (const auto* fn = std::get_if<Lambda>(&exp.node)) return elab_.lambda(exp, *fn);
  if (const auto* other = std::get_if<Borrowed>(&exp.node)) return this->exp(*other->exp);
  if (!effects_of(exp).acts) return combined(exp);
  if (const auto* choice = std::get_if<If>(&exp.node)) return branch(exp, *choice);
  if (const auto* time = std::get_if<Time>(&exp.node)) return timed(*time);
  if (const auto* let = std::get_if<Let>(&exp.node))
    return elab_.scoped([&] {
      elab_.bind(*let->pattern, this->exp(*let->value));
      return this->exp(*let->body);
    });
  if (const auto* apply = std::get_if<Apply>(&exp.node)) {
    const Value fn = this->exp(*apply->fn);
    const auto full = elab_.checked_.full_arguments.find(&exp);
    const Exp& arg = full == elab_.checked_.full_arguments.end() ? *apply->arg : *full->second;
    return call(fn, this->exp(arg), exp.span);
  }
  return combined(exp);
}

Value Scripts::call_lambda(const Value& fn, const Value& arg) {
  Elaborator::Locals outer = std::exchange(elab_.locals_, {});
  size_t at = 0;
  for (size_t k = 0; k < fn.shape->names.size(); ++k) {
    const ShapeRef& shape = fn.shape->args[k];
    const auto begin = fn.parts.begin() + static_cast<std::ptrdiff_t>(at);
    const auto count = part_count(*shape);
    elab_.locals_.push_back(
        {fn.shape->names[k], {shape, {begin, begin + static_cast<std::ptrdiff_t>(count)}}});
    at += count;
  }
  const auto& lambda = std::get<Lambda>(fn.shape->lambda->node);
  elab_.bind(*lambda.pattern, arg);
  Value result = exp(*lambda.body);
  elab_.locals_ = std::move(outer);
  return result;
}

Value Scripts::call(const Value& fn, const Value& arg, Span span) {
  Effects effects = elab_.effects_.of_shape(*fn.shape);
  effects.add(elab_.effects_.of_shape(*arg.shape));
  if (!effects.acts)
    return computed({{"fn", fn}, {"arg", arg}}, effects, [&] {
      const Value own = elab_.locals_[0].second;
      return elab_.call_value(own, elab_.locals_[1].second, span);
    });
  if (fn.shape->lambda != nullptr) return call_lambda(fn, arg);
  const Global& global = elab_.checked_.globals[static_cast<size_t>(fn.shape->global)];
  if (global.kind == Global::kFunction) return call_function(fn.shape->global, arg, span);
  if (global.kind == Global::kConstructor) return {record_shape(global.name, arg.shape), arg.parts};
  if (global.kind == Global::kPrimitive && is_operation(global.name))
    return operation(global.name, arg, elab_.inferred_result(fn.shape->global, arg.shape, span));
  elab_.refuse(span, std::string(kInsideEach));
}

void Scripts::load_values(const Effects& effects) {
  elab_.values_.clear();
  for (const int used : effects.values) {
    const Value value = new_slots(elab_.value_shapes_.at(used));
    add({.kind = ScriptStep::kValue,
         .name = fmt::format("value {}", used),
         .results = slots_of(value)});
    elab_.values_[used] = value;
  }
}

void Scripts::make_function(int global, const Value& arg, Instance& made) {
  Elaborator::Locals outer_locals = std::exchange(elab_.locals_, {});
  std::map<int, Value> outer_values = std::move(elab_.values_);
  const int outer_slots = std::exchange(slots_, 0);
  frontend::ScriptFunction function;
  std::vector<ScriptStep>* const outer_steps = std::exchange(steps_, &function.steps);

  Effects effects = elab_.effects_.of_global(global);
  effects.add(elab_.effects_.of_shape(*arg.shape));
  const FunctionDef& def = *elab_.checked_.globals[static_cast<size_t>(global)].def;
  const Value param = new_slots(arg.shape);
  load_values(effects);
  elab_.bind(*def.param, param);
  const Value result = exp(*def.body);
  made.result = result.shape;
  function.params = slots_of(param);
  function.results = slots_of(result);
  function.slots = slots_;
  script_.functions[made.name] = std::move(function);

  steps_ = outer_steps;
  slots_ = outer_slots;
  elab_.values_ = std::move(outer_values);
  elab_.locals_ = std::move(outer_locals);
}

Value Scripts::call_function(int global, const Value& arg, Span span) {
  const auto [found, is_new] =
      instances_.try_emplace(fmt::format("{} {}", global, shape_key(*arg.shape)));
  Instance& made = found->second;
  if (is_new) {
    made.name = fmt::format("{} {}", elab_.checked_.globals[static_cast<size_t>(global)].name,
                            instances_.size());
    make_function(global, arg, made);
  } else if (made.result == nullptr) {
    made.result = elab_.inferred_result(global, arg.shape, span);
  }
  const Value result = new_slots(made.result);
  add({.kind = ScriptStep::kCall,
       .name = made.name,
       .args = slots_of(arg),
       .results = slots_of(result)});
  return result;
}

void Scripts::form(size_t number) {
  const CheckedForm& form = elab_.checked_.forms[number];
  frontend::ScriptFunction function;
  steps_ = &function.steps;
  slots_ = 0;
  elab_.locals_.clear();
  elab_.seed_.reset();
  elab_.output_.reset();
  load_values(elab_.effects_.of(*form.binding->value));
  const Value value = exp(*form.binding->value);
  if (form.binding->pattern != nullptr)
    elab_.bind(*form.binding->pattern, value);
  else
    elab_.locals_.emplace_back("it", value);
  const std::vector<Named> named = elab_.locals_;
  Effects printing;
  printing.prints = true;
  computed(named, printing, [&] {
    for (size_t k = 0; k < form.names.size(); ++k) {
      const Global& global = elab_.checked_.globals[static_cast<size_t>(form.names[k])];
      const Value own = elab_.locals_[k].second;
      elab_.print(elab_.string_constant(global.name + " = "), form.span);
      elab_.print(printed_text(elab_, own, form.span), form.span);
      elab_.print(elab_.string_constant(" : " + type_text(global.type) + "\n"), form.span);
    }
    return scalar_value(Shape::kBool, core::const_bool(true));
  });
  for (size_t k = 0; k < form.names.size(); ++k) {
    elab_.value_shapes_[form.names[k]] = named[k].second.shape;
    elab_.effects_.value_has(form.names[k], *named[k].second.shape);
    function.values.emplace_back(fmt::format("value {}", form.names[k]),
                                 static_cast<int>(named[k].second.parts.size()));
    for (const int slot : slots_of(named[k].second)) function.results.push_back(slot);
  }
  function.slots = slots_;
  script_.functions[fmt::format("form {}", number + 1)] = std::move(function);
}

void Scripts::finish() {
  if (script_.functions.empty()) return;
  core::Function function;
  function.name = "form_script";
  function.results = {{{}, core::scalar_type(Prim::kI64)}};
  function.body = elab_.code_.block([] { return std::vector<Operand>{core::const_i64(0)}; });
  core::EntryPoint entry;
  entry.name = "form script";
  entry.results.push_back({.type = frontend::ScriptWriter::text(script_)});
  function.entry = std::move(entry);
  elab_.code_.program().functions.push_back(std::move(function));
}

}  // namespace skald::nesl
