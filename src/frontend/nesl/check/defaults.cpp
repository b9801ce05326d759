// SPDX-License-Identifier: Apache-2.0
// Calls of functions some of whose parameters have defaults: f(x, depth := 3).
#include <algorithm>

#include "frontend/nesl/check/infer.h"
#include "support/bug.h"

namespace skald::nesl {

namespace {

ExpPtr borrowed(const Exp& exp) {
  return std::make_unique<Exp>(Exp{exp.span, Borrowed{&exp}});
}

// No name that a program can write.
std::string default_name(const FunctionDef& def, const DefaultParam& param) {
  return fmt::format("{} {}", def.name, param.name);
}

ExpPtr call_of_default(const FunctionDef& def, const DefaultParam& param, Span span) {
  auto fn = std::make_unique<Exp>(Exp{span, Var{default_name(def, param)}});
  auto nothing = std::make_unique<Exp>(Exp{span, IntLit{0}});
  return std::make_unique<Exp>(Exp{span, Apply{std::move(fn), std::move(nothing)}});
}

}  // namespace

// A default means what it means where the function is defined, so it is a function of its own.
void Inference::define_defaults(const FunctionDef& def, bool is_library) {
  if (def.body == nullptr) return;
  for (const DefaultParam& param : def.defaults) {
    auto made = std::make_unique<FunctionDef>();
    made->name = default_name(def, param);
    made->name_span = param.value->span;
    made->param = std::make_unique<Pattern>(Pattern{param.value->span, PatternVar{"_"}});
    made->body = borrowed(*param.value);
    program_.defaults.push_back(std::move(made));
    function_form(*program_.defaults.back(), is_library);
  }
}

// The argument of the call; where the function has defaults, those that are not given by name are
// added.
const Exp* Inference::with_defaults(const Exp& exp, const Apply& apply) {
  const auto found = program_.references.find(apply.fn.get());
  if (found == program_.references.end()) return apply.arg.get();
  const FunctionDef* def = program_.globals[static_cast<size_t>(found->second)].def;
  if (def == nullptr || def->defaults.empty()) return apply.arg.get();
  std::vector<ExpPtr> all;
  std::vector<const Exp*> named;
  const Exp* rest = apply.arg.get();
  for (bool more = true; more;) {
    const auto* pair = std::get_if<Pair>(&rest->node);
    const Exp& part = pair == nullptr ? *rest : *pair->first;
    if (std::holds_alternative<Named>(part.node))
      named.push_back(&part);
    else
      all.push_back(borrowed(part));
    more = pair != nullptr;
    if (more) rest = pair->second.get();
  }
  for (const DefaultParam& param : def->defaults) {
    const auto given = std::ranges::find_if(
        named, [&](const Exp* each) { return std::get<Named>(each->node).name == param.name; });
    if (given == named.end()) {
      all.push_back(call_of_default(*def, param, apply.arg->span));
    } else {
      all.push_back(borrowed(*std::get<Named>((*given)->node).value));
      named.erase(given);
    }
  }
  for (const Exp* unknown : named) infer(*unknown);  // says that there is none
  ExpPtr full = std::move(all.back());
  for (size_t k = all.size() - 1; k-- > 0;)
    full = std::make_unique<Exp>(Exp{apply.arg->span, Pair{std::move(all[k]), std::move(full)}});
  ExpPtr& kept = program_.full_arguments[&exp];
  kept = std::move(full);
  return kept.get();
}

}  // namespace skald::nesl
