// SPDX-License-Identifier: Apache-2.0
// Kernels whose points read one array near their own place, and nothing else: stencils.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/edit/rename.h"
#include "imp/lower/gpu/kernel.h"

namespace skald::imp {

// Where a value is read, from the point: one distance for each dimension.
using Offset = std::vector<int64_t>;

struct Stencil {
  core::Name array;
  Prim type;
  std::vector<Offset> offsets;
  int64_t reach = 0;      // the largest distance
  size_t operations = 0;  // of a point
};

// What the kernel reads of `array`; a sentence if it is no stencil of it.
struct FoundStencil {
  std::optional<Stencil> stencil;
  std::string why_not;
};
FoundStencil find_stencil(const core::Kernel& kernel, core::Name array, Prim type);

// The value of a point, as straight code: of branches both sides are computed.  `read` gives what
// lies at a distance.
using ReadAt = std::function<Operand(Code&, const Offset&)>;
Operand stencil_point(FunctionLowering& fn, Code& code, const core::Kernel& kernel,
                      core::Name array, const std::vector<Operand>& indices, const ReadAt& read);

// ---- near_points.cpp: one step, of two or three dimensions
WhyNot why_not_near_points(GpuKernel& kernel);
void write_near_points(GpuKernel& kernel, Code& code, const Otherwise& otherwise);

// ---- steps.cpp: several rounds of a loop around a stencil in one launch
// False (and no code) if it is another loop.
bool write_steps(FunctionLowering& fn, DeviceTarget& device, Code& code, const core::Stmt& stmt,
                 const core::Loop& loop);
inline constexpr std::string_view kStepsName = "gpu/steps";

}  // namespace skald::imp
