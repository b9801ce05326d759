// SPDX-License-Identifier: Apache-2.0
// The SOAC that comes out.
#include "core/ir/visit.h"
#include "passes/fusion/compose/composer.h"
#include "passes/kernels/sinks.h"

namespace skald::passes::fusion {

using namespace core;

Lambda Composer::function(std::vector<Operand> results, std::vector<Type> types) {
  Lambda fn;
  fn.params = std::move(params_);
  for (Type& type : types) fn.results.push_back({{}, std::move(type)});
  fn.body = Body(std::move(pre_), std::move(results));
  return fn;
}

void Composer::finish_soac(Stmt& stmt) {
  Soac soac;
  soac.width = std::get<Operand>(space_);
  std::vector<Operand> results;
  std::vector<Type> types;
  const auto take = [&](Fed& fold, std::vector<Operator>& ops) {
    results.insert(results.end(), fold.values.begin(), fold.values.end());
    types.insert(types.end(), fold.types.begin(), fold.types.end());
    for (Param& p : fold.pat) stmt.pat.push_back(std::move(p));
    ops.push_back(std::move(fold.sink.op[0]));
  };
  // The arrays of scans are among the others, which come last.
  for (Fed& scan : scans_) scan.pat.clear();
  for (Fed& scan : scans_) take(scan, soac.scans);
  for (Fed& reduce : sinks_) take(reduce, soac.reduces);
  for (const Out& out : outs_) stmt.pat.push_back(out.param);
  const auto add_value = [&](const Operand& value, const Type& type) {
    results.push_back(value);
    types.push_back(type);
  };
  if (scans_.empty()) {
    for (const Out& out : outs_) add_value(out.value, out.type);
  } else if (std::optional<Lambda> post = post_function({}, add_value)) {
    soac.post.push_back(std::move(*post));
  }
  soac.inputs = inputs_;
  soac.fn = function(std::move(results), std::move(types));
  stmt.exp = std::move(soac);
}

// All indices, then all values.
Lambda Composer::writing_function() {
  std::vector<Operand> results;
  std::vector<Type> types;
  for (const bool indices : {true, false})
    for (const Fed& fed : sinks_) {
      const size_t border = indices_of(fed.sink);
      for (size_t k = 0; k < fed.values.size(); ++k) {
        if ((k < border) != indices) continue;
        results.push_back(fed.values[k]);
        types.push_back(fed.types[k]);
      }
    }
  return function(std::move(results), std::move(types));
}

void Composer::finish_hist(Stmt& stmt) {
  Hist hist;
  hist.width = std::get<Operand>(space_);
  hist.inputs = inputs_;
  hist.fn = writing_function();
  for (Fed& fed : sinks_) {
    for (Param& p : fed.pat) stmt.pat.push_back(std::move(p));
    hist.ops.push_back(
        {std::move(fed.sink.shape), std::move(fed.sink.dests), std::move(fed.sink.op[0])});
  }
  stmt.exp = std::move(hist);
}

void Composer::finish_scatter(Stmt& stmt) {
  Scatter scatter;
  scatter.width = std::get<Operand>(space_);
  scatter.inputs = inputs_;
  scatter.fn = writing_function();
  for (Fed& fed : sinks_) {
    stmt.pat.push_back(std::move(fed.pat[0]));
    scatter.dests.push_back({std::move(fed.sink.shape), fed.sink.dests[0]});
  }
  stmt.exp = std::move(scatter);
}

// Legality has seen to it that one partition is left, and that with several classes nothing else
// than its own arrays is wanted.
void Composer::finish_partition(Stmt& stmt, Fed& fed) {
  Partition made;
  made.width = std::get<Operand>(space_);
  made.classes = fed.sink.classes;
  made.inputs = inputs_;
  made.fn = function(std::move(fed.values), std::move(fed.types));
  stmt.pat = std::move(fed.pat);
  stmt.exp = std::move(made);
}

void Composer::finish_flatmap(Stmt& stmt) {
  FlatMap flat = std::move(*flatmap_);
  flat.width = std::get<Operand>(space_);
  flat.inputs = inputs_;
  flat.fn.params = std::move(params_);
  flat.fn.body.stmts = std::move(pre_);
  stmt.pat = std::move(flatmap_pat_);
  stmt.exp = std::move(flat);
}

}  // namespace skald::passes::fusion
