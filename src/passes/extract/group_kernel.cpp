// SPDX-License-Identifier: Apache-2.0
#include "passes/extract/group_kernel.h"

#include "core/edit/builder.h"
#include "core/ir/visit.h"
#include "passes/extract/kernel_forms.h"
#include "passes/flatten/writes.h"
#include "passes/kernels/nest.h"
#include "passes/kernels/sequentialise.h"
#include "passes/kernels/sequentialise_internal.h"

namespace skald::passes {

using namespace core;

namespace {

void group_body(Program& prog, Replicates& replicates, Body& body) {
  Builder out(prog);
  for (Stmt& stmt : body.stmts) {
    if (const auto* rep = as<Replicate>(stmt.exp)) replicates[stmt.pat[0].name] = *rep;
    if (is_kernel_shaped(stmt)) {
      if (!write_nest_kernel(out, stmt)) out.append(kernel_of(prog, std::move(stmt)));
    } else if (as<If>(stmt.exp) != nullptr || as<Loop>(stmt.exp) != nullptr) {
      for_each_body(stmt.exp, [&](Body& inner) { group_body(prog, replicates, inner); });
      out.append(std::move(stmt));
    } else if (!vector_hist_kernel(out, stmt, replicates)) {
      // Nothing parallel in it.
      out.append(std::move(stmt));
    }
  }
  body = out.finish(std::move(body.result));
}

}  // namespace

Stmt group_kernel(Program& prog, Replicates& replicates, Stmt stmt) {
  stmt.hints.in_groups = false;
  Soac soac = std::move(*as<Soac>(stmt.exp));
  Kernel kernel;
  Builder body(prog);
  body.set_loc(stmt.loc);
  for (;;) {
    const Name index = prog.names.fresh("i");
    kernel.domain.dims.push_back(soac.width);
    kernel.pull.params.push_back({index, scalar_type(Prim::kI64)});
    const auto rows = read_rows(body, soac.inputs, soac.fn.params, index);
    std::vector<Stmt>& stmts = soac.fn.body.stmts;
    if (stmts.empty() || !stmts.back().hints.in_groups) {
      group_body(prog, replicates, soac.fn.body);
      kernel.pull.results = std::move(soac.fn.results);
      std::vector<Operand> results = inline_lambda(body, std::move(soac.fn), rows);
      kernel.pull.body = body.finish(std::move(results));
      break;
    }
    soac = last_soac(body, std::move(soac.fn), rows);
  }
  if (kernel.domain.dims.size() > 1) kernel.domain.kind = Domain::kGrid;
  for (size_t k = 0; k < kernel.pull.results.size(); ++k) kernel.sinks.push_back({Sink::kOut, 1});
  stmt.exp = std::move(kernel);
  return stmt;
}

}  // namespace skald::passes
