// SPDX-License-Identifier: Apache-2.0
// A processor as data: what the compiler knows of the machine that runs its code.
//
//   caches.h            sizes, and who shares them
//   vector_registers.h  what lanes run in
//   operator_costs.h    what operators cost: one table for all processors
//   measure.h           bandwidths, if somebody asks for them
//   device_model.h      the same for gpus
#pragma once

#include <string>

#include "machine/caches.h"
#include "machine/vector_registers.h"

namespace skald::machine {

// Bytes in a second, from memory; 0: not measured.
struct Bandwidth {
  double one_core = 0, all_cores = 0;
  bool operator==(const Bandwidth&) const = default;
};

struct Processor {
  std::string name = "plain";
  std::string architecture = "none";
  int cores = 1;  // that this process may use
  Caches caches = kPlainCaches;
  VectorRegisters registers = {};
  Bandwidth bandwidth = {};
};

// The one that this process runs on; looked up, never measured.
Processor find_processor(const std::string& root = "");
// The same, looked up once.
const Processor& this_processor();

}  // namespace skald::machine
