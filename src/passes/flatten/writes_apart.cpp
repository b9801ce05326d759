// SPDX-License-Identifier: Apache-2.0
// Maps that compute and write, as maps that compute and nests that write.
//
//   before   map(n, {zs, a}, \{z, a} -> …
//              soac(k, {ys, a}, \{y, a} -> … update_acc(a, {i}, {v}) … {r, a}, reduce …) …)
//
//   after    map(n, {zs}, \{z} -> … soac(k, {ys}, \{y} -> … {r}, reduce …) … {…, s})
//            map(n, {ss, a}, \{s, a} -> map(k, {ys, a}, \{y, a} -> … update_acc(a, {i}, {v})))
//
// The first is like other code: flattening sees it.  The second is one histogram over all points of
// the nest, of which the accumulator otherwise would allow only one iteration after the other. What
// the writes need is computed again if it is cheap; otherwise the first nest keeps it (s).
//
//   before   loop {x = x0, a' = a} for j < k do … update_acc(a', {i}, {v}) … {x', a''}
//   after    loop {x = x0, is, vs} for j < k do … {x', is with [j] = i, vs with [j] = v}
//            map(k, {is, vs, a}, \{i, v, a} -> update_acc(a, {i}, {v}))
//
// For devices.  On a cpu such nests run in chunks with arrays of their own (sums_in_chunks.cpp).
//
// Known limits: while loops, calls and branches around maps are not taken apart, nor are loops
// whose number of rounds is computed inside.
//
// Tests: tests/golden/passes/flatten/writes_apart*.core, tests/programs/accumulators
#include "passes/flatten/writes_apart.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include "analysis/parallelism.h"
#include "core/edit/builder.h"
#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "core/scalar/operator_class.h"
#include "passes/kernels/accumulators.h"
#include "passes/kernels/sequentialise_internal.h"
#include "passes/kernels/straighten.h"

namespace skald::passes {

using namespace core;

namespace {

// So many statements are computed again rather than that one value is kept, and so many writes
// belong to one kernel.
constexpr size_t kMostRepeated = 24, kMostTogether = 8;

bool holds_accumulator(const Type& type) {
  return type.kind == Type::kAcc;
}
bool gives_acc(const Stmt& stmt) {
  return std::ranges::any_of(stmt.pat, [](const Param& p) { return holds_accumulator(p.type); });
}
bool adds_scalars(const AccInput& input) {
  if (input.op.empty()) return false;
  return std::ranges::all_of(input.op[0].fn.params,
                             [](const Param& p) { return p.type.is_scalar(); });
}

// Statements that only write, one after the other, to some accumulators of a scope.
struct Writes {
  std::vector<Stmt> stmts;
  std::vector<Name> accs;   // what they are called where the scope begins
  std::vector<Type> types;  // of these
  std::vector<Name> last;   // what they are called after the last write
};

void collect_bound(const Body& body, NameSet& bound) {
  for (const Stmt& stmt : body.stmts) {
    for (const Param& p : stmt.pat) bound.insert(p.name);
    for_each_param(stmt.exp, [&](const Param& p) { bound.insert(p.name); });
    for_each_body(stmt.exp, [&](const Body& inner) { collect_bound(inner, bound); });
  }
}

// What is kept of one round or iteration, and how the writes get it.
struct Kept {
  std::vector<Param> values;
  bool has(Name name) const {
    return std::ranges::any_of(values, [&](const Param& p) { return p.name == name; });
  }
};

// One map, with all that is inside.
class Apart {
 public:
  Apart(Program& prog, Builder& before) : prog_(prog), before_(before) {}

  // The values and the writes; nothing if it cannot be done.  What all iterations share goes
  // before. `roots`: by the map's accumulators, then also by those of its results, what it takes.
  std::optional<std::vector<Writes>> map(Stmt& stmt, std::optional<Stmt>& values,
                                         std::map<Name, Name>& roots) {
    const Soac& soac = *as<Soac>(stmt.exp);
    for (const Param& p : soac.fn.params) inside_.insert(p.name);
    collect_bound(soac.fn.body, inside_);
    consumed_ = analysis::consumed_names(soac.fn.body, prog_);
    std::vector<Writes> all;
    if (!nested(stmt, roots, values, all)) return std::nullopt;
    return all;
  }

