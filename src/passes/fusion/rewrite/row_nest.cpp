// SPDX-License-Identifier: Apache-2.0
#include "passes/fusion/rewrite/row_nest.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/kernels/accumulators.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

// Short rows are no parallel code: a thread does them alone.
bool is_short(const Soac& soac) {
  const Const* width = as_const(soac.width);
  return width != nullptr && int_value(*width) <= static_cast<int64_t>(kMostWrites);
}

bool is_parallel(const Exp& exp) {
  if (const Soac* soac = as<Soac>(exp)) return !is_short(*soac);
  return as<Hist>(exp) != nullptr || as<Scatter>(exp) != nullptr || as<Partition>(exp) != nullptr ||
         as<FlatMap>(exp) != nullptr || as<WithAcc>(exp) != nullptr ||
         as<UpdateAcc>(exp) != nullptr || as<Call>(exp) != nullptr;
}

bool is_plain(const Stmt& stmt) {
  bool plain = !is_parallel(stmt.exp);
  for_each_body(stmt.exp, [&](const Body& body) {
    plain = plain && std::ranges::all_of(body.stmts, is_plain);
  });
  return plain;
}

std::optional<size_t> binder(const Body& body, const Operand& o) {
  const Name* name = as_name(o);
  for (size_t s = 0; s < body.stmts.size() && name != nullptr; ++s)
    for (const Param& p : body.stmts[s].pat)
      if (p.name == *name) return s;
  return std::nullopt;
}

std::optional<size_t> number_in(const std::vector<Param>& pat, const Operand& o) {
  for (size_t k = 0; k < pat.size(); ++k)
    if (o == Operand{pat[k].name}) return k;
  return std::nullopt;
}

bool has(const std::vector<size_t>& numbers, size_t number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

bool is_plain_map(const Stmt& stmt) {
  const Soac* soac = as<Soac>(stmt.exp);
  return soac != nullptr && soac->is_map() && stmt.hints.empty() &&
         std::ranges::all_of(soac->fn.params,
                             [](const Param& p) { return p.type.kind == Type::kArray; });
}

// The statement of a level that makes all results asked for, if it alone sees what is inside.
// `kept`: results that are needed besides.
std::optional<size_t> next_level(const Body& body, const std::vector<size_t>& values,
                                 const std::vector<size_t>& kept) {
  const std::optional<size_t> at = binder(body, body.result[values[0]]);
  if (!at || !is_plain_map(body.stmts[*at])) return std::nullopt;
  const std::vector<Param>& pat = body.stmts[*at].pat;
  const auto is_inside = [&](const Operand& o) { return number_in(pat, o).has_value(); };
  for (const size_t r : values)
    if (!is_inside(body.result[r])) return std::nullopt;
  for (const size_t r : kept)
    if (is_inside(body.result[r])) return std::nullopt;
  for (size_t s = 0; s < body.stmts.size(); ++s) {
    if (s == *at) continue;
    if (!is_plain(body.stmts[s])) return std::nullopt;
    for (const Name name : free_names(body.stmts[s]))
      if (is_inside(name)) return std::nullopt;
  }
  return at;
}

// Are these dimensions and all after them few columns?  None are.
bool is_short(const std::vector<Operand>& shape, size_t from) {
  int64_t columns = 1;
  for (; from < shape.size() && columns <= static_cast<int64_t>(kMostWrites); ++from) {
    const Const* width = as_const(shape[from]);
    if (width == nullptr) return false;
    columns *= int_value(*width);
  }
  return columns > 0 && columns <= static_cast<int64_t>(kMostWrites);
}

// Is a component of a bin updated by an operation that devices may have an instruction for?
bool updates_at_once(const Exp* exp) {
  const Hist* hist = as<Hist>(*exp);
  const auto is_instruction = [](const Stmt& stmt) {
    const BinOp* e = as<BinOp>(stmt.exp);
    using enum BinOpKind;
    return e != nullptr && (e->op == kAdd || e->op == kMin || e->op == kMax || e->op == kAnd ||
                            e->op == kOr || e->op == kXor);
  };
  return std::ranges::all_of(hist->ops, [&](const HistOp& op) {
    return op.op.fn.body.stmts.size() == op.dests.size() &&
           std::ranges::all_of(op.op.fn.body.stmts, is_instruction);
  });
}

}  // namespace

std::optional<RowNest> row_nest_of(const Stmt& stmt, const std::vector<Name>& arrays,
                                   const std::vector<bool>& needed) {
  RowNest nest;
  for (const Name array : arrays) nest.values.push_back(*number_in(stmt.pat, array));
  nest.shape = stmt.pat[nest.values[0]].type.shape;
  const Stmt* at = &stmt;
  while (true) {
    if (!is_plain_map(*at)) return std::nullopt;
    const Body& body = as<Soac>(at->exp)->fn.body;
    const bool last = nest.maps() == nest.shape.size();
    if (at == &stmt)
      for (size_t r = 0; r < body.result.size(); ++r)
        if (needed[r] && !has(nest.values, r)) nest.kept.push_back(r);
    const std::vector<size_t> kept = at == &stmt ? nest.kept : std::vector<size_t>();
    const std::optional<size_t> inner = last ? std::nullopt : next_level(body, nest.values, kept);
    if (!inner) {
      if (!std::ranges::all_of(body.stmts, is_plain) || !is_short(nest.shape, nest.maps()))
        return std::nullopt;
      if (last) nest.statements = static_cast<int64_t>(statement_count(body));
      return nest;
    }
    at = &body.stmts[*inner];
    nest.inner.push_back(*inner);
    for (size_t& value : nest.values) value = *number_in(at->pat, body.result[value]);
  }
}

size_t levels_kept(const RowNest& nest, const std::vector<const Exp*>& writers,
                   const Device& device) {
  int64_t statements = nest.statements;
  for (const Exp* writer : writers)
    for_each_body(*writer, [&](const Body& body) {
      statements += static_cast<int64_t>(statement_count(body));
    });
  const auto combines = [](const Exp* writer) { return as<Hist>(*writer) != nullptr; };
  size_t kept = nest.maps();
  if (kept < nest.shape.size() || !std::ranges::all_of(writers, combines) ||
      (device.groups && !std::ranges::all_of(writers, updates_at_once)))
    return kept;
  for (int64_t writes = 1; kept > 1; --kept) {
    const Const* width = as_const(nest.shape[kept - 1]);
    if (width == nullptr || int_value(*width) < 1) break;
    writes *= int_value(*width);
    if (writes > static_cast<int64_t>(kMostWrites) || writes * statements > device.fused_statements)
      break;
  }
  return kept;
}

bool has_short_rows(const RowNest& nest) {
  return nest.maps() == nest.shape.size() && is_short(nest.shape, nest.shape.size() - 1);
}

}  // namespace skald::passes::fusion
