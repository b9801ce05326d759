// SPDX-License-Identifier: Apache-2.0
// Tokens, names, constants, types and functions of the text form.  Read next: parse_exp.cpp.
#include "core/text/parse.h"

#include <charconv>

#include "core/text/parser.h"
#include "core/text/text.h"

namespace skald::core {

namespace detail {

void Parser::fail(const Token& token, std::string what) {
  if (!problem_) {
    if (token.kind == Token::kUnknown) what = token.value;
    problem_ = source::Diagnostic{
        .code = "core-syntax",
        .what = std::move(what),
        .labels = {{.span = {.file = file_, .begin = token.begin, .end = token.end}, .text = ""}}};
  }
  at_ = end_;
}

// ---- words

std::optional<uint32_t> Parser::name_id(std::string_view word) {
  const size_t underscore = word.rfind('_');
  if (underscore == std::string_view::npos || underscore + 1 == word.size()) return std::nullopt;
  uint32_t id = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data() + underscore + 1, end, id);
  if (stop != end) return std::nullopt;
  // Too large even for 32 bits: still a name, and reported as one.
  return error == std::errc{} ? id : UINT32_MAX;
}

void Parser::reserve_ids() {
  for (const Token& token : tokens_) {
    if (token.kind != Token::kWord) continue;
    const auto id = name_id(token.text);
    if (id && *id < NameTable::kMaxId) zero_id_ = std::max(zero_id_, *id);
  }
  ++zero_id_;
}

Name Parser::name() {
  const Token& token = peek();
  const auto id = token.kind == Token::kWord ? name_id(token.text) : std::nullopt;
  if (!id) {
    fail("expected a name such as `x_1`");
    return {};
  }
  if (*id >= NameTable::kMaxId) {
    fail(fmt::format("the number of a name must be below {}", NameTable::kMaxId));
    return {};
  }
  ++at_;
  const std::string_view base = token.text.substr(0, token.text.rfind('_'));
  const auto [known, is_new] = bases_.try_emplace(*id, base);
  if (known->second != base) {
    fail(token, fmt::format("number {} is already taken by `{}_{}`", *id, known->second, *id));
    return {};
  }
  const uint32_t real_id = *id == 0 ? zero_id_ : *id;
  return is_new ? prog_.names.fixed(base, real_id) : Name{real_id};
}

std::string Parser::word() {
  if (peek().kind == Token::kString) return string();
  if (peek().kind == Token::kWord) return std::string(tokens_[at_++].text);
  fail("expected a word");
  return {};
}

std::string Parser::string() {
  if (peek().kind == Token::kString) return std::move(tokens_[at_++].value);
  fail("expected a string");
  return {};
}

int Parser::integer() {
  const Token& token = peek();
  int value = 0;
  const char* end = token.text.data() + token.text.size();
  if (token.kind != Token::kNumber || !token.suffix.empty() ||
      std::from_chars(token.text.data(), end, value).ptr != end || value < 0 || value > 1000000) {
    fail("expected a plain number from 0 to 1000000");
    return 0;
  }
  ++at_;
  return value;
}

Prim Parser::prim() {
  const auto found = peek().kind == Token::kWord ? prim_from_name(peek().text) : std::nullopt;
  if (!found) {
    fail("expected a type");
    return Prim::kI32;
  }
  ++at_;
  return *found;
}

// f32.inf, f32.nan, f32.bits(0x…)
Const Parser::special_float(bool negative) {
  const Token& start = peek();
  const Prim type = prim();
  expect(".");
  if (!is_float(type)) {
    fail(start, "expected a float type");
    return {};
  }
  if (accept("inf")) return text::infinity(type, negative);
  if (negative) fail("expected `inf`");
  if (accept("nan")) return text::canonical_nan(type);
  expect("bits");
  expect("(");
  const Token& token = peek();
  uint64_t bits = 0;
  const char* end = token.text.data() + token.text.size();
  if (token.kind != Token::kHex ||
      std::from_chars(token.text.data() + 2, end, bits, 16).ec != std::errc{} ||
      (type != Prim::kF64 && bits >> prim_bits(type) != 0)) {
    fail(fmt::format("expected the bits of an {} such as 0x7e00", prim_name(type)));
    return {};
  }
  ++at_;
  expect(")");
  return {type, bits};
}

Operand Parser::operand() {
  const Token& token = peek();
  if (at_name()) return name();
  if (accept("true")) return const_bool(true);
  if (accept("false")) return const_bool(false);
  if (accept("-")) return special_float(true);
  if (token.kind == Token::kWord && prim_from_name(token.text)) return special_float(false);
  if (token.kind != Token::kNumber) {
    fail("expected a name or a constant");
    return {};
  }
  const auto type = prim_from_name(token.suffix);
  if (!type || *type == Prim::kBool) {
    fail("a constant needs its type, as in 3i32");
    return {};
  }
  const auto value = text::parse_number(token.text, *type);
  if (!value) {
    fail(fmt::format("this is no value of type {}", prim_name(*type)));
    return {};
  }
  ++at_;
  return *value;
}

// ---- declarations

// [n_0][4]; perhaps nothing.
std::vector<Operand> Parser::dims() {
  std::vector<Operand> shape;
  while (accept("[")) {
    const Token& token = peek();
    if (token.kind == Token::kNumber && token.suffix.empty()) {
      const auto size = text::parse_number(token.text, Prim::kI64);
      if (!size) {
        fail("expected a size");
        break;
      }
      shape.push_back(*size);
      ++at_;
    } else {
      shape.push_back(operand());
    }
    expect("]");
  }
  return shape;
}

std::vector<Operand> Parser::shape() {
  if (at_symbol("[") && peek(1).kind == Token::kSymbol && peek(1).text == "]") {
    at_ += 2;
    return {};
  }
  if (!at_symbol("[")) fail("expected a shape such as `[n_1]` or `[]`");
  return dims();
}

// @device, @device1; perhaps nothing.  A place, `@ xs_mem_1`, is left to the caller.
Space Parser::space() {
  constexpr std::string_view kDevice = "device";
  const Token& word = peek(1);
  if (!at_symbol("@") || word.kind != Token::kWord || !word.text.starts_with(kDevice) ||
      name_id(word.text))
    return Space::kHost;
  at_ += 2;
  const std::string_view digits = word.text.substr(kDevice.size());
  if (digits.empty()) return Space::kDevice0;
  int number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (stop != end || error != std::errc{} || number < 1 || number >= kMaxDevices) {
    fail(word, fmt::format("expected a space: device, device1, …, device{}", kMaxDevices - 1));
    return Space::kHost;
  }
  return device_space(number);
}

Type Parser::type() {
  if (accept("token")) return {Type::kToken};
  if (accept("mem")) return mem_type(space());
  if (at_word("acc")) {
    if (++depth_ > kMaxDepth) fail("too deeply nested");
    ++at_;
    Type acc{Type::kAcc};
    expect("(");
    acc.shape = shape();
    expect(",");
    acc.acc_elems = braces([&] { return type(); });
    expect(")");
    --depth_;
    return acc;
  }
  Type array;
  array.shape = dims();
  array.elem = prim();
  array.space = space();
  return array;
}

Param Parser::param() {
  Param p;
  p.name = name();
  expect(":");
  p.unique = accept("*");
  p.type = type();
  if (accept("@")) {
    MemLoc mem;
    mem.block = name();
    if (accept("[")) {
      mem.offset = operand();
      if (accept(";"))
        mem.strides = list("]", [&] { return operand(); });
      else
        expect("]");
    }
    p.mem.push_back(std::move(mem));
  }
  return p;
}

Ret Parser::ret() {
  Ret r;
  if (at_name()) {
    r.name = name();
    expect(":");
  }
  r.unique = accept("*");
  r.type = type();
  return r;
}

template <class Hints>
Hints Parser::hints() {
  Hints hints;
  if (!accept("#")) return hints;
  expect("[");
  list("]", [&] {
    const Token token = peek();
    std::string hint = word();
    if (!add_hint(hints, hint)) fail(token, fmt::format("there is no hint `{}`", hint));
    return hint;
  });
  return hints;
}
template Hints Parser::hints<Hints>();

Loc Parser::place() {
  if (!accept("at")) return {};
  std::vector<LocTable::Entry> chain;
  do {
    chain.push_back({string()});
    if (accept("within")) chain.back().function = string();
  } while (accept("from"));
  Loc loc;
  for (auto entry = chain.rbegin(); entry != chain.rend(); ++entry)
    loc = prog_.locs.add(std::move(entry->text), loc, std::move(entry->function));
  return loc;
}

std::vector<EntryValue> Parser::entry_values(int& sizes) {
  expect("(");
  expect("sizes");
  sizes = integer();
  std::vector<EntryValue> values;
  while (accept(",")) {
    EntryValue& value = values.emplace_back();
    value.unique = accept("*");
    value.type = string();
    if (!value.unique && accept(":")) {
      value.name = std::move(value.type);
      value.unique = accept("*");
      value.type = string();
    }
    if (accept("of")) value.count = integer();
    if (accept("as")) value.layout = string();
  }
  expect(")");
  return values;
}

EntryPoint Parser::entry() {
  EntryPoint entry;
  entry.name = string();
  entry.params = entry_values(entry.sizes);
  expect(":");
  entry.results = entry_values(entry.result_sizes);
  if (accept("property")) {
    expect("(");
    PropertyTest& property = entry.property.emplace();
    property.generator = string();
    expect(",");
    property.shrinker = string();
    if (accept(",")) property.size = integer();
    expect(")");
  }
  return entry;
}

Function Parser::function() {
  Function fn;
  if (accept("entry")) fn.entry = entry();
  fn.hints = hints<FunctionHints>();
  expect("fun");
  fn.name = word();
  expect("(");
  fn.params = list(")", [&] { return param(); });
  expect(":");
  fn.results = braces([&] { return ret(); });
  fn.loc = place();
  expect("=");
  fn.body = body();
  return fn;
}

Result<Program, source::Diagnostic> Parser::program() {
  if (accept("stage")) {
    const Token& token = peek();
    const std::string stage = word();
    if (stage == stage_name(Stage::kKernels))
      prog_.stage = Stage::kKernels;
    else if (stage == stage_name(Stage::kMemory))
      prog_.stage = Stage::kMemory;
    else if (stage != stage_name(Stage::kSoacs))
      fail(token, "the stages are soacs, kernels and memory");
  }
  while (peek().kind != Token::kEnd) prog_.functions.push_back(function());
  if (problem_) return Failure(std::move(*problem_));
  return std::move(prog_);
}

}  // namespace detail

Result<Program, source::Diagnostic> parse(source::FileId file, const source::SourceMap& sources) {
  return detail::Parser(file, sources.file(file).text()).program();
}

}  // namespace skald::core
