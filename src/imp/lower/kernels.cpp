// SPDX-License-Identifier: Apache-2.0
// Who lowers a kernel: cores, a device, or a group of threads of one.
#include "imp/lower/cpu/kernel/kernel_lowering.h"
#include "imp/lower/gpu/gpu.h"

namespace skald::imp {

void FunctionLowering::kernel(Code& code, const core::Stmt& stmt, const core::Kernel& node) {
  if (group_ != nullptr) return GpuKernelLowering(*this, stmt, node).lower_in_group(code);
  const auto plain = [&](Code& at) {
    if (target_ == Target::kDevice)
      GpuKernelLowering(*this, stmt, node).lower(at);
    else
      KernelLowering(*this, stmt, node).lower(at);
  };
  if (!copy_rows(code, stmt, node, plain)) plain(code);
}

}  // namespace skald::imp
