// SPDX-License-Identifier: Apache-2.0
// Histograms over flattened arrays that a nest in the same block makes (rule 10: a flat domain and
// a grid of the same points).
//
//   before   let {iss, vss} = map(n, {xs}, \{x} -> … map(4, {ks}, f) …)
//            let {is} = reshape([k], iss)
//            let {vs} = reshape([k], vss)
//            let {h} = hist(k, {is, vs}, to [m] {dest} with op, g)
//
//   after    let {h} = with_acc(acc [m] {dest} with op, \{a} ->
//              map(n, {a, xs}, \{b, x} -> …
//                let {c} = update_acc(b, g(f(0))) … let {d} = update_acc(c, g(f(1))) …))
//
// Nothing is stored between.  Rows of a few columns are written out, so the code of a row runs once
// for all its columns; longer ones are one more level of the nest.  An array that is not from the
// nest is read row by row.
//
// Scatters likewise, if rows have a few columns: which of several writes to one place survives is
// open anyway.  Their columns stay a level.
//
// Only where nobody else needs the arrays: those would be stored anyway.
#include "passes/fusion/rewrite/flat_hist.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/fusion/graph/shape.h"
#include "passes/fusion/rewrite/row_writes.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

bool writes(const Exp& exp) {
  return as<Hist>(exp) != nullptr || as<Scatter>(exp) != nullptr;
}

bool writes_scalars(const Stmt& stmt) {
  if (!stmt.hints.empty()) return false;
  if (const Scatter* scatter = as<Scatter>(stmt.exp))
    return takes_scalars(scatter->fn) && std::ranges::all_of(scatter->fn.results, [](const Ret& r) {
             return r.type.is_scalar();
           });
  const Hist& hist = *as<Hist>(stmt.exp);
  return takes_scalars(hist.fn) &&
         std::ranges::all_of(hist.ops, [](const HistOp& op) { return takes_scalars(op.op.fn); });
}

// What a histogram or scatter needs besides its inputs.
NameSet needed_whole(const Exp& exp) {
  NameSet names;
  for_each_body(exp, [&](const Body& body) { names.merge(free_names(body)); });
  if (const Hist* hist = as<Hist>(exp))
    for (const HistOp& op : hist->ops) names.insert(op.dests.begin(), op.dests.end());
  else
    for (const ScatterDest& dest : as<Scatter>(exp)->dests) names.insert(dest.dest);
  return names;
}

// Where things are needed in the block.
struct Block {
  explicit Block(const Body& body) {
    for (size_t s = 0; s < body.stmts.size(); ++s)
      for (const Name name : free_names(body.stmts[s])) users[name].push_back(s);
    for (const Operand& o : body.result)
      if (const Name* name = as_name(o)) users[*name].push_back(body.stmts.size());
  }
  std::unordered_map<Name, std::vector<size_t>> users;  // one beyond the last: the result
};

// A nest and the histograms over what it makes.
struct Found {
  size_t nest = 0;
  std::vector<Name> arrays;                  // of the nest
  std::vector<size_t> views, hists;          // statements, in order
  std::unordered_map<Name, size_t> of_view;  // which array it is of
  bool needed = false;                       // by others
};

class Finder {
 public:
  Finder(const Body& body, analysis::Aliases& aliases)
      : body_(body), block_(body), aliases_(aliases) {}

  // All that go over arrays of the nest that is statement `nest`; none if there are none.
  Found around(size_t nest) {
    Found found{nest, {}, {}, {}, {}};
    for (const Param& p : body_.stmts[nest].pat)
      if (p.type.rank() >= 2) add(found, p.name);
    sort(found.views);
    sort(found.hists);
    return found;
  }

  // Does no level of the nest update rows that it is given in place?
  bool keeps_rows(const Stmt& outer, const RowNest& nest) {
    const Stmt* at = &outer;
    for (const size_t inner : nest.inner) {
      at = &as<Soac>(at->exp)->fn.body.stmts[inner];
      if (consumes(*at)) return false;
    }
    return true;
  }

  // Why the nest cannot write; nothing if it can.
  std::optional<std::string> why_not(const Found& found) {
    for (const Name array : found.arrays)
      if (!(shape_of(array, found.nest) == shape_of(found.arrays[0], found.nest)))
        return "rows of different lengths are flattened";
    for (const size_t h : found.hists) {
      if (!writes_scalars(body_.stmts[h])) return "it has hints, or works on arrays";
      for (const Name name : needed_whole(body_.stmts[h].exp))
        if (found.of_view.contains(name)) return "it needs the rows as a whole, too";
    }
    if (found.needed) return "others need the rows, too";
    if (!may_move(found))
      return "something between needs what is found, or consumes what the nest reads";
    return std::nullopt;
  }

