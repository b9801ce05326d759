// SPDX-License-Identifier: Apache-2.0
// What functions made of the bodies of parallel loops need of the code around the loop.
#pragma once

#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "codegen/cpu/emit/function_emitter.h"

namespace skald::cpu {

struct Environment {
  const imp::Body* body;
  llvm::StructType* type = nullptr;
  llvm::Value* address = nullptr;
  std::vector<core::Name> captured = {}, blocks = {};  // blocks: those that are
};

// Is its body a function of its own?
bool is_parallel_loop(const imp::Stmt& stmt);
// `extra` (or null) is one more value for the body.
Environment capture(FunctionEmitter& f, const imp::Body& body, llvm::Value* extra);
// Fills the slots from an environment; gives back the extra value.
llvm::Value* unpack(FunctionEmitter& f, const FunctionEmitter& outer, const Environment& env,
                    llvm::Value* address);
// The code of an outlined loop: of a kernel, what its row of the table says (kernel.h).
llvm::Value* kernel_code(FunctionEmitter& f, llvm::Function* body);
// Adds the names that statements use and that are not in `seen` yet.
void used_names(std::span<const imp::Stmt> stmts, std::vector<core::Name>& out,
                std::unordered_set<uint32_t>& seen);

// ---- chunks with something to do in order (ordered.cpp)
// The statement of the body of parallel chunks that is, or holds, the first imp::Ordered.
std::optional<size_t> ordered_statement(const imp::Body& body);
void ordered_chunks(FunctionEmitter& f, const imp::ParallelChunks& n, const Environment& env);

}  // namespace skald::cpu
