// SPDX-License-Identifier: Apache-2.0
// What the images of all back ends hold beside their code, as bytes: places and tuning parameters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/program.h"
#include "core/tuning/tuning.h"
#include "support/bytes.h"

namespace skald::compile {

// The table of places, as text.  Only a failing run asks for it: to read it takes longer than many
// a program runs.
std::string place_bytes(const core::LocTable& locs);
core::LocTable places_from_bytes(std::string_view bytes);

void write_params(ByteWriter& out, const std::vector<core::TuningParam>& params);
std::vector<core::TuningParam> read_params(ByteReader& in);

}  // namespace skald::compile