 private:
  bool is_outside(const Operand& operand) const {
    const Name* name = as_name(operand);
    return name == nullptr || !inside_.contains(*name);
  }
  bool is_outside(const Type& type) const {
    return std::ranges::all_of(type.shape, [&](const Operand& dim) { return is_outside(dim); });
  }

  // What does not depend on iterations, and is not updated by them, may come before all.
  bool is_same_everywhere(const Stmt& stmt) const {
    return analysis::is_total(stmt) &&
           std::ranges::none_of(free_names(stmt), [&](Name n) { return inside_.contains(n); }) &&
           std::ranges::none_of(stmt.pat,
                                [&](const Param& p) { return consumed_.contains(p.name); });
  }

  // Takes the writes out of a body.  `roots`: by what an accumulator is called, what it is called
  // where the body begins.
  bool take(Body& body, std::map<Name, Name>& roots, std::vector<Writes>& all) {
    Builder kept(prog_);
    Writes together;
    const auto flush = [&] {
      if (!together.stmts.empty()) all.push_back(std::exchange(together, {}));
    };
    for (Stmt& stmt : body.stmts) {
      if (!gives_acc(stmt)) {
        const bool same = is_same_everywhere(stmt);
        if (same)
          for (const Param& p : stmt.pat) inside_.erase(p.name);
        (same ? before_ : kept).append(std::move(stmt));
        continue;
      }
      if (const auto* value = as<Value>(stmt.exp)) {
        roots.emplace(stmt.pat[0].name, roots.at(std::get<Name>(value->arg)));
      } else if (as<UpdateAcc>(stmt.exp) != nullptr) {
        if (together.stmts.size() >= kMostTogether) flush();
        update(kept, std::move(stmt), roots, together);
      } else {
        flush();
        std::optional<Stmt> values;
        const bool done = as<Soac>(stmt.exp) != nullptr   ? nested(stmt, roots, values, all)
                          : as<Loop>(stmt.exp) != nullptr ? loop(kept, stmt, roots, values, all)
                                                          : false;
        if (!done) return false;
        if (values) kept.append(std::move(*values));
      }
    }
    flush();
    std::vector<Operand> results = std::move(body.result);
    body = kept.finish(std::move(results));
    return true;
  }

  void update(Builder& kept, Stmt stmt, std::map<Name, Name>& roots, Writes& together) {
    UpdateAcc& node = *as<UpdateAcc>(stmt.exp);
    const Name root = roots.at(node.acc);
    roots.emplace(stmt.pat[0].name, root);
    if (!stmt.tokens.empty()) {
      kept.set_loc(stmt.loc);
      node.indices[0] = kept.let1(scalar_type(Prim::kI64), Value{node.indices[0]}, "checked",
                                  std::exchange(stmt.tokens, {}));
      inside_.insert(std::get<Name>(node.indices[0]));
    }
    const auto known = std::ranges::find(together.accs, root);
    const auto at = static_cast<size_t>(known - together.accs.begin());
    if (known == together.accs.end()) {
      together.accs.push_back(root);
      together.types.push_back(stmt.pat[0].type);
      together.last.push_back(root);
    }
    node.acc = together.last[at];
    together.last[at] = stmt.pat[0].name;
    together.stmts.push_back(std::move(stmt));
  }

  // ---- slices

  // The statements of `body` that the writes need and that are cheap, and what else they need.
  // `bound`: by name, the parameters and statements of the scope.
  struct Slice {
    std::vector<const Stmt*> stmts;
    std::vector<Param> params, kept;
  };
  struct Scope {
    const Body* body;
    std::vector<Param> params;  // that can be had again without being kept
    std::vector<Param> states;  // that cannot
    bool checked;               // may reads depend on a check of the whole statement?
  };

