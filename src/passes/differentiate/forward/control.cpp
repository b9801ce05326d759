// SPDX-License-Identifier: Apache-2.0
// Branches and loops in forward mode.
#include "core/ir/visit.h"
#include "passes/differentiate/forward/forward.h"

namespace skald::passes::ad {

//   y = if c then a else b   →   y, y' = if c then a, a' else b, b'
void Forward::branch(Stmt stmt, Emit& out) {
  If& e = *as<If>(stmt.exp);
  for (Body* side : {&e.then_body, &e.else_body}) {
    Emit in(session_, stmt.loc);
    std::vector<Operand> results = side->result;
    body(*side, in);
    for (size_t k = 0; k < stmt.pat.size(); ++k)
      if (active(stmt.pat[k].name) && stmt.pat[k].type.kind != Type::kAcc)
        results.push_back(tangent(results[k], in));
    *side = in.finish(std::move(results));
  }
  stmt.pat = with_tangents(stmt.pat);
  out.append(std::move(stmt));
}

//   loop x = a do f(x)   →   loop x = a, x' = a' do f(x), f'(x) x'
void Forward::loop(Stmt stmt, Emit& out) {
  Loop& e = *as<Loop>(stmt.exp);
  const size_t n = e.params.size();
  for (size_t k = 0; k < n; ++k) {
    if (retype(e.params[k].param)) continue;
    const Param param = e.params[k].param;
    if (!active(param.name)) continue;
    Operand init = tangent(e.params[k].init, out);
    e.params.push_back({.param = tangent_param(param), .init = init});
  }
  Emit in(session_, stmt.loc);
  std::vector<Operand> results = e.body.result;
  body(e.body, in);
  const auto wanted = [&](size_t k) {
    const Param& param = e.params[k].param;
    return active(param.name) && param.type.kind != Type::kAcc;
  };
  for (size_t k = 0; k < n; ++k)
    if (wanted(k)) results.push_back(tangent(results[k], in));
  e.body = in.finish(std::move(results));
  std::vector<Param> pat = stmt.pat;
  for (size_t k = 0; k < n; ++k)
    if (!retype(pat[k]) && wanted(k)) pat.push_back(tangent_param(stmt.pat[k]));
  stmt.pat = std::move(pat);
  out.append(std::move(stmt));
}

}  // namespace skald::passes::ad
