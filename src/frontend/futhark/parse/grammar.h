// SPDX-License-Identifier: Apache-2.0
// The grammar: recursive descent over the tokens of one file, precedence climbing for operators.
// Each class is one part of it, with a file or two of its own; all work on the same cursor
// (token_cursor.h, where errors and limits are explained) and call each other through `Grammar`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/futhark/parse/token_cursor.h"

namespace skald::futhark {

struct Grammar;

// parse_name.cpp
class NameParser {
 public:
  explicit NameParser(TokenCursor& tokens) : tokens_(tokens) {}

  Ident ident(std::string_view what);
  Ident field_name();
  QualName qual_name(std::string_view what);
  // An infix operator: symbol, qualified symbol, or a name between backquotes.
  QualName infix_operator(bool& backquoted);
  bool at_infix_operator() const;
  // An operator where it is bound.
  Ident binding_operator();
  bool at_binding_operator() const { return at_infix_operator() || tokens_.at(Tok::kBang); }
  // `(op)`, where an operator is bound or used by name.
  bool at_operator_in_parens() const;
  Attr bracketed_attr();
  std::string string_literal();
  bool at_number() const {
    return tokens_.at(Tok::kNat) || tokens_.at(Tok::kInt) || tokens_.at(Tok::kFloat);
  }
  Literal literal();
  std::string doc_comment();

 private:
  Attr attr();

  TokenCursor& tokens_;
};

// Types, sizes, and parameters of both kinds (parse_type.cpp).
class TypeParser {
 public:
  explicit TypeParser(Grammar& grammar);

  Ptr<TypeExp> type_exp();
  // Without `->` at its top.
  Ptr<TypeExp> type_term();
  bool at_bracket() const { return tokens_.at(Tok::kLBracket) || tokens_.at(Tok::kIndex); }
  // (name: …
  bool at_named_param() const {
    return tokens_.at(Tok::kLParen) && tokens_.ahead(1) == Tok::kIdent &&
           tokens_.ahead(2) == Tok::kColon;
  }
  Ident size_binder();
  std::vector<TypeParam> type_params();
  Liftedness liftedness();

 private:
  Ptr<TypeExp> named_arrow();
  Ptr<TypeExp> exists_type();
  Ptr<TypeExp> type_apply();
  Ptr<TypeExp> type_atom();
  Ptr<TypeExp> sum_type();
  Ptr<TypeExp> paren_type();
  Ptr<TypeExp> record_type();
  static bool starts_type_atom(Tok kind);
  // [e] or []: null for the latter.
  Ptr<Exp> size();

  Grammar& grammar_;
  TokenCursor& tokens_;
};

// parse_pat.cpp
class PatternParser {
 public:
  explicit PatternParser(Grammar& grammar);

  Ptr<Pat> pat();
  // A pattern that needs no parentheses as a parameter, or, with `negative`, in a constructor.
  Ptr<Pat> simple_pat(bool negative);
  static bool starts_simple_pat(Tok kind);
  std::vector<Ptr<Pat>> params();

 private:
  Ptr<Pat> small_pat(bool negative);
  Ptr<Pat> paren_pat();
  Ptr<Pat> record_pat();

  Grammar& grammar_;
  TokenCursor& tokens_;
};

// Operators, application (parse_exp.cpp), and what they are applied to (parse_atom.cpp).
class ExpParser {
 public:
  explicit ExpParser(Grammar& grammar);

  // One expression and nothing else; null if there was a mistake.
  Ptr<Exp> only_exp();
  Ptr<Exp> exp();
  // An atom with fields and indices behind it.
  Ptr<Exp> postfix();
  // Steps .f and [i]; with `bare` also field names without a dot, as in `r with f[i] = …`.
  std::vector<PathStep> path(bool bare);
  Ptr<Exp> missing_exp() const { return tokens_.leaf<EHole>(); }

 private:
  // Operators of level `min` and above.  With `section`, an operator before `)` is left alone.
  Ptr<Exp> binary(int min, bool section = false);
  // The same, one level further down.
  Ptr<Exp> inner_binary(int min);
  Ptr<Exp> operand();
  Ptr<Exp> apply();
  Ptr<Exp> prefix();
  bool at_section_end() const;
  // Each takes the operand on the left in `e` and puts the whole there.
  void ascriptions(Ptr<Exp>& e, TokenCursor::Chain& chain, uint32_t begin);
  void range(Ptr<Exp>& e, uint32_t begin);
  void update(Ptr<Exp>& e, uint32_t begin);
  void infix(Ptr<Exp>& e, uint32_t begin);
  void index(Ptr<Exp>& e, uint32_t begin);
  void dot(Ptr<Exp>& e, TokenCursor::Chain& chain, uint32_t begin);

