// SPDX-License-Identifier: Apache-2.0
#include "frontend/nesl/check/infer.h"

#include <set>

#include "support/bug.h"
#include "support/nearest.h"

namespace skald::nesl {

using source::Severity;

size_t tuple_length(TypeRef type) {
  size_t count = 1;
  for (type = resolved(type); type->name == ","; type = resolved(type->args[1])) ++count;
  return count;
}

const TypeRef* Inference::local(const std::string& name) const {
  const auto found = locals_.find(name);
  return found == locals_.end() || found->second.empty() ? nullptr : &found->second.back();
}

TypeRef Inference::bind(const Pattern& pattern) {
  if (const auto* var = std::get_if<PatternVar>(&pattern.node)) {
    const TypeRef type = types_.variable();
    locals_[var->name].push_back(type);
    return type;
  }
  if (const auto* pair = std::get_if<PatternPair>(&pattern.node)) {
    const TypeRef first = bind(*pair->first);
    return types_.pair(first, bind(*pair->second));
  }
  const auto& record = std::get<PatternRecord>(pattern.node);
  const TypeRef inner = bind(*record.inner);
  const auto datatype = program_.datatypes.find(record.name);
  if (datatype == program_.datatypes.end()) {
    diagnostics_.add({Severity::kError,
                      "nesl-unknown-name",
                      fmt::format("there is no datatype `{}`", record.name),
                      {{pattern.span, ""}},
                      "a name before parentheses in a pattern is a datatype",
                      fmt::format("a local function is written {} = x => …", record.name)});
    return types_.variable();
  }
  const TypeRef constructor = types_.instantiate(datatype->second);
  if (!types_.unify(constructor->args[0], inner))
    diagnostics_.add({Severity::kError,
                      "nesl-type",
                      fmt::format("this pattern does not fit datatype `{}`", record.name),
                      {{pattern.span, fmt::format("`{}` holds {}", record.name,
                                                  type_text(constructor->args[0]))}}});
  return constructor->args[1];
}

void Inference::check_repeated(const Pattern& pattern) {
  std::set<std::string> seen;
  for (const std::string& name : bound_names(pattern))
    if (!seen.insert(name).second)
      return diagnostics_.error("nesl-defined-twice", pattern.span,
                                fmt::format("`{}` stands twice in one pattern", name));
}

void Inference::leave(const Pattern& pattern) {
  for (const std::string& name : bound_names(pattern)) locals_[name].pop_back();
}

namespace {

// What other languages have, and what does it here.
std::string known_elsewhere(const std::string& name) {
  static const std::map<std::string, std::string> table = {
      {"true", "`t` and `f` are the booleans"},
      {"false", "`t` and `f` are the booleans"},
      {"map", "{f(x) : x in xs}"},
      {"filter", "{x in xs | condition}"},
      {"fold", "reduce(function, neutral, xs)"},
      {"foldl", "reduce(function, neutral, xs)"},
      {"len", "#xs"},
      {"size", "#xs"},
      {"range", "[start:end]"},
      {"int", "round(x), trunc(x), floor(x) and ceil(x) give ints"},
      {"str", "@x"},
  };
  const auto found = table.find(name);
  return found == table.end() ? "" : found->second;
}

}  // namespace

void Inference::unknown_name(const Exp& exp, const std::string& name) {
  std::string hint = known_elsewhere(name);
  std::vector<std::string> known;
  for (const auto& [each, stack] : locals_)
    if (!stack.empty()) known.push_back(each);
  for (const auto& [each, index] : names_) known.push_back(each);
  for (const auto& [each, index] : library_) known.push_back(each);
  if (hint.empty()) hint = did_you_mean(nearest(name, known));
  diagnostics_.add({Severity::kError,
                    "nesl-unknown-name",
                    fmt::format("there is nothing called `{}` here", name),
                    {{exp.span, ""}},
                    "",
                    hint});
}

TypeRef Inference::variable(const Exp& exp, const Var& var) {
  if (!var.is_library)
    if (const TypeRef* type = local(var.name)) return *type;
  auto found = var.is_library ? names_.end() : names_.find(var.name);
  if (found == names_.end()) {
    found = library_.find(var.name);
    if (found == library_.end()) {
      unknown_name(exp, var.name);
      return types_.variable();
    }
  }
  program_.references[&exp] = found->second;
  const Global& global = program_.globals[static_cast<size_t>(found->second)];
  return found->second == current_ ? global.type : types_.instantiate(global.type);
}

namespace {

// As the program has it: x[i] is a call of `elt`, -x one of `negate`.
std::string called_so(const Var* name) {
  if (name == nullptr) return "this function";
  if (name->is_library && name->name == "elt") return "a subscript";
  if (name->is_library && name->name == "negate") return "`-`";
  return fmt::format("`{}`", name->name);
}

std::string operator_hint(const std::string& op, TypeRef arg) {
  const TypeRef both = resolved(arg);
  const std::string first = both->name == "," ? resolved(both->args[0])->name : "";
  const bool is_scalar = first.empty() || (base_bit(first) != 0 && first != "bool");
  if ((op == "==" || op == "/=") && !is_scalar)
    return op == "==" ? "eql(a, b) compares values of any type"
                      : "not(eql(a, b)) compares values of any type";
  if (op == "+" && first == "[]")
    return "`++` appends sequences, {x + y : x in a; y in b} adds them";
  if (op == "elt" && first == "->") return "arguments of functions stand in parentheses";
  return "";
}

}  // namespace

void Inference::wrong_argument(const Exp& exp, const Apply& apply, TypeRef param, TypeRef arg) {
  const auto* name = std::get_if<Var>(&apply.fn->node);
  const bool is_operator = name != nullptr && name->is_library;
  const size_t wanted = tuple_length(param), given = tuple_length(arg);
  const std::string called = called_so(name);
  std::string what = fmt::format("{} cannot take this", called);
  if (wanted != given && !is_operator)
    what = fmt::format("{} takes {} argument{}, but is given {}", called, wanted,
                       wanted == 1 ? "" : "s", given);
  // One table of names: the same letter means the same type in both.
  std::map<TypeRef, std::string> names;
  what += fmt::format("\nit takes: {}", type_text(param, names));
  what += fmt::format("\nit gets:  {}", type_text(arg, names));
  std::string why;
  for (const auto& [variable, letter] : names)
    if (variable->members != kAnyClass)
      why += fmt::format("{}{} must be of class {}", why.empty() ? "" : ", ", letter,
                         class_name(variable->members));
  std::string hint = is_operator ? operator_hint(name->name, arg) : "";
  const std::string both = type_text(param) + type_text(arg);
  if (hint.empty() && both.find("int") != std::string::npos &&
      both.find("float") != std::string::npos)
    hint = "int and float are never mixed: float(n) and round(x), trunc(x) convert";
  diagnostics_.add({Severity::kError, "nesl-type", what, {{exp.span, ""}}, why, hint});
}

// A few functions that double their argument, one in the other, give types as large as one likes.
TypeRef Inference::of_bearable_size(const Exp& exp, TypeRef type) {
  constexpr int kMostParts = 10000;
  if (!is_larger(type, kMostParts)) return type;
  diagnostics_.add({Severity::kError,
                    "nesl-type",
                    fmt::format("the type of this has more than {} parts", kMostParts),
                    {{exp.span, fmt::format("this is {}…", type_text(type).substr(0, 40))}},
                    "",
                    "sequences hold many values of one type"});
  return types_.variable();
}

TypeRef Inference::apply(const Exp& exp, const Apply& apply) {
  const TypeRef fn = resolved(infer(*apply.fn));
  const TypeRef arg = infer(*with_defaults(exp, apply));
  if (fn->is_variable()) {
    const TypeRef result = types_.variable();
    types_.unify(fn, types_.arrow(arg, result));
    return result;
  }
  if (fn->name != "->") {
    const auto* word = std::get_if<Var>(&apply.arg->node);
    diagnostics_.add({Severity::kError,
                      "nesl-type",
                      "this is no function",
                      {{apply.fn->span, fmt::format("it is {}", type_text(fn))}},
                      "two expressions beside each other are a call",
                      word != nullptr && resolved(arg)->name == "->" &&
                              !std::holds_alternative<Apply>(apply.fn->node)
                          ? fmt::format("functions stand before their arguments: {}(…)", word->name)
                          : "perhaps an operator, a comma or a semicolon is missing between them"});
    return types_.variable();
  }
  // A copy shows the types as they were before the attempt.
  std::map<TypeRef, TypeRef> fresh;
  const TypeRef param_before = types_.instantiate(fn->args[0], fresh);
  const TypeRef arg_before = types_.instantiate(arg, fresh);
  if (!types_.unify(fn->args[0], arg)) {
    wrong_argument(exp, apply, param_before, arg_before);
    return types_.variable();
  }
  return of_bearable_size(exp, fn->args[1]);
}

void Inference::expect(const Exp& exp, TypeRef wanted, std::string_view why) {
  const TypeRef got = infer(exp);
  std::map<TypeRef, TypeRef> fresh;
  const TypeRef wanted_before = types_.instantiate(wanted, fresh);
  const TypeRef got_before = types_.instantiate(got, fresh);
  if (types_.unify(wanted, got)) {
    of_bearable_size(exp, wanted);
    return;
  }
  std::map<TypeRef, std::string> names;
  std::string what(why);
  what += fmt::format("\nexpected: {}", type_text(wanted_before, names));
  what += fmt::format("\nactual:   {}", type_text(got_before, names));
  diagnostics_.add({Severity::kError, "nesl-type", what, {{exp.span, ""}}});
}

TypeRef Inference::each(const Each& each) {
  std::vector<TypeRef> elements;
  for (const Source& source : each.sources) {
    const TypeRef element = types_.variable();
    expect(*source.sequence, types_.sequence(element), "an apply-to-each runs over a sequence");
    elements.push_back(element);
  }
  std::set<std::string> seen;
  for (size_t k = 0; k < each.sources.size(); ++k) {
    const Pattern& pattern = *each.sources[k].pattern;
    check_repeated(pattern);
    const TypeRef bound = bind(pattern);
    if (!types_.unify(bound, elements[k]))
      diagnostics_.add(
          {Severity::kError,
           "nesl-type",
           "this pattern does not fit the elements",
           {{pattern.span, fmt::format("the elements are {}", type_text(elements[k]))}}});
  }
  if (each.filter != nullptr)
    expect(*each.filter, types_.base("bool"), "what is behind | decides, so it must be a bool");
  const TypeRef body = infer(*each.body);
  for (const Source& source : each.sources) leave(*source.pattern);
  return types_.sequence(body);
}

TypeRef Inference::sequence(const SequenceLit& sequence) {
  const TypeRef element = infer(*sequence.elements.front());
  for (size_t k = 1; k < sequence.elements.size(); ++k)
    expect(*sequence.elements[k], element, "all elements of a sequence have the same type");
  return types_.sequence(element);
}

TypeRef Inference::infer(const Exp& exp) {
  const auto base = [&](std::string_view name) { return types_.base(name); };
  if (std::holds_alternative<IntLit>(exp.node)) return base("int");
  if (std::holds_alternative<FloatLit>(exp.node)) return base("float");
  if (std::holds_alternative<BoolLit>(exp.node)) return base("bool");
  if (std::holds_alternative<CharLit>(exp.node)) return base("char");
  if (std::holds_alternative<StringLit>(exp.node)) return types_.sequence(base("char"));
  if (const auto* var = std::get_if<Var>(&exp.node)) return variable(exp, *var);
  if (const auto* app = std::get_if<Apply>(&exp.node)) return apply(exp, *app);
  if (const auto* pair = std::get_if<Pair>(&exp.node)) {
    const TypeRef first = infer(*pair->first);
    return types_.pair(first, infer(*pair->second));
  }
  if (const auto* branch = std::get_if<If>(&exp.node)) {
    expect(*branch->cond, base("bool"), "a condition must be a bool");
    const TypeRef type = infer(*branch->then);
    expect(*branch->otherwise, type, "both branches of an `if` must have the same type");
    return type;
  }
  if (const auto* let = std::get_if<Let>(&exp.node)) {
    const TypeRef value = of_bearable_size(*let->value, infer(*let->value));
    check_repeated(*let->pattern);
    const TypeRef bound = bind(*let->pattern);
    if (!types_.unify(bound, value))
      diagnostics_.add({Severity::kError,
                        "nesl-type",
                        "this pattern does not fit the value",
                        {{let->pattern->span, ""},
                         {let->value->span, fmt::format("this is {}", type_text(value))}}});
    const TypeRef body = infer(*let->body);
    leave(*let->pattern);
    return body;
  }
  if (const auto* lambda = std::get_if<Lambda>(&exp.node)) {
    const TypeRef param = bind(*lambda->pattern);
    const TypeRef body = infer(*lambda->body);
    leave(*lambda->pattern);
    return types_.arrow(param, body);
  }
  if (const auto* over = std::get_if<Each>(&exp.node)) return each(*over);
  if (const auto* list = std::get_if<SequenceLit>(&exp.node)) return sequence(*list);
  if (const auto* empty = std::get_if<EmptySequence>(&exp.node)) {
    Variables none;
    return types_.sequence(written(*empty->element, none, false));
  }
  if (const auto* range = std::get_if<Range>(&exp.node)) {
    for (const Exp* part : {range->start.get(), range->end.get(), range->stride.get()})
      if (part != nullptr) expect(*part, base("int"), "a range consists of ints");
    return types_.sequence(base("int"));
  }
  if (const auto* time = std::get_if<Time>(&exp.node))
    return types_.pair(infer(*time->value), base("float"));
  if (const auto* other = std::get_if<Borrowed>(&exp.node)) return infer(*other->exp);
  const auto& named = std::get<Named>(exp.node);
  diagnostics_.error(
      "nesl-type", exp.span,
      fmt::format("there is no parameter with a default called `{}` here", named.name));
  return types_.variable();
}

}  // namespace skald::nesl
