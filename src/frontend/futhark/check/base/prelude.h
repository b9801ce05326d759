// SPDX-License-Identifier: Apache-2.0
// The prelude's files, embedded in the binary (generated from prelude/*.fut by the build).
#pragma once

#include <span>
#include <string_view>

namespace skald::futhark {

struct PreludeFile {
  std::string_view path;  // "/prelude/prelude"
  std::string_view text;
};

std::span<const PreludeFile> prelude_files();

}  // namespace skald::futhark
