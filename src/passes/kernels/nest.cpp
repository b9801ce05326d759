// SPDX-License-Identifier: Apache-2.0
// Perfect nests.
//
//   before   map(n, {xss}, \{row} -> let {r} = map(m, {row}, \{x} -> e) in {r})
//
//   after    dims {n, m}; pull \{i, j} -> let {row} = index(xss, [i]) let {x} = index(row, [j]) e
//
// Code between the levels is repeated at every point, so only a few cheap statements may stand
// there.
#include "passes/kernels/nest.h"

#include "analysis/parallelism.h"
#include "core/edit/builder.h"
#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/kernels/sequentialise_internal.h"

namespace skald::passes {

using namespace core;

namespace {

bool is_to_be_sequential(const Hints& hints) {
  return hints.sequential || hints.sequential_outer || hints.sequential_inner;
}

// The SOAC inside a map's lambda that makes a perfect nest, or null.  `local`: what the levels
// outside bind; those of this one are added.
const Soac* inner_soac(const Soac& outer, std::unordered_set<Name>& local) {
  if (!outer.is_map() || outer.fn.body.stmts.empty()) return nullptr;
  const Body& body = outer.fn.body;
  size_t cost = 0;
  for (size_t k = 0; k + 1 < body.stmts.size(); ++k) cost += repeat_cost(body.stmts[k]);
  if (cost > kRepeatUnit * kMaxRepeated) return nullptr;
  const Stmt& last = body.stmts.back();
  const Soac* inner = as<Soac>(last.exp);
  if (inner == nullptr || is_to_be_sequential(last.hints)) return nullptr;
  for (const Operator& op : inner->scans)
    if (!op.fn.params[0].type.is_scalar()) return nullptr;
  for (const Operator& op : inner->reduces)
    if (!op.fn.params[0].type.is_scalar()) return nullptr;
  for (const Param& p : inner->fn.params)
    if (p.type.kind == Type::kAcc) return nullptr;
  for (const Lambda& post : inner->post)
    for (const Param& p : post.params)
      if (!p.type.is_scalar()) return nullptr;
  // One kernel on a grid scans or reduces.
  const bool reduces = !inner->reduces.empty();
  if (reduces && !inner->scans.empty()) return nullptr;

  analysis::Ranks ranks;
  const auto bind = [&](const Param& p) {
    local.insert(p.name);
    if (p.type.is_array()) ranks.emplace(p.name, p.type.rank());
  };
  for (const Param& p : outer.fn.params) bind(p);
  for (size_t k = 0; k + 1 < body.stmts.size(); ++k) {
    // A check at every point would cost more than the loop it replaces.
    if (!analysis::is_repeatable(body.stmts[k], ranks) || as<Assert>(body.stmts[k].exp) != nullptr)
      return nullptr;
    for (const Param& p : body.stmts[k].pat) bind(p);
  }
  if (const Name* width = as_name(inner->width); width != nullptr && local.contains(*width))
    return nullptr;
  // The operators must make sense outside of all lambdas too.
  const auto is_free = [&](const Operator& op) {
    for (const Operand& ne : op.neutral)
      if (const Name* name = as_name(ne); name != nullptr && local.contains(*name)) return false;
    for (const Name name : free_names(op.fn))
      if (local.contains(name)) return false;
    return true;
  };
  for (const Operator& op : inner->scans)
    if (!is_free(op)) return nullptr;
  for (const Operator& op : inner->reduces)
    if (!is_free(op)) return nullptr;
  for (const Lambda& post : inner->post)
    for (const Name name : free_names(post))
      if (local.contains(name)) return nullptr;
  // The results of the map are exactly those of the inner SOAC.
  if (body.result.size() != last.pat.size()) return nullptr;
  for (size_t k = 0; k < body.result.size(); ++k) {
    const Name* name = as_name(body.result[k]);
    if (name == nullptr || !(*name == last.pat[k].name)) return nullptr;
  }
  return inner;
}

}  // namespace

size_t repeat_cost(const Stmt& stmt) {
  const Exp& exp = stmt.exp;
  bool cheap = as<Value>(exp) != nullptr || as<Select>(exp) != nullptr;
  if (const auto* e = as<BinOp>(exp))
    cheap = e->type == Prim::kI64 &&
            (e->op == BinOpKind::kAdd || e->op == BinOpKind::kSub || e->op == BinOpKind::kMul ||
             e->op == BinOpKind::kMin || e->op == BinOpKind::kMax);
  if (const auto* e = as<CmpOp>(exp)) cheap = e->type == Prim::kI64;
  const bool view = as<Index>(exp) != nullptr || as<Rearrange>(exp) != nullptr;
  if (view && stmt.pat[0].type.is_array()) cheap = true;
  return cheap && stmt.tokens.empty() ? 1 : kRepeatUnit;
}

NestShape nest_shape(const Soac& soac) {
  NestShape shape;
  std::unordered_set<Name> local;
  for (const Soac* at = &soac; at != nullptr; at = inner_soac(*at, local)) {
    shape.dims.push_back(at->width);
    shape.leaf = at;
  }
  return shape;
}

namespace {

// Without scans nothing stands between the mapped values and the post-body, so it becomes the end
// of the mapped function.
void fold_post(Soac& soac) {
  if (soac.post.empty() || !soac.scans.empty()) return;
  Lambda post = std::move(soac.post[0]);
  soac.post.clear();
  size_t reduced = 0;
  for (const Operator& op : soac.reduces) reduced += op.neutral.size();
  Body& body = soac.fn.body;
  Substitution subst;
  for (size_t k = 0; k < post.params.size(); ++k)
    subst.emplace(post.params[k].name, body.result[reduced + k]);
  substitute(post.body, subst);
  for (Stmt& stmt : post.body.stmts) body.stmts.push_back(std::move(stmt));
  body.result.resize(reduced);
  soac.fn.results.resize(reduced);
  for (const Operand& value : post.body.result) body.result.push_back(value);
  for (Ret& ret : post.results) soac.fn.results.push_back(std::move(ret));
}

}  // namespace

void fold_posts(Body& body) {
  for (Stmt& stmt : body.stmts) {
    for_each_body(stmt.exp, [](Body& inner) { fold_posts(inner); });
    if (Soac* soac = as<Soac>(stmt.exp)) fold_post(*soac);
  }
}

Soac last_soac(Builder& body, Lambda fn, const std::vector<Operand>& rows) {
  Stmt last = std::move(fn.body.stmts.back());
  fn.body.stmts.pop_back();
  fn.body.result.clear();
  Substitution subst;
  for (size_t k = 0; k < rows.size(); ++k) subst.emplace(fn.params[k].name, rows[k]);
  substitute(last, subst);
  inline_lambda(body, std::move(fn), rows);
  return std::move(*as<Soac>(last.exp));
}

Nest collect_nest(Soac soac, Program& prog, Loc loc) {
  Nest nest;
  const size_t depth = nest_shape(soac).dims.size();
  Builder body(prog);
  body.set_loc(loc);
  for (;;) {
    const Name index = prog.names.fresh("i");
    nest.dims.push_back(soac.width);
    nest.pull.params.push_back({index, scalar_type(Prim::kI64)});
    const bool deeper = nest.dims.size() < depth;
    if (!deeper) sequentialise(soac.fn.body, prog);
    const auto rows = read_rows(body, soac.inputs, soac.fn.params, index);
    if (!deeper) {
      nest.pull.results = std::move(soac.fn.results);
      nest.pull.body = Body({}, inline_lambda(body, std::move(soac.fn), rows));
      break;
    }
    soac = last_soac(body, std::move(soac.fn), rows);
  }
  nest.scans = std::move(soac.scans);
  nest.reduces = std::move(soac.reduces);
  nest.post = std::move(soac.post);
  std::vector<Operand> results = std::move(nest.pull.body.result);
  nest.pull.body = body.finish(std::move(results));
  return nest;
}

}  // namespace skald::passes
