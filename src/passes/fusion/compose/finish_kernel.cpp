// SPDX-License-Identifier: Apache-2.0
// The kernel that comes out, and what SOACs and kernels share: the function after the scans.
#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/fusion/compose/composer.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

void forget_tokens(Body& body, const std::unordered_map<Name, Type>& passed) {
  for (Stmt& stmt : body.stmts) {
    std::erase_if(stmt.tokens, [&](Name token) { return passed.contains(token); });
    for_each_body(stmt.exp, [&](Body& inner) { forget_tokens(inner, passed); });
  }
}

void give_value(Lambda& fn, const Operand& value, const Type& type) {
  fn.body.result.push_back(value);
  fn.results.push_back({{}, type});
}

}  // namespace

Stmt Composer::finish(const Wanted& wanted) {
  close_partitions(wanted);
  Stmt stmt{{}, Value{const_i64(0)}, tokens_, hints_, loc_};
  const auto find = [&](Sink::Kind kind) {
    return std::ranges::find_if(sinks_, [&](const Fed& fed) { return fed.sink.kind == kind; });
  };
  const auto has = [&](Sink::Kind kind) { return find(kind) != sinks_.end(); };
  // Legality has seen to it that the results of SOACs are of one kind.
  if (is_kernel())
    finish_kernel(stmt);
  else if (has(Sink::kHist))
    finish_hist(stmt);
  else if (has(Sink::kScatter))
    finish_scatter(stmt);
  else if (flatmap_)
    finish_flatmap(stmt);
  else if (has(Sink::kPartition))
    finish_partition(stmt, *find(Sink::kPartition));
  else
    finish_soac(stmt);
  if (!accs_.empty()) wrap_accumulators(stmt);
  return stmt;
}

// `post` gives the values of late sinks; those of arrays follow.  Nothing if it does nothing.
std::optional<Lambda> Composer::post_function(Lambda post, const HandOver& hand_over) {
  bool trivial = post.results.empty();
  for (const Out& out : outs_) give_value(post, out.value, out.type);
  post.body.stmts = std::move(post_);
  post.params = scanned_;
  std::unordered_map<Name, Type> made_before;
  for (const Param& p : params_) made_before[p.name] = p.type;
  for (const Stmt& s : pre_)
    for (const Param& p : s.pat) made_before[p.name] = p.type;
  // What was checked before the scans has passed when this runs.
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
    hand_over(name, made_before[name]);
  }
  substitute(post.body, handed_over);
  trivial = trivial && post.body.stmts.empty() && post.body.result.size() == post.params.size();
  for (size_t k = 0; trivial && k < post.params.size(); ++k)
    trivial = post.body.result[k] == Operand{post.params[k].name};
  if (trivial) return std::nullopt;
  return post;
}

void Composer::finish_kernel(Stmt& stmt) {
  Kernel made;
  made.domain = std::get<Domain>(space_);
  Lambda late;
  for (Fed& fed : sinks_) {
    fed.sink.late = is_late(fed);
    for (size_t k = 0; k < fed.values.size(); ++k)
      give_value(fed.sink.late ? late : made.pull, fed.values[k], fed.types[k]);
    for (Param& p : fed.pat) stmt.pat.push_back(std::move(p));
    made.sinks.push_back(std::move(fed.sink));
  }
  for (Fed& scan : scans_) {
    for (size_t k = 0; k < scan.values.size(); ++k)
      give_value(made.pull, scan.values[k], scan.types[k]);
    made.sinks.push_back(std::move(scan.sink));
  }
  for (const Out& out : outs_) stmt.pat.push_back(out.param);
  const auto add_out = [&](const Operand& value, const Type& type) {
    give_value(made.pull, value, type);
    made.sinks.push_back({Sink::kOut, 1});
  };
  if (scans_.empty()) {
    for (const Out& out : outs_) add_out(out.value, out.type);
  } else if (std::optional<Lambda> post = post_function(std::move(late), add_out)) {
    made.post.push_back(std::move(*post));
  }
  made.pull.params = std::move(params_);
  made.pull.body.stmts = std::move(pre_);
  stmt.exp = std::move(made);
}

}  // namespace skald::passes::fusion
