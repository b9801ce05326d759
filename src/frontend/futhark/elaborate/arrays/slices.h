// SPDX-License-Identifier: Apache-2.0
// Indexing and slicing, with bounds checks.
#pragma once

#include <functional>
#include <vector>

#include "frontend/futhark/elaborate/types/types.h"

namespace skald::futhark::elab {

struct Slice {
  std::vector<DimSlice> dims = {};
  Tokens tokens = {};
};

// What the expressions in indices and slices come to.
using IndexOf = std::function<Operand(const Exp&)>;
// Computed when asked for.  `env` must outlive it.
IndexOf indices_in(Types& types, const Env& env);
// The same for those on a path, which are all computed now.
IndexOf computed_indices(Types& types, const std::vector<PathStep>& path, const Env& env);

// `name`: of the array, for messages; may be empty.
Slice slice(Code& code, const std::vector<DimIndex>& dims, const Value& array,
            const IndexOf& index_of, const std::string& name);
// Rows of the indexed dimensions, with the sliced ones around.
RepPtr sliced_rep(const Value& array, const std::vector<DimSlice>& dims);
ValuePtr index_value(Code& code, const Value& array, const std::vector<DimSlice>& dims,
                     const Tokens& tokens);
ValuePtr index_at(Code& code, const Value& array, const Operand& i, const Tokens& tokens = {});

}  // namespace skald::futhark::elab
