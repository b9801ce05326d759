// SPDX-License-Identifier: Apache-2.0
// Compiled kernels on disk, named by a hash of everything they depend on.  A file that is missing,
// unreadable or damaged is no error: the kernels are compiled again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace skald::runtime {

// The name under which kernels with this key (text, options, device, driver) are kept.
std::string cache_name(std::string_view key);
std::optional<std::string> read_cache(const std::string& name);
void write_cache(const std::string& name, std::string_view bytes);

}  // namespace skald::runtime
