// SPDX-License-Identifier: Apache-2.0
// The scalar operators of bytecode and their names: those of core's operators, such as add_i32,
// lt_f64 or convert_i16_i64.  They mean what they mean in the interpreter.
#pragma once

#include <string>

#include "core/ir/ops.h"
#include "runtime/executor/operators.h"
#include "support/prim.h"

namespace skald::clike {

// The size of the chunks that a loop on the host is cut into, from its length and the least size.
inline constexpr std::string_view kChunkSizeOperator = "chunk_size";

// `Op` is one of core's kinds of operators.
template <class Op>
std::string host_operator_name(Op op, Prim type) {
  return std::string(core::mnemonic(op)).append("_").append(prim_name(type));
}
std::string host_convert_name(Prim from, Prim to);

// For runtime::LoadedProgram.
runtime::HostOperator find_host_operator(std::string_view name);

}  // namespace skald::clike
