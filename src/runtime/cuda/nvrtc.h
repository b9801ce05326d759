// SPDX-License-Identifier: Apache-2.0
// NVIDIA's compiler of CUDA C++, as a library that is loaded at run time.  It needs no driver.
#pragma once

#include <string>

#include "support/result.h"

namespace skald::runtime::cuda {

enum class CompiledForm : uint8_t {
  kCubin,  // machine code of one architecture
  kPtx,    // text
};

// Which compiler is found; or how to get one.
Result<std::string> find_nvrtc();

// The newest one that the compiler knows and that is not newer than this; the given one if it knows
// none.
int nearest_architecture(int architecture);

// `architecture` is 90 for compute capability 9.0.
Result<std::string> compile_cuda(const std::string& text, int architecture, CompiledForm form);

}  // namespace skald::runtime::cuda
