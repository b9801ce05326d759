// SPDX-License-Identifier: Apache-2.0
// The parser: recursive descent over the tokens of one file, precedence climbing for operators.
//
// Errors.  `fail` reports a mistake and puts the parser into panic: the cursor jumps to the end of
// the file, where nothing matches any more, so that every open function returns without further
// checks.  The places that can recover, closing brackets (`close`) and lists of declarations
// (`resume`), put the cursor back behind the mistake.  A declaration with a mistake is dropped.
//
// Depth.  Nobody who walks the tree later should have to fear for the stack, so the height of the
// tree is limited, not just the recursion here: `Nest` counts levels on the way down, `Chain` those
// that are put on top of a finished subtree (a + b + c …).
//
// Nodes are built on the heap (`start`, `finish`): functions that call each other a thousand levels
// deep must not have nodes in their stack frames.
//
// The grammar is spread over parse_exp.cpp, parse_atom.cpp, parse_control.cpp (let, loop, …),
// parse_pat.cpp, parse_type.cpp, parse_mod.cpp and parse_dec.cpp; parse.cpp has the machinery.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/futhark/ast/ast.h"
#include "frontend/futhark/parse/lex.h"
#include "frontend/futhark/parse/parse.h"
#include "source/diagnostic.h"

namespace skald::futhark {

// A token that a message also points to.
struct Beside {
  uint32_t token = UINT32_MAX;
  std::string_view text = {};
  bool is_bracket = false;
};

class Parser {
 public:
  Parser(source::FileId file, std::string_view text, source::Diagnostics& diagnostics);

  Program program();
  // See DefinitionReader.
  Program outline(const source::Progress& progress);
  DVal definition_at(uint32_t token);
  // One expression and nothing else; null if there was a mistake.
  Ptr<Exp> only_exp();

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  // ---- tokens
  const Token& token() const { return tokens_[pos_]; }
  Tok at() const { return tokens_[pos_].kind; }
  bool at(Tok kind) const { return tokens_[pos_].kind == kind; }
  Tok ahead(size_t n) const { return tokens_[std::min<size_t>(pos_ + n, eof_)].kind; }
  std::string_view text() const { return text_of(token()); }
  std::string_view text_of(const Token& t) const { return text_.substr(t.begin, t.end - t.begin); }
  void next() {
    last_end_ = tokens_[pos_].end;
    if (pos_ < eof_) ++pos_;
  }
  bool accept(Tok kind) {
    if (!at(kind)) return false;
    next();
    return true;
  }
  uint32_t begin() const { return tokens_[pos_].begin; }
  Span here() const { return {file_, token().begin, token().end}; }
  // From `begin` to the end of what was consumed last.
  Span since(uint32_t begin) const { return {file_, begin, std::max(begin, last_end_)}; }

  // ---- errors (parse.cpp)
  void fail(std::string_view what, std::string_view why = {}, std::string_view hint = {},
            Beside beside = {});
  // "Unexpected token: '…', expected …"
  void expected(std::string_view what, std::string_view why = {}, std::string_view hint = {});
  bool expect(Tok kind, std::string_view why = {});
  // parse_hints.cpp
  std::string usual_mistake() const;
  Span closing_place(uint32_t open) const;
  // Reports without panic: the parser knows how to go on.
  void give_up();
  void complain(Span where, std::string_view what, std::string_view hint = {});
  // Expects the closing bracket for the opening one at token index `open`, and recovers from
  // mistakes in between.
  void close(uint32_t open, Tok kind);
  // After a mistake in the declaration that began at token `first`: goes to the next declaration,
  // or to the bracket that closes the block opened at token `open` (kNone at top level).
  void resume(uint32_t first, uint32_t open);
  void too_deep(int limit);
  void find_partners();
  // The first half of most messages.
  std::string found() const;
  bool stopped() const { return errors_ >= kMaxErrors; }

  class Nest {
   public:
    explicit Nest(Parser& p) : p_(p) {
      p_.deepest_ = std::max(p_.deepest_, ++p_.depth_);
      if (p_.depth_ > kMaxDepth) p_.too_deep(kMaxDepth);
    }
    ~Nest() { --p_.depth_; }
    Nest(const Nest&) = delete;
    Nest& operator=(const Nest&) = delete;

   private:
    Parser& p_;
  };
  class Chain {
   public:
    explicit Chain(Parser& p, int limit = kMaxDepth) : p_(p), outer_(p.deepest_), limit_(limit) {
      p_.deepest_ = p_.depth_;
    }
    ~Chain() { p_.deepest_ = std::max(p_.deepest_, outer_); }
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;
    // What was parsed since the start of the chain moves one level down.  To be called before
    // other children are parsed that are already counted one level down.
    void wrap() {
      if (++p_.deepest_ > limit_) p_.too_deep(limit_);
    }

   private:
    Parser& p_;
    int outer_, limit_;
  };
  friend class Nest;
  friend class Chain;

  // A new node of type Node in `e`, to be filled …
  template <class Node, class T>
  [[gnu::noinline]] static Node& start(Ptr<T>& e) {
    e = std::make_unique<T>();
    return e->node.template emplace<Node>();
  }
  // … and finished.
  template <class T>
  Ptr<T> finish(Ptr<T>& e, uint32_t begin) {
    e->span = since(begin);
    return std::move(e);
  }
  template <class Node, class T = Exp>
  Ptr<T> leaf() {
    Ptr<T> e;
    start<Node>(e);
    return finish(e, begin());
  }

  // Items up to `stop`, separated by commas, one of which may trail.
  template <class Item>
  void comma_list(Tok stop, Item item) {
    while (!at(stop) && !at(Tok::kEof)) {
      item();
      if (!accept(Tok::kComma)) return;
    }
  }

