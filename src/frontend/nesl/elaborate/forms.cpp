// SPDX-License-Identifier: Apache-2.0
// Entry points: one for each form with a value, one for each function that can be called from
// outside.
#include "frontend/nesl/elaborate/elaborate.h"
#include "frontend/nesl/elaborate/elaborator.h"
#include "frontend/nesl/elaborate/primitives.h"
#include "frontend/nesl/elaborate/scripts.h"
#include "support/bug.h"
#include "support/stack.h"

namespace skald::nesl {

namespace {

core::EntryValue entry_value(std::string name, const Shape& shape, std::string type) {
  return {std::move(name), std::move(type), false, static_cast<int>(part_count(shape))};
}

// Random numbers begin anew with every form.
constexpr int64_t kFirstSeed = 1;

}  // namespace

void Elaborator::print(const Value& text, Span span) {
  if (!output_) refuse(span, "this prints, which is not possible here");
  output_ = appended(code_, *output_, text);
}

void Elaborator::form(size_t number) {
  const CheckedForm& form = checked_.forms[number];
  const Effects effects = effects_.of(*form.binding->value);
  core::Function function;
  function.name = fmt::format("form_{}", number + 1);
  core::EntryPoint entry;
  entry.name = fmt::format("form {}", number + 1);
  locals_.clear();
  values_.clear();
  for (const int used : effects.values) {
    const ShapeRef& shape = value_shapes_.at(used);
    const size_t from = function.params.size();
    for (core::Param& param : code_.params(*shape, "value"))
      function.params.push_back(std::move(param));
    values_[used] = Code::value_of(shape, function.params, from);
    const Global& global = checked_.globals[static_cast<size_t>(used)];
    entry.params.push_back(
        entry_value(fmt::format("value {}", used), *shape, type_text(global.type)));
  }
  seed_ = core::const_i64(kFirstSeed);
  std::vector<core::Param> results;
  function.body = code_.block([&] {
    output_ = string_constant("");
    code_.set_place(form.span);
    const Value value = exp(*form.binding->value);
    if (form.binding->pattern != nullptr)
      bind(*form.binding->pattern, value);
    else
      locals_.emplace_back("it", value);
    std::vector<Operand> parts;
    for (size_t k = 0; k < form.names.size(); ++k) {
      const Global& global = checked_.globals[static_cast<size_t>(form.names[k])];
      const Value& named = locals_[k].second;
      value_shapes_[form.names[k]] = named.shape;
      effects_.value_has(form.names[k], *named.shape);
      entry.results.push_back(entry_value(fmt::format("value {}", form.names[k]), *named.shape,
                                          type_text(global.type)));
      for (core::Param& param : code_.params(*named.shape, "r"))
        results.push_back(std::move(param));
      parts.insert(parts.end(), named.parts.begin(), named.parts.end());
      print(string_constant(global.name + " = "), form.span);
      print(printed_text(*this, named, form.span), form.span);
      print(string_constant(" : " + type_text(global.type) + "\n"), form.span);
    }
    parts.insert(parts.begin(), output_->parts.begin(), output_->parts.end());
    return parts;
  });
  std::vector<core::Param> text = code_.params(*output_->shape, "text");
  entry.results.insert(entry.results.begin(), entry_value("text", *output_->shape, "[char]"));
  results.insert(results.begin(), text.begin(), text.end());
  function.results = Code::results(results);
  function.entry = std::move(entry);
  code_.program().functions.push_back(std::move(function));
}

// A function that was only declared before may use values that come later.
void Elaborator::refuse_later_values(const CheckedForm& form) {
  for (const int used : effects_.of(*form.binding->value).values) {
    if (value_shapes_.contains(used)) continue;
    const Global& global = checked_.globals[static_cast<size_t>(used)];
    diagnostics_.add({source::Severity::kError,
                      "nesl-unknown-name",
                      fmt::format("this uses `{}`, which has no value yet", global.name),
                      {{form.span, ""}, {global.span, "its value comes here"}},
                      "forms are evaluated in order",
                      ""});
    throw Refused();
  }
}

void Elaborator::forms() {
  Scripts scripts(*this);
  for (size_t k = 0; k < checked_.forms.size(); ++k) {
    refuse_later_values(checked_.forms[k]);
    if (effects_.of(*checked_.forms[k].binding->value).acts)
      scripts.form(k);
    else
      form(k);
  }
  scripts.finish();
}

bool elaborate(CheckedProgram& checked, const source::SourceMap& sources,
               source::Diagnostics& diagnostics, core::Program& core) {
  on_large_stack([&] {
    Elaborator elaborator(checked, sources, diagnostics, core);
    try {
      elaborator.forms();
      elaborator.entries();
    } catch (const Refused&) {
    }
  });
  return !diagnostics.has_errors();
}

}  // namespace skald::nesl
