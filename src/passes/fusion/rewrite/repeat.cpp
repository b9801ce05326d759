// SPDX-License-Identifier: Apache-2.0
// Rule 1 for several consumers that cannot be one: a cheap map is computed again for each.
//
//   before   let {is} = map(n, {ms}, \{m} -> convert m)
//            let {h} = hist(n, {is, …}, …)        let {s} = soac(n, {is, …}, scan …)
//
//   after    let {is} = map(n, {ms}, \{m} -> convert m)     let {h} = hist(n, {is, …}, …)
//            let {js} = map(n, {ms}, \{m} -> convert m)     let {s} = soac(n, {js, …}, scan …)
//
// Fusion then takes each into its consumer, and the array is never stored.  Only where the inputs
// have no more bytes than the results, so that nobody reads more than before; where all results are
// read row by row, by operations that may take the map; and where these cannot all be one anyway.
// What becomes one after all is found by common subexpressions.
#include "passes/fusion/rewrite/repeat.h"

#include <algorithm>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/fusion/graph/region.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

constexpr size_t kMaxCheap = 2;      // statements
constexpr size_t kMaxCopies = 4;     // of one map
constexpr size_t kLargeBody = 1000;  // statements; such blocks do without

bool is_cheap(const Stmt& stmt) {
  if (!stmt.tokens.empty()) return false;
  if (const auto* e = as<BinOp>(stmt.exp)) {
    using enum BinOpKind;
    return e->op == kAdd || e->op == kSub || e->op == kMul || e->op == kMin || e->op == kMax ||
           e->op == kAnd || e->op == kOr || e->op == kXor;
  }
  return as<Convert>(stmt.exp) != nullptr || as<CmpOp>(stmt.exp) != nullptr ||
         as<Select>(stmt.exp) != nullptr || as<Bitcast>(stmt.exp) != nullptr;
}

bool may_repeat(const Stmt& stmt) {
  const Soac* e = as<Soac>(stmt.exp);
  if (e == nullptr || !e->scans.empty() || !e->reduces.empty() || !stmt.hints.empty() ||
      !stmt.tokens.empty() || e->fn.body.stmts.size() > kMaxCheap)
    return false;
  int64_t in = 0, out = 0;
  for (const Param& p : e->fn.params) {
    if (!p.type.is_scalar()) return false;
    in += prim_size(p.type.elem);
  }
  for (const Ret& r : e->fn.results) {
    if (!r.type.is_scalar()) return false;
    out += prim_size(r.type.elem);
  }
  return in <= out && std::ranges::all_of(e->fn.body.stmts, is_cheap);
}

// The readers that shall have maps of their own: all but the first.  None if that is not worth it.
std::vector<Node> readers_apart(const Region& region, Node map) {
  const NodeInfo& info = region.nodes()[static_cast<size_t>(map)];
  Cluster readers;
  for (size_t r = 0; r < info.readers.size(); ++r) {
    if (info.used_otherwise[r] || info.readers[r].empty()) return {};
    readers.insert(readers.end(), info.readers[r].begin(), info.readers[r].end());
  }
  std::ranges::sort(readers);
  readers.erase(std::ranges::unique(readers).begin(), readers.end());
  if (readers.size() < 2 || readers.size() > kMaxCopies) return {};
  for (const Node reader : readers) {
    const bool may = std::ranges::any_of(region.problem().pairs, [&](const Pair& p) {
      return p.vertical && p.a == map && p.b == reader;
    });
    // Alone with its reader the map gives nothing else, so little can stand in the way.
    const NodeInfo& taker = region.nodes()[static_cast<size_t>(reader)];
    if (!may || !(taker.width == info.width) || (taker.has_scans && !taker.scalar_rows)) return {};
  }
  Cluster all = readers;
  all.insert(all.begin(), map);
  if (!region.why_not(all)) return {};
  readers.erase(readers.begin());
  return readers;
}

void replace_input(Exp& exp, const std::unordered_map<Name, Name>& copies) {
  const auto in = [&](std::vector<Name>& inputs) {
    for (Name& input : inputs)
      if (const auto copy = copies.find(input); copy != copies.end()) input = copy->second;
  };
  if (Soac* e = as<Soac>(exp)) in(e->inputs);
  if (Hist* e = as<Hist>(exp)) in(e->inputs);
  if (Scatter* e = as<Scatter>(exp)) in(e->inputs);
  if (Partition* e = as<Partition>(exp)) in(e->inputs);
  if (FlatMap* e = as<FlatMap>(exp)) in(e->inputs);
}

}  // namespace

void repeat_cheap_maps(Body& body, Program& prog, analysis::Aliases& aliases, PassContext& ctx) {
  if (body.stmts.size() > kLargeBody || std::ranges::none_of(body.stmts, may_repeat)) return;
  std::vector<std::pair<size_t, Stmt>> copies;  // before which statement
  {
    const Region region(body, prog, aliases, ctx.device());
    if (region.nodes().size() < 3) return;
    std::unordered_set<Name> consumed;
    for (const Stmt& stmt : body.stmts) consumed.merge(aliases.consumed(stmt));
    for (Node map = 0; map < region.problem().nodes; ++map) {
      const size_t at = region.nodes()[static_cast<size_t>(map)].stmt;
      if (!may_repeat(body.stmts[at])) continue;
      bool stays = true;
      for (const Name input : as<Soac>(body.stmts[at].exp)->inputs)
        for (const Name root : aliases.roots(input)) stays = stays && !consumed.contains(root);
      if (!stays) continue;
      for (const Node reader : readers_apart(region, map)) {
        if (!ctx.may_rewrite("repeat-map")) break;
        Substitution none;
        copies.emplace_back(region.nodes()[static_cast<size_t>(reader)].stmt,
                            copy_with_fresh_names(body.stmts[at], prog.names, none));
        std::unordered_map<Name, Name> names;
        for (size_t r = 0; r < body.stmts[at].pat.size(); ++r)
          names.emplace(body.stmts[at].pat[r].name, copies.back().second.pat[r].name);
        replace_input(body.stmts[copies.back().first].exp, names);
      }
    }
  }
  std::ranges::stable_sort(copies, {}, &std::pair<size_t, Stmt>::first);
  for (size_t k = copies.size(); k-- > 0;) {
    aliases.add(copies[k].second);
    body.stmts.insert(body.stmts.begin() + static_cast<ptrdiff_t>(copies[k].first),
                      std::move(copies[k].second));
  }
}

}  // namespace skald::passes::fusion
