// SPDX-License-Identifier: Apache-2.0
// Rule 2: a map whose result is read at computed places moves to these places.
//
//   before   let {ys} = map(n, {xs}, \{x} -> f in {y})
//            let {zs} = map(m, {is}, \{i} -> … let {a} = ys[i] …)
//
//   after    let {zs} = map(m, {is}, \{i} -> … let {x} = xs[i] f let {a} = y …)
//
// Only cheap functions, read at few places, none of them inside a further loop; the work is done
// again at every place.  The check that made ys[i] safe makes xs[i] safe: the sizes are the same.
// The inputs must not be consumed in the block, because they are now read later.
#include "passes/fusion/gather.h"

#include <algorithm>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/fusion/shape.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

constexpr size_t kMaxRepeatedStatements = 6;
// Places times inputs.
constexpr size_t kMaxReads = 6;

struct Candidate {
  size_t stmt = 0;
  size_t result = 0;
  size_t uses = 0, reads = 0;
};
using Candidates = std::unordered_map<Name, Candidate>;

bool is_scalar_read(const Stmt& stmt) {
  const Index* e = as<Index>(stmt.exp);
  return e != nullptr && stmt.pat[0].type.is_scalar() && e->slice.size() == 1 &&
         e->slice[0].is_index;
}

// Some operators take as long as dozens of others.
bool is_slow(const Stmt& stmt) {
  if (const UnOp* e = as<UnOp>(stmt.exp))
    return e->op != UnOpKind::kNeg && e->op != UnOpKind::kNot && e->op != UnOpKind::kAbs &&
           e->op != UnOpKind::kSgn;
  if (const BinOp* e = as<BinOp>(stmt.exp))
    return e->op == BinOpKind::kPow || e->op == BinOpKind::kAtan2 || e->op == BinOpKind::kAtan2Pi ||
           e->op == BinOpKind::kHypot;
  return false;
}

bool is_cheap_map(const Stmt& stmt) {
  const Soac* soac = as<Soac>(stmt.exp);
  if (soac == nullptr || !soac->is_map() || !stmt.tokens.empty() || !stmt.hints.empty())
    return false;
  return soac->inputs.size() <= 2 && soac->fn.body.stmts.size() <= kMaxRepeatedStatements &&
         is_speculatable(soac->fn.body) && std::ranges::none_of(soac->fn.body.stmts, is_slow) &&
         std::ranges::all_of(soac->fn.params, [](const Param& p) { return p.type.is_scalar(); }) &&
         std::ranges::all_of(soac->fn.results, [](const Ret& r) { return r.type.is_scalar(); });
}

// `depth`: how many bodies are around us, counted from the block; branches inside others do not
// count.
void count(const Body& body, Candidates& candidates, int depth) {
  for (const Stmt& stmt : body.stmts) {
    for_each_operand(stmt.exp, [&](const Operand& o) {
      const Name* name = as_name(o);
      const auto found = name == nullptr ? candidates.end() : candidates.find(*name);
      if (found == candidates.end()) return;
      ++found->second.uses;
      // A read in the block itself is done once; it stays, and so does the map.
      if (depth == 1 && is_scalar_read(stmt)) ++found->second.reads;
    });
    const int inside = depth + (depth > 0 && as<If>(stmt.exp) != nullptr ? 0 : 1);
    for_each_body(stmt.exp, [&](const Body& inner) { count(inner, candidates, inside); });
  }
  for (const Operand& o : body.result)
    if (const Name* name = as_name(o))
      if (const auto found = candidates.find(*name); found != candidates.end())
        ++found->second.uses;
}

class Inline {
 public:
  Inline(Program& prog, const Body& block, const Candidates& chosen)
      : prog_(prog), block_(block), chosen_(chosen) {}

  void in(Body& body) {
    std::vector<Stmt> out;
    for (Stmt& stmt : body.stmts) {
      for_each_body(stmt.exp, [&](Body& inner) { in(inner); });
      const Index* e = as<Index>(stmt.exp);
      const auto found = e == nullptr ? chosen_.end() : chosen_.find(e->array);
      if (found == chosen_.end())
        out.push_back(std::move(stmt));
      else
        expand(out, std::move(stmt), found->second);
    }
    body.stmts = std::move(out);
  }

 private:
  void expand(std::vector<Stmt>& out, Stmt stmt, const Candidate& candidate) {
    const Soac& producer = *as<Soac>(block_.stmts[candidate.stmt].exp);
    const std::vector<DimSlice> slice = as<Index>(stmt.exp)->slice;
    Substitution subst;
    for (size_t k = 0; k < producer.inputs.size(); ++k) {
      const Name row = prog_.names.fresh_like(producer.fn.params[k].name);
      Stmt read{{}, Index{producer.inputs[k], slice}, stmt.tokens, {}, stmt.loc};
      read.pat.push_back({row, producer.fn.params[k].type});
      out.push_back(std::move(read));
      subst.emplace(producer.fn.params[k].name, row);
    }
    Body copy = copy_with_fresh_names(producer.fn.body, prog_.names, std::move(subst));
    for (Stmt& inner : copy.stmts) out.push_back(std::move(inner));
    stmt.exp = Value{copy.result[candidate.result]};
    out.push_back(std::move(stmt));
  }

  Program& prog_;
  const Body& block_;
  const Candidates& chosen_;
};

}  // namespace

void inline_gathers(Body& body, Program& prog, analysis::Aliases& aliases, PassContext& ctx) {
  Candidates candidates;
  for (size_t s = 0; s < body.stmts.size(); ++s)
    if (is_cheap_map(body.stmts[s]))
      for (size_t r = 0; r < body.stmts[s].pat.size(); ++r)
        candidates[body.stmts[s].pat[r].name] = {s, r};
  if (candidates.empty()) return;
  count(body, candidates, 0);
  std::unordered_set<Name> consumed;
  for (const Stmt& stmt : body.stmts) consumed.merge(aliases.consumed(stmt));
  Candidates chosen;
  for (size_t s = 0; s < body.stmts.size(); ++s)
    for (const Param& p : body.stmts[s].pat) {
      const auto found = candidates.find(p.name);
      if (found == candidates.end() || found->second.stmt != s) continue;
      const Candidate& c = found->second;
      const Soac& soac = *as<Soac>(body.stmts[s].exp);
      if (c.uses == 0 || c.uses != c.reads ||
          c.reads * std::max<size_t>(soac.inputs.size(), 1) > kMaxReads)
        continue;
      bool safe = true;
      for (const Name input : soac.inputs) {
        // One at a time: an input that is itself chosen would have to be expanded again.
        safe = safe && !chosen.contains(input);
        for (const Name root : aliases.roots(input)) safe = safe && !consumed.contains(root);
      }
      if (safe && ctx.may_rewrite("gather")) chosen.emplace(p.name, c);
    }
  if (chosen.empty()) return;
  // The block stays as it is while copies are taken from it; nested code is rewritten in place.
  Inline rewrite(prog, body, chosen);
  for (Stmt& stmt : body.stmts) for_each_body(stmt.exp, [&](Body& inner) { rewrite.in(inner); });
}

}  // namespace skald::passes::fusion