  bool is_cheap(const Stmt& stmt, const Scope& scope) const {
    if (!stmt.tokens.empty() || stmt.pat.size() != 1) return false;
    if (is_scalar_operator(stmt.exp))
      return operator_class(stmt.exp) < machine::OperatorClass::kDivision;
    if (as<Select>(stmt.exp) != nullptr) return true;
    if (as<Index>(stmt.exp) == nullptr && as<Rearrange>(stmt.exp) == nullptr) return false;
    if (scope.checked || consumed_.contains(stmt.pat[0].name)) return false;
    return std::ranges::none_of(free_names(stmt),
                                [&](Name name) { return consumed_.contains(name); });
  }

  // Adds what `name` needs to the slice; false if it costs too much.
  bool repeat(Name name, const Scope& scope, const std::map<Name, size_t>& made, NameSet& seen,
              std::vector<size_t>& repeated, NameSet& leaves, size_t& budget) const {
    const auto at = made.find(name);
    if (at == made.end() || !seen.insert(name).second) return true;
    const Stmt& stmt = scope.body->stmts[at->second];
    if (!is_cheap(stmt, scope)) {
      leaves.insert(name);
      return true;
    }
    if (budget-- == 0) return false;
    repeated.push_back(at->second);
    for (const Name needed : free_names(stmt))
      if (!repeat(needed, scope, made, seen, repeated, leaves, budget)) return false;
    return true;
  }

  Slice slice(const Writes& writes, const Scope& scope) const {
    std::map<Name, size_t> made;
    for (size_t k = 0; k < scope.body->stmts.size(); ++k)
      for (const Param& p : scope.body->stmts[k].pat) made.emplace(p.name, k);
    NameSet needed, all;
    for (const Stmt& stmt : writes.stmts) needed.merge(free_names(stmt));
    std::vector<size_t> order;
    NameSet leaves;
    for (const Name name : needed) {
      NameSet seen, own_leaves;
      std::vector<size_t> own;
      size_t budget = kMostRepeated;
      if (!repeat(name, scope, made, seen, own, own_leaves, budget)) {
        leaves.insert(name);
        continue;
      }
      order.insert(order.end(), own.begin(), own.end());
      leaves.merge(own_leaves);
    }
    std::ranges::sort(order);
    order.erase(std::ranges::unique(order).begin(), order.end());
    Slice result;
    for (const size_t k : order) {
      const Stmt& stmt = scope.body->stmts[k];
      if (leaves.contains(stmt.pat[0].name)) continue;
      result.stmts.push_back(&stmt);
      all.merge(free_names(stmt));
    }
    for (const Name name : needed) all.insert(name);
    for (const Param& p : scope.params)
      if (all.contains(p.name)) result.params.push_back(p);
    for (const Param& p : scope.states)
      if (all.contains(p.name)) result.kept.push_back(p);
    for (const Stmt& stmt : scope.body->stmts)
      for (const Param& p : stmt.pat)
        if (leaves.contains(p.name)) result.kept.push_back(p);
    return result;
  }

  // ---- maps and loops

  // A map over the writes of all iterations.  `arrays`: by parameter, where it comes from.
  Writes around(const Writes& writes, const Slice& slice, const Operand& width,
                const std::map<Name, Name>& arrays, const std::map<Name, Name>& outer, Loc loc) {
    Soac soac;
    soac.width = width;
    Writes result;
    Stmt stmt;
    stmt.loc = loc;
    Lambda fn;
    for (const auto* params : {&slice.params, &slice.kept})
      for (const Param& p : *params) {
        soac.inputs.push_back(arrays.at(p.name));
        fn.params.push_back(p);
      }
    Body body;
    for (const Stmt* each : slice.stmts) {
      body.stmts.push_back(
          {each->pat, copy_with_fresh_names(each->exp, prog_.names), {}, {}, each->loc});
    }
    for (const Stmt& each : writes.stmts)
      body.stmts.push_back(
          {each.pat, copy_with_fresh_names(each.exp, prog_.names), {}, {}, each.loc});
    for (size_t k = 0; k < writes.accs.size(); ++k) {
      soac.inputs.push_back(outer.at(writes.accs[k]));
      fn.params.push_back({writes.accs[k], writes.types[k]});
      fn.results.push_back({{}, writes.types[k]});
      body.result.emplace_back(writes.last[k]);
      result.accs.push_back(outer.at(writes.accs[k]));
      result.types.push_back(writes.types[k]);
      result.last.push_back(prog_.names.fresh_like(writes.last[k]));
      inside_.insert(result.last.back());
      stmt.pat.push_back({result.last.back(), writes.types[k]});
    }
    fn.body = std::move(body);
    soac.fn = copy_with_fresh_names(fn, prog_.names);
    for (const Param& p : soac.fn.params) inside_.insert(p.name);
    stmt.exp = std::move(soac);
    result.stmts.push_back(std::move(stmt));
    return result;
  }

