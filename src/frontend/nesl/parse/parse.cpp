// SPDX-License-Identifier: Apache-2.0
#include "frontend/nesl/parse/parse.h"

#include <algorithm>
#include <array>

#include "frontend/nesl/parse/parser.h"
#include "support/stack.h"

namespace skald::nesl {

namespace {

// Words of the original's interactive system.
constexpr std::array<std::string_view, 13> kCommands = {
    "help", "set",   "show", "load", "describe", "apropos",  "dump",
    "edit", "shell", "get",  "exit", "lisp",     "defconfig"};

constexpr std::array<std::string_view, 9> kReserved = {"if", "then", "else",     "let",     "in",
                                                       "t",  "f",    "function", "datatype"};

}  // namespace

bool Parser::is(std::string_view text) const {
  return (token().kind == Token::kSymbol || token().kind == Token::kName) && token().text == text;
}

bool Parser::accept(std::string_view text) {
  if (!is(text)) return false;
  take();
  return true;
}

Span Parser::since(Span begin) const {
  return at_ == 0 ? begin : source::join(begin, tokens_[at_ - 1].span);
}

void Parser::report(Span span, std::string what, std::string hint) {
  diagnostics_.add({source::Severity::kError,
                    "nesl-syntax",
                    std::move(what),
                    {{span, ""}},
                    "",
                    std::move(hint)});
}

void Parser::fail(Span span, std::string what, std::string hint) {
  report(span, std::move(what), std::move(hint));
  throw SyntaxError();
}

void Parser::unexpected(std::string_view wanted, std::string hint) {
  if (token().kind == Token::kEnd)
    fail(token().span, fmt::format("the file ends where {} should be", wanted),
         "every form ends with ; or $");
  fail(token().span, fmt::format("{} should be here", wanted), std::move(hint));
}

void Parser::expect(std::string_view text, std::string_view where, std::string hint) {
  if (!accept(text)) unexpected(fmt::format("`{}` {}", text, where), std::move(hint));
}

void Parser::skip_form() {
  while (token().kind != Token::kEnd && !at_end_of_form()) take();
}

// name := default, as the last parameters.
void Parser::take_defaults(ExpPtr params, FunctionDef& def, std::vector<ExpPtr>& plain) {
  if (auto* pair = std::get_if<Pair>(&params->node)) {
    ExpPtr rest = std::move(pair->second);
    take_defaults(std::move(pair->first), def, plain);
    return take_defaults(std::move(rest), def, plain);
  }
  if (auto* named = std::get_if<Named>(&params->node)) {
    plain.push_back(make_exp(params->span, Var{named->name}));
    def.defaults.push_back({named->name, std::move(named->value)});
    return;
  }
  if (!def.defaults.empty())
    fail(params->span, "a parameter without a default follows one with a default");
  ++def.plain_params;
  plain.push_back(std::move(params));
}

static std::string reserved_name(std::string_view name) {
  if (name == "t" || name == "f") return "`t` and `f` are the booleans and cannot be names";
  return fmt::format("`{}` is a word of the language and cannot be a name", name);
}

FunctionDef Parser::function_def() {
  FunctionDef def;
  const Token name = take();
  if (name.kind != Token::kName && name.kind != Token::kSymbol)
    fail(name.span, "a function needs a name");
  if (name.kind == Token::kName && std::ranges::find(kReserved, name.text) != kReserved.end())
    report(name.span, reserved_name(name.text), "");
  def.name = name.text;
  def.name_span = name.span;
  if (is("=")) unexpected("a parameter");
  ExpPtr params = exp(30);
  const bool has_defaults = [&] {
    const Exp* each = params.get();
    while (const auto* pair = std::get_if<Pair>(&each->node)) {
      if (std::holds_alternative<Named>(pair->first->node)) return true;
      each = pair->second.get();
    }
    return std::holds_alternative<Named>(each->node);
  }();
  if (has_defaults) {
    std::vector<ExpPtr> plain;
    take_defaults(std::move(params), def, plain);
    params = std::move(plain.back());
    for (size_t k = plain.size() - 1; k-- > 0;) {
      const Span span = source::join(plain[k]->span, params->span);
      params = make_exp(span, Pair{std::move(plain[k]), std::move(params)});
    }
  }
  def.param = pattern_of(std::move(params));
  if (accept(":")) def.signature = signature();
  if (token().kind == Token::kString) take();  // a comment for readers
  if (def.signature && at_end_of_form()) return def;
  const bool juxtaposed = !def.signature && token().kind == Token::kName;
  expect("=", def.signature ? "after the type of a function" : "or `:` after the parameters",
         juxtaposed ? "several parameters are a tuple: (x, y)" : "");
  def.body = exp(3);
  return def;
}

DatatypeDef Parser::datatype_def() {
  DatatypeDef def;
  const Token name = take();
  if (name.kind != Token::kName) fail(name.span, "a datatype needs a name");
  def.name = name.text;
  def.name_span = name.span;
  if (is("=") || is("{"))
    unexpected("what the datatype holds", fmt::format("datatype {}(int, float);", def.name));
  def.inner = signature();
  return def;
}

Form Parser::form() {
  Form form;
  const Span begin = token().span;
  if (accept("function")) {
    form.node = function_def();
  } else if (accept("datatype")) {
    form.node = datatype_def();
  } else {
    if (token().kind == Token::kName &&
        std::ranges::find(kCommands, token().text) != kCommands.end() &&
        tokens_[at_ + 1].kind == Token::kName)
      fail(token().span,
           fmt::format("`{}` is a command of the interactive NESL system", token().text));
    ExpPtr first = exp(2);
    if (accept("=")) {
      PatternPtr pattern = pattern_of(std::move(first));
      form.node = Binding{std::move(pattern), exp(2)};
    } else {
      form.node = Binding{nullptr, std::move(first)};
    }
  }
  form.span = since(begin);
  if (!at_end_of_form()) unexpected("`;` or `$`, the end of the form,");
  return form;
}

SourceProgram Parser::program() {
  SourceProgram program;
  while (token().kind != Token::kEnd) {
    if (at_end_of_form()) {
      take();
      continue;
    }
    try {
      depth_ = 0;
      program.forms.push_back(form());
    } catch (const SyntaxError&) {
      skip_form();
    }
  }
  return program;
}

SourceProgram parse_program(source::FileId file, const source::SourceMap& sources,
                            source::Diagnostics& diagnostics) {
  SourceProgram program;
  on_large_stack([&] { program = Parser(lex(file, sources, diagnostics), diagnostics).program(); });
  return program;
}

}  // namespace skald::nesl
