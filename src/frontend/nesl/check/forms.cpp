// SPDX-License-Identifier: Apache-2.0
// Types as they are written, and the types of forms.
#include <algorithm>

#include "frontend/nesl/check/infer.h"
#include "support/bug.h"

namespace skald::nesl {

using source::Severity;

// Names that are no types are variables; `may_add` says whether new ones are allowed.
TypeRef Inference::written(const TypeExp& type, Variables& variables, bool may_add) {
  std::vector<TypeRef> args;
  if (type.name == "[]" || type.name == "," || type.name == "->") {
    for (const TypeExpPtr& arg : type.args) args.push_back(written(*arg, variables, may_add));
    return types_.make(type.name, std::move(args));
  }
  for (const TypeExpPtr& arg : type.args) args.push_back(written(*arg, variables, may_add));
  const auto wrong = [&](std::string what) {
    diagnostics_.error("nesl-type", type.span, std::move(what));
    return types_.variable();
  };
  if (base_bit(type.name) != 0)
    return args.empty() ? types_.base(type.name)
                        : wrong(fmt::format("`{}` has no arguments", type.name));
  if (const auto found = program_.datatypes.find(type.name); found != program_.datatypes.end()) {
    const TypeRef result = resolved(types_.instantiate(found->second)->args[1]);
    if (result->args.size() != args.size())
      return wrong(fmt::format("datatype `{}` has {} arguments, not {}", type.name,
                               result->args.size(), args.size()));
    return types_.make(type.name, std::move(args));
  }
  if (const auto known = variables.find(type.name); known != variables.end()) return known->second;
  if (!may_add || !args.empty()) return wrong(fmt::format("there is no type `{}`", type.name));
  return variables[type.name] = types_.variable();
}

TypeRef Inference::written(const Signature& signature, Variables& variables) {
  for (const ClassBound& bound : signature.bounds) {
    const ClassSet members = class_from_name(bound.class_name);
    if (members == 0)
      diagnostics_.add({Severity::kError,
                        "nesl-type",
                        fmt::format("there is no class `{}`", bound.class_name),
                        {{bound.span, ""}},
                        "the classes are any, number, ordinal and logical",
                        ""});
    variables[bound.variable] = types_.variable(members == 0 ? kAnyClass : members);
  }
  return written(*signature.type, variables, true);
}

int Inference::add_global(Global global) {
  const int index = static_cast<int>(program_.globals.size());
  (global.is_library ? library_ : names_)[global.name] = index;
  program_.globals.push_back(std::move(global));
  return index;
}

// The number of a function that was declared before and is defined now; -1 if it was not.
int Inference::declared(const FunctionDef& def, bool is_library) {
  const auto& names = is_library ? library_ : names_;
  const auto found = names.find(def.name);
  if (found == names.end()) return -1;
  const Global& before = program_.globals[static_cast<size_t>(found->second)];
  if (before.kind == Global::kValue) return -1;
  if (before.kind == Global::kFunction && before.def == nullptr && def.body != nullptr)
    return found->second;
  diagnostics_.add({Severity::kError,
                    "nesl-defined-twice",
                    fmt::format("`{}` is defined twice", def.name),
                    {{def.name_span, "here"}, {before.span, "and here"}}});
  return -1;
}

// What was declared must not turn out to be narrower.
void Inference::check_signature(const FunctionDef& def, TypeRef type, const Variables& variables) {
  std::vector<TypeRef> seen;
  for (const auto& [name, variable] : variables) {
    const TypeRef found = resolved(variable);
    ClassSet declared = kAnyClass;
    for (const ClassBound& bound : def.signature->bounds)
      if (bound.variable == name) declared = class_from_name(bound.class_name);
    const bool is_same = std::ranges::find(seen, found) != seen.end();
    if (found->is_variable() && !is_same && found->members == declared) {
      seen.push_back(found);
      continue;
    }
    diagnostics_.add({Severity::kError,
                      "nesl-type",
                      fmt::format("the type of `{}` says more than its body can keep", def.name),
                      {{def.signature->type->span,
                        fmt::format("`{}` is of class {} here", name, class_name(declared))}},
                      fmt::format("from the body follows: {}", type_text(type)),
                      ""});
    return;
  }
}

void Inference::function_form(const FunctionDef& def, bool is_library) {
  define_defaults(def, is_library);
  int index = declared(def, is_library);
  const TypeRef before = index < 0 ? nullptr : program_.globals[static_cast<size_t>(index)].type;
  Variables variables;
  TypeRef type = def.signature ? written(*def.signature, variables)
                               : types_.arrow(types_.variable(), types_.variable());
  if (resolved(type)->name != "->") {
    diagnostics_.add({Severity::kError,
                      "nesl-type",
                      "this is not the type of a function",
                      {{def.signature->type->span, ""}},
                      "",
                      "the type of the argument, ->, the type of the result"});
    return;
  }
  if (index < 0)
    index = add_global({def.body == nullptr && is_library ? Global::kPrimitive : Global::kFunction,
                        def.name, def.name_span, type, nullptr, 0, is_library});
  if (def.body == nullptr) return;
  if (before != nullptr && !types_.unify(types_.instantiate(before), type))
    diagnostics_.error("nesl-type", def.name_span,
                       fmt::format("`{}` was declared as {}", def.name, type_text(before)));
  Global& global = program_.globals[static_cast<size_t>(index)];
  global.def = &def;
  global.type = type;
  current_ = index;
  const TypeRef param = bind(*def.param);
  if (!types_.unify(type->args[0], param))
    diagnostics_.error(
        "nesl-type", def.param->span,
        fmt::format("the parameters do not fit the type, which has {}", type_text(type->args[0])));
  expect(*def.body, type->args[1],
         def.signature ? "the body does not have the type that the function is declared with"
                       : "the function calls itself with another type of result");
  leave(*def.param);
  current_ = -1;
  if (def.signature) check_signature(def, type, variables);
}

void Inference::datatype_form(const DatatypeDef& def, bool is_library) {
  Variables variables;
  const TypeRef inner = written(def.inner, variables);
  const auto wrong_name = [&](std::string what) {
    diagnostics_.error("nesl-type", def.name_span, std::move(what));
  };
  if (base_bit(def.name) != 0)
    return wrong_name(fmt::format("`{}` is a type of the language", def.name));
  if (variables.contains(def.name))
    return wrong_name(fmt::format("datatype `{}` cannot hold itself", def.name));
  // What the library has may be defined again as it is there.
  if (const auto before = program_.datatypes.find(def.name); before != program_.datatypes.end()) {
    const TypeRef known = types_.instantiate(before->second);
    const bool is_own = names_.contains(def.name);
    if (!is_own && types_.unify(known->args[0], types_.instantiate(inner))) {
      add_global({Global::kConstructor, def.name, def.name_span, before->second});
      return;
    }
    return diagnostics_.error("nesl-defined-twice", def.name_span,
                              is_own
                                  ? fmt::format("datatype `{}` is defined twice", def.name)
                                  : fmt::format("the library has another datatype `{}`", def.name));
  }
  // In the order of the class context, then of appearance.
  std::vector<TypeRef> args;
  const auto add = [&](TypeRef variable) {
    if (std::ranges::find(args, variable) == args.end()) args.push_back(variable);
  };
  for (const ClassBound& bound : def.inner.bounds) add(variables.at(bound.variable));
  for (const auto& [name, variable] : variables) add(variable);
  const TypeRef type = types_.arrow(inner, types_.make(def.name, args));
  program_.datatypes[def.name] = type;
  add_global({Global::kConstructor, def.name, def.name_span, type, nullptr, 0, is_library});
}

void Inference::binding_form(const Binding& binding, Span span, bool is_library) {
  if (is_library) {
    const auto& name = std::get<PatternVar>(binding.pattern->node).name;
    const TypeRef type = infer(*binding.value);
    add_global({Global::kConstant, name, span, type, nullptr, 0, true, binding.value.get()});
    return;
  }
  CheckedForm form{&binding, span};
  form.type = infer(*binding.value);
  const int number = static_cast<int>(program_.forms.size());
  if (binding.pattern == nullptr) {
    form.names.push_back(add_global({Global::kValue, "it", span, form.type, nullptr, number}));
  } else {
    check_repeated(*binding.pattern);
    const TypeRef bound = bind(*binding.pattern);
    if (!types_.unify(bound, form.type))
      diagnostics_.add({Severity::kError,
                        "nesl-type",
                        "this pattern does not fit the value",
                        {{binding.pattern->span, ""},
                         {binding.value->span, fmt::format("this is {}", type_text(form.type))}}});
    for (const std::string& name : bound_names(*binding.pattern))
      form.names.push_back(add_global({Global::kValue, name, span, *local(name), nullptr, number}));
    leave(*binding.pattern);
  }
  program_.forms.push_back(std::move(form));
}

void Inference::form(const Form& form, bool is_library) {
  if (const auto* function = std::get_if<FunctionDef>(&form.node))
    function_form(*function, is_library);
  if (const auto* datatype = std::get_if<DatatypeDef>(&form.node))
    datatype_form(*datatype, is_library);
  if (const auto* binding = std::get_if<Binding>(&form.node))
    binding_form(*binding, form.span, is_library);
}

void Inference::finish() {
  for (const Global& global : program_.globals)
    if (global.kind == Global::kFunction && global.def == nullptr)
      diagnostics_.error("nesl-unknown-name", global.span,
                         fmt::format("`{}` is declared, but never defined", global.name));
}

}  // namespace skald::nesl
