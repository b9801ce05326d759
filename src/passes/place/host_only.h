// SPDX-License-Identifier: Apache-2.0
// What threads of a device cannot run: printing (#[trace]), and functions that call each other in a
// circle.
#pragma once

#include <string>
#include <unordered_set>

#include "core/ir/program.h"

namespace skald::passes {

class HostOnly {
 public:
  explicit HostOnly(const core::Program& prog);
  // Why a device cannot run the kernel; null if it can.
  const char* why(const core::Kernel& kernel) const;

 private:
  void visit(const std::string& name);

  const core::Program& prog_;
  std::unordered_set<std::string> functions_;
  std::unordered_set<std::string> open_, seen_;
};

// Kernels on the host call variants of functions, `f.host`, whose arrays are there too.  The
// program loses functions that only such kernels called.
void add_host_variants(core::Program& prog);

}  // namespace skald::passes
