// SPDX-License-Identifier: Apache-2.0
// Functions and programs of the text form.  Read next: parse_exp.cpp.
#include "core/text/parse.h"

#include "core/text/code_parser.h"

namespace skald::core {

namespace detail {

namespace {

class ProgramParser {
 public:
  ProgramParser(source::FileId file, std::string_view text)
      : tokens_(file, text), terms_(tokens_, prog_), code_{tokens_, terms_} {}
  Result<Program, source::Diagnostic> program();

 private:
  std::vector<EntryValue> entry_values(int& sizes);
  EntryPoint entry();
  Function function();

  Program prog_;
  TokenCursor tokens_;
  TermReader terms_;
  CodeParser code_;
};

std::vector<EntryValue> ProgramParser::entry_values(int& sizes) {
  tokens_.expect("(");
  tokens_.expect("sizes");
  sizes = terms_.integer();
  std::vector<EntryValue> values;
  while (tokens_.accept(",")) {
    EntryValue& value = values.emplace_back();
    value.unique = tokens_.accept("*");
    value.type = terms_.string();
    if (!value.unique && tokens_.accept(":")) {
      value.name = std::move(value.type);
      value.unique = tokens_.accept("*");
      value.type = terms_.string();
    }
    if (tokens_.accept("of")) value.count = terms_.integer();
    if (tokens_.accept("as")) value.layout = terms_.string();
  }
  tokens_.expect(")");
  return values;
}

EntryPoint ProgramParser::entry() {
  EntryPoint entry;
  entry.name = terms_.string();
  entry.params = entry_values(entry.sizes);
  tokens_.expect(":");
  entry.results = entry_values(entry.result_sizes);
  if (tokens_.accept("property")) {
    tokens_.expect("(");
    PropertyTest& property = entry.property.emplace();
    property.generator = terms_.string();
    tokens_.expect(",");
    property.shrinker = terms_.string();
    if (tokens_.accept(",")) property.size = terms_.integer();
    tokens_.expect(")");
  }
  return entry;
}

Function ProgramParser::function() {
  Function fn;
  if (tokens_.accept("entry")) fn.entry = entry();
  fn.hints = terms_.hints<FunctionHints>();
  tokens_.expect("fun");
  fn.name = terms_.word();
  tokens_.expect("(");
  fn.params = tokens_.list(")", [&] { return terms_.param(); });
  tokens_.expect(":");
  fn.results = tokens_.braces([&] { return terms_.ret(); });
  fn.loc = terms_.place();
  tokens_.expect("=");
  fn.body = code_.body();
  return fn;
}

Result<Program, source::Diagnostic> ProgramParser::program() {
  if (tokens_.accept("stage")) {
    const Token& token = tokens_.peek();
    const std::string stage = terms_.word();
    if (stage == stage_name(Stage::kKernels))
      prog_.stage = Stage::kKernels;
    else if (stage == stage_name(Stage::kMemory))
      prog_.stage = Stage::kMemory;
    else if (stage != stage_name(Stage::kSoacs))
      tokens_.fail(token, "the stages are soacs, kernels and memory");
  }
  while (tokens_.peek().kind != Token::kEnd) prog_.functions.push_back(function());
  if (tokens_.problem()) return Failure(std::move(*tokens_.problem()));
  return std::move(prog_);
}

}  // namespace

}  // namespace detail

Result<Program, source::Diagnostic> parse(source::FileId file, const source::SourceMap& sources) {
  return detail::ProgramParser(file, sources.file(file).text()).program();
}

}  // namespace skald::core
