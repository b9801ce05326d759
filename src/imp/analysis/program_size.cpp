// SPDX-License-Identifier: Apache-2.0
#include "imp/analysis/program_size.h"

#include "imp/ir/visit.h"

namespace skald::imp {

size_t statement_count(const Body& body) {
  size_t count = body.stmts.size();
  for (const Stmt& stmt : body.stmts)
    for_each_body(stmt, [&](const Body& inner) { count += statement_count(inner); });
  return count;
}

size_t statement_count(const Program& prog) {
  size_t count = 0;
  for (const Function& fn : prog.functions) count += statement_count(fn.body);
  return count;
}

}  // namespace skald::imp