  // Names that are kept become arrays; false if their sizes are not known outside.
  bool keep(const std::vector<Slice>& slices, const Operand& width, std::vector<Param>& kept,
            std::map<Name, Name>& arrays) {
    for (const Slice& slice : slices)
      for (const Param& p : slice.kept) {
        if (arrays.contains(p.name)) continue;
        if (p.type.kind != Type::kArray || !is_outside(p.type) || !is_outside(width)) return false;
        kept.push_back(p);
        arrays.emplace(p.name, prog_.names.fresh_like(p.name));
        inside_.insert(arrays.at(p.name));
      }
    return true;
  }

  static Type rows_of(const Operand& count, const Type& row) {
    std::vector<Operand> shape = {count};
    shape.insert(shape.end(), row.shape.begin(), row.shape.end());
    return array_of(shape, scalar_type(row.elem));
  }

  bool nested(Stmt& stmt, std::map<Name, Name>& roots, std::optional<Stmt>& values,
              std::vector<Writes>& all) {
    Soac& soac = *as<Soac>(stmt.exp);
    if (!soac.scans.empty() || !soac.post.empty()) return false;
    std::map<Name, Name> inner_roots, outer, arrays;
    Scope scope{&soac.fn.body, {}, {}, !stmt.tokens.empty()};
    for (size_t k = 0; k < soac.inputs.size(); ++k) {
      const Param& p = soac.fn.params[k];
      if (holds_accumulator(p.type)) {
        inner_roots.emplace(p.name, p.name);
        outer.emplace(p.name, roots.at(soac.inputs[k]));
      } else {
        // What is consumed is not there any more.
        (consumed_.contains(p.name) ? scope.states : scope.params).push_back(p);
        arrays.emplace(p.name, soac.inputs[k]);
      }
    }
    if (!scope.states.empty()) return false;
    std::vector<Writes> inner;
    if (!take(soac.fn.body, inner_roots, inner)) return false;
    std::vector<Slice> slices;
    for (const Writes& writes : inner) slices.push_back(slice(writes, scope));
    size_t folded = 0;
    for (const Operator& op : soac.reduces) folded += op.neutral.size();
    // What the map gives anyway need not be kept again.
    for (size_t k = folded; k < stmt.pat.size(); ++k)
      if (const Name* name = as_name(soac.fn.body.result[k]);
          name != nullptr && !holds_accumulator(stmt.pat[k].type) && is_outside(stmt.pat[k].type))
        arrays.emplace(*name, stmt.pat[k].name);
    std::vector<Param> kept;
    if (!keep(slices, soac.width, kept, arrays)) return false;
    for (size_t k = 0; k < inner.size(); ++k)
      all.push_back(around(inner[k], slices[k], soac.width, arrays, outer, stmt.loc));
    std::vector<Param> pat;
    std::vector<Ret> results;
    std::vector<Operand> given;
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      if (holds_accumulator(stmt.pat[k].type)) {
        const Name root = inner_roots.at(std::get<Name>(soac.fn.body.result[k]));
        roots.emplace(stmt.pat[k].name, outer.at(root));
        continue;
      }
      pat.push_back(stmt.pat[k]);
      results.push_back(soac.fn.results[k]);
      given.push_back(soac.fn.body.result[k]);
    }
    for (const Param& p : kept) {
      pat.push_back({arrays.at(p.name), rows_of(soac.width, p.type)});
      results.push_back({{}, p.type});
      given.emplace_back(p.name);
    }
    // A check of the whole would be lost.
    if (pat.empty()) return stmt.tokens.empty();
    for (size_t k = soac.inputs.size(); k-- > 0;) {
      if (!holds_accumulator(soac.fn.params[k].type)) continue;
      soac.inputs.erase(soac.inputs.begin() + static_cast<std::ptrdiff_t>(k));
      soac.fn.params.erase(soac.fn.params.begin() + static_cast<std::ptrdiff_t>(k));
    }
    soac.fn.results = std::move(results);
    soac.fn.body.result = std::move(given);
    stmt.pat = std::move(pat);
    values = std::move(stmt);
    return true;
  }

