// SPDX-License-Identifier: Apache-2.0
// The scalar operators of host code: functions on bits, found by name when a program is loaded.
// Whoever wrote the bytecode knows them (codegen/clike/host_operators.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace skald::runtime {

using UnaryFn = uint64_t (*)(uint64_t);
using BinaryFn = uint64_t (*)(uint64_t, uint64_t);
using TernaryFn = uint64_t (*)(uint64_t, uint64_t, uint64_t);

// One of the three is there.
struct HostOperator {
  UnaryFn unary = nullptr;
  BinaryFn binary = nullptr;
  TernaryFn ternary = nullptr;
};

// Nothing, for a name that it does not know.
using FindOperator = HostOperator (*)(std::string_view name);

}  // namespace skald::runtime