  Ptr<Exp> atom();
  Ptr<Exp> small_atom();
  static bool starts_atom(Tok kind);
  Ptr<Exp> paren();
  Ptr<Exp> path_section();
  Ptr<Exp> operator_section();
  // `e` becomes the first element.
  void tuple(Ptr<Exp>& e, uint32_t open);
  Ptr<Exp> array();
  Ptr<Exp> record();
  void record_field(ERecord& record);
  std::vector<DimIndex> dim_indices();
  DimIndex dim_index();
  PathStep slice_step();
  PathStep field_step();

  Grammar& grammar_;
  TokenCursor& tokens_;
};

// Expressions that begin with a keyword or `\`, and reach as far to the right as they can
// (parse_control.cpp).
class KeywordExpParser {
 public:
  explicit KeywordExpParser(Grammar& grammar);

  Ptr<Exp> let();
  Ptr<Exp> if_exp();
  Ptr<Exp> loop();
  Ptr<Exp> match();
  Ptr<Exp> lambda();
  Ptr<Exp> assert_exp();
  Ptr<Exp> attr_exp();

 private:
  struct LetHead {
    Ptr<Exp> exp = nullptr;
    // Of the node in `exp`, still to be set.
    Ptr<Exp>* body = nullptr;
    bool* has_in = nullptr;
    std::string_view what = {};  // is bound
  };
  LetHead let_head();
  LetHead let_with();
  LetHead let_function();
  LetHead let_pattern();
  void missing_in(std::string_view what, uint32_t let);
  struct OpenIf {
    Ptr<Exp> exp = nullptr;
    uint32_t begin = 0;
    Ptr<Exp>* else_branch = nullptr;  // of the node in `exp`, still to be set
  };
  OpenIf if_head();

  Grammar& grammar_;
  TokenCursor& tokens_;
};

// Modules and module types (parse_mod.cpp).
class ModuleParser {
 public:
  explicit ModuleParser(Grammar& grammar);

  Ptr<ModExp> mod_exp();
  Ptr<ModTypeExp> mod_type();
  ModParam mod_param();

 private:
  Ptr<ModExp> mod_exp_without_type();
  Ptr<ModExp> mod_lambda();
  Ptr<ModExp> mod_atom();
  Ptr<ModTypeExp> mod_type_with();
  Ptr<ModTypeExp> mod_type_atom();
  std::vector<Ptr<Spec>> specs(uint32_t open);
  Ptr<Spec> spec();

  Grammar& grammar_;
  TokenCursor& tokens_;
};

// parse_dec.cpp
class DeclarationParser {
 public:
  explicit DeclarationParser(Grammar& grammar);

  Program program();
  // See DefinitionReader.
  Program outline(const source::Progress& progress);
  DVal definition_at(uint32_t token);
  // Those of the module whose brace is the token `open`.
  std::vector<Ptr<Dec>> decs(uint32_t open);

 private:
  Ptr<Dec> dec();
  DVal val_dec();
  DModule module_dec();

  Grammar& grammar_;
  TokenCursor& tokens_;
  // Only the names of definitions are kept.
  bool names_only_ = false;
  source::Progress progress_;
};

struct Grammar {
  Grammar(source::FileId file, std::string_view text, source::Diagnostics& diagnostics)
      : tokens(file, text, diagnostics) {}
  Grammar(const Grammar&) = delete;
  Grammar& operator=(const Grammar&) = delete;

  TokenCursor tokens;
  NameParser names{tokens};
  TypeParser types{*this};
  PatternParser patterns{*this};
  ExpParser exps{*this};
  KeywordExpParser keywords{*this};
  ModuleParser modules{*this};
  DeclarationParser declarations{*this};
};

inline TypeParser::TypeParser(Grammar& grammar) : grammar_(grammar), tokens_(grammar.tokens) {}
inline PatternParser::PatternParser(Grammar& grammar)
    : grammar_(grammar), tokens_(grammar.tokens) {}
inline ExpParser::ExpParser(Grammar& grammar) : grammar_(grammar), tokens_(grammar.tokens) {}
inline KeywordExpParser::KeywordExpParser(Grammar& grammar)
    : grammar_(grammar), tokens_(grammar.tokens) {}
inline ModuleParser::ModuleParser(Grammar& grammar) : grammar_(grammar), tokens_(grammar.tokens) {}
inline DeclarationParser::DeclarationParser(Grammar& grammar)
    : grammar_(grammar), tokens_(grammar.tokens) {}

}  // namespace skald::futhark
