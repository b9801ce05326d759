// SPDX-License-Identifier: Apache-2.0
// Core IR → text that core/text/parse.h reads back.
#pragma once

#include <string>

#include "core/ir/program.h"

namespace skald::core {

struct PrintOptions {
  // Number names from zero in order of appearance, so that tests do not depend on fresh names
  // upstream.
  bool renumber = false;
  // Show the source place of every statement; without it only of asserts.
  bool locs = false;
};

std::string print(const Program& prog, const PrintOptions& options = {});
std::string print(const Function& fn, const Program& prog, const PrintOptions& options = {});
// One statement, for messages.
std::string print(const Stmt& stmt, const Program& prog);
std::string print(const Type& type, const NameTable& names);
std::string print(const Operand& operand, const NameTable& names);
// The way constants are printed: 3i64, true, 1.5f32, f32.nan.
std::string print(const Const& c);

}  // namespace skald::core
