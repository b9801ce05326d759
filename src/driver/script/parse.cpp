// SPDX-License-Identifier: Apache-2.0
#include "driver/script/parse.h"

#include <cctype>

#include "runtime/values/value_reader.h"

namespace skald::driver {

namespace {

constexpr int kDeepestScript = 200;

bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_name_char(char c) {
  return is_name_start(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '\'';
}
bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

class ScriptParser {
 public:
  explicit ScriptParser(std::string_view text) : text_(text) {}

  Result<ScriptExp> whole() {
    ScriptExp exp;
    if (!expression(exp, 0)) return Failure(error_);
    skip();
    if (at_ < text_.size()) {
      fail("expected the end of the script");
      return Failure(error_);
    }
    return exp;
  }

 private:
  bool fail(std::string_view what) {
    if (!error_.empty()) return false;
    size_t line = 1, column = 1;
    for (size_t i = 0; i < std::min(at_, text_.size()); ++i) {
      ++column;
      if (text_[i] == '\n') ++line, column = 1;
    }
    const std::string_view rest = text_.substr(std::min(at_, text_.size()), 20);
    error_ = fmt::format(
        "line {}, column {} of the script: {}, but found {}", line, column, what,
        rest.empty() ? "its end" : fmt::format("`{}`", rest.substr(0, rest.find('\n'))));
    return false;
  }

  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void skip() {
    for (; at_ < text_.size(); ++at_) {
      if (peek() == '-' && peek(1) == '-')
        while (at_ < text_.size() && peek() != '\n') ++at_;
      if (at_ >= text_.size() || std::isspace(static_cast<unsigned char>(peek())) == 0) return;
    }
  }
  bool accept(char c) {
    skip();
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool expect(char c) { return accept(c) || fail(fmt::format("expected `{}`", c)); }
  // Empty if there is none here; does not move.
  std::string_view name_ahead() {
    skip();
    size_t end = at_;
    if (!is_name_start(peek())) return {};
    while (end < text_.size() && is_name_char(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  bool accept_word(std::string_view word) {
    if (name_ahead() != word) return false;
    at_ += word.size();
    return true;
  }
  bool name(std::string& out) {
    const std::string_view found = name_ahead();
    if (found.empty() || is_keyword(found)) return fail("expected a name");
    out = found;
    at_ += found.size();
    return true;
  }
  static bool is_keyword(std::string_view word) { return word == "let" || word == "in"; }

  bool expression(ScriptExp& out, int depth) {
    if (depth > kDeepestScript) return fail("the script is nested too deeply");
    if (accept_word("let")) return let(out, depth);
    if (!atom(out, depth)) return false;
    const bool callee =
        (out.kind == ScriptExp::kCall || out.kind == ScriptExp::kBuiltin) && out.parts.empty();
    while (callee && atom_starts())
      if (!atom(out.parts.emplace_back(), depth)) return false;
    return true;
  }

  bool let(ScriptExp& out, int depth) {
    out.kind = ScriptExp::kLet;
    out.tuple_pattern = accept('(');
    if (out.tuple_pattern) {
      while (!accept(')')) {
        if (!out.names.empty() && !expect(',')) return false;
        if (!name(out.names.emplace_back())) return false;
      }
    } else if (!name(out.names.emplace_back())) {
      return false;
    }
    if (!expect('=') || !expression(out.parts.emplace_back(), depth + 1)) return false;
    if (!accept_word("in") && name_ahead() != "let") return fail("expected `in`");
    return expression(out.parts.emplace_back(), depth + 1);
  }

  bool atom_starts() {
    const std::string_view word = name_ahead();
    if (!word.empty()) return !is_keyword(word);
    const char c = peek();
    return is_digit(c) || (c == '-' && (is_digit(peek(1)) || peek(1) == 'f')) || c == '"' ||
           c == '(' || c == '[' || c == '{' || c == '$';
  }

  bool atom(ScriptExp& out, int depth) {
    if (depth > kDeepestScript) return fail("the script is nested too deeply");
    if (!plain_atom(out, depth)) return false;
    while (peek() == '.') {
      ++at_;
      ScriptExp whole;
      whole.kind = ScriptExp::kProject;
      size_t end = at_;
      while (end < text_.size() && is_name_char(text_[end])) ++end;
      if (end == at_) return fail("expected a field");
      whole.text = text_.substr(at_, end - at_);
      at_ = end;
      whole.parts.push_back(std::move(out));
      out = std::move(whole);
    }
    return true;
  }

  bool plain_atom(ScriptExp& out, int depth) {
    skip();
    if (is_digit(peek()) || peek() == '-') return number(out);
    if (peek() == '"') return string(out);
    if (accept('(')) return sequence(out, ScriptExp::kTuple, ')', depth);
    if (accept('[')) return sequence(out, ScriptExp::kArray, ']', depth);
    if (accept('{')) return record(out, depth);
    if (accept('$')) {
      out.kind = ScriptExp::kBuiltin;
      return name(out.text);
    }
    const std::string_view word = name_ahead();
    if (word == "true" || word == "false" || float_constant(word)) return number(out);
    if (word == "empty" && empty_array(out)) return true;
    out.kind = ScriptExp::kCall;
    if (!name(out.text)) return fail("expected an expression");
    return peek() == '[' ? index(out, depth) : true;
  }

  bool float_constant(std::string_view word) const {
    const std::string_view rest = text_.substr(at_ + word.size());
    return (word == "f16" || word == "f32" || word == "f64") &&
           (rest.starts_with(".nan") || rest.starts_with(".inf"));
  }

  bool number(ScriptExp& out) {
    size_t end = at_ + (peek() == '-' ? 1 : 0);
    const bool hex = text_.substr(end).starts_with("0x") || text_.substr(end).starts_with("0X");
    for (; end < text_.size(); ++end) {
      const char c = text_[end];
      const char before = text_[end - (end > at_ ? 1 : 0)];
      const char after = end + 1 < text_.size() ? text_[end + 1] : '\0';
      const bool exponent_sign =
          (c == '+' || c == '-') && !hex && (before == 'e' || before == 'E') && is_digit(after);
      if (is_name_char(c) || (c == '.' && is_name_char(after)) || exponent_sign) continue;
      break;
    }
    const std::string_view token = text_.substr(at_, end - at_);
    Result<runtime::Literal> literal = runtime::parse_literal(token);
    if (!literal) return fail(fmt::format("expected a number ({})", literal.error()));
    out.kind = ScriptExp::kLiteral;
    out.literal = std::move(*literal);
    at_ = end;
    return true;
  }

  bool string(ScriptExp& out) {
    out.kind = ScriptExp::kString;
    const size_t begin = at_++;
    for (; at_ < text_.size() && peek() != '"'; ++at_) {
      char c = peek();
      if (c == '\\') {
        c = peek(1);
        if (c != '"' && c != '\\' && c != 'n' && c != 't')
          return fail("expected one of \\\" \\\\ \\n \\t");
        if (c == 'n') c = '\n';
        if (c == 't') c = '\t';
        ++at_;
      }
      out.text += c;
    }
    if (accept('"')) return true;
    at_ = begin;
    return fail("a string is not closed");
  }

  // empty([0]i32), as in value files; anything else is an entry point of that name.
  bool empty_array(ScriptExp& out) {
    const std::string_view rest = text_.substr(at_);
    const size_t open = rest.find_first_not_of(" \t\n", 5);
    if (open == std::string_view::npos || rest[open] != '(') return false;
    const size_t close = rest.find(')');
    if (close == std::string_view::npos) return false;
    Result<runtime::Value, runtime::ReadError> value =
        runtime::ValueReader(rest.substr(0, close + 1)).read();
    if (!value) return false;
    out.kind = ScriptExp::kValue;
    out.value = std::move(*value);
    at_ += close + 1;
    return true;
  }

  // What is in parentheses or brackets; a pair of parentheses around one expression is nothing.
  bool sequence(ScriptExp& out, ScriptExp::Kind kind, char close, int depth) {
    out.kind = kind;
    bool comma = false;
    while (!accept(close)) {
      if (!out.parts.empty() && !comma) return fail(fmt::format("expected `,` or `{}`", close));
      if (!expression(out.parts.emplace_back(), depth + 1)) return false;
      comma = accept(',');
    }
    if (kind == ScriptExp::kTuple && out.parts.size() == 1) {
      ScriptExp inner = std::move(out.parts[0]);
      out = std::move(inner);
    }
    return true;
  }

  bool record(ScriptExp& out, int depth) {
    out.kind = ScriptExp::kRecord;
    bool comma = false;
    while (!accept('}')) {
      if (!out.parts.empty() && !comma) return fail("expected `,` or `}`");
      if (!name(out.names.emplace_back()) || !expect('=')) return false;
      if (!expression(out.parts.emplace_back(), depth + 1)) return false;
      comma = accept(',');
    }
    return true;
  }

  bool index(ScriptExp& out, int depth) {
    ScriptExp array = std::move(out);
    out = {};
    ++at_;
    if (!sequence(out, ScriptExp::kArray, ']', depth)) return false;
    if (out.parts.empty()) return fail("expected an index");
    out.kind = ScriptExp::kIndex;
    out.parts.insert(out.parts.begin(), std::move(array));
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string error_;
};

}  // namespace

Result<ScriptExp> parse_script(std::string_view text) {
  return ScriptParser(text).whole();
}

}  // namespace skald::driver
