// SPDX-License-Identifier: Apache-2.0
// Where arrays are, and where their elements.
#pragma once

#include <string_view>
#include <vector>

#include "core/ir/program.h"
#include "imp/ir/code.h"

namespace skald::imp {

// Where an array is and what shape it has.
struct ArrayPlace {
  core::Type type;
  core::MemLoc loc;
};

// The element index of array[indices] (as many as its rank).
Operand address(Code& code, const ArrayPlace& array, const std::vector<Operand>& indices);
Operand load(Code& code, const ArrayPlace& array, const std::vector<Operand>& indices,
             std::string_view base);
std::vector<Operand> strides(Code& code, const ArrayPlace& array);
Operand element_count(Code& code, const core::Type& type);

// Of a copy that transposes: the dimension along which the source is contiguous, while the
// destination is along the last one; the last one if it is not such a copy.  The source has
// strides.
size_t contiguous_elsewhere(const ArrayPlace& dest, const ArrayPlace& src);

}  // namespace skald::imp
