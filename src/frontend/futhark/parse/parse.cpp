// SPDX-License-Identifier: Apache-2.0
// What others call; the grammar is in the other parse_*.cpp files.
#include "frontend/futhark/parse/parse.h"

#include "frontend/futhark/parse/grammar.h"
#include "support/stack.h"

namespace skald::futhark {

DefinitionReader::DefinitionReader(source::FileId file, const source::SourceMap& sources,
                                   source::Diagnostics& diagnostics)
    : grammar_(std::make_unique<Grammar>(file, sources.file(file).text(), diagnostics)),
      bytes_(sources.file(file).text().size()) {}

DefinitionReader::~DefinitionReader() = default;

Program DefinitionReader::outline(const source::Progress& progress) {
  Program out;
  on_large_stack([&] { out = grammar_->declarations.outline(progress); });
  return out;
}

void DefinitionReader::fill(DVal& def) {
  const uint32_t id = def.name.id;
  def = grammar_->declarations.definition_at(def.token);
  def.name.id = id;
}

void DefinitionReader::empty(DVal& def) {
  DVal outline;
  outline.is_entry = def.is_entry;
  outline.name = std::move(def.name);
  outline.token = def.token;
  def = std::move(outline);
}

Program parse_program(source::FileId file, const source::SourceMap& sources,
                      source::Diagnostics& diagnostics) {
  Program out;
  on_large_stack(
      [&] { out = Grammar(file, sources.file(file).text(), diagnostics).declarations.program(); });
  // The lexer's messages come before all of the parser's.
  if (diagnostics.has_errors()) diagnostics.sort_by_position();
  return out;
}

Ptr<Exp> parse_expression(source::FileId file, const source::SourceMap& sources,
                          source::Diagnostics& diagnostics) {
  Ptr<Exp> out;
  on_large_stack(
      [&] { out = Grammar(file, sources.file(file).text(), diagnostics).exps.only_exp(); });
  return out;
}

}  // namespace skald::futhark
