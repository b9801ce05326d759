// SPDX-License-Identifier: Apache-2.0
// Accumulators in forward mode: one that holds tangents beside values, and combines pairs.
#include "core/ir/visit.h"
#include "passes/differentiate/forward/forward.h"

namespace skald::passes::ad {

Type Forward::acc_type(const Type& acc) const {
  Type both = acc;
  for (const Type& elem : acc.acc_elems)
    if (carries(elem)) both.acc_elems.push_back(elem);
  return both;
}

bool Forward::retype(Param& param) {
  if (param.type.kind != Type::kAcc || !active(param.name)) return false;
  param.type = acc_type(param.type);
  session_.types.insert_or_assign(param.name, param.type);
  return true;
}

void Forward::with_acc(Stmt stmt, Emit& out) {
  WithAcc& e = *as<WithAcc>(stmt.exp);
  std::vector<Param> pat;
  size_t at = 0;
  for (size_t k = 0; k < e.inputs.size(); ++k) {
    AccInput& input = e.inputs[k];
    const size_t n = input.arrays.size();
    for (size_t j = 0; j < n; ++j) pat.push_back(stmt.pat[at + j]);
    if (active(e.fn.params[k].name)) {
      std::vector<bool> wanted;
      for (size_t j = 0; j < n; ++j) {
        wanted.push_back(carries(session_.type_of(input.arrays[j])));
        if (!wanted[j]) continue;
        input.arrays.push_back(std::get<Name>(tangent(input.arrays[j], out)));
        pat.push_back(tangent_param(stmt.pat[at + j]));
      }
      for (Operator& op : input.op) {
        // The neutral element may be left out.
        const bool neutral = !op.neutral.empty();
        if (!neutral) op.neutral.resize(n, const_i64(0));
        pair_operator(op, wanted, stmt.loc);
        if (!neutral) op.neutral.clear();
        for (size_t j = 0; j < n && neutral; ++j)
          if (wanted[j]) op.neutral.push_back(tangent(op.neutral[j], out));
      }
      retype(e.fn.params[k]);
      e.fn.results[k].type = e.fn.params[k].type;
    }
    at += n;
  }
  Emit in(session_, stmt.loc);
  std::vector<Operand> results = e.fn.body.result;
  const size_t m = results.size();
  body(e.fn.body, in);
  pat.insert(pat.end(), stmt.pat.begin() + static_cast<ptrdiff_t>(at), stmt.pat.end());
  for (size_t k = e.inputs.size(); k < m; ++k, ++at) {
    if (!active(results[k])) continue;
    results.push_back(tangent(results[k], in));
    e.fn.results.push_back({.type = e.fn.results[k].type});
    pat.push_back(tangent_param(stmt.pat[at]));
  }
  e.fn.body = in.finish(std::move(results));
  stmt.pat = std::move(pat);
  out.append(std::move(stmt));
}

void Forward::update_acc(Stmt stmt, Emit& out) {
  UpdateAcc& e = *as<UpdateAcc>(stmt.exp);
  const std::vector<Operand> values = e.values;
  for (const Operand& value : values)
    if (carries(session_.type_of(value))) e.values.push_back(tangent(value, out));
  retype(stmt.pat[0]);
  out.append(std::move(stmt));
}

}  // namespace skald::passes::ad
