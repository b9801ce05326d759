// SPDX-License-Identifier: Apache-2.0
// Files of values: plain, or compressed if their name ends in ".gz".
#pragma once

#include <string>
#include <vector>

#include "compile/backend/entry_values.h"
#include "runtime/values/value_reader.h"

namespace skald::driver {

// The bytes of a file, decompressed.
Result<std::string> read_bytes(const std::string& path);

// All values of a file, or of `reader`.
Result<std::vector<runtime::Value>> read_values(runtime::ValueReader reader);
Result<std::vector<runtime::Value>> read_value_file(const std::string& path);
// Exactly the values of these types.
Result<std::vector<runtime::Value>> read_values(runtime::ValueReader reader,
                                                const std::vector<compile::PlainType>& types);
Result<std::vector<runtime::Value>> read_value_file(const std::string& path,
                                                    const std::vector<compile::PlainType>& types);

// In the binary format.
Result<Unit> write_value_file(const std::string& path, const std::vector<runtime::Value>& values);

}  // namespace skald::driver