  // Which results of a statement does anybody need?
  std::vector<bool> needed_results(size_t stmt) const {
    std::vector<bool> needed;
    for (const Param& p : body_.stmts[stmt].pat) needed.push_back(block_.users.contains(p.name));
    return needed;
  }

 private:
  NameSet roots(const Stmt& stmt) const {
    NameSet all;
    for (const Name name : free_names(stmt))
      for (const Name root : aliases_.roots(name)) all.insert(root);
    return all;
  }

  // Something from outside.
  bool consumes(const Stmt& stmt) {
    const NameSet outside = roots(stmt);
    const auto consumed = aliases_.consumed(stmt);
    return std::ranges::any_of(consumed, [&](Name name) { return outside.contains(name); });
  }

  static void sort(std::vector<size_t>& numbers) {
    std::ranges::sort(numbers);
    numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
  }

  const std::vector<Operand>& shape_of(Name array, size_t stmt) const {
    const auto& pat = body_.stmts[stmt].pat;
    return std::ranges::find(pat, array, &Param::name)->type.shape;
  }

  // Is the array flattened for histograms?  And for nothing else?
  void add(Found& found, Name array) {
    const auto users = block_.users.find(array);
    if (users == block_.users.end()) return;
    std::vector<size_t> hists, views;
    bool needed = false;
    for (const size_t view : users->second) {
      const Reshape* e = view < body_.stmts.size() ? as<Reshape>(body_.stmts[view].exp) : nullptr;
      if (e == nullptr || e->shape.size() != 1 || !body_.stmts[view].tokens.empty()) {
        needed = true;
        continue;
      }
      views.push_back(view);
      const auto readers = block_.users.find(body_.stmts[view].pat[0].name);
      if (readers == block_.users.end()) continue;
      for (const size_t reader : readers->second) {
        const bool counts = reader < body_.stmts.size() && writes(body_.stmts[reader].exp);
        if (counts) hists.push_back(reader);
        needed = needed || !counts;
      }
    }
    if (hists.empty()) return;
    for (const size_t view : views) {
      found.of_view.emplace(body_.stmts[view].pat[0].name, found.arrays.size());
      found.views.push_back(view);
    }
    found.hists.insert(found.hists.end(), hists.begin(), hists.end());
    found.arrays.push_back(array);
    found.needed = found.needed || needed;
  }

  // May all be where the last histogram is?  What others read of it comes too late then, and what
  // they consume of its arrays is gone.
  bool may_move(const Found& found) {
    const size_t last = found.hists.back();
    std::vector<size_t> moved = found.hists;
    moved.back() = found.nest;
    if (consumes(body_.stmts[found.nest])) return false;
    return std::ranges::all_of(moved, [&](size_t from) {
      const Stmt& stmt = body_.stmts[from];
      const NameSet read = roots(stmt);
      for (size_t s = from + 1; s <= last; ++s) {
        const auto consumed = aliases_.consumed(body_.stmts[s]);
        if (std::ranges::any_of(consumed, [&](Name n) { return read.contains(n); })) return false;
      }
      return std::ranges::all_of(stmt.pat, [&](const Param& p) {
        const auto users = block_.users.find(p.name);
        if (users == block_.users.end()) return true;
        return std::ranges::all_of(users->second, [&](size_t user) {
          return user > last || std::ranges::binary_search(found.views, user);
        });
      });
    });
  }

  const Body& body_;
  Block block_;
  analysis::Aliases& aliases_;
};

FlatWrites flat_writes(Exp exp) {
  FlatWrites flat;
  if (Hist* hist = as<Hist>(exp)) {
    flat.fn = std::move(hist->fn);
    flat.inputs = std::move(hist->inputs);
    for (HistOp& op : hist->ops) {
      flat.dests.push_back({std::move(op.shape), std::move(op.dests), {}});
      flat.dests.back().op.push_back(std::move(op.op));
    }
    return flat;
  }
  Scatter& scatter = *as<Scatter>(exp);
  flat.fn = std::move(scatter.fn);
  flat.inputs = std::move(scatter.inputs);
  for (ScatterDest& dest : scatter.dests)
    flat.dests.push_back({std::move(dest.shape), {dest.dest}, {}});
  return flat;
}

