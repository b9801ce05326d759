// SPDX-License-Identifier: Apache-2.0
// Which statements may stand where: the table that lowering for each target is held to.  It is
// printed in docs/ir.md.
#pragma once

#include <string>
#include <string_view>

#include "imp/ir/imp.h"

namespace skald::imp {

// Where a statement stands: in code for the cpu; in a program for a device, in what the host runs
// or in what the device runs (launches, and the functions they call).
enum class Place : uint8_t { kCpu, kDeviceHost, kDeviceKernel };
std::string_view place_name(Place place);

bool is_legal(const Node& node, Place place);
// Of blocks that are allocated or declared there.
bool is_legal(Space space, Place place);
// How the statement begins in text.
std::string_view node_words(const Node& node);

// Both as a table in Markdown.
std::string legality_table();

}  // namespace skald::imp
