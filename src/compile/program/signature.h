// SPDX-License-Identifier: Apache-2.0
// Entry points without their code, as bytes: what is kept of a program beside its machine code.
#pragma once

#include "core/ir/program.h"
#include "support/bytes.h"

namespace skald::compile {

void write_signature(ByteWriter& out, const core::Function& fn);
core::Function read_signature(ByteReader& in);

}  // namespace skald::compile
