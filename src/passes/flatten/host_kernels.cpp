// SPDX-License-Identifier: Apache-2.0
#include "passes/flatten/host_kernels.h"

#include "core/ir/visit.h"

namespace skald::passes {

using namespace core;

const Lambda* function_of(const Exp& exp) {
  if (const auto* soac = as<Soac>(exp)) return &soac->fn;
  if (const auto* hist = as<Hist>(exp)) return &hist->fn;
  if (const auto* scatter = as<Scatter>(exp)) return &scatter->fn;
  if (const auto* part = as<Partition>(exp)) return &part->fn;
  return nullptr;
}

const Operand& width_of(const Exp& exp) {
  if (const auto* soac = as<Soac>(exp)) return soac->width;
  if (const auto* hist = as<Hist>(exp)) return hist->width;
  if (const auto* scatter = as<Scatter>(exp)) return scatter->width;
  return as<Partition>(exp)->width;
}

int kernel_count(const Body& body) {
  int count = 0;
  for (const Stmt& stmt : body.stmts) {
    if (function_of(stmt.exp) != nullptr)
      ++count;
    else
      for_each_body(stmt.exp, [&](const Body& inner) { count += kernel_count(inner); });
  }
  return count;
}

}  // namespace skald::passes
