// SPDX-License-Identifier: Apache-2.0
// Products of matrices inside of nests.  A processor without groups takes them out: as kernels of
// their own they go through tiles (docs/flattening.md).
#pragma once

#include <optional>

#include "core/ir/program.h"

namespace skald::passes {

// The nest with sums of products taken apart that are one reduction inside of two or more maps, if
// that makes products of matrices:
//
//   Σ (a b + c d)      Σ a b + Σ c d      derivatives of products are such sums
//   (Σ a b, Σ c d)     Σ a b, Σ c d       reductions that fusion has put together
std::optional<core::Stmt> with_sums_of_products_apart(core::Program& prog, const core::Stmt& stmt);

// Is the nest made of maps and reductions, with sums of products of two arrays inside of two or
// more of them, where each array is read again and again by a map that the other one follows?
bool has_matrix_products(const core::Exp& exp);

// The same, where sums of several products count too, and one of the arrays is the same for all
// iterations of the outermost map: groups of threads, one for each of them, would all read it.
bool has_shared_products(const core::Exp& exp);

}  // namespace skald::passes
