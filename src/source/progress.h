// SPDX-License-Identifier: Apache-2.0
// Who waits for something long may want to see how far it is.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace skald::source {

// Called often, with what is being done and how many of all bytes of a file are behind; may be
// empty.
using Progress =
    std::function<void(std::string_view doing, uint64_t bytes_done, uint64_t bytes_in_all)>;

}  // namespace skald::source
