// SPDX-License-Identifier: Apache-2.0
// What the thunk gave at some points of a thread, in its registers.
#pragma once

#include <vector>

#include "imp/lower/kernel/writer.h"

namespace skald::imp {

// Are points made of their indices alone, by code that is not too long to be written several times?
bool is_made_of_chains(const KernelWriter& kernel);

class PrivateValues {
 public:
  // Room for so many points, in a loop that is written out.
  PrivateValues(Code& code, const KernelWriter& kernel, int64_t points);
  // How many points of a kernel can be kept, at most `wanted`; 1 if it is not worth it.
  static int64_t most_points(const KernelWriter& kernel, int64_t wanted);

  void store(Code& code, const Operand& point, const std::vector<Operand>& values) const;
  std::vector<Operand> load(Code& code, const Operand& point) const;

 private:
  std::vector<Prim> types_;
  std::vector<Name> blocks_;
};

}  // namespace skald::imp
