// SPDX-License-Identifier: Apache-2.0
// The library's files, embedded in the binary (generated from prelude/nesl/*.nesl by the build).
#pragma once

#include <span>
#include <string_view>

namespace skald::nesl {

struct LibraryFile {
  std::string_view path;  // "/prelude/nesl/scalars"
  std::string_view text;
};

// In the order of their names.
std::span<const LibraryFile> library_files();

}  // namespace skald::nesl
