// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>

#include "core/ir/program.h"
#include "passes/pass.h"

namespace skald::passes::fusion {

// Scalars that are products of two others.
using Products = std::unordered_map<core::Name, core::BinOp>;
// Those of a function's body, outside of kernels.
void find_products(const core::Body& body, Products& products);

// Lets scatters and histograms over flattened arrays run over the grids of the kernels that make
// these arrays; see flat_scatter.cpp.
void unflatten_scatters(core::Body& body, const Products& products, PassContext& ctx);

}  // namespace skald::passes::fusion