  // The number of rounds, and the numbers of all rounds, before everything.
  std::pair<Operand, Name> rounds(const Loop& node) {
    const Prim prim = node.var.type.elem;
    const Operand count = before_.convert(prim, Prim::kI64, node.bound, "count");
    const Operand width = before_.binop(BinOpKind::kMax, Prim::kI64, count, const_i64(0), "width");
    const Name numbers =
        before_.let1(array_of(width, node.var.type),
                     Iota{prim, width, const_int(prim, 0), const_int(prim, 1)}, "rounds");
    return {width, numbers};
  }

  bool loop(Builder& before, Stmt& stmt, std::map<Name, Name>& roots, std::optional<Stmt>& values,
            std::vector<Writes>& all) {
    Loop& node = *as<Loop>(stmt.exp);
    if (node.form != Loop::kFor || !is_outside(node.bound)) return false;
    const auto [width, numbers] = rounds(node);
    std::map<Name, Name> inner_roots, outer, arrays = {{node.var.name, numbers}};
    Scope scope{&node.body, {node.var}, {}, !stmt.tokens.empty()};
    std::vector<LoopParam> params;
    std::vector<Param> pat;
    std::vector<Operand> results;
    for (size_t k = 0; k < node.params.size(); ++k) {
      LoopParam& p = node.params[k];
      if (holds_accumulator(p.param.type)) {
        inner_roots.emplace(p.param.name, p.param.name);
        outer.emplace(p.param.name, roots.at(std::get<Name>(p.init)));
        roots.emplace(stmt.pat[k].name, outer.at(p.param.name));
        continue;
      }
      scope.states.push_back(p.param);
      params.push_back(std::move(p));
      pat.push_back(stmt.pat[k]);
      results.push_back(node.body.result[k]);
    }
    std::vector<Writes> inner;
    if (!take(node.body, inner_roots, inner)) return false;
    std::vector<Slice> slices;
    for (const Writes& writes : inner) slices.push_back(slice(writes, scope));
    std::vector<Param> kept;
    if (!keep(slices, width, kept, arrays)) return false;
    for (size_t k = 0; k < inner.size(); ++k)
      all.push_back(around(inner[k], slices[k], width, arrays, outer, stmt.loc));
    before.set_loc(stmt.loc);
    Builder round(prog_);
    round.set_loc(stmt.loc);
    for (Stmt& each : node.body.stmts) round.append(std::move(each));
    const Operand index = round.convert(node.var.type.elem, Prim::kI64, node.var.name, "round");
    for (const Param& p : kept) {
      const Type type = rows_of(width, p.type);
      const Name start = before.let1(type, Scratch{type.elem, type.shape}, "kept");
      const Name carried = prog_.names.fresh_like(arrays.at(p.name));
      inside_.insert(start);
      params.push_back({{carried, type, true}, start});
      pat.push_back({arrays.at(p.name), type});
      results.push_back(write_row(round, type, carried, {index}, p.name));
    }
    if (pat.empty()) return stmt.tokens.empty();
    node.params = std::move(params);
    node.body = round.finish(std::move(results));
    stmt.pat = std::move(pat);
    values = std::move(stmt);
    return true;
  }

  Program& prog_;
  Builder& before_;
  NameSet inside_;
  std::unordered_set<Name> consumed_;
};

// Host code, with the accumulators that add.
class HostCode {
 public:
  HostCode(Program& prog, PassContext& ctx) : prog_(prog), ctx_(ctx) {}

