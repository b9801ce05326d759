// SPDX-License-Identifier: Apache-2.0
// Reads the small parts of the text form: words, names, constants, types, parameters.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/program.h"
#include "core/text/token_cursor.h"

namespace skald::core::detail {

class TermReader {
 public:
  // Names and places become part of `prog`.
  TermReader(TokenCursor& tokens, Program& prog);

  bool at_name() const {
    return tokens_.peek().kind == Token::kWord && name_id(tokens_.peek().text).has_value();
  }
  Name name();
  std::string word();
  std::string string();
  int integer();
  Prim prim();
  Operand operand();
  std::vector<Name> names() {
    return tokens_.braces([&] { return name(); });
  }
  std::vector<Operand> operands() {
    return tokens_.braces([&] { return operand(); });
  }

  std::vector<Operand> dims();
  std::vector<Operand> shape();
  Space space();
  Type type();
  Param param();
  Ret ret();
  template <class Hints>
  Hints hints();
  Loc place();

 private:
  static std::optional<uint32_t> name_id(std::string_view word);
  Const special_float(bool negative);

  TokenCursor& tokens_;
  Program& prog_;
  // How each id was first written.
  std::unordered_map<uint32_t, std::string_view> bases_;
  // What stands for the id 0, which renumbered text uses and a Name cannot have.
  uint32_t zero_id_ = 0;
};

}  // namespace skald::core::detail
