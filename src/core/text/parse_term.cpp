// SPDX-License-Identifier: Apache-2.0
// Names, constants, types and parameters of the text form.  Read next: parse_exp.cpp.
#include <charconv>

#include "core/text/term_reader.h"
#include "core/text/text.h"

namespace skald::core::detail {

std::optional<uint32_t> TermReader::name_id(std::string_view word) {
  const size_t underscore = word.rfind('_');
  if (underscore == std::string_view::npos || underscore + 1 == word.size()) return std::nullopt;
  uint32_t id = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data() + underscore + 1, end, id);
  if (stop != end) return std::nullopt;
  // Too large even for 32 bits: still a name, and reported as one.
  return error == std::errc{} ? id : UINT32_MAX;
}

TermReader::TermReader(TokenCursor& tokens, Program& prog) : tokens_(tokens), prog_(prog) {
  for (const Token& token : tokens.all()) {
    if (token.kind != Token::kWord) continue;
    const auto id = name_id(token.text);
    if (id && *id < NameTable::kMaxId) zero_id_ = std::max(zero_id_, *id);
  }
  ++zero_id_;
}

Name TermReader::name() {
  const Token& token = tokens_.peek();
  const auto id = token.kind == Token::kWord ? name_id(token.text) : std::nullopt;
  if (!id) {
    tokens_.fail("expected a name such as `x_1`");
    return {};
  }
  if (*id >= NameTable::kMaxId) {
    tokens_.fail(fmt::format("the number of a name must be below {}", NameTable::kMaxId));
    return {};
  }
  tokens_.skip();
  const std::string_view base = token.text.substr(0, token.text.rfind('_'));
  const auto [known, is_new] = bases_.try_emplace(*id, base);
  if (known->second != base) {
    tokens_.fail(token,
                 fmt::format("number {} is already taken by `{}_{}`", *id, known->second, *id));
    return {};
  }
  const uint32_t real_id = *id == 0 ? zero_id_ : *id;
  return is_new ? prog_.names.fixed(base, real_id) : Name{real_id};
}

std::string TermReader::word() {
  if (tokens_.peek().kind == Token::kString) return string();
  if (tokens_.peek().kind == Token::kWord) return std::string(tokens_.take().text);
  tokens_.fail("expected a word");
  return {};
}

std::string TermReader::string() {
  if (tokens_.peek().kind == Token::kString) return std::move(tokens_.take().value);
  tokens_.fail("expected a string");
  return {};
}

int TermReader::integer() {
  const Token& token = tokens_.peek();
  int value = 0;
  const char* end = token.text.data() + token.text.size();
  if (token.kind != Token::kNumber || !token.suffix.empty() ||
      std::from_chars(token.text.data(), end, value).ptr != end || value < 0 || value > 1000000) {
    tokens_.fail("expected a plain number from 0 to 1000000");
    return 0;
  }
  tokens_.skip();
  return value;
}

Prim TermReader::prim() {
  const auto found =
      tokens_.peek().kind == Token::kWord ? prim_from_name(tokens_.peek().text) : std::nullopt;
  if (!found) {
    tokens_.fail("expected a type");
    return Prim::kI32;
  }
  tokens_.skip();
  return *found;
}

// f32.inf, f32.nan, f32.bits(0x…)
Const TermReader::special_float(bool negative) {
  const Token& start = tokens_.peek();
  const Prim type = prim();
  tokens_.expect(".");
  if (!is_float(type)) {
    tokens_.fail(start, "expected a float type");
    return {};
  }
  if (tokens_.accept("inf")) return text::infinity(type, negative);
  if (negative) tokens_.fail("expected `inf`");
  if (tokens_.accept("nan")) return text::canonical_nan(type);
  tokens_.expect("bits");
  tokens_.expect("(");
  const Token& token = tokens_.peek();
  uint64_t bits = 0;
  const char* end = token.text.data() + token.text.size();
  if (token.kind != Token::kHex ||
      std::from_chars(token.text.data() + 2, end, bits, 16).ec != std::errc{} ||
      (type != Prim::kF64 && bits >> prim_bits(type) != 0)) {
    tokens_.fail(fmt::format("expected the bits of an {} such as 0x7e00", prim_name(type)));
    return {};
  }
  tokens_.skip();
  tokens_.expect(")");
  return {type, bits};
}

