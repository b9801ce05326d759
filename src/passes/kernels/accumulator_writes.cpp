// SPDX-License-Identifier: Apache-2.0
// Maps whose iterations write once to each of their accumulators.
//
//   before   map(n, {xs, acc}, \{x, a} -> let {b} = update_acc(a, {i}, {v}) in {b})
//   after    map(n, {xs, acc}, \{x, a} -> {i, v})            the writes are a sink of the kernel
#include <algorithm>

#include "core/free_names.h"
#include "core/visit.h"
#include "passes/kernels/accumulators.h"

namespace skald::passes {

using namespace core;

namespace {

// The index of the only statement of `body` that mentions `acc`, if that is a write to it.
std::optional<size_t> only_write(const Body& body, Name acc) {
  std::optional<size_t> found;
  for (size_t k = 0; k < body.stmts.size(); ++k) {
    if (!free_names(body.stmts[k]).contains(acc)) continue;
    const UpdateAcc* update = as<UpdateAcc>(body.stmts[k].exp);
    if (found || update == nullptr || !(update->acc == acc)) return std::nullopt;
    found = k;
  }
  return found;
}

}  // namespace

bool writes_once(const Soac& soac) {
  if (!soac.is_map()) return false;
  std::vector<Name> written;
  for (const Param& p : soac.fn.params) {
    if (p.type.kind != Type::kAcc) continue;
    for (const Type& elem : p.type.acc_elems)
      if (!elem.is_scalar()) return false;
    const std::optional<size_t> write = only_write(soac.fn.body, p.name);
    if (!write) return false;
    written.push_back(soac.fn.body.stmts[*write].pat[0].name);
  }
  // Nothing follows a write, and each is a result.
  for (const Stmt& stmt : soac.fn.body.stmts) {
    const auto used = free_names(stmt);
    for (const Name name : written)
      if (used.contains(name)) return false;
  }
  size_t returned = 0;
  for (const Operand& result : soac.fn.body.result)
    for (const Name name : written) returned += result == Operand{name} ? 1 : 0;
  return returned == written.size();
}

AccumulatorWrites take_writes(Stmt& stmt) {
  Soac& soac = *as<Soac>(stmt.exp);
  Body& body = soac.fn.body;
  AccumulatorWrites taken;
  std::vector<Ret> results;
  std::vector<Operand> values;
  std::vector<Param> pat;
  for (size_t r = 0; r < body.result.size(); ++r) {
    if (soac.fn.results[r].type.kind != Type::kAcc) continue;
    const Name written = std::get<Name>(body.result[r]);
    const auto at = std::ranges::find_if(
        body.stmts, [&](const Stmt& s) { return s.pat.size() == 1 && s.pat[0].name == written; });
    const UpdateAcc& update = *as<UpdateAcc>(at->exp);
    const auto param =
        std::ranges::find_if(soac.fn.params, [&](const Param& p) { return p.name == update.acc; });
    taken.writes.push_back(
        {soac.inputs[static_cast<size_t>(param - soac.fn.params.begin())], param->type});
    for (const Operand& index : update.indices) {
      results.push_back({{}, scalar_type(Prim::kI64)});
      values.push_back(index);
    }
    for (size_t k = 0; k < update.values.size(); ++k) {
      results.push_back({{}, param->type.acc_elems[k]});
      values.push_back(update.values[k]);
    }
    pat.push_back(stmt.pat[r]);
    body.stmts.erase(at);
  }
  for (size_t r = 0; r < body.result.size(); ++r) {
    if (soac.fn.results[r].type.kind == Type::kAcc) continue;
    results.push_back(soac.fn.results[r]);
    values.push_back(body.result[r]);
    pat.push_back(stmt.pat[r]);
  }
  soac.fn.results = std::move(results);
  body.result = std::move(values);
  stmt.pat = std::move(pat);
  return taken;
}

}  // namespace skald::passes
