// SPDX-License-Identifier: Apache-2.0
// Scalar constants and expressions as C.
#pragma once

#include <functional>
#include <string>

#include "codegen/clike/helpers.h"
#include "imp/ir/imp.h"

namespace skald::clike {

// The C type in which a scalar is computed (an f16 is held as f32).
std::string_view value_type(Prim type);
// The C type that lies in memory.
std::string_view memory_type(Prim type);

std::string constant_text(const core::Const& c);

// An operation; `text` gives the text of operands.  What it calls is added to `helpers`.
std::string expression_text(const imp::Exp& exp, Prim type,
                            const std::function<std::string(const core::Operand&)>& text,
                            HelperSet& helpers);
std::string binop_text(core::BinOpKind op, Prim type, const std::string& a, const std::string& b,
                       HelperSet& helpers);

// Between values and what lies in memory, and the bits of a value as an unsigned word.
std::string to_memory(Prim type, const std::string& value, HelperSet& helpers);
std::string from_memory(Prim type, const std::string& stored, HelperSet& helpers);
std::string to_bits(Prim type, const std::string& value, HelperSet& helpers);
std::string from_bits(Prim type, const std::string& bits, HelperSet& helpers);

}  // namespace skald::clike
