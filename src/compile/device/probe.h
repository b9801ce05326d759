// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "support/result.h"

namespace skald::compile {

// Looks for a device in a process of its own: drivers start threads, and who asks may want to fork
// later.
// `name` is the driver's.
bool works_elsewhere(std::string_view name, const std::function<Result<std::string>()>& find,
                     std::string& why_not);

}  // namespace skald::compile
