// SPDX-License-Identifier: Apache-2.0
// The kernel that comes out of a cluster.
#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/fusion/kernel_composer.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

void forget_tokens(Body& body, const std::unordered_map<Name, Type>& passed) {
  for (Stmt& stmt : body.stmts) {
    std::erase_if(stmt.tokens, [&](Name token) { return passed.contains(token); });
    for_each_body(stmt.exp, [&](Body& inner) { forget_tokens(inner, passed); });
  }
}

}  // namespace

bool KernelComposer::is_late(const Fed& fed) const {
  return std::ranges::any_of(fed.values, [&](const Operand& o) { return is_post(o); });
}

// The size of a partition whose arrays are gone is the number of rows it keeps.
KernelComposer::Fed KernelComposer::count_members(const Param& size) {
  const Type i64 = scalar_type(Prim::kI64);
  Fed fed;
  fed.sink.kind = Sink::kReduce;
  fed.values = {let(i64, Convert{Prim::kBool, Prim::kI64, keeps(size.name)}, "one")};
  fed.types = {i64};
  fed.pat = {size};
  Operator add;
  const Name a = prog_.names.fresh("a"), b = prog_.names.fresh("b"), sum = prog_.names.fresh("sum");
  add.fn.params = {{a, i64}, {b, i64}};
  add.fn.results = {{{}, i64}};
  Stmt stmt{{}, BinOp{BinOpKind::kAdd, Prim::kI64, a, b}, {}, {}, loc_};
  stmt.pat = {{sum, i64}};
  add.fn.body.stmts.push_back(std::move(stmt));
  add.fn.body.result = {sum};
  add.neutral = {const_i64(0)};
  add.commutative = true;
  fed.sink.op.push_back(std::move(add));
  return fed;
}

// Arrays that nobody wants leave the partitions, arrays over the rows that they keep join them.
void KernelComposer::close_partitions(const std::function<bool(Name)>& wanted) {
  std::vector<Fed> counts;
  std::erase_if(sinks_, [&](Fed& fed) {
    if (fed.sink.kind != Sink::kPartition) return false;
    const auto classes = static_cast<size_t>(fed.sink.classes);
    const size_t per_class = fed.values.size() - 1;
    Fed kept;
    kept.values = {fed.values[0]};
    kept.types = {fed.types[0]};
    std::vector<std::vector<Param>> arrays(classes);
    for (size_t v = 0; v < per_class; ++v) {
      bool any = false;
      for (size_t c = 0; c < classes; ++c)
        any = any || wanted(fed.pat[classes + c * per_class + v].name);
      if (!any) continue;
      kept.values.push_back(fed.values[1 + v]);
      kept.types.push_back(fed.types[1 + v]);
      for (size_t c = 0; c < classes; ++c)
        arrays[c].push_back(fed.pat[classes + c * per_class + v]);
    }
    for (const Out& out : outs_) {
      if (!out.guard || !wanted(out.param.name)) continue;
      const bool mine =
          std::ranges::any_of(fed.pat, [&](const Param& p) { return p.name == *out.guard; });
      if (!mine) continue;
      kept.values.push_back(out.value);
      kept.types.push_back(out.type);
      arrays[0].push_back(out.param);
    }
    if (kept.values.size() == 1) {
      for (size_t c = 0; c < classes; ++c)
        if (wanted(fed.pat[c].name)) counts.push_back(count_members(fed.pat[c]));
      return true;
    }
    kept.pat.assign(fed.pat.begin(), fed.pat.begin() + static_cast<ptrdiff_t>(classes));
    for (const std::vector<Param>& list : arrays)
      kept.pat.insert(kept.pat.end(), list.begin(), list.end());
    kept.sink = std::move(fed.sink);
    kept.sink.count = static_cast<int>(kept.values.size());
    fed = std::move(kept);
    return false;
  });
  for (Fed& fed : counts) sinks_.push_back(std::move(fed));
  std::erase_if(outs_, [&](const Out& out) { return out.guard || !wanted(out.param.name); });
}

Stmt KernelComposer::finish(const std::function<bool(Name)>& wanted) {
  close_partitions(wanted);
  Stmt stmt{{}, Value{const_i64(0)}, tokens_, hints_, loc_};
  Lambda post;
  const auto give = [](Lambda& fn, const Operand& value, const Type& type) {
    fn.body.result.push_back(value);
    fn.results.push_back({{}, type});
  };
  for (Fed& fed : sinks_) {
    fed.sink.late = is_late(fed);
    for (size_t k = 0; k < fed.values.size(); ++k)
      give(fed.sink.late ? post : made_.pull, fed.values[k], fed.types[k]);
    for (Param& p : fed.pat) stmt.pat.push_back(std::move(p));
    made_.sinks.push_back(std::move(fed.sink));
  }
  for (Fed& scan : scans_) {
    for (size_t k = 0; k < scan.values.size(); ++k) give(made_.pull, scan.values[k], scan.types[k]);
    made_.sinks.push_back(std::move(scan.sink));
  }
  for (const Out& out : outs_) stmt.pat.push_back(out.param);
  if (scans_.empty()) {
    for (const Out& out : outs_) {
      give(made_.pull, out.value, out.type);
      made_.sinks.push_back({Sink::kOut, 1});
    }
  } else {
    for (const Out& out : outs_) give(post, out.value, out.type);
    post.body.stmts = std::move(post_);
    post.params = scanned_;
    std::unordered_map<Name, Type> made_before;
    for (const Param& p : made_.pull.params) made_before[p.name] = p.type;
    for (const Stmt& s : pre_)
      for (const Param& p : s.pat) made_before[p.name] = p.type;
    // What the thunk checked has passed when the post-function runs.
    forget_tokens(post.body, made_before);
    std::vector<Name> needed;
    for (const Name name : free_names(post.body))
      if (made_before.contains(name)) needed.push_back(name);
    std::ranges::sort(needed);
    Substitution handed_over;
    for (const Name name : needed) {
      const Name param = prog_.names.fresh_like(name);
      handed_over.emplace(name, param);
      post.params.push_back({param, made_before[name]});
      give(made_.pull, name, made_before[name]);
      made_.sinks.push_back({Sink::kOut, 1});
    }
    substitute(post.body, handed_over);
    bool trivial = post.body.stmts.empty() && post.body.result.size() == post.params.size();
    for (const Sink& sink : made_.sinks) trivial = trivial && !sink.late;
    for (size_t k = 0; trivial && k < post.params.size(); ++k)
      trivial = post.body.result[k] == Operand{post.params[k].name};
    if (!trivial) made_.post.push_back(std::move(post));
  }
  made_.pull.body.stmts = std::move(pre_);
  stmt.exp = std::move(made_);
  return stmt;
}

}  // namespace skald::passes::fusion
