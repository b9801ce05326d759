// SPDX-License-Identifier: Apache-2.0
// First-order array intrinsics.
#pragma once

#include <string>
#include <vector>

#include "frontend/futhark/elaborate/code/code.h"

namespace skald::futhark::elab {

ValuePtr copy(Code& code, const ValuePtr& v);
// The function of this name; null if there is none here.
ValuePtr array_intrinsic(Code& code, const std::string& name, const std::vector<ValuePtr>& args);
// flat_index_2d, flat_update_3d, …; null for other names.
ValuePtr flat_intrinsic(Code& code, const std::string& name, const std::vector<ValuePtr>& args);

}  // namespace skald::futhark::elab
