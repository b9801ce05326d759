// SPDX-License-Identifier: Apache-2.0
// Updates: `e with path = v`, `let x[i].f = v`, and path sections.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "frontend/futhark/elaborate/arrays/slices.h"

namespace skald::futhark::elab {

// `v` with another value where the path, from step `i` on, leads.  `name`: of `v`, for messages;
// may be empty.
ValuePtr update_path(Code& code, const ValuePtr& v, const std::vector<PathStep>& path, size_t i,
                     const std::function<ValuePtr()>& value, const IndexOf& index_of,
                     std::string name);
// What stands where the path leads.
ValuePtr path_value(Code& code, const std::vector<PathStep>& path, const ValuePtr& v,
                    const IndexOf& index_of);

}  // namespace skald::futhark::elab
