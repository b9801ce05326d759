// SPDX-License-Identifier: Apache-2.0
// What the message of a check says about names in the text of the program, on a line of its own:
// "`i` is 10, but `xs` has shape [5]".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/control_nodes.h"
#include "frontend/futhark/ast/ast.h"

namespace skald::futhark::elab {

// How an expression is called in a message: as it is written.  Empty for literals, which the
// message shows anyway, and for what is too long.
std::string short_text(const Exp& e);

// The variables that a condition speaks of, each once and a few at most.
std::vector<const Exp*> variables_in(const Exp& cond);

class CheckNotes {
 public:
  // "`i` is 10".
  void value(const Exp& e, const core::Operand& value);
  // "`xs` has shape [5]".
  void shape(const std::string& name, const std::vector<core::MessagePart>& shape);
  // Of a number that is one: "4294967296 * 4294967295 in 64 bits".
  void product(const core::Operand& a, const core::Operand& b);
  void say(std::string words);
  // After the message itself.
  void add_to(std::vector<core::MessagePart>& message) const;

 private:
  void begin(std::string_view separator);

  std::vector<core::MessagePart> parts_;
};

}  // namespace skald::futhark::elab
