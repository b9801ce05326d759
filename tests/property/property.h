// SPDX-License-Identifier: Apache-2.0
// A property: something that must hold for every random program.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/random/random_program.h"

namespace skald::property {

struct Property {
  std::string_view name;
  std::string_view what;
  // Nothing if it holds for this seed, else what went wrong, ready to be read.
  std::function<std::optional<std::string>(uint64_t seed)> check;
};

// The programs of most properties: of different sizes, every other one with checks that may fail.
core::RandomOptions options_for(uint64_t seed);

// Each in its own file.
std::vector<Property> core_properties();
std::vector<Property> pass_properties();
std::vector<Property> imp_properties();
std::vector<Property> derivative_properties();
// Slow, so only on demand: see --backend.
std::vector<Property> backend_properties();

}  // namespace skald::property
