// SPDX-License-Identifier: Apache-2.0
// Kernels of partitions only, whose points are cheap: a thread keeps the values of its points in
// registers until they are packed (member_counts.h).  Arrays and scatters may go along.
#pragma once

#include "imp/lower/gpu/kernel.h"

namespace skald::imp {

WhyNot why_not_member_tiles(GpuKernel& kernel);
void write_member_tiles(GpuKernel& kernel, Code& code, const Otherwise& otherwise);

}  // namespace skald::imp
