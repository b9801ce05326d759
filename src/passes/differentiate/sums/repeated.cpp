// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/sums/repeated.h"

#include <algorithm>

#include "core/ir/visit.h"
#include "core/scalar/operator_class.h"
#include "passes/extract/sums_in_chunks.h"

namespace skald::passes::ad {

namespace {

// A write loads, adds and stores one number at a time, while sums run in lanes; in simple
// operations.
constexpr int64_t kWrite = 16;

void mark(const Operand& operand, NameSet& live) {
  if (const Name* name = as_name(operand)) live.insert(*name);
}

// Marks what the results in question need.  A result of a map is needed where its array is.
void mark_live(const Body& body, const std::vector<Operand>& results, NameSet& live) {
  for (const Operand& result : results) mark(result, live);
  for (size_t s = body.stmts.size(); s-- > 0;) {
    const Stmt& stmt = body.stmts[s];
    const auto needed = [&](const Param& p) { return live.contains(p.name); };
    if (std::ranges::none_of(stmt.pat, needed)) continue;
    for_each_operand(stmt.exp, [&](const Operand& operand) { mark(operand, live); });
    const auto* map = as<Soac>(stmt.exp);
    const bool by_result = map != nullptr && map->scans.empty() && map->post.empty() &&
                           map->fn.body.result.size() == stmt.pat.size();
    for_each_body(stmt.exp, [&](const Body& inner) {
      std::vector<Operand> wanted = inner.result;
      if (by_result && &inner == &map->fn.body) {
        wanted.clear();
        for (size_t k = 0; k < stmt.pat.size(); ++k)
          if (needed(stmt.pat[k])) wanted.push_back(inner.result[k]);
      }
      mark_live(inner, wanted, live);
    });
  }
}

}  // namespace

int64_t cost_of_statement(const Stmt& stmt) {
  int64_t cost = machine::cost_of(operator_class(stmt.exp)).vector;
  for_each_body(stmt.exp, [&](const Body& body) {
    for (const Stmt& inner : body.stmts) cost += cost_of_statement(inner);
  });
  return cost;
}

bool has_slow_code(const Body& body) {
  return std::ranges::any_of(body.stmts, [](const Stmt& stmt) {
    bool found = is_slow(stmt.exp);
    for_each_body(stmt.exp, [&](const Body& inner) { found = found || has_slow_code(inner); });
    return found;
  });
}

void SumsMade::note(const Site& site, const WrittenShape& shape) {
  ++writes;
  along_outermost = along_outermost && !shape.summed.empty() && shape.summed[0] == 0;
  std::vector<Operand> widths;
  for (const size_t level : shape.summed) widths.push_back(as<Soac>(site.path[level]->exp)->width);
  if (std::ranges::find(summed, widths) == summed.end()) summed.push_back(std::move(widths));
  const auto& stmts = as<Soac>(site.path.back()->exp)->fn.body.stmts;
  statements = std::max(statements, static_cast<int64_t>(stmts.size()));
}

std::optional<int64_t> least_sum_for_writes(const SumsMade& sums, const WithAcc& nest,
                                            WithAcc& before) {
  if (!sums.along_outermost || only_accumulating_map(before) == nullptr) return std::nullopt;
  NameSet live;
  mark_live(nest.fn.body, nest.fn.body.result, live);
  int64_t repeated = 0;
  for (const auto& [name, cost] : sums.copied)
    if (live.contains(name)) repeated += cost;
  if (repeated <= sums.writes * kWrite) return std::nullopt;
  return sums.writes * least_statements_for_places() / std::max<int64_t>(sums.statements, 1);
}

}  // namespace skald::passes::ad
