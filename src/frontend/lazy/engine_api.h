// SPDX-License-Identifier: Apache-2.0
// What the compiler offers to those who record: a library of its own, loaded when a plan is worth
// compiling, so that starting costs nothing.  Its only symbol is `skald_lazy_engine`.
//
// No function here may be called with a lock that the caller's `release` needs: memory is released
// from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/lazy/callee_api.h"
#include "frontend/lazy/dtype.h"

namespace skald::lazy {

// Memory of an array, with what is to be done when nobody needs it any more.
struct EngineArray {
  void* data = nullptr;    // null: only in the device's memory
  void* device = nullptr;  // a copy there, the engine's; set for arrays that had to be copied
  int64_t bytes = 0;
  std::vector<int64_t> shape;
  DType type = DType::kF64;
  // Given away: the engine calls `release` once, at any time, from any thread.  Null: lent for the
  // call.
  void (*release)(void* data, void* argument) = nullptr;
  void* argument = nullptr;
};

struct EngineCall {
  std::vector<int64_t> symbols;
  std::vector<uint64_t> scalars;  // bits of each, in its own type
  std::vector<EngineArray> arrays;
  std::vector<EngineArray> results;  // the engine's; call `release` when done
};

struct EngineProgram;

struct EngineApi {
  // Null, with a message, if it cannot be done.  `op_names[op]` are NumPy's names.
  EngineProgram* (*compile)(const std::vector<int64_t>& code,
                            const std::vector<std::string>& op_names, const char* backend,
                            std::string& message);
  // Would `compile` find it on disk?
  bool (*is_kept)(const std::vector<int64_t>& code, const std::vector<std::string>& op_names,
                  const char* backend);
  // Puts what was compiled of it so far on disk.
  void (*keep)(EngineProgram* program);
  // Of an array that is given away, the copy in the device's memory is too.
  bool (*run)(EngineProgram* program, EngineCall& call, std::string& message);
  // From the device's memory to the host's.
  bool (*download)(EngineProgram* program, void* device, void* to, std::string& message);
  void (*drop_device)(void* device);
  // Waits for all that was asked for.
  bool (*finish)(std::string& message);
  void (*free)(EngineProgram* program);
  // Is there code for NumPy's operation of this name on this type?
  bool (*can_lower)(const char* op, DType type);
  // The core program of a plan as text, for people who look on.
  std::string (*show)(const std::vector<int64_t>& code, const std::vector<std::string>& op_names,
                      const char* backend);
  const CalleeApi* callees;
};

inline constexpr const char* kEngineSymbol = "skald_lazy_engine";

}  // namespace skald::lazy
