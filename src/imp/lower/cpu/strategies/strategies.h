// SPDX-License-Identifier: Apache-2.0
// Kernels for cores: which table of strategies a kernel has, by its sinks and its domain.
#pragma once

#include <vector>

#include "imp/lower/kernel/strategy.h"

namespace skald::imp {

// Writes the loops of a kernel, by the first strategy of its table that fits.
void write_for_cores(KernelWriter& kernel, Code& code);

// All strategies, table by table.
std::vector<StrategyName> strategies_for_cores();

// Host code that is loops of cores itself.
class CpuTarget : public LoweringTarget {
 public:
  void kernel(FunctionLowering& fn, Code& code, const core::Stmt& stmt,
              const core::Kernel& kernel) override;
  bool can_fill_later(FunctionLowering& fn, const core::Stmt& fill,
                      const core::Stmt& hist) override;
  bool has_vectors() const override { return true; }
  Space owned(const FunctionLowering&, core::Space) const override { return Space::kHeap; }
  bool copy(FunctionLowering& fn, Code& code, const ArrayPlace& dest,
            const ArrayPlace& src) override;
};

}  // namespace skald::imp