  // ---- names (parse_dec.cpp)
  Ident ident(std::string_view what);
  Ident field_name();
  QualName qual_name(std::string_view what);
  // An infix operator: symbol, qualified symbol, or a name between backquotes.
  QualName infix_operator(bool& backquoted);
  bool at_infix_operator() const;
  // An operator where it is bound.
  Ident binding_operator();
  bool at_binding_operator() const { return at_infix_operator() || at(Tok::kBang); }
  // `(op)`, where an operator is bound or used by name.
  bool at_operator_in_parens() const;
  Attr attr();
  Attr bracketed_attr();
  std::string string_literal();
  bool at_number() const { return at(Tok::kNat) || at(Tok::kInt) || at(Tok::kFloat); }
  Literal literal();

  // ---- expressions (parse_exp.cpp)
  Ptr<Exp> exp();
  void ascriptions(Ptr<Exp>& e, Chain& chain, uint32_t begin);
  // Operators of level `min` and above.  With `section`, an operator before `)` is left alone.
  Ptr<Exp> binary(int min, bool section = false);
  // The same, one level further down.
  Ptr<Exp> inner_binary(int min);
  // Each takes the operand on the left in `e` and puts the whole there.
  void range(Ptr<Exp>& e, uint32_t begin);
  void update(Ptr<Exp>& e, uint32_t begin);
  void infix(Ptr<Exp>& e, uint32_t begin);
  Ptr<Exp> operand();
  Ptr<Exp> apply();
  Ptr<Exp> prefix();
  Ptr<Exp> postfix();
  // As `range`.
  void index(Ptr<Exp>& e, uint32_t begin);
  void dot(Ptr<Exp>& e, Chain& chain, uint32_t begin);
  Ptr<Exp> atom();
  Ptr<Exp> small_atom();
  Ptr<Exp> paren();
  Ptr<Exp> path_section();
  Ptr<Exp> operator_section();
  // `e` becomes the first element.
  void tuple(Ptr<Exp>& e, uint32_t open);
  Ptr<Exp> array();
  Ptr<Exp> record();
  bool at_section_end() const;
  static bool starts_atom(Tok kind);
  std::vector<DimIndex> dim_indices();
  DimIndex dim_index();
  PathStep slice_step();
  PathStep field_step();
  // Steps .f and [i]; with `bare` also field names without a dot, as in `r with f[i] = …`.
  std::vector<PathStep> path(bool bare);
  void record_field(ERecord& record);
  Ptr<Exp> missing_exp() { return leaf<EHole>(); }

  // ---- parse_control.cpp
  Ptr<Exp> let();
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
  Ptr<Exp> if_exp();
  Ptr<Exp> loop();
  Ptr<Exp> match();
  Ptr<Exp> lambda();
  Ptr<Exp> assert_exp();
  Ptr<Exp> attr_exp();

  // ---- patterns (parse_pat.cpp)
  Ptr<Pat> pat();
  // A pattern that needs no parentheses as a parameter, or, with `negative`, in a constructor.
  Ptr<Pat> simple_pat(bool negative);
  Ptr<Pat> small_pat(bool negative);
  Ptr<Pat> paren_pat();
  Ptr<Pat> record_pat();
  static bool starts_simple_pat(Tok kind);
  std::vector<Ptr<Pat>> params();

  // ---- types (parse_type.cpp)
  Ptr<TypeExp> type_exp();
  Ptr<TypeExp> named_arrow();
  Ptr<TypeExp> exists_type();
  Ptr<TypeExp> type_term();
  Ptr<TypeExp> type_apply();
  Ptr<TypeExp> type_atom();
  Ptr<TypeExp> sum_type();
  Ptr<TypeExp> paren_type();
  Ptr<TypeExp> record_type();
  static bool starts_type_atom(Tok kind);
  bool at_bracket() const { return at(Tok::kLBracket) || at(Tok::kIndex); }
  // [e] or []: null for the latter.
  Ptr<Exp> size();
  Ident size_binder();
  std::vector<TypeParam> type_params();
  Liftedness liftedness();

  // ---- modules (parse_mod.cpp)
  Ptr<ModExp> mod_exp();
  Ptr<ModExp> mod_exp_without_type();
  Ptr<ModExp> mod_lambda();
  Ptr<ModExp> mod_atom();
  ModParam mod_param();
  Ptr<ModTypeExp> mod_type();
  Ptr<ModTypeExp> mod_type_with();
  Ptr<ModTypeExp> mod_type_atom();
  bool at_named_param() const {
    return at(Tok::kLParen) && ahead(1) == Tok::kIdent && ahead(2) == Tok::kColon;
  }
  std::vector<Ptr<Spec>> specs(uint32_t open);
  Ptr<Spec> spec();

  // ---- declarations (parse_dec.cpp)
  std::vector<Ptr<Dec>> decs(uint32_t open);
  Ptr<Dec> dec();
  DVal val_dec();
  DModule module_dec();
  std::string doc_comment();

  static constexpr int kMaxErrors = 100;

  source::FileId file_;
  std::string_view text_;
  source::Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  // For each token that opens a bracket the one that closes it, or kNone.  Empty until needed.
  std::vector<uint32_t> partner_;
  // Only the names of definitions are kept.
  bool names_only_ = false;
  source::Progress progress_;
  uint32_t pos_ = 0, eof_ = 0;
  uint32_t last_end_ = 0;
  // Levels above the current one, and the deepest level reached since the innermost Chain began.
  int depth_ = 0, deepest_ = 0;
  bool panic_ = false;
  // The declaration being parsed has a mistake.
  bool damaged_ = false;
  uint32_t error_pos_ = 0;
  uint32_t last_reported_ = kNone;
  bool reported_depth_ = false;
  int errors_ = 0;
};

}  // namespace skald::futhark
