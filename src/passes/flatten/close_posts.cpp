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
// An element of an array of the levels outside is read in the function, and handed over too.
// The size of an array that the post-body uses, takes or returns stays what it is: the array's type
// names it.
#include "passes/flatten/close_posts.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"

namespace skald::passes {

using namespace core;

namespace {

// What functions of parallel operations bind, with types.
using Locals = std::unordered_map<Name, Type>;

std::vector<Name> scalars_to_hand_over(const Lambda& post, const Locals& local) {
  std::vector<Name> needed;
  std::unordered_set<Name> sizes;
  const auto add_sizes = [&](const Type& type) {
    for (const Operand& size : type.shape)
      if (const Name* s = as_name(size); s != nullptr) sizes.insert(*s);
  };
  for (const Param& p : post.params) add_sizes(p.type);
  for (const auto& result : post.results) add_sizes(result.type);
  for (const Name name : free_names(post)) {
    const auto found = local.find(name);
    if (found == local.end()) continue;
    if (found->second.is_scalar()) needed.push_back(name);
    add_sizes(found->second);
  }
  std::erase_if(needed, [&](Name name) { return sizes.contains(name); });
  return needed;
}

// Reads of local arrays that are the same at all points, from the post-body into the function.
void move_reads(Soac& soac, Locals& local) {
  Lambda& post = soac.post[0];
  std::unordered_set<Name> own;
  for (const Param& p : post.params) own.insert(p.name);
  std::vector<Stmt> kept;
  for (Stmt& stmt : post.body.stmts) {
    const auto* read = as<Index>(stmt.exp);
    const auto free = free_names(stmt);
    const bool moves = read != nullptr && stmt.pat[0].type.is_scalar() &&
                       local.contains(read->array) &&
                       std::ranges::none_of(free, [&](Name name) { return own.contains(name); });
    for (const Param& p : stmt.pat) {
      if (moves)
        local.emplace(p.name, p.type);
      else
        own.insert(p.name);
    }
    (moves ? soac.fn.body.stmts : kept).push_back(std::move(stmt));
  }
  post.body.stmts = std::move(kept);
}

void close_post(Soac& soac, Locals& local, Program& prog, PassContext& ctx) {
  if (soac.scans.empty() || soac.post.empty()) return;
  Lambda& post = soac.post[0];
  move_reads(soac, local);
  std::vector<Name> needed = scalars_to_hand_over(post, local);
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

// Names are unique, so `local` only grows.
void close_inside(Body& body, Locals& local, bool inside, Program& prog, PassContext& ctx) {
  const auto bind = [&](const Param& p) { local.emplace(p.name, p.type); };
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
  Locals local;
  close_inside(body, local, false, prog, ctx);
}

}  // namespace skald::passes
