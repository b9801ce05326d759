// SPDX-License-Identifier: Apache-2.0
// A place among the tokens of a file, and what happens when they are not those that were expected.
//
// Errors.  `fail` reports a mistake and puts the cursor into panic: it jumps to the end of the
// file, where nothing matches any more, so that every open function returns without further
// checks.  The places that can recover, closing brackets (`close`) and lists of declarations
// (`declarations`), put it back behind the mistake.  A declaration with a mistake is dropped.
//
// Depth.  Nobody who walks the tree later should have to fear for the stack, so the height of the
// tree is limited, not just the recursion of the parser: `Nest` counts levels on the way down,
// `Chain` those that are put on top of a finished subtree (a + b + c …).
//
// Nodes are built on the heap (`start_node`, `finish`): functions that call each other thousands of
// levels deep must not have nodes in their stack frames.
//
// Read next: grammar.h.
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

// A new node of type Node in `e`, to be filled and finished.
template <class Node, class T>
[[gnu::noinline]] Node& start_node(Ptr<T>& e) {
  e = std::make_unique<T>();
  return e->node.template emplace<Node>();
}

class TokenCursor {
 public:
  TokenCursor(source::FileId file, std::string_view text, source::Diagnostics& diagnostics);

  static constexpr uint32_t kNone = UINT32_MAX;

  // ---- tokens
  const Token& token() const { return tokens_[pos_]; }
  Tok at() const { return tokens_[pos_].kind; }
  bool at(Tok kind) const { return tokens_[pos_].kind == kind; }
  Tok ahead(size_t n) const { return tokens_[std::min<size_t>(pos_ + n, eof_)].kind; }
  Tok kind_at(uint32_t position) const { return tokens_[position].kind; }
  std::string_view text() const { return text_of(token()); }
  void next() {
    last_end_ = tokens_[pos_].end;
    if (pos_ < eof_) ++pos_;
  }
  bool accept(Tok kind) {
    if (!at(kind)) return false;
    next();
    return true;
  }
  // The number of the present token; `go_to` comes back to it.
  uint32_t position() const { return pos_; }
  void go_to(uint32_t position) { pos_ = position; }
  uint32_t begin() const { return tokens_[pos_].begin; }
  Span here() const { return {file_, token().begin, token().end}; }
  // From `begin` to the end of what was consumed last.
  Span since(uint32_t begin) const { return {file_, begin, std::max(begin, last_end_)}; }
  // For progress: how many bytes are behind, of how many.
  size_t consumed() const { return last_end_; }
  size_t bytes() const { return text_.size(); }

  // ---- errors
  void fail(std::string_view what, std::string_view why = {}, std::string_view hint = {},
            Beside beside = {});
  // "Unexpected token: '…', expected …"
  void expected(std::string_view what, std::string_view why = {}, std::string_view hint = {});
  bool expect(Tok kind, std::string_view why = {});
  // Reports without panic: the parser knows how to go on.
  void complain(Span where, std::string_view what, std::string_view hint = {});
  // The first half of most messages.
  std::string found() const;
  // What may have been meant by the present token; empty if nothing is known (parse_hints.cpp).
  std::string usual_mistake() const;
  bool panics() const { return panic_; }
  // The declaration being parsed has a mistake.
  bool damaged() const { return damaged_; }
  // If there were too many mistakes, says that the rest of the file was left out.
  void report_end();

  // Expects the closing bracket for the opening one at token index `open`, and recovers from
  // mistakes in between.
  void close(uint32_t open, Tok kind);

  // What `item` gives, again and again, up to the end of the file or the brace that closes the one
  // at token `open` (kNone at top level).  Items with mistakes are left out.
  template <class Item>
  auto declarations(uint32_t open, Item item) {
    std::vector<decltype(item())> out;
    const bool outer_damaged = std::exchange(damaged_, false);
    while (!at(Tok::kEof) && !(open != kNone && at(Tok::kRBrace))) {
      const uint32_t first = pos_;
      damaged_ = false;
      auto one = item();
      if (panic_) resume(first, open);
      if (!damaged_) out.push_back(std::move(one));
    }
    damaged_ = outer_damaged;
    return out;
  }

  // Items up to `stop`, separated by commas, one of which may trail.
  template <class Item>
  void comma_list(Tok stop, Item item) {
    while (!at(stop) && !at(Tok::kEof)) {
      item();
      if (!accept(Tok::kComma)) return;
    }
  }

  // The node in `e` ends here.
  template <class T>
  Ptr<T> finish(Ptr<T>& e, uint32_t begin) const {
    e->span = since(begin);
    return std::move(e);
  }
  template <class Node, class T = Exp>
  Ptr<T> leaf() const {
    Ptr<T> e;
    start_node<Node>(e);
    return finish(e, begin());
  }

  class Nest {
   public:
    explicit Nest(TokenCursor& cursor) : cursor_(cursor) {
      cursor_.deepest_ = std::max(cursor_.deepest_, ++cursor_.depth_);
      if (cursor_.depth_ > kMaxDepth) cursor_.too_deep(kMaxDepth);
    }
    ~Nest() { --cursor_.depth_; }
    Nest(const Nest&) = delete;
    Nest& operator=(const Nest&) = delete;

   private:
    TokenCursor& cursor_;
  };
  class Chain {
   public:
    explicit Chain(TokenCursor& cursor, int limit = kMaxDepth)
        : cursor_(cursor), outer_(cursor.deepest_), limit_(limit) {
      cursor_.deepest_ = cursor_.depth_;
    }
    ~Chain() { cursor_.deepest_ = std::max(cursor_.deepest_, outer_); }
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;
    // What was parsed since the start of the chain moves one level down.  To be called before
    // other children are parsed that are already counted one level down.
    void wrap() {
      if (++cursor_.deepest_ > limit_) cursor_.too_deep(limit_);
    }

   private:
    TokenCursor& cursor_;
    int outer_, limit_;
  };

 private:
  friend class Nest;
  friend class Chain;

  static constexpr int kMaxErrors = 100;

  std::string_view text_of(const Token& t) const { return text_.substr(t.begin, t.end - t.begin); }
  bool stopped() const { return errors_ >= kMaxErrors; }
  // After a mistake in the declaration that began at token `first`: goes to the next declaration,
  // or to the bracket that closes the block opened at token `open` (kNone at top level).
  void resume(uint32_t first, uint32_t open);
  void give_up();
  void too_deep(int limit);
  void find_partners();
  Span closing_place(uint32_t open) const;

  source::FileId file_;
  std::string_view text_;
  source::Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  // For each token that opens a bracket the one that closes it, or kNone.  Empty until needed.
  std::vector<uint32_t> partner_;
  uint32_t pos_ = 0, eof_ = 0;
  uint32_t last_end_ = 0;
  // Levels above the current one, and the deepest level reached since the innermost Chain began.
  int depth_ = 0, deepest_ = 0;
  bool panic_ = false;
  bool damaged_ = false;
  uint32_t error_pos_ = 0;
  uint32_t last_reported_ = kNone;
  bool reported_depth_ = false;
  int errors_ = 0;
};

}  // namespace skald::futhark