std::vector<FlatWrites> take_writes(Body& body, const Found& found) {
  std::vector<FlatWrites> all;
  for (const size_t s : found.hists) {
    all.push_back(flat_writes(std::move(body.stmts[s].exp)));
    all.back().pat = std::move(body.stmts[s].pat);
    for (const Name input : all.back().inputs) {
      const auto view = found.of_view.find(input);
      all.back().values.push_back(view == found.of_view.end() ? std::nullopt
                                                              : std::optional(view->second));
    }
  }
  return all;
}

// A nest that can write, and how.
struct Plan {
  Found found;
  RowNest nest;
  size_t levels = 0;
};

// Nothing if the nest makes nothing for histograms, or cannot write.
std::optional<Plan> plan_for(Finder& finder, const Body& body, size_t nest, PassContext& ctx,
                             const std::function<void(const Found&, std::string_view)>& refuse) {
  Plan plan{finder.around(nest), {}};
  if (plan.found.arrays.empty()) return std::nullopt;
  const auto no = [&](std::string_view why) {
    refuse(plan.found, why);
    return std::nullopt;
  };
  if (const auto why = finder.why_not(plan.found)) return no(*why);
  std::optional<RowNest> rows =
      row_nest_of(body.stmts[nest], plan.found.arrays, finder.needed_results(nest));
  if (!rows || !finder.keeps_rows(body.stmts[nest], *rows))
    return no("rows are made by more than maps of scalar code");
  plan.nest = std::move(*rows);
  std::vector<const Exp*> writers;
  for (const size_t h : plan.found.hists) writers.push_back(&body.stmts[h].exp);
  const auto overwrites = [](const Exp* exp) { return as<Scatter>(*exp) != nullptr; };
  if (std::ranges::any_of(writers, overwrites) && !has_short_rows(plan.nest))
    return no("a scatter is part of nests with short rows only");
  plan.levels = levels_kept(plan.nest, writers, ctx.device());
  if (plan.levels > 1 && !plan.nest.kept.empty()) return no("the nest gives more");
  return plan;
}

void rewrite(Body& body, Program& prog, const Plan& plan) {
  const Found& found = plan.found;
  Stmt& nest = body.stmts[found.nest];
  const size_t last = found.hists.back();
  Stmt whole{
      std::move(nest.pat), std::move(nest.exp), std::move(nest.tokens), {}, body.stmts[last].loc};
  for (const size_t h : found.hists)
    whole.tokens.insert(whole.tokens.end(), body.stmts[h].tokens.begin(),
                        body.stmts[h].tokens.end());
  std::vector<Stmt> made;
  Stmt written =
      with_writes(prog, std::move(whole), plan.nest, plan.levels, take_writes(body, found), made);
  made.push_back(std::move(written));
  std::vector<Stmt> out;
  for (size_t k = 0; k < body.stmts.size(); ++k) {
    const bool gone = k == found.nest || std::ranges::binary_search(found.views, k) ||
                      std::ranges::binary_search(found.hists, k);
    if (!gone) out.push_back(std::move(body.stmts[k]));
    if (k != last) continue;
    for (Stmt& each : made) out.push_back(std::move(each));
  }
  body.stmts = std::move(out);
}

}  // namespace

void unflatten_histograms(Body& body, Program& prog, analysis::Aliases& aliases, PassContext& ctx) {
  const auto counts = [](const Stmt& stmt) { return writes(stmt.exp); };
  const auto flattens = [](const Stmt& stmt) { return as<Reshape>(stmt.exp) != nullptr; };
  if (std::ranges::none_of(body.stmts, counts) || std::ranges::none_of(body.stmts, flattens))
    return;
  const auto refuse = [&](const Found& found, std::string_view why) {
    if (!ctx.explains()) return;
    const Stmt& hist = body.stmts[found.hists[0]];
    ctx.explain(fmt::format("not fused: {} and the nest that makes its rows ({}): {}",
                            prog.names.text(hist.pat[0].name),
                            prog.locs[prog.locs.outside_prelude(hist.loc)].text, why));
  };
  std::optional<Finder> finder(std::in_place, body, aliases);
  for (size_t s = 0; s < body.stmts.size(); ++s) {
    if (as<Soac>(body.stmts[s].exp) == nullptr) continue;
    const std::optional<Plan> plan = plan_for(*finder, body, s, ctx, refuse);
    if (!plan || !ctx.may_rewrite("unflatten-histogram")) continue;
    rewrite(body, prog, *plan);
    for (const Stmt& each : body.stmts) aliases.add(each);
    finder.emplace(body, aliases);
    // What stood behind the nest is there now.
    --s;
  }
}

}  // namespace skald::passes::fusion
