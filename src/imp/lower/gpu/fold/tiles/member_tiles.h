// SPDX-License-Identifier: Apache-2.0
// Kernels of partitions only, whose points are cheap: a thread keeps the values of its points in
// registers until they are packed (tile_members.h).  Arrays and scatters may go along.
#pragma once

#include "imp/lower/gpu/kernel.h"

namespace skald::imp {

bool fits_member_tiles(GpuKernel& kernel);
void write_member_tiles(GpuKernel& kernel, Code& code);

}  // namespace skald::imp