  void body(Body& body) {
    Builder out(prog_);
    for (Stmt& stmt : body.stmts) {
      if (WithAcc* node = as<WithAcc>(stmt.exp)) {
        for (size_t k = 0; k < node->inputs.size(); ++k)
          if (adds_scalars(node->inputs[k])) adds_.insert(node->fn.params[k].name);
      } else if (gives_acc(stmt) && all_add(stmt)) {
        for (const Param& p : stmt.pat)
          if (holds_accumulator(p.type)) adds_.insert(p.name);
        if (const auto* loop = as<Loop>(stmt.exp))
          for (const LoopParam& p : loop->params)
            if (holds_accumulator(p.param.type)) adds_.insert(p.param.name);
        if (map(out, stmt)) continue;
      }
      if (as<WithAcc>(stmt.exp) != nullptr || as<Loop>(stmt.exp) != nullptr ||
          as<If>(stmt.exp) != nullptr)
        for_each_body(stmt.exp, [&](Body& inner) { this->body(inner); });
      out.append(std::move(stmt));
    }
    body = out.finish(std::move(body.result));
  }

 private:
  // Do all accumulators that go into a statement add?
  bool all_add(const Stmt& stmt) const {
    if (const auto* soac = as<Soac>(stmt.exp)) {
      for (size_t k = 0; k < soac->inputs.size(); ++k)
        if (holds_accumulator(soac->fn.params[k].type) && !adds_.contains(soac->inputs[k]))
          return false;
      return true;
    }
    if (const auto* loop = as<Loop>(stmt.exp)) {
      for (const LoopParam& p : loop->params)
        if (holds_accumulator(p.param.type) && !adds_.contains(std::get<Name>(p.init)))
          return false;
      return true;
    }
    const auto* update = as<UpdateAcc>(stmt.exp);
    return update != nullptr && adds_.contains(update->acc);
  }

  bool map(Builder& out, Stmt& stmt) {
    const Soac* soac = as<Soac>(stmt.exp);
    if (soac == nullptr || stmt.hints.sequential || stmt.hints.sequential_outer ||
        stmt.hints.sequential_inner)
      return false;
    const auto adds = [](Name) { return true; };
    Stmt copy{stmt.pat, copy_with_fresh_names(stmt.exp, prog_.names), stmt.tokens, stmt.hints,
              stmt.loc};
    straighten_writes(prog_, as<Soac>(copy.exp)->fn.body, adds);
    if (writes_several_times(*as<Soac>(copy.exp), adds) || !ctx_.may_rewrite()) return false;
    Builder before(prog_);
    before.set_loc(stmt.loc);
    std::vector<Param> pat;
    for (size_t k = 0; k < stmt.pat.size(); ++k)
      if (holds_accumulator(stmt.pat[k].type)) pat.push_back(stmt.pat[k]);
    std::map<Name, Name> current;
    for (size_t k = 0; k < soac->inputs.size(); ++k)
      if (holds_accumulator(soac->fn.params[k].type))
        current.emplace(soac->inputs[k], soac->inputs[k]);
    std::optional<Stmt> values;
    std::map<Name, Name> roots = current;
    auto all = Apart(prog_, before).map(copy, values, roots);
    if (!all) return false;
    for (Stmt& each : before.stmts()) out.append(std::move(each));
    if (values) out.append(std::move(*values));
    for (Writes& writes : *all) {
      Stmt& each = writes.stmts[0];
      Soac& nest = *as<Soac>(each.exp);
      each.tokens = stmt.tokens;
      for (size_t k = 0; k < nest.inputs.size(); ++k)
        if (holds_accumulator(nest.fn.params[k].type)) nest.inputs[k] = current.at(nest.inputs[k]);
      for (size_t k = 0; k < writes.accs.size(); ++k) current.at(writes.accs[k]) = writes.last[k];
      for (const Name last : writes.last) adds_.insert(last);
      out.append(std::move(each));
    }
    for (const Param& p : pat) out.let_pat({p}, Value{current.at(roots.at(p.name))});
    return true;
  }

  Program& prog_;
  PassContext& ctx_;
  NameSet adds_;
};

}  // namespace

void take_writes_apart(Body& body, Program& prog, PassContext& ctx) {
  if (ctx.device().reduces_by_segments) HostCode(prog, ctx).body(body);
}

}  // namespace skald::passes
