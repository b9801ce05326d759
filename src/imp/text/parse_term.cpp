// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "imp/text/constant.h"
#include "imp/text/term_reader.h"

namespace skald::imp {

Name TermReader::name() {
  const std::string_view token = peek();
  const size_t underscore = token.rfind('_');
  uint32_t id = 0;
  if (underscore != std::string_view::npos) {
    auto [p, ec] = std::from_chars(token.data() + underscore + 1, token.data() + token.size(), id);
    if (ec != std::errc() || p != token.data() + token.size()) id = 0;
  }
  constexpr uint32_t kMaxId = 10'000'000;  // The table of names is dense.
  if (id == 0 || id > kMaxId) fail(fmt::format("expected a name, found `{}`", token));
  const Name result = prog_.names.fixed(token.substr(0, underscore), id);
  next();
  return result;
}

Operand TermReader::operand() {
  if (std::optional<Const> c = constant_from_text(peek())) {
    next();
    return *c;
  }
  return name();
}

std::vector<Operand> TermReader::operands() {
  std::vector<Operand> out;
  expect("(");
  while (!accept(")")) {
    if (!out.empty()) expect(",");
    out.push_back(operand());
  }
  return out;
}

std::optional<Space> TermReader::peek_space() const {
  const std::string_view token = peek();
  if (token == "heap") return Space::kHeap;
  if (token == "scratch") return Space::kScratch;
  if (token == "view") return Space::kView;
  if (token == "shared") return Space::kShared;
  if (token == "device") return Space::kDevice;
  if (token == "group") return Space::kGroup;
  if (token == "private") return Space::kPrivate;
  return std::nullopt;
}

void TermReader::see(Space space) {
  if (space == Space::kDevice) prog_.target = Target::kDevice;
}

Prim TermReader::prim() {
  const std::optional<Prim> p = prim_from_name(peek());
  if (!p) fail(fmt::format("expected a type, found `{}`", peek()));
  next();
  return *p;
}

Type TermReader::type() {
  if (const std::optional<Space> space = peek_space()) {
    next();
    see(*space);
    return block(*space);
  }
  return scalar(prim());
}

Decl TermReader::decl() {
  const Type t = type();
  return {name(), t};
}

Loc TermReader::place() {
  if (!accept("@")) return {};
  const Loc loc{number()};
  if (loc.index >= prog_.locs.size()) fail("no such place in the table of places");
  return loc;
}

Operand TermReader::index() {
  expect("[");
  Operand i = operand();
  expect("]");
  return i;
}

std::pair<BinOpKind, Prim> TermReader::operator_on_type() {
  const std::string_view word = next();
  const size_t underscore = word.rfind('_');
  if (underscore == std::string_view::npos) fail("expected an operator with its type");
  const auto op = core::binop_from_mnemonic(word.substr(0, underscore));
  const auto t = prim_from_name(word.substr(underscore + 1));
  if (!op || !t) fail(fmt::format("no operator `{}`", word));
  return {*op, *t};
}

}  // namespace skald::imp
