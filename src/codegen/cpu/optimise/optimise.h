// SPDX-License-Identifier: Apache-2.0
// The passes run over a module before code generation.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace skald::cpu {

// An attribute of functions in which scalars are not to be combined into vectors.
inline constexpr const char* kKeepScalars = "skald-keep-scalars";

// LLVM's attribute with the bits of the widest vectors that a function has registers for.
inline constexpr const char* kLegalVectors = "min-legal-vector-width";

// An attribute of functions that do little themselves (effort.h).
inline constexpr const char* kLight = "skald-light";
// Of those: also without loops around their parallel parts, other than short ones.
inline constexpr const char* kRunsRarely = "skald-runs-rarely";

// What needs the whole module …
void inline_calls(llvm::Module& module, llvm::TargetMachine& machine, int level);
// … and then what looks at one function after the other.
// `soon`: see CompileOptions.
void optimise_functions(llvm::Module& module, llvm::TargetMachine& machine, int level,
                        bool soon = false);
// Instead, where code is wanted quickly: what the inliner leaves is cleared up.
void tidy_functions(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace skald::cpu
