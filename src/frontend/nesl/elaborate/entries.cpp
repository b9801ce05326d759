// SPDX-License-Identifier: Apache-2.0
// Functions that can be called from outside.
//
// Outside, a sequence of scalars is an array; a sequence of tuples is an array for each field; a
// sequence of sequences is an array of lengths, then the elements one after another.
#include "frontend/nesl/elaborate/elaborator.h"
#include "support/bug.h"

namespace skald::nesl {

namespace {

bool is_closed(TypeRef type) {
  type = resolved(type);
  if (type->is_variable() || type->name == "->") return false;
  for (const TypeRef arg : type->args)
    if (!is_closed(arg)) return false;
  return true;
}

// What the outside gives, on its way to values.
class Arguments {
 public:
  explicit Arguments(Code& code) : code_(code) {}

  Value value(const ShapeRef& shape) {
    if (shape->is_scalar()) return {shape, {add(core::scalar_type(prim_of(shape->kind)))}};
    if (shape->kind == Shape::kSequence) {
      const Operand n = size();
      Value sequence{shape, {n}};
      append(sequence.parts, columns(shape->args[0], n));
      return sequence;
    }
    Value all{shape, {}};
    for (const ShapeRef& arg : shape->args) append(all.parts, value(arg).parts);
    return all;
  }
  int count() const { return static_cast<int>(params_.size()); }
  const std::vector<core::Param>& sizes() const { return sizes_; }
  const std::vector<core::Param>& params() const { return params_; }

 private:
  static void append(std::vector<Operand>& to, const std::vector<Operand>& from) {
    to.insert(to.end(), from.begin(), from.end());
  }
  Operand size() {
    sizes_.push_back({code_.fresh("n"), core::scalar_type(Prim::kI64)});
    return sizes_.back().name;
  }
  Operand add(core::Type type) {
    params_.push_back({code_.fresh("x"), std::move(type)});
    return params_.back().name;
  }
  std::vector<Operand> columns(const ShapeRef& shape, const Operand& n) {
    if (shape->is_scalar()) return {add(array_type(n, prim_of(shape->kind)))};
    std::vector<Operand> parts;
    if (shape->kind == Shape::kSequence) {
      const Value lengths{sequence_shape(scalar_shape(Shape::kInt)),
                          {n, add(array_type(n, Prim::kI64))}};
      const Operand m = size();
      Value inner{shape, {m}};
      append(inner.parts, columns(shape->args[0], m));
      const Value nested = partitioned(code_, inner, lengths, Lengths::kAny);
      parts.assign(nested.parts.begin() + 1, nested.parts.end());
      return parts;
    }
    for (const ShapeRef& arg : shape->args) append(parts, columns(arg, n));
    return parts;
  }

  Code& code_;
  std::vector<core::Param> sizes_, params_;
};

// Values on their way out.
class Outcome {
 public:
  explicit Outcome(Code& code) : code_(code) {}

  void add(const Value& value) {
    if (value.shape->is_scalar()) {
      add(core::scalar_type(prim_of(value.shape->kind)), value.parts[0]);
    } else if (value.shape->kind == Shape::kSequence) {
      const Value dense = compacted(code_, value);
      const Name n = size(length_of(dense));
      size_t at = 1;
      columns(*element_of(dense), n, dense.parts, at);
    } else {
      size_t at = 0;
      for (const ShapeRef& arg : value.shape->args) {
        const auto begin = value.parts.begin() + static_cast<std::ptrdiff_t>(at);
        at += part_count(*arg);
        add({arg, {begin, value.parts.begin() + static_cast<std::ptrdiff_t>(at)}});
      }
    }
  }
  int count() const { return static_cast<int>(types_.size()); }
  int sizes() const { return static_cast<int>(size_operands_.size()); }
  std::vector<core::Ret> results() const {
    std::vector<core::Ret> all = size_results_;
    for (const core::Type& type : types_) all.push_back({{}, type});
    return all;
  }
  std::vector<Operand> operands() const {
    std::vector<Operand> all = size_operands_;
    all.insert(all.end(), operands_.begin(), operands_.end());
    return all;
  }

 private:
  void add(core::Type type, const Operand& operand) {
    types_.push_back(std::move(type));
    operands_.push_back(operand);
  }
  Name size(const Operand& operand) {
    size_results_.push_back({code_.fresh("n"), core::scalar_type(Prim::kI64)});
    size_operands_.push_back(operand);
    return size_results_.back().name;
  }
  void columns(const Shape& shape, Name n, const std::vector<Operand>& parts, size_t& at) {
    if (shape.is_scalar()) {
      add(array_type(n, prim_of(shape.kind)), parts[at++]);
    } else if (shape.kind == Shape::kSequence) {
      add(array_type(n, Prim::kI64), parts[at + 1]);
      const Name m = size(parts[at + 2]);
      at += 3;
      columns(*shape.args[0], m, parts, at);
    } else {
      for (const ShapeRef& arg : shape.args) columns(*arg, n, parts, at);
    }
  }