Operand TermReader::operand() {
  const Token& token = tokens_.peek();
  if (at_name()) return name();
  if (tokens_.accept("true")) return const_bool(true);
  if (tokens_.accept("false")) return const_bool(false);
  if (tokens_.accept("-")) return special_float(true);
  if (token.kind == Token::kWord && prim_from_name(token.text)) return special_float(false);
  if (token.kind != Token::kNumber) {
    tokens_.fail("expected a name or a constant");
    return {};
  }
  const auto type = prim_from_name(token.suffix);
  if (!type || *type == Prim::kBool) {
    tokens_.fail("a constant needs its type, as in 3i32");
    return {};
  }
  const auto value = text::parse_number(token.text, *type);
  if (!value) {
    tokens_.fail(fmt::format("this is no value of type {}", prim_name(*type)));
    return {};
  }
  tokens_.skip();
  return *value;
}

// ---- declarations

// [n_0][4]; perhaps nothing.
std::vector<Operand> TermReader::dims() {
  std::vector<Operand> shape;
  while (tokens_.accept("[")) {
    const Token& token = tokens_.peek();
    if (token.kind == Token::kNumber && token.suffix.empty()) {
      const auto size = text::parse_number(token.text, Prim::kI64);
      if (!size) {
        tokens_.fail("expected a size");
        break;
      }
      shape.push_back(*size);
      tokens_.skip();
    } else {
      shape.push_back(operand());
    }
    tokens_.expect("]");
  }
  return shape;
}

std::vector<Operand> TermReader::shape() {
  if (tokens_.at_symbol("[") && tokens_.peek(1).kind == Token::kSymbol &&
      tokens_.peek(1).text == "]") {
    tokens_.skip(2);
    return {};
  }
  if (!tokens_.at_symbol("[")) tokens_.fail("expected a shape such as `[n_1]` or `[]`");
  return dims();
}

// @device, @device1; perhaps nothing.  A place, `@ xs_mem_1`, is left to the caller.
Space TermReader::space() {
  constexpr std::string_view kDevice = "device";
  const Token& word = tokens_.peek(1);
  if (!tokens_.at_symbol("@") || word.kind != Token::kWord || !word.text.starts_with(kDevice) ||
      name_id(word.text))
    return Space::kHost;
  tokens_.skip(2);
  const std::string_view digits = word.text.substr(kDevice.size());
  if (digits.empty()) return Space::kDevice0;
  int number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (stop != end || error != std::errc{} || number < 1 || number >= kMaxDevices) {
    tokens_.fail(word,
                 fmt::format("expected a space: device, device1, …, device{}", kMaxDevices - 1));
    return Space::kHost;
  }
  return device_space(number);
}

Type TermReader::type() {
  if (tokens_.accept("token")) return {Type::kToken};
  if (tokens_.accept("mem")) return mem_type(space());
  if (tokens_.at_word("acc")) {
    const TokenCursor::Nest nest(tokens_);
    tokens_.skip();
    Type acc{Type::kAcc};
    tokens_.expect("(");
    acc.shape = shape();
    tokens_.expect(",");
    acc.acc_elems = tokens_.braces([&] { return type(); });
    tokens_.expect(")");
    return acc;
  }
  Type array;
  array.shape = dims();
  array.elem = prim();
  array.space = space();
  return array;
}

Param TermReader::param() {
  Param p;
  p.name = name();
  tokens_.expect(":");
  p.unique = tokens_.accept("*");
  p.type = type();
  if (tokens_.accept("@")) {
    MemLoc mem;
    mem.block = name();
    if (tokens_.accept("[")) {
      mem.offset = operand();
      if (tokens_.accept(";"))
        mem.strides = tokens_.list("]", [&] { return operand(); });
      else
        tokens_.expect("]");
    }
    p.mem.push_back(std::move(mem));
  }
  return p;
}

Ret TermReader::ret() {
  Ret r;
  if (at_name()) {
    r.name = name();
    tokens_.expect(":");
  }
  r.unique = tokens_.accept("*");
  r.type = type();
  return r;
}

template <class Hints>
Hints TermReader::hints() {
  Hints hints;
  if (!tokens_.accept("#")) return hints;
  tokens_.expect("[");
  tokens_.list("]", [&] {
    const Token token = tokens_.peek();
    std::string hint = word();
    if (!add_hint(hints, hint)) tokens_.fail(token, fmt::format("there is no hint `{}`", hint));
    return hint;
  });
  return hints;
}
template Hints TermReader::hints<Hints>();
template FunctionHints TermReader::hints<FunctionHints>();

Loc TermReader::place() {
  if (!tokens_.accept("at")) return {};
  std::vector<LocTable::Entry> chain;
  do {
    chain.push_back({string()});
    if (tokens_.accept("within")) chain.back().function = string();
  } while (tokens_.accept("from"));
  Loc loc;
  for (auto entry = chain.rbegin(); entry != chain.rend(); ++entry)
    loc = prog_.locs.add(std::move(entry->text), loc, std::move(entry->function));
  return loc;
}

}  // namespace skald::core::detail
