// SPDX-License-Identifier: Apache-2.0
// A kernel joins others.
//
//   before   let {ys} = kernel(flat(n), \{i} -> let {x} = xs[i] f in {y}, out 1)
//            let {s, h} = kernel(flat(n), \{j} -> let {z} = ys[j] g in {v, k, w}, reduce …, hist …)
//
//   after    let {s, h} = kernel(flat(n), \{i} -> let {x} = xs[i] f g[y/z] in {v, k, w}, …)
#include "passes/fusion/kernel_composer.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/fusion/hints.h"
#include "passes/fusion/shape.h"
#include "support/bug.h"

namespace skald::passes::fusion {

using namespace core;

KernelComposer::KernelComposer(Program& prog, const Domain& domain) : prog_(prog) {
  made_.domain = domain;
  const size_t params = domain.kind == Domain::kSeg ? 3 : domain.dims.size();
  for (size_t k = 0; k < params; ++k)
    made_.pull.params.push_back({prog.names.fresh("i"), scalar_type(Prim::kI64)});
}

bool KernelComposer::is_post(const Operand& operand) const {
  const Name* name = as_name(operand);
  return name != nullptr && post_names_.contains(*name);
}

void KernelComposer::append(Stmt stmt) {
  const auto free = free_names(stmt);
  const bool late =
      !post_names_.empty() &&
      (std::ranges::any_of(free, [&](Name name) { return post_names_.contains(name); }) ||
       std::ranges::any_of(stmt.tokens, [&](Name name) { return post_names_.contains(name); }));
  if (late)
    for (const Param& p : stmt.pat) post_names_.insert(p.name);
  (late ? post_ : pre_).push_back(std::move(stmt));
}

Name KernelComposer::let(Type type, Exp exp, std::string_view base) {
  const Name name = prog_.names.fresh(base);
  Stmt stmt{{}, std::move(exp), {}, {}, loc_};
  stmt.pat.push_back({name, std::move(type)});
  append(std::move(stmt));
  return name;
}

void KernelComposer::replace_own_reads(Body& body, const std::vector<Name>& index) {
  for (Stmt& stmt : body.stmts) {
    for_each_body(stmt.exp, [&](Body& inner) { replace_own_reads(inner, index); });
    if (!is_own_read(stmt, index)) continue;
    const auto made = rows_.find(as<Index>(stmt.exp)->array);
    if (made != rows_.end()) stmt.exp = Value{made->second};
  }
}

// Is the row a member of the class with this size?  Computed once.
Operand KernelComposer::keeps(Name size) {
  const auto known = guards_.find(size);
  if (known != guards_.end()) return known->second;
  for (const Fed& fed : sinks_) {
    if (fed.sink.kind != Sink::kPartition) continue;
    for (int c = 0; c < fed.sink.classes; ++c)
      if (fed.pat[static_cast<size_t>(c)].name == size) {
        const Operand cls = fed.values[0];
        const Name keep = let(scalar_type(Prim::kBool),
                              CmpOp{CmpOpKind::kEq, Prim::kI64, cls, const_i64(c)}, "keep");
        return guards_[size] = keep;
      }
  }
  SKALD_BUG("a guard without its partition");
}

// By value of the sink, from place `at` on: what a row that was dropped gives instead, if that
// matters.
void KernelComposer::add_values_of_dropped(const Sink& sink,
                                           std::vector<std::optional<Operand>>& others,
                                           size_t& at) {
  const size_t first = at;
  at += static_cast<size_t>(sink.count);
  if (sink.kind == Sink::kReduce || sink.kind == Sink::kScan)
    for (size_t k = first; k < at; ++k) others[k] = sink.op[0].neutral[k - first];
  if (sink.kind == Sink::kPartition) others[first] = const_i64(-1);
  if (!sink.dests.empty())
    for (size_t k = 0; k < sink.shape.size(); ++k) others[first + k] = const_i64(-1);
}

// Code that is cheap and can do no harm runs for all rows, other code only for those that are kept.
void KernelComposer::append_guarded(Body body, const std::vector<Ret>& results, const Operand& keep,
                                    const std::vector<std::optional<Operand>>& others,
                                    std::vector<Operand>& values) {
  if (is_speculatable(body)) {
    for (Stmt& stmt : body.stmts) append(std::move(stmt));
    for (size_t k = 0; k < results.size(); ++k)
      values.push_back(others[k] && !(body.result[k] == *others[k])
                           ? let(results[k].type, Select{keep, body.result[k], *others[k]}, "kept")
                           : body.result[k]);
    return;
  }
  Stmt stmt{{}, Value{keep}, {}, {}, loc_};
  Body dropped;
  for (size_t k = 0; k < results.size(); ++k) {
    const Name name = prog_.names.fresh("kept");
    const Prim elem = results[k].type.elem;
    stmt.pat.push_back({name, results[k].type});
    values.emplace_back(name);
    dropped.result.push_back(others[k].value_or(Operand{Const{elem, 0}}));
  }
  stmt.exp = If{keep, std::move(body), std::move(dropped)};
  append(std::move(stmt));
}

void KernelComposer::give(const Param& param, const Operand& value, const Type& type,
                          std::optional<Name> guard) {
  rows_[param.name] = value;
  outs_.push_back({param, value, type, guard});
}

void KernelComposer::add(Stmt stmt, std::optional<Name> guard) {
  for (const Name token : stmt.tokens)
    if (std::ranges::find(tokens_, token) == tokens_.end()) tokens_.push_back(token);
  join_hints(hints_, stmt.hints);
  loc_ = stmt.loc;
  Kernel kernel = std::move(*as<Kernel>(stmt.exp));
  replace_own_reads(kernel.pull.body, own_index(kernel));
  Substitution subst;
  if (!guard) {
    // A flat kernel over the elements of segments knows only their flat position.
    const bool flat_in_seg =
        made_.domain.kind == Domain::kSeg && kernel.domain.kind == Domain::kFlat;
    const size_t skip = flat_in_seg ? 2 : 0;
    for (size_t k = 0; k < kernel.pull.params.size(); ++k)
      subst.emplace(kernel.pull.params[k].name, made_.pull.params[k + skip].name);
  }
  substitute(kernel.pull.body, subst);

  std::vector<Operand> values;
  if (guard) {
    std::vector<std::optional<Operand>> others(kernel.pull.results.size());
    size_t from = 0;
    for (const Sink& sink : kernel.sinks)
      if (!sink.late) add_values_of_dropped(sink, others, from);
    append_guarded(std::move(kernel.pull.body), kernel.pull.results, keeps(*guard), others, values);
  } else {
    for (Stmt& inner : kernel.pull.body.stmts) append(std::move(inner));
    values = std::move(kernel.pull.body.result);
  }

  // What goes to the post-function, or directly to arrays: scanned values, then others.
  std::vector<Operand> rows;
  std::vector<Type> row_types;
  std::vector<Fed> late;
  std::vector<std::pair<size_t, size_t>> out_values;  // first value, count
  size_t at = 0, result = 0;
  const auto take = [&](size_t count) {
    std::vector<Param> pat;
    for (size_t k = 0; k < count; ++k) pat.push_back(std::move(stmt.pat[result++]));
    return pat;
  };
  const bool has_post = !kernel.post.empty();
  std::vector<std::pair<size_t, size_t>> scan_results, out_results;
  for (Sink& sink : kernel.sinks) {
    const auto count = static_cast<size_t>(sink.count);
    if (sink.kind == Sink::kOut) {
      out_values.emplace_back(at, count);
      out_results.emplace_back(result, count);
      at += count;
      if (!has_post) result += count;
      continue;
    }
    Fed fed;
    if (!sink.late) {
      for (size_t k = at; k < at + count; ++k) {
        fed.values.push_back(values[k]);
        fed.types.push_back(kernel.pull.results[k].type);
      }
      at += count;
    }
    if (sink.kind == Sink::kScan) {
      for (const Type& type : fed.types) {
        const Name name = prog_.names.fresh("scanned");
        scanned_.push_back({name, type});
        post_names_.insert(name);
        rows.emplace_back(name);
        row_types.push_back(type);
      }
      scan_results.emplace_back(result, count);
      if (!has_post) result += count;
      fed.sink = std::move(sink);
      scans_.push_back(std::move(fed));
      continue;
    }
    if (sink.kind == Sink::kPartition)
      fed.pat = take(static_cast<size_t>(sink.classes) * count);
    else
      fed.pat = take(sink.dests.empty() ? count : sink.dests.size());
    const bool is_late = sink.late;
    fed.sink = std::move(sink);
    fed.sink.late = false;
    (is_late ? late : sinks_).push_back(std::move(fed));
  }
  for (const auto& [first, count] : out_values)
    for (size_t k = first; k < first + count; ++k) {
      rows.push_back(values[k]);
      row_types.push_back(kernel.pull.results[k].type);
    }
  if (has_post) {
    Lambda& post = kernel.post[0];
    Substitution handed;
    for (size_t k = 0; k < rows.size(); ++k) handed.emplace(post.params[k].name, rows[k]);
    substitute(post, handed);
    std::vector<Operand> given;
    if (guard) {
      std::vector<std::optional<Operand>> others(post.results.size());
      size_t from = 0;
      for (const Fed& fed : late) add_values_of_dropped(fed.sink, others, from);
      append_guarded(std::move(post.body), post.results, keeps(*guard), others, given);
    } else {
      for (Stmt& inner : post.body.stmts) append(std::move(inner));
      given = std::move(post.body.result);
    }
    size_t from = 0;
    for (Fed& fed : late) {
      for (int k = 0; k < fed.sink.count; ++k, ++from) {
        fed.values.push_back(given[from]);
        fed.types.push_back(post.results[from].type);
      }
      sinks_.push_back(std::move(fed));
    }
    for (; from < post.results.size(); ++from)
      give(stmt.pat[result++], given[from], post.results[from].type, guard);
  } else {
    size_t row = 0;
    for (const auto& results : {scan_results, out_results})
      for (const auto& [first, count] : results)
        for (size_t k = first; k < first + count; ++k, ++row)
          give(stmt.pat[k], rows[row], row_types[row], guard);
  }
  // The rows of a partition are values too; under its guard they are those that are kept.
  for (const Fed& fed : sinks_) {
    if (fed.sink.kind != Sink::kPartition) continue;
    const auto classes = static_cast<size_t>(fed.sink.classes);
    const size_t per_class = fed.values.size() - 1;
    for (size_t c = 0; c < classes; ++c)
      for (size_t v = 0; v < per_class; ++v)
        rows_[fed.pat[classes + c * per_class + v].name] = fed.values[1 + v];
  }
}

}  // namespace skald::passes::fusion