  Code& code_;
  std::vector<core::Ret> size_results_;
  std::vector<core::Type> types_;
  std::vector<Operand> size_operands_, operands_;
};

// "([]i64, f64)" for values that are more than one array or scalar.
std::string layout_text(const std::vector<core::Param>& params, size_t from) {
  if (params.size() - from < 2) return "";
  std::string text;
  for (size_t k = from; k < params.size(); ++k)
    text += (k == from ? "(" : ", ") + std::string(params[k].type.is_array() ? "[]" : "") +
            std::string(prim_name(params[k].type.elem));
  return text + ")";
}

}  // namespace

// Values of forms are computed again, by the functions of these forms.
const Value& Elaborator::value_of_form(int global) {
  if (const auto found = values_.find(global); found != values_.end()) return found->second;
  const CheckedForm& form =
      checked_.forms[static_cast<size_t>(checked_.globals[static_cast<size_t>(global)].form)];
  core::Call call{fmt::format("form_{}", checked_.globals[static_cast<size_t>(global)].form + 1),
                  {}};
  for (const int used : effects_.of(*form.binding->value).values) {
    const std::vector<Operand> parts = value_of_form(used).parts;
    call.args.insert(call.args.end(), parts.begin(), parts.end());
  }
  std::vector<core::Param> pattern =
      code_.params(*sequence_shape(scalar_shape(Shape::kChar)), "text");
  for (const int name : form.names) {
    const size_t from = pattern.size();
    for (core::Param& param : code_.params(*value_shapes_.at(name), "value"))
      pattern.push_back(std::move(param));
    values_[name] = Code::value_of(value_shapes_.at(name), pattern, from);
  }
  builder().let_pat(std::move(pattern), std::move(call));
  return values_.at(global);
}

void Elaborator::entry(int index) {
  const Global& global = checked_.globals[static_cast<size_t>(index)];
  const TypeRef type = resolved(global.type);
  core::Function function;
  function.name = "entry_" + global.name;
  core::EntryPoint entry;
  entry.name = global.name;
  locals_.clear();
  values_.clear();
  seed_ = core::const_i64(1);
  output_.reset();
  Arguments arguments(code_);
  Outcome outcome(code_);
  function.body = code_.block([&] {
    code_.set_place(global.span);
    // One value for each part of the tuple that the parameters are.
    TypeRef rest = type->args[0];
    const Pattern* pattern = global.def->param.get();
    std::vector<Value> values;
    for (bool more = true; more;) {
      const auto* pair = std::get_if<PatternPair>(&pattern->node);
      more = pair != nullptr && resolved(rest)->name == ",";
      const Pattern& own = more ? *pair->first : *pattern;
      const TypeRef own_type = more ? resolved(rest)->args[0] : rest;
      const size_t before = arguments.params().size();
      values.push_back(arguments.value(shape_of(own_type, global.span)));
      const auto* name = std::get_if<PatternVar>(&own.node);
      entry.params.push_back({name == nullptr ? "" : name->name, type_text(own_type), false,
                              arguments.count() - static_cast<int>(before),
                              layout_text(arguments.params(), before)});
      if (more) {
        pattern = pair->second.get();
        rest = resolved(rest)->args[1];
      }
    }
    Value arg = values.back();
    for (size_t k = values.size() - 1; k-- > 0;) arg = pair_of(values[k], arg);
    for (const int used : effects_.of_global(index).values) value_of_form(used);
    outcome.add(call_function(index, arg, global.span));
    return outcome.operands();
  });
  entry.sizes = static_cast<int>(arguments.sizes().size());
  entry.result_sizes = outcome.sizes();
  std::string layout;
  const std::vector<core::Ret> results = outcome.results();
  std::vector<core::Param> given;
  for (size_t k = static_cast<size_t>(outcome.sizes()); k < results.size(); ++k)
    given.push_back({{}, results[k].type});
  entry.results.push_back(
      {"", type_text(type->args[1]), false, outcome.count(), layout_text(given, 0)});
  function.params = arguments.sizes();
  function.params.insert(function.params.end(), arguments.params().begin(),
                         arguments.params().end());
  function.results = results;
  function.entry = std::move(entry);
  code_.program().functions.push_back(std::move(function));
}

// Functions that print, read or write belong to forms, and so do those that use what such forms
// give.
bool Elaborator::may_be_entry(int global) {
  const Effects effects = effects_.of_global(global);
  if (effects.prints || effects.acts) return false;
  std::set<int> values = effects.values;
  for (std::vector<int> work(values.begin(), values.end()); !work.empty();) {
    const Global& value = checked_.globals[static_cast<size_t>(work.back())];
    work.pop_back();
    const Effects more =
        effects_.of(*checked_.forms[static_cast<size_t>(value.form)].binding->value);
    if (more.acts) return false;
    for (const int used : more.values)
      if (values.insert(used).second) work.push_back(used);
  }
  return true;
}

// Of the program's functions all whose types leave nothing open, and which print nothing.
void Elaborator::entries() {
  for (size_t k = 0; k < checked_.globals.size(); ++k) {
    const Global& global = checked_.globals[k];
    if (global.kind != Global::kFunction || global.is_library ||
        !is_closed(resolved(global.type)->args[0]) || !is_closed(resolved(global.type)->args[1]))
      continue;
    if (!may_be_entry(static_cast<int>(k))) continue;
    entry(static_cast<int>(k));
  }
}

}  // namespace skald::nesl
