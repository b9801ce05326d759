// SPDX-License-Identifier: Apache-2.0
// The bodies of inlined functions on vectors, by the name in the C library without the `f` of f32.
#pragma once

#include <string_view>

#include "codegen/cpu/operators/maths_emitter.h"

namespace skald::cpu {

void emit_singles(llvm::Module& module, llvm::Function* fn, unsigned lanes, std::string_view name);
void emit_doubles(llvm::Module& module, llvm::Function* fn, unsigned lanes, std::string_view name);

}  // namespace skald::cpu
