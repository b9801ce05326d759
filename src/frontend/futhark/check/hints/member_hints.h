// SPDX-License-Identifier: Apache-2.0
// What to say about a field or constructor that a type does not have.
#pragma once

#include <string>

#include "frontend/futhark/check/base/context.h"

namespace skald::futhark {

// "This record has no field "z": it has x, y": what is there helps more than what is not.
std::string missing_field_text(const std::string& name, const Type& record);
std::string field_hint(const std::string& name, const Type& record);
// For a field of something that is no record.
std::string no_record_hint(const std::string& name, const Type& type);
// For a constructor that the sum type lacks.
std::string constr_hint(const std::string& name, const Type& sum);

}  // namespace skald::futhark
