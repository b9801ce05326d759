// SPDX-License-Identifier: Apache-2.0
// Nests of loops whose threads share what they read: pieces of the arrays lie in the memory of the
// group.
#pragma once

#include "imp/lower/cpu/nest/nest.h"
#include "imp/lower/gpu/kernel.h"

namespace skald::imp {

// The value of accumulator v after a round; sums of products are rounded once if they may be.
Operand next_of(NestWriter& nest, Code& code, size_t v, const core::Substitution& subst);

// ---- product.cpp: like a matrix product
WhyNot why_no_product(GpuKernel& kernel);
// `otherwise` is for nests that turn out too small.
void write_product(GpuKernel& kernel, Code& code, const Otherwise& otherwise);

// ---- matrix_product.cpp: the same for sums of products of f64, with the device's instructions for
// small matrices
bool is_matrix_product(const TilePlan& plan);
void write_matrix_product(GpuKernel& kernel, const TilePlan& plan, Code& code, const Operand& depth,
                          const Otherwise& otherwise);

// ---- pieces.cpp: like the forces between bodies, where all points go through the same values
WhyNot why_no_pieces(GpuKernel& kernel);
void write_pieces(GpuKernel& kernel, Code& code, const Otherwise& otherwise);

// ---- grid_points.cpp: cheap points in rectangles, also of transposed arrays
WhyNot why_no_grid_points(GpuKernel& kernel);
void write_grid_points(GpuKernel& kernel, Code& code, const Otherwise& otherwise);

// ---- shared_points.cpp: costly points that have work in common with their neighbours
WhyNot why_no_shared_points(GpuKernel& kernel);
void write_shared_points(GpuKernel& kernel, Code& code, const Otherwise& otherwise);

}  // namespace skald::imp
