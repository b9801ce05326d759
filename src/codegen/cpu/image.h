// SPDX-License-Identifier: Apache-2.0
// A compiled program as data: object code and what the runtime must know about it.  It can be kept
// on disk and loaded by another process of the same build on the same kind of machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/clike/failure.h"

namespace skald::cpu {

using clike::FailureMessage;

struct ProgramImage {
  struct Entry {
    std::string name, symbol;
  };
  std::vector<std::string> objects;      // relocatable files of this machine's format
  std::vector<FailureMessage> failures;  // by id
  std::vector<std::string> params;       // tuning parameters, by row
  std::vector<Entry> entries;
};

std::string to_bytes(const ProgramImage& image);
// Empty if these are not the bytes of an image.
std::optional<ProgramImage> image_from_bytes(std::string_view bytes);

// Everything about this build of the compiler and this machine that machine code depends on: the
// build's identity, LLVM's version, the CPU and its features.  Empty if the build cannot be told
// from others; then nothing may be kept.
std::string build_and_machine();

}  // namespace skald::cpu
