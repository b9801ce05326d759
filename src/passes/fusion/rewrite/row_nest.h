// SPDX-License-Identifier: Apache-2.0
// Nests of maps whose results are flattened.
#pragma once

#include <optional>
#include <vector>

#include "core/ir/program.h"
#include "passes/pass.h"

namespace skald::passes::fusion {

// Maps, each but the last with one statement in its function that is the next one; there is no
// other parallel code in them.  The last gives scalars, or short rows.
struct RowNest {
  std::vector<core::Operand> shape;  // of the arrays that it makes
  std::vector<size_t> inner;         // of each map but the last: the number of that statement
  std::vector<size_t> values;        // which results of the innermost function are asked for
  std::vector<size_t> kept;          // results of the outermost map that are not from inside
  int64_t statements = 0;            // of the innermost function, for each scalar
  size_t maps() const { return inner.size() + 1; }
};

// The nest that makes these arrays of one shape, which are results of `stmt`; nothing if it is
// none, or if anybody else needs what is inside.  `needed`: which results anybody needs.
std::optional<RowNest> row_nest_of(const core::Stmt& stmt, const std::vector<core::Name>& arrays,
                                   const std::vector<bool>& needed);

// How many levels of the nest stay maps; inside of these all writes stand one after another.
// Only a histogram may be several writes at a point.
size_t levels_kept(const RowNest& nest, const std::vector<const core::Exp*>& writers,
                   const Device& device);
// Has the innermost level a few columns, as many as are written out?
bool has_short_rows(const RowNest& nest);

}  // namespace skald::passes::fusion
