// SPDX-License-Identifier: Apache-2.0
// Reporting mistakes and going on after them.
#include "frontend/futhark/parse/token_cursor.h"

namespace skald::futhark {

TokenCursor::TokenCursor(source::FileId file, std::string_view text,
                         source::Diagnostics& diagnostics)
    : file_(file), text_(text), diagnostics_(diagnostics), tokens_(lex(file, text, diagnostics)) {
  eof_ = static_cast<uint32_t>(tokens_.size() - 1);
}

void TokenCursor::report_end() {
  if (!stopped()) return;
  diagnostics_.error("syntax-error", {file_, tokens_[error_pos_].begin, tokens_[error_pos_].end},
                     fmt::format("giving up after {} syntax errors", kMaxErrors));
}

std::string TokenCursor::found() const {
  const Token& t = token();
  if (t.kind == Tok::kEof) return "Unexpected end of file";
  if (t.kind == Tok::kDoc) return "Unexpected documentation comment";
  constexpr size_t kLongest = 40;
  std::string shown(text_of(t));
  if (shown.size() > kLongest) {
    size_t cut = kLongest;
    while (cut > 0 && (shown[cut] & 0xc0) == 0x80) --cut;
    shown = shown.substr(0, cut) + "…";
  }
  return fmt::format("Unexpected token: '{}'", shown);
}

void TokenCursor::fail(std::string_view what, std::string_view why, std::string_view hint,
                       Beside beside) {
  if (panic_) return;
  damaged_ = true;
  // What the lexer could not read has been reported, and one message for a place is enough.
  if (!at(Tok::kError) && last_reported_ != pos_ && !stopped()) {
    source::Diagnostic d;
    d.code = "syntax-error";
    d.what = what;
    d.labels.push_back({here(), ""});
    // The end of a file is an empty line; what stands before it is worth seeing.
    if (at(Tok::kEof) && pos_ > 0)
      d.labels[0] = {{file_, tokens_[pos_ - 1].begin, tokens_[pos_ - 1].end}, "the file ends here"};
    if (beside.token != kNone) {
      const Token& t = tokens_[beside.token];
      d.labels.push_back({{file_, t.begin, t.end}, std::string(beside.text)});
      const Span place = beside.is_bracket ? closing_place(beside.token) : Span{};
      if (place.known()) d.labels.push_back({place, "perhaps it should be closed behind this"});
    }
    d.why = at(Tok::kDoc) ? "a `-- |` comment may stand only in front of a declaration" : why;
    d.hint = hint.empty() ? usual_mistake() : std::string(hint);
    diagnostics_.add(std::move(d));
    ++errors_;
  }
  give_up();
}

// Goes on where the levels further out want to.
void TokenCursor::give_up() {
  last_reported_ = pos_;
  panic_ = true;
  error_pos_ = pos_;
  pos_ = eof_;
}

void TokenCursor::expected(std::string_view what, std::string_view why, std::string_view hint) {
  if (!panic_) fail(fmt::format("{}, expected {}", found(), what), why, hint);
}

bool TokenCursor::expect(Tok kind, std::string_view why) {
  if (accept(kind)) return true;
  expected(token_name(kind), why);
  return false;
}

void TokenCursor::complain(Span where, std::string_view what, std::string_view hint) {
  damaged_ = true;
  if (panic_ || stopped()) return;
  source::Diagnostic d;
  d.code = "syntax-error";
  d.what = what;
  d.labels.push_back({where, ""});
  d.hint = hint;
  diagnostics_.add(std::move(d));
  ++errors_;
}

void TokenCursor::too_deep(int limit) {
  if (panic_) return;
  damaged_ = true;
  // Once per file: the levels further out, where the parser goes on, would only repeat it.
  if (!std::exchange(reported_depth_, true) && !stopped()) {
    source::Diagnostic d;
    d.code = "nesting-too-deep";
    d.what = fmt::format("this is nested more than {} levels deep", limit);
    d.labels.push_back({here(), ""});
    d.why = "operators, applications, `let`s and brackets all count as levels";
    d.hint = "give names to parts of it, in definitions of their own";
    diagnostics_.add(std::move(d));
    ++errors_;
  }
  give_up();
}

void TokenCursor::close(uint32_t open, Tok kind) {
  if (accept(kind)) return;
  if (!panic_) {
    fail(fmt::format("{}, expected {}", found(), token_name(kind)), {}, {},
         {open, "to close the bracket opened here", true});
  }
  if (stopped()) return;
  find_partners();
  const uint32_t partner = partner_[open];
  if (partner == kNone || partner < error_pos_) return;
  panic_ = false;
  pos_ = partner;
  next();
}

namespace {

// Keywords that stand nowhere but at the beginning of a declaration or spec.  (`import` may also
// be a module, `let` an expression.)
bool starts_only_decs(Tok kind) {
  switch (kind) {
    case Tok::kDef:
    case Tok::kEntry:
    case Tok::kVal:
    case Tok::kType:
    case Tok::kModule:
    case Tok::kInclude:
    case Tok::kOpen:
    case Tok::kLocal: return true;
    default: return false;
  }
}

Tok closer_of(Tok opener) {
  switch (opener) {
    case Tok::kLParen: return Tok::kRParen;
    case Tok::kLBracket:
    case Tok::kIndex:
    case Tok::kHashBracket: return Tok::kRBracket;
    case Tok::kLBrace: return Tok::kRBrace;
    default: return Tok::kEof;
  }
}

}  // namespace

// Pairs up brackets.  A closing bracket belongs to the nearest open one of its kind within the
// same braces; a keyword that begins a declaration ends all open parentheses and square brackets.
void TokenCursor::find_partners() {
  if (!partner_.empty()) return;
  partner_.assign(tokens_.size(), kNone);
  struct Open {
    uint32_t token;
    Tok closer;
    // One more than the stack index of the nearest such bracket at or below this one.
    size_t paren, bracket, brace;
  };
  std::vector<Open> stack;
  for (uint32_t i = 0; i < tokens_.size(); ++i) {
    const Tok kind = tokens_[i].kind;
    if (const Tok closer = closer_of(kind); closer != Tok::kEof) {
      const Open below = stack.empty() ? Open{} : stack.back();
      const size_t self = stack.size() + 1;
      const bool brace = closer == Tok::kRBrace;
      stack.push_back({i, closer,
                       closer == Tok::kRParen ? self
                       : brace                ? 0
                                              : below.paren,
                       closer == Tok::kRBracket ? self
                       : brace                  ? 0
                                                : below.bracket,
                       brace ? self : below.brace});
    } else if (kind == Tok::kRParen || kind == Tok::kRBracket || kind == Tok::kRBrace) {
      if (stack.empty()) continue;
      const Open& top = stack.back();
      const size_t found = kind == Tok::kRParen     ? top.paren
                           : kind == Tok::kRBracket ? top.bracket
                                                    : top.brace;
      if (found == 0) continue;
      partner_[stack[found - 1].token] = i;
      stack.resize(found - 1);
    } else if (starts_only_decs(kind)) {
      stack.resize(stack.empty() ? 0 : stack.back().brace);
    }
  }
}

void TokenCursor::resume(uint32_t first, uint32_t open) {
  panic_ = false;
  if (stopped()) {
    pos_ = eof_;
    return;
  }
  find_partners();
  const uint32_t limit = open == kNone || partner_[open] == kNone ? eof_ : partner_[open];
  uint32_t i = std::max(error_pos_, first);
  // Progress: a token that begins no declaration is never tried twice.
  if (i == first) ++i;
  const uint16_t column = tokens_[first].column;
  const auto begins_dec = [&](uint32_t k) {
    const Token& t = tokens_[k];
    const Tok before = k > 0 ? tokens_[k - 1].kind : Tok::kEof;
    const bool aligned = t.column != Token::kNotFirst &&
                         (t.column == 0 || (column != Token::kNotFirst && t.column <= column));
    switch (t.kind) {
      case Tok::kDef:
      case Tok::kEntry:
      case Tok::kVal:
      case Tok::kInclude:
      case Tok::kLocal: return true;
      case Tok::kType: return before != Tok::kModule;
      case Tok::kModule:
      case Tok::kOpen: return before != Tok::kLocal;
      case Tok::kImport: return t.column != Token::kNotFirst && before != Tok::kOpen;
      case Tok::kLet:
      case Tok::kHashBracket: return aligned;
      case Tok::kDoc: return aligned && k != error_pos_;
      default: return false;
    }
  };
  while (i < limit && !begins_dec(i)) {
    const uint32_t partner = partner_[i];
    i = partner != kNone && partner < limit && partner > i ? partner + 1 : i + 1;
  }
  pos_ = std::min(i, limit);
}

}  // namespace skald::futhark
