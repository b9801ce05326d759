// SPDX-License-Identifier: Apache-2.0
// A post-body in a nest gets what it needs of the levels outside as values.
//
//   before   map(n, {as, xss}, \{a, xs} ->
//              let {ys} = soac(m, {xs}, \{x} -> {x}, scan op, post \{s} -> {s * a}) …)
//
//   after    map(n, {as, xss}, \{a, xs} ->
//              let {ys} = soac(m, {xs}, \{x} -> {x, a}, scan op, post \{s, b} -> {s * b}) …)
//
// The kernel of a nest computes the levels outside in its thunk, and its post-function gets nothing
// but values.  Without this the scan would not be a level of the nest, and would run sequentially.
#include "passes/flatten/close_posts.h"

#include <algorithm>

#include "core/rename.h"
#include "core/visit.h"

namespace skald::passes {

using namespace core;

namespace {

using Scalars = std::unordered_map<Name, Type>;

void close_post(Soac& soac, const Scalars& local, Program& prog, PassContext& ctx) {
  if (soac.scans.empty() || soac.post.empty()) return;
  Lambda& post = soac.post[0];
  std::vector<Name> needed;
  for (const Name name : free_names(post))
    if (local.contains(name)) needed.push_back(name);
  if (needed.empty() || !ctx.may_rewrite("close-post")) return;
  std::ranges::sort(needed);
  Substitution handed;
  for (const Name name : needed) {
    const Type& type = local.at(name);
    soac.fn.results.push_back({{}, type});
    soac.fn.body.result.emplace_back(name);
    const Name param = prog.names.fresh_like(name);
    post.params.push_back({param, type});
    handed.emplace(name, param);
  }
  substitute(post.body, handed);
}

// `local` is what functions of parallel operations bind; names are unique, so it only grows.
void close_inside(Body& body, Scalars& local, bool inside, Program& prog, PassContext& ctx) {
  const auto bind = [&](const Param& p) {
    if (p.type.is_scalar()) local.emplace(p.name, p.type);
  };
  for (Stmt& stmt : body.stmts) {
    Soac* soac = as<Soac>(stmt.exp);
    if (soac != nullptr && inside) close_post(*soac, local, prog, ctx);
    const bool deeper = inside || soac != nullptr;
    if (deeper) for_each_param(stmt.exp, bind);
    for_each_body(stmt.exp, [&](Body& b) { close_inside(b, local, deeper, prog, ctx); });
    if (inside)
      for (const Param& p : stmt.pat) bind(p);
  }
}

}  // namespace

void close_posts(Body& body, Program& prog, PassContext& ctx) {
  Scalars local;
  close_inside(body, local, false, prog, ctx);
}

}  // namespace skald::passes
