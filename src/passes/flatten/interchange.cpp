// SPDX-License-Identifier: Apache-2.0
// Loops and branches inside a map change places with it.
//
//   before   map(n, {xss}, \{row} -> loop {r = row} for i < k do map(m, {r}, …))
//   after    loop {rs = xss} for i < k do map(n, {rs}, \{r} -> map(m, {r}, …))
//
// A loop needs a bound that is the same for all iterations of the map.  A branch whose condition is
// the same for all goes outside; otherwise the iterations are sorted into two batches, each
// side runs on its batch (not at all if that is empty), and the results are put back in place:
//
//   cs:      t f f t          batches: {0, 3} {1, 2}
//   then on rows 0, 3    else on rows 1, 2    scatter both into the result
#include "core/ir/visit.h"
#include "passes/flatten/distribute.h"

namespace skald::passes {

using namespace core;

namespace {

std::vector<const Stmt*> pointers(const Body& body) {
  std::vector<const Stmt*> result;
  for (const Stmt& stmt : body.stmts) result.push_back(&stmt);
  return result;
}

}  // namespace

void Distribution::store_operands(const std::vector<Operand>& operands) {
  std::vector<Param> values;
  for (const Operand& operand : operands) {
    const Name* name = as_name(operand);
    if (name == nullptr || !local_.contains(*name) || lifted_.contains(*name)) continue;
    const Param value{*name, types_.at(*name)};
    const auto known = [&](const Param& p) { return p.name == *name; };
    if (std::find_if(values.begin(), values.end(), known) == values.end()) values.push_back(value);
  }
  store({}, values);
}

void Distribution::loop(const Stmt& stmt) {
  const Loop& inner = *as<Loop>(stmt.exp);
  std::vector<Operand> inits;
  for (const LoopParam& p : inner.params) inits.push_back(p.init);
  store_operands(inits);

  Loop outer;
  outer.form = Loop::kFor;
  outer.var = {prog_.names.fresh_like(inner.var.name), inner.var.type};
  outer.bound = inner.bound;
  Substitution subst;
  subst.emplace(inner.var.name, outer.var.name);
  std::vector<std::pair<Param, Name>> bound;
  std::vector<Type> types;
  std::unordered_set<Name> taken(map_.inputs.begin(), map_.inputs.end());
  for (const LoopParam& p : inner.params) {
    const Type rows = array_of(map_.width, p.param.type);
    const Name name = prog_.names.fresh_like(p.param.name);
    Operand init = lift(p.init, p.param.type);
    if (flat_.loops_need_own_arrays() && !taken.insert(*as_name(init)).second)
      init = out_->let1(rows, Copy{*as_name(init)}, "own");
    // A new array for every round: the map makes one anyway, unless the row is updated in place.
    outer.params.push_back({{name, rows, p.param.unique}, init});
    bound.emplace_back(p.param, name);
    types.push_back(p.param.type);
  }
  Builder body(prog_);
  body.set_loc(stmt.loc);
  Builder* const before = out_;
  out_ = &body;
  Soac map = capture(pointers(inner.body), inner.body.result, types, bound, std::move(subst));
  std::vector<Operand> results = flat_.append_map(body, std::move(map), stmt.loc);
  out_ = before;
  outer.body = body.finish(std::move(results));
  std::vector<Param> pat;
  for (const Param& p : stmt.pat) {
    pat.push_back({prog_.names.fresh_like(p.name), array_of(map_.width, p.type)});
    lifted_[p.name] = pat.back().name;
  }
  out_->let_pat(std::move(pat), std::move(outer));
}

void Distribution::branch(const Stmt& stmt) {
  const If& inner = *as<If>(stmt.exp);
  const Name* cond = as_name(inner.cond);
  if (cond != nullptr && local_.contains(*cond)) return branch_by_batches(stmt, inner);
  const auto side = [&](const Body& body) {
    std::vector<Type> types;
    for (const Param& p : stmt.pat) types.push_back(p.type);
    Builder inside(prog_);
    inside.set_loc(stmt.loc);
    Builder* const before = out_;
    out_ = &inside;
    Soac map = capture(pointers(body), body.result, std::move(types), {}, {});
    std::vector<Operand> results = flat_.append_map(inside, std::move(map), stmt.loc);
    out_ = before;
    return inside.finish(std::move(results));
  };
  Body then_body = side(inner.then_body);
  Body else_body = side(inner.else_body);
  std::vector<Param> pat;
  for (const Param& p : stmt.pat) {
    pat.push_back({prog_.names.fresh_like(p.name), array_of(map_.width, p.type)});
    lifted_[p.name] = pat.back().name;
  }
  out_->let_pat(std::move(pat), If{inner.cond, std::move(then_body), std::move(else_body)});
}

void Distribution::branch_by_batches(const Stmt& stmt, const If& node) {
  const Type i64 = scalar_type(Prim::kI64), boolean = scalar_type(Prim::kBool);
  store_operands({node.cond});
  const Operand lifted = lift(node.cond, boolean);
  const Name conds = *as_name(lifted);
  const Name iota = out_->let1(array_of(map_.width, i64),
                               Iota{Prim::kI64, map_.width, const_i64(0), const_i64(1)}, "all");
  Partition sort;
  sort.width = map_.width;
  sort.classes = 2;
  sort.inputs = {iota, conds};
  {
    Builder body(prog_);
    const Name i = prog_.names.fresh("i"), c = prog_.names.fresh("c");
    sort.fn.params = {{i, i64}, {c, boolean}};
    const Name side = body.let1(i64, Select{c, const_i64(0), const_i64(1)}, "side");
    sort.fn.results = {{{}, i64}, {{}, i64}};
    sort.fn.body = body.finish({side, i});
  }
  const Name counts[2] = {prog_.names.fresh("batch"), prog_.names.fresh("batch")};
  const Name members[2] = {prog_.names.fresh("members"), prog_.names.fresh("members")};
  out_->let_pat({{counts[0], i64},
                 {counts[1], i64},
                 {members[0], array_of(counts[0], i64)},
                 {members[1], array_of(counts[1], i64)}},
                std::move(sort));

  std::vector<Name> targets;
  for (const Param& p : stmt.pat) {
    Type rows = array_of(map_.width, p.type);
    Scratch scratch{rows.elem, rows.shape};
    targets.push_back(out_->let1(std::move(rows), std::move(scratch), "merged"));
  }
  const Body* const sides[2] = {&node.then_body, &node.else_body};
  for (size_t s = 0; s < 2; ++s) {
    // The side on its batch, if there is one.
    std::vector<Type> types, batch_types;
    for (const Param& p : stmt.pat) {
      types.push_back(p.type);
      batch_types.push_back(array_of(counts[s], p.type));
    }
    Builder run(prog_), skip(prog_);
    run.set_loc(stmt.loc);
    Builder* const before = out_;
    out_ = &run;
    Soac map = on_batch(capture(pointers(*sides[s]), sides[s]->result, types, {}, {}), counts[s],
                        members[s]);
    std::vector<Operand> results = flat_.append_map(run, std::move(map), stmt.loc);
    out_ = before;
    std::vector<Operand> nothing;
    for (const Type& type : batch_types)
      nothing.emplace_back(skip.let1(type, Scratch{type.elem, type.shape}, "nothing"));
    const Operand some = out_->cmpop(CmpOpKind::kLt, Prim::kI64, const_i64(0), counts[s], "some");
    const std::vector<Name> values = out_->let(
        batch_types, If{some, run.finish(std::move(results)), skip.finish(std::move(nothing))},
        "batch_res");
    // Back to where they belong.
    Scatter merge;
    merge.width = counts[s];
    merge.inputs = {members[s]};
    const Name at = prog_.names.fresh("at");
    merge.fn.params = {{at, i64}};
    std::vector<Operand> written(stmt.pat.size(), at);
    std::vector<Type> merged_types;
    merge.fn.results.assign(stmt.pat.size(), {{}, i64});
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      merge.inputs.push_back(values[k]);
      merge.fn.params.push_back({prog_.names.fresh("v"), types[k]});
      written.emplace_back(merge.fn.params.back().name);
      merge.fn.results.push_back({{}, types[k]});
      merge.dests.push_back({{map_.width}, targets[k]});
      merged_types.push_back(array_of(map_.width, types[k]));
    }
    merge.fn.body.result = std::move(written);
    targets = out_->let(merged_types, std::move(merge), "merged");
  }
  for (size_t k = 0; k < stmt.pat.size(); ++k) lifted_[stmt.pat[k].name] = targets[k];
}

// A map over all iterations, as a map over some of them, which reads rows where they are.
Soac Distribution::on_batch(Soac map, Name count, Name members) {
  Soac batch;
  batch.width = count;
  batch.inputs = {members};
  const Name at = prog_.names.fresh("at");
  batch.fn.params = {{at, scalar_type(Prim::kI64)}};
  Builder body(prog_);
  body.set_loc(host_.loc());
  for (size_t k = 0; k < map.inputs.size(); ++k)
    body.let_pat({map.fn.params[k]}, Index{map.inputs[k], {DimSlice{true, at}}});
  for (Stmt& stmt : map.fn.body.stmts) body.append(std::move(stmt));
  batch.fn.results = std::move(map.fn.results);
  batch.fn.body = body.finish(std::move(map.fn.body.result));
  return batch;
}

}  // namespace skald::passes
