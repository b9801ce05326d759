// SPDX-License-Identifier: Apache-2.0
// Tuning parameters (the node Tunable in exp.h): which ones a program has, and what a run chose.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/ir/program.h"

namespace skald::core {

// Numbers for parameters, by name.  0 stands for "as the program says", as in tuning files.
using Tuning = std::map<std::string, int64_t, std::less<>>;

// The number chosen for `param`, or null.
const int64_t* find_choice(const Tuning& tuning, std::string_view param);

// The class of `local_memory`: how many bytes the threads of a group on a device may share.  A run
// on a device never takes more than that has.
inline constexpr std::string_view kLocalMemoryClass = "local_memory";
inline constexpr std::string_view kLocalMemoryParam = "local_memory";
// Where the device does not say.
inline constexpr int64_t kLocalMemory = 48 << 10;
// In the same way: how many groups a device works on at once, each with all the memory that a group
// may have; and how many threads a group may have.
inline constexpr std::string_view kComputeUnitsClass = "compute_units";
inline constexpr std::string_view kComputeUnitsParam = "compute_units";
inline constexpr int64_t kComputeUnits = 64;
inline constexpr std::string_view kGroupThreadsClass = "group_threads";
inline constexpr std::string_view kGroupThreadsParam = "group_threads";
inline constexpr int64_t kGroupThreads = 256;
// 1 if the memory of a device adds floats by an instruction, so that threads need not try.
inline constexpr std::string_view kFloatSumsClass = "float_sums";
inline constexpr std::string_view kFloatSumsParam = "float_sums";
inline constexpr int64_t kFloatSums = 0;

struct TuningParam {
  std::string name;
  std::string param_class;
};

// The parameters of a program, each once, sorted by name.
std::vector<TuningParam> tuning_params(const Program& prog);

}  // namespace skald::core
