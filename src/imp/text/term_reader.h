// SPDX-License-Identifier: Apache-2.0
// The small parts of imp's text: names, operands, types.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "imp/ir/imp.h"
#include "imp/text/token_reader.h"

namespace skald::imp {

class TermReader : protected TokenReader {
 protected:
  explicit TermReader(std::string_view text) : TokenReader(text) {}

  Name name();
  Operand operand();
  std::vector<Operand> operands();
  std::optional<Space> peek_space() const;
  // Only programs for a device have memory there.
  void see(Space space);
  Prim prim();
  Type type();
  Decl decl();
  Loc place();
  Operand index();
  // add_i32
  std::pair<BinOpKind, Prim> operator_on_type();

  Program prog_;
};

}  // namespace skald::imp
