// SPDX-License-Identifier: Apache-2.0
// A program of imp after one pass, as text.
#pragma once

#include <string>
#include <string_view>

#include "imp/passes/passes.h"
#include "imp/text/parse.h"
#include "imp/text/print.h"
#include "imp/verify/verify.h"

namespace skald::imp {

inline std::string after_pass(std::string_view text, PassFunction pass) {
  Result<Program> prog = parse(text);
  if (!prog) return "no program: " + prog.error();
  PassContext ctx;
  *prog = pass(std::move(*prog), ctx);
  verify_or_bug(*prog, "the pass under test");
  return print(*prog);
}

}  // namespace skald::imp
