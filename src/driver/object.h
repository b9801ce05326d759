// SPDX-License-Identifier: Apache-2.0
// How to call object code: a C header, and the same as JSON.
#pragma once

#include <string>
#include <vector>

#include "compile/backend/object_code.h"
#include "core/ir/program.h"

namespace skald::driver {

std::string header_text(const compile::ObjectCode& object, const core::Program& prog,
                        const std::string& name, const std::string& file);
std::string manifest_text(const compile::ObjectCode& object, const core::Program& prog,
                          const std::string& name);

}  // namespace skald::driver
