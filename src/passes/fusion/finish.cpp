// SPDX-License-Identifier: Apache-2.0
// The SOAC that comes out of a cluster.
#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/fusion/composer.h"

namespace skald::passes::fusion {

using namespace core;

Lambda Composer::function(std::vector<Operand> results, std::vector<Type> types) {
  Lambda fn;
  fn.params = std::move(params_);
  for (Type& type : types) fn.results.push_back({{}, std::move(type)});
  fn.body = Body(std::move(pre_), std::move(results));
  return fn;
}

Stmt Composer::finish(const std::function<bool(Name)>& wanted) {
  Stmt stmt{{}, core::Value{const_i64(0)}, tokens_, hints_, loc_};
  if (!hists_.empty()) {
    finish_hist(stmt);
  } else if (!scatters_.empty()) {
    finish_scatter(stmt);
  } else if (flatmap_) {
    FlatMap flat = std::move(*flatmap_);
    flat.width = width_;
    flat.inputs = inputs_;
    flat.fn.params = std::move(params_);
    flat.fn.body.stmts = std::move(pre_);
    stmt.pat = std::move(flatmap_pat_);
    stmt.exp = std::move(flat);
  } else {
    bool arrays_of_a_partition = false;
    for (const PartitionPart& part : partitions_)
      for (size_t k = static_cast<size_t>(part.classes); k < part.pat.size(); ++k)
        arrays_of_a_partition = arrays_of_a_partition || wanted(part.pat[k].name);
    for (const Out& out : outs_)
      arrays_of_a_partition = arrays_of_a_partition || (out.guard && wanted(out.param.name));
    if (arrays_of_a_partition)
      finish_partition(stmt, wanted);
    else
      finish_soac(stmt, wanted);
    if (!accs_.empty()) wrap_accumulators(stmt);
  }
  return stmt;
}

// The size of a partition whose arrays are gone is the number of rows it keeps.
void Composer::count_rows(const std::function<bool(Name)>& wanted) {
  const Type i64 = scalar_type(Prim::kI64);
  for (const PartitionPart& part : partitions_)
    for (int c = 0; c < part.classes; ++c) {
      const Param& size = part.pat[static_cast<size_t>(c)];
      if (!wanted(size.name)) continue;
      const Operand keep = guard_value({size.name});
      Fold fold;
      fold.values = {let(i64, Convert{Prim::kBool, Prim::kI64, keep}, "one")};
      fold.types = {i64};
      fold.pat = {size};
      const Name a = prog_.names.fresh("a"), b = prog_.names.fresh("b"),
                 sum = prog_.names.fresh("sum");
      fold.op.fn.params = {{a, i64}, {b, i64}};
      fold.op.fn.results = {{{}, i64}};
      Stmt add{{}, BinOp{BinOpKind::kAdd, Prim::kI64, a, b}, {}, {}, loc_};
      add.pat = {{sum, i64}};
      fold.op.fn.body.stmts.push_back(std::move(add));
      fold.op.fn.body.result = {sum};
      fold.op.neutral = {const_i64(0)};
      fold.op.commutative = true;
      reduces_.push_back(std::move(fold));
    }
}

void Composer::finish_soac(Stmt& stmt, const std::function<bool(Name)>& wanted) {
  count_rows(wanted);
  Soac soac;
  soac.width = width_;
  std::vector<Operand> results;
  std::vector<Type> types;
  const auto take = [&](const Fold& fold) {
    results.insert(results.end(), fold.values.begin(), fold.values.end());
    types.insert(types.end(), fold.types.begin(), fold.types.end());
  };
  std::vector<Param> post_params;
  for (Fold& scan : scans_) {
    take(scan);
    for (size_t k = 0; k < scan.scanned.size(); ++k)
      post_params.push_back({scan.scanned[k], scan.types[k]});
    soac.scans.push_back(std::move(scan.op));
  }
  for (Fold& reduce : reduces_) {
    take(reduce);
    for (Param& p : reduce.pat) stmt.pat.push_back(std::move(p));
    soac.reduces.push_back(std::move(reduce.op));
  }
  std::erase_if(outs_, [&](const Out& out) {
    return out.param.type.kind != Type::kAcc && !wanted(out.param.name);
  });
  for (const Out& out : outs_) stmt.pat.push_back(out.param);
  if (soac.scans.empty()) {
    for (const Out& out : outs_) {
      results.push_back(out.value.operand);
      types.push_back(out.value.type);
    }
  } else {
    // What the post-body needs of the values made before the scans is handed over.
    std::unordered_map<Name, Type> made_before;
    for (const Param& p : params_) made_before[p.name] = p.type;
    for (const Stmt& s : pre_)
      for (const Param& p : s.pat) made_before[p.name] = p.type;
    Lambda post;
    for (const Out& out : outs_) {
      post.body.result.push_back(out.value.operand);
      post.results.push_back({{}, out.value.type});
    }
    post.body.stmts = std::move(post_);
    std::vector<Name> needed;
    for (const Name name : free_names(post.body))
      if (made_before.contains(name)) needed.push_back(name);
    std::ranges::sort(needed);
    Substitution handed_over;
    for (const Name name : needed) {
      const Name param = prog_.names.fresh_like(name);
      handed_over.emplace(name, param);
      post_params.push_back({param, made_before[name]});
      results.emplace_back(name);
      types.push_back(made_before[name]);
    }
    substitute(post.body, handed_over);
    bool trivial = post.body.stmts.empty() && post.body.result.size() == post_params.size();
    for (size_t k = 0; trivial && k < post_params.size(); ++k)
      trivial = post.body.result[k] == Operand{post_params[k].name};
    post.params = std::move(post_params);
    if (!trivial) soac.post.push_back(std::move(post));
  }
  soac.inputs = inputs_;
  soac.fn = function(std::move(results), std::move(types));
  stmt.exp = std::move(soac);
}

void Composer::finish_hist(Stmt& stmt) {
  Hist hist;
  hist.width = width_;
  std::vector<Operand> results;
  std::vector<Type> types;
  for (const HistPart& part : hists_)
    for (const Operand& index : part.indices) {
      results.push_back(index);
      types.push_back(scalar_type(Prim::kI64));
    }
  for (HistPart& part : hists_) {
    for (size_t k = 0; k < part.values.size(); ++k) {
      results.push_back(part.values[k]);
      types.push_back(part.types[k]);
      stmt.pat.push_back(std::move(part.pat[k]));
    }
    hist.ops.push_back(std::move(part.op));
  }
  hist.inputs = inputs_;
  hist.fn = function(std::move(results), std::move(types));
  stmt.exp = std::move(hist);
}

void Composer::finish_scatter(Stmt& stmt) {
  Scatter scatter;
  scatter.width = width_;
  std::vector<Operand> results;
  std::vector<Type> types;
  for (const ScatterPart& part : scatters_)
    for (const Operand& index : part.indices) {
      results.push_back(index);
      types.push_back(scalar_type(Prim::kI64));
    }
  for (ScatterPart& part : scatters_) {
    results.push_back(part.value);
    types.push_back(part.type);
    stmt.pat.push_back(std::move(part.param));
    scatter.dests.push_back(std::move(part.dest));
  }
  scatter.inputs = inputs_;
  scatter.fn = function(std::move(results), std::move(types));
  stmt.exp = std::move(scatter);
}

// Legality has seen to it that one partition is left, and that with several classes nothing else
// than its own arrays is wanted.
void Composer::finish_partition(Stmt& stmt, const std::function<bool(Name)>& wanted) {
  const auto is_the_one = [&](const PartitionPart& part) {
    for (size_t k = static_cast<size_t>(part.classes); k < part.pat.size(); ++k)
      if (wanted(part.pat[k].name)) return true;
    for (const Out& out : outs_)
      if (out.guard && wanted(out.param.name) && out.guard->size == part.pat[0].name) return true;
    return false;
  };
  PartitionPart& part = *std::ranges::find_if(partitions_, is_the_one);
  Partition made;
  made.width = width_;
  made.classes = part.classes;
  const auto classes = static_cast<size_t>(part.classes);
  std::vector<Operand> results = {part.cls};
  std::vector<Type> types = {scalar_type(Prim::kI64)};
  const size_t values = part.values.size();
  std::vector<size_t> kept;
  for (size_t k = 0; k < values; ++k) {
    bool any = false;
    for (size_t c = 0; c < classes; ++c)
      any = any || wanted(part.pat[classes + c * values + k].name);
    if (!any) continue;
    kept.push_back(k);
    results.push_back(part.values[k]);
    types.push_back(part.types[k]);
  }
  for (size_t c = 0; c < classes; ++c) stmt.pat.push_back(part.pat[c]);
  for (size_t c = 0; c < classes; ++c)
    for (const size_t k : kept) stmt.pat.push_back(part.pat[classes + c * values + k]);
  for (const Out& out : outs_) {
    if (!out.guard || !wanted(out.param.name)) continue;
    stmt.pat.push_back(out.param);
    results.push_back(out.value.operand);
    types.push_back(out.value.type);
  }
  made.inputs = inputs_;
  made.fn = function(std::move(results), std::move(types));
  stmt.exp = std::move(made);
}

}  // namespace skald::passes::fusion
