// SPDX-License-Identifier: Apache-2.0
// Files of CUDA's toolkit, wherever it may be: installed as such, or as packages of Python.
#pragma once

#include <string>
#include <vector>

#include "support/result.h"

namespace skald::runtime::cuda {

// Those whose names match `pattern` (as shells do), in these folders of a toolkit or of a package.
std::vector<std::string> find_toolkit_files(const std::string& toolkit_folder,
                                            const std::string& package_folder,
                                            const std::string& pattern);

// The instructions in machine code (a cubin), by nvdisasm or cuobjdump; or how to get one of them.
Result<std::string> disassemble(const std::string& cubin);

}  // namespace skald::runtime::cuda
