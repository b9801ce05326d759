// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <utility>

#include "frontend/nesl/elaborate/elaborator.h"
#include "support/bug.h"

namespace skald::nesl {

void Elaborator::refuse(Span span, std::string what) {
  diagnostics_.limitation(span, std::move(what));
  throw Refused();
}

Value Elaborator::scoped(const std::function<Value()>& inside) {
  const size_t before = locals_.size();
  Value value = inside();
  locals_.resize(before);
  return value;
}

void Elaborator::bind(const Pattern& pattern, const Value& value) {
  if (const auto* var = std::get_if<PatternVar>(&pattern.node)) {
    locals_.emplace_back(var->name, value);
  } else if (const auto* pair = std::get_if<PatternPair>(&pattern.node)) {
    bind(*pair->first, first_of(value));
    bind(*pair->second, second_of(value));
  } else {
    bind(*std::get<PatternRecord>(pattern.node).inner, {value.shape->args[0], value.parts});
  }
}

Value Elaborator::variable(const Exp& exp, const Var& var) {
  const auto found = checked_.references.find(&exp);
  if (found == checked_.references.end()) {
    for (size_t k = locals_.size(); k-- > 0;)
      if (locals_[k].first == var.name) return locals_[k].second;
    SKALD_BUG("no value for {}", var.name);
  }
  const Global& global = checked_.globals[static_cast<size_t>(found->second)];
  if (global.kind == Global::kValue) return values_.at(found->second);
  if (global.kind == Global::kConstant) return this->exp(*global.constant);
  Shape shape{Shape::kFunction};
  shape.global = found->second;
  return {std::make_shared<Shape>(shape), {}};
}

namespace {

void add_free_names(const Exp& exp, std::set<std::string> bound, const CheckedProgram& checked,
                    std::set<std::string>& free);

// What the patterns of a Let, Lambda or Each bind holds for some of the parts only.
void names_inside(const Exp& exp, const std::set<std::string>& bound, const CheckedProgram& checked,
                  std::set<std::string>& free) {
  std::set<std::string> inner = bound;
  const auto add = [&](const Pattern& pattern) {
    for (const std::string& name : bound_names(pattern)) inner.insert(name);
  };
  if (const auto* let = std::get_if<Let>(&exp.node)) {
    add_free_names(*let->value, bound, checked, free);
    add(*let->pattern);
    add_free_names(*let->body, inner, checked, free);
  } else if (const auto* lambda = std::get_if<Lambda>(&exp.node)) {
    add(*lambda->pattern);
    add_free_names(*lambda->body, inner, checked, free);
  } else {
    const Each& each = std::get<Each>(exp.node);
    for (const Source& source : each.sources) {
      add_free_names(*source.sequence, bound, checked, free);
      add(*source.pattern);
    }
    add_free_names(*each.body, inner, checked, free);
    if (each.filter != nullptr) add_free_names(*each.filter, inner, checked, free);
  }
}

void add_free_names(const Exp& exp, std::set<std::string> bound, const CheckedProgram& checked,
                    std::set<std::string>& free) {
  if (const auto* var = std::get_if<Var>(&exp.node)) {
    if (!checked.references.contains(&exp) && !bound.contains(var->name)) free.insert(var->name);
  } else if (std::holds_alternative<Let>(exp.node) || std::holds_alternative<Lambda>(exp.node) ||
             std::holds_alternative<Each>(exp.node)) {
    names_inside(exp, bound, checked, free);
  } else {
    for_each_child(exp, [&](const Exp& child) { add_free_names(child, bound, checked, free); });
  }
}

}  // namespace

std::set<std::string> free_names(const Exp& exp, const CheckedProgram& checked) {
  std::set<std::string> free;
  add_free_names(exp, {}, checked, free);
  return free;
}

// A function that takes along what it uses.
Value Elaborator::lambda(const Exp& exp, const Lambda& lambda) {
  static_cast<void>(lambda);
  const std::set<std::string> free = free_names(exp, checked_);
  Shape shape{Shape::kFunction};
  shape.lambda = &exp;
  std::vector<Operand> parts;
  for (const std::string& name : free)
    for (size_t k = locals_.size(); k-- > 0;)
      if (locals_[k].first == name) {
        const Value& value = locals_[k].second;
        shape.names.push_back(name);
        shape.args.push_back(value.shape);
        parts.insert(parts.end(), value.parts.begin(), value.parts.end());
        break;
      }
  return {std::make_shared<Shape>(shape), parts};
}

Value Elaborator::string_constant(std::string_view text) {
  if (text.empty()) return empty_sequence(code_, scalar_shape(Shape::kChar));
  std::vector<Value> letters;
  for (const char c : text)
    letters.push_back(
        scalar_value(Shape::kChar, core::const_int(Prim::kU8, static_cast<unsigned char>(c))));
  const Value string = listed(code_, letters);
  code_.remember_text(string, std::string(text));
  return string;
}

Value Elaborator::without_effects(const std::function<Value()>& make) {
  const std::optional<Operand> seed = std::exchange(seed_, std::nullopt);
  const std::optional<Value> output = std::exchange(output_, std::nullopt);
  Value value = make();
  seed_ = seed;
  output_ = output;
  return value;
}

Value Elaborator::branch(const Operand& cond, Span span, const std::function<Value()>& then,
                         const std::function<Value()>& otherwise) {
  const std::optional<Operand> seed = seed_;
  const std::optional<Value> output = output_;
  // Both sides give the seed and the output too, if there are any; dead ones are removed later.
  ShapeRef shape;
  const auto side = [&](const std::function<Value()>& make) {
    return code_.block([&] {
      seed_ = seed;
      output_ = output;
      Value value = scoped(make);
      if (shape != nullptr && !same_shape(*shape, *value.shape))
        refuse(span,
               "the branches of this `if` give different functions, which cannot be told apart");
      shape = value.shape;
      if (seed_) value.parts.push_back(*seed_);
      if (output_)
        value.parts.insert(value.parts.end(), output_->parts.begin(), output_->parts.end());
      return value.parts;
    });
  };
  core::If both;
  both.cond = cond;
  both.then_body = side(then);
  both.else_body = side(otherwise);
  std::vector<core::Param> pattern = code_.params(*shape, "r");
  const Value result = Code::value_of(shape, pattern);
  if (seed_) {
    pattern.push_back({code_.fresh("seed"), core::scalar_type(Prim::kI64)});
    seed_ = pattern.back().name;
  }
  if (output_) {
    const size_t from = pattern.size();
    for (core::Param& param : code_.params(*output_->shape, "out"))
      pattern.push_back(std::move(param));
    output_ = Code::value_of(output_->shape, pattern, from);
  }
  builder().let_pat(std::move(pattern), std::move(both));
  return result;
}

Value Elaborator::range(const Exp& exp, const Range& range) {
  const Operand start = this->exp(*range.start).parts[0];
  const Operand end = this->exp(*range.end).parts[0];
  const Operand stride =
      range.stride == nullptr ? Operand(core::const_i64(1)) : this->exp(*range.stride).parts[0];
  const core::Loc before = code_.set_place(exp.span);
  std::vector<Name> tokens =
      code_.check(code_.at_most(core::const_i64(1), stride),
                  {std::string("the stride of a range must be at least 1, but is "), stride});
  const bool is_forward = start == Operand{core::const_i64(0)} && code_.is_length(end);
  const Operand forward = is_forward ? Operand(core::const_bool(true)) : code_.at_most(start, end);
  for (const Name token : code_.check(
           forward, {std::string("a range cannot go from "), start, std::string(" to "), end}))
    tokens.push_back(token);
  const Operand span = builder().size_sub(end, start);
  const Operand up = builder().size_sub(code_.add(span, stride), core::const_i64(1));
  const Operand count =
      builder().binop(core::BinOpKind::kQuot, Prim::kI64, up, stride, "n", tokens);
  Value result{sequence_shape(scalar_shape(Shape::kInt)),
               {count, code_.iota(count, start, stride)}};
  code_.set_loc(before);
  return result;
}

Value Elaborator::exp(const Exp& exp) {
  if (!given_.empty())
    if (const auto found = given_.find(&exp); found != given_.end()) return found->second;
  if (const auto* lit = std::get_if<IntLit>(&exp.node))
    return scalar_value(Shape::kInt, core::const_i64(lit->value));
  if (const auto* lit = std::get_if<FloatLit>(&exp.node))
    return scalar_value(Shape::kFloat, core::const_float(Prim::kF64, lit->value));
  if (const auto* lit = std::get_if<BoolLit>(&exp.node))
    return scalar_value(Shape::kBool, core::const_bool(lit->value));
  if (const auto* lit = std::get_if<CharLit>(&exp.node))
    return scalar_value(Shape::kChar, core::const_int(Prim::kU8, lit->value));
  if (const auto* lit = std::get_if<StringLit>(&exp.node)) return string_constant(lit->text);
  if (const auto* var = std::get_if<Var>(&exp.node)) return variable(exp, *var);
  if (const auto* pair = std::get_if<Pair>(&exp.node)) {
    const Value first = this->exp(*pair->first);
    return pair_of(first, this->exp(*pair->second));
  }
  if (const auto* apply = std::get_if<Apply>(&exp.node)) {
    const Value fn = this->exp(*apply->fn);
    const auto full = checked_.full_arguments.find(&exp);
    const Exp& arg = full == checked_.full_arguments.end() ? *apply->arg : *full->second;
    return call_value(fn, this->exp(arg), exp.span);
  }
  if (const auto* choice = std::get_if<If>(&exp.node))
    return branch(
        this->exp(*choice->cond).parts[0], exp.span, [&] { return this->exp(*choice->then); },
        [&] { return this->exp(*choice->otherwise); });
  if (const auto* let = std::get_if<Let>(&exp.node))
    return scoped([&] {
      bind(*let->pattern, this->exp(*let->value));
      return this->exp(*let->body);
    });
  if (const auto* fn = std::get_if<Lambda>(&exp.node)) return lambda(exp, *fn);
  if (const auto* over = std::get_if<Each>(&exp.node)) return each(exp, *over);
  if (const auto* list = std::get_if<SequenceLit>(&exp.node)) {
    std::vector<Value> elements;
    for (const ExpPtr& element : list->elements) {
      elements.push_back(this->exp(*element));
      if (!same_shape(*elements.front().shape, *elements.back().shape))
        refuse(element->span, "this sequence has different functions, which cannot be told apart");
    }
    return listed(code_, elements);
  }
  if (const auto* empty = std::get_if<EmptySequence>(&exp.node))
    return empty_sequence(code_, written_shape(*empty->element));
  if (const auto* steps = std::get_if<Range>(&exp.node)) return range(exp, *steps);
  if (const auto* other = std::get_if<Borrowed>(&exp.node)) return this->exp(*other->exp);
  if (std::holds_alternative<Time>(exp.node))
    refuse(exp.span, "`time` is not possible inside an apply-to-each");
  SKALD_BUG("an expression that the checker lets pass");
}

}  // namespace skald::nesl
