// SPDX-License-Identifier: Apache-2.0
// Batched and vectorised writes.
//
// Batched: every iteration of a map fills its own histogram (or scatters into its own array).  The
// iteration's number becomes one more index of the bins.
//
//   before   map(n, {xss}, \{row} -> d = replicate([k], 0)   hist(m, {row}, to [k] {d}, \{x} -> {x,
//   1})) after    d = replicate([n][k], 0)
//            kernel(grid(n, m), \{i, j} -> {i, xss[i][j], 1}, hist to [n][k] {d})
//
// Vectorised: the operator adds whole rows.  The position in the row becomes one more index.
//
//   before   hist(n, {bins, xss}, to [k] {d}, \{as, bs} -> map(m, {as, bs}, +), …)
//   after    kernel(grid(n, m), \{i, j} -> {bins[i], j, xss[i][j]}, hist to [k][m] {d} with +)
#include "passes/flatten/writes.h"

#include <algorithm>

#include "analysis/parallelism.h"
#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/kernels/nest.h"
#include "passes/kernels/sequentialise.h"
#include "passes/kernels/sequentialise_internal.h"

namespace skald::passes {

using namespace core;

namespace {

const Operand& write_width(const Exp& exp) {
  if (const auto* hist = as<Hist>(exp)) return hist->width;
  return as<Scatter>(exp)->width;
}
const std::vector<Name>& inputs_of(const Exp& exp) {
  if (const auto* hist = as<Hist>(exp)) return hist->inputs;
  return as<Scatter>(exp)->inputs;
}
const Lambda& write_function(const Exp& exp) {
  if (const auto* hist = as<Hist>(exp)) return hist->fn;
  return as<Scatter>(exp)->fn;
}
std::vector<Name> dests_of(const Exp& exp) {
  std::vector<Name> dests;
  if (const auto* hist = as<Hist>(exp))
    for (const HistOp& op : hist->ops) dests.insert(dests.end(), op.dests.begin(), op.dests.end());
  if (const auto* scatter = as<Scatter>(exp))
    for (const ScatterDest& dest : scatter->dests) dests.push_back(dest.dest);
  return dests;
}

// The parts of a map around one write.
class WriteNest {
 public:
  explicit WriteNest(const Soac& map) : map_(map) {}

  bool match() {
    const Body& body = map_.fn.body;
    if (!map_.is_map() || body.stmts.empty()) return false;
    const Stmt& last = body.stmts.back();
    if ((as<Hist>(last.exp) == nullptr && as<Scatter>(last.exp) == nullptr) ||
        !analysis::is_parallel(last) || is_checked_inside(body, last) ||
        body.result.size() != last.pat.size())
      return false;
    for (size_t k = 0; k < last.pat.size(); ++k)
      if (!(body.result[k] == Operand{last.pat[k].name})) return false;
    analysis::Ranks ranks;
    for (const Param& p : map_.fn.params) {
      if (p.type.kind != Type::kArray) return false;
      local_.insert(p.name);
      if (p.type.is_array()) ranks.emplace(p.name, p.type.rank());
    }
    const std::vector<Name> dests = dests_of(last.exp);
    size_t repeated = 0;
    for (size_t k = 0; k + 1 < body.stmts.size(); ++k) {
      const Stmt& stmt = body.stmts[k];
      const Name name = stmt.pat[0].name;
      const bool dest = std::find(dests.begin(), dests.end(), name) != dests.end();
      if (dest ? !makes_dest(stmt)
               : (!analysis::is_repeatable(stmt, ranks) || as<Assert>(stmt.exp)))
        return false;
      if (dest)
        made_.emplace(name, &stmt);
      else
        ++repeated;
      for (const Param& p : stmt.pat) {
        local_.insert(p.name);
        if (p.type.is_array()) ranks.emplace(p.name, p.type.rank());
      }
    }
    if (repeated > kMaxRepeated || is_local(write_width(last.exp))) return false;
    for (const Name dest : dests)
      if (!made_.contains(dest)) return false;
    // Destinations are written only.
    const auto uses = free_names(write_function(last.exp));
    for (const Name dest : dests) {
      if (uses.contains(dest)) return false;
      for (size_t k = 0; k + 1 < body.stmts.size(); ++k)
        if (free_names(body.stmts[k]).contains(dest)) return false;
    }
    for (const Param& p : last.pat)
      for (const Operand& dim : p.type.shape)
        if (is_local(dim)) return false;
    if (const auto* hist = as<Hist>(last.exp)) {
      for (const HistOp& op : hist->ops) {
        for (const Param& p : op.op.fn.params)
          if (!p.type.is_scalar()) return false;
        for (const Operand& ne : op.op.neutral)
          if (is_local(ne)) return false;
        for (const Name name : free_names(op.op.fn))
          if (local_.contains(name)) return false;
      }
    }
    return true;
  }

  void append(Builder& out, Stmt& stmt) const {
    Program& prog = out.program();
    const Stmt& last = map_.fn.body.stmts.back();
    const Lambda& fn = write_function(last.exp);
    Kernel kernel;
    kernel.domain.kind = Domain::kGrid;
    kernel.domain.dims = {map_.width, write_width(last.exp)};
    const Type i64 = scalar_type(Prim::kI64);
    const Name i = prog.names.fresh("i"), j = prog.names.fresh("j");
    kernel.pull.params = {{i, i64}, {j, i64}};
    Builder body(prog);
    body.set_loc(stmt.loc);
    const auto rows = read_rows(body, map_.inputs, map_.fn.params, i);
    Substitution subst;
    for (size_t k = 0; k < rows.size(); ++k) subst.emplace(map_.fn.params[k].name, rows[k]);
    for (const Stmt& s : map_.fn.body.stmts)
      if (&s != &last && !made_.contains(s.pat[0].name))
        body.append(copy_with_fresh_names(s, prog.names, subst));
    std::vector<Name> inputs = inputs_of(last.exp);
    for (Name& input : inputs) {
      Operand operand = input;
      substitute(operand, subst);
      input = *as_name(operand);
    }
    Lambda inner = copy_with_fresh_names(fn, prog.names, subst);
    const auto elements = read_rows(body, inputs, inner.params, j);
    const std::vector<Operand> values = inline_lambda(body, std::move(inner), elements);

    std::vector<Operand> results;
    size_t index_at = 0, value_at = 0;
    const auto sink_of = [&](Sink::Kind kind, const std::vector<Operand>& shape,
                             const std::vector<Name>& dests) {
      Sink sink{kind, static_cast<int>(1 + shape.size() + dests.size())};
      sink.shape = {map_.width};
      sink.shape.insert(sink.shape.end(), shape.begin(), shape.end());
      results.emplace_back(i);
      kernel.pull.results.push_back({{}, i64});
      for (size_t k = 0; k < shape.size(); ++k) {
        results.push_back(values[index_at]);
        kernel.pull.results.push_back(fn.results[index_at++]);
      }
      for (const Name dest : dests) {
        results.push_back(values[value_at]);
        kernel.pull.results.push_back(fn.results[value_at++]);
        sink.dests.push_back(host_dest(out, dest));
      }
      return sink;
    };
    if (const auto* hist = as<Hist>(last.exp)) {
      for (const HistOp& op : hist->ops) value_at += op.shape.size();
      for (const HistOp& op : hist->ops) {
        Sink sink = sink_of(Sink::kHist, op.shape, op.dests);
        Operator copy{copy_with_fresh_names(op.op.fn, prog.names), op.op.neutral,
                      op.op.commutative};
        sequentialise(copy.fn.body, prog);
        sink.op.push_back(std::move(copy));
        kernel.sinks.push_back(std::move(sink));
      }
    } else {
      const auto* scatter = as<Scatter>(last.exp);
      for (const ScatterDest& dest : scatter->dests) value_at += dest.shape.size();
      for (const ScatterDest& dest : scatter->dests)
        kernel.sinks.push_back(sink_of(Sink::kScatter, dest.shape, {dest.dest}));
    }
    kernel.pull.body = body.finish(std::move(results));
    sequentialise(kernel.pull.body, prog);
    std::vector<Name> tokens = stmt.tokens;
    tokens.insert(tokens.end(), last.tokens.begin(), last.tokens.end());
    out.append({std::move(stmt.pat), std::move(kernel), std::move(tokens), {}, stmt.loc});
  }

 private:
  // Does `last` wait for a check of the iteration?
  static bool is_checked_inside(const Body& body, const Stmt& last) {
    return std::ranges::any_of(body.stmts, [&](const Stmt& stmt) {
      return std::ranges::any_of(stmt.pat, [&](const Param& p) {
        return std::ranges::find(last.tokens, p.name) != last.tokens.end();
      });
    });
  }
  bool is_local(const Operand& o) const {
    const Name* name = as_name(o);
    return name != nullptr && local_.contains(*name);
  }
  // An array of the iteration that can be made for all iterations at once.
  bool makes_dest(const Stmt& stmt) const {
    if (!stmt.tokens.empty()) return false;
    if (const auto* copy = as<Copy>(stmt.exp)) {
      if (!local_.contains(copy->array)) return true;
      return std::any_of(map_.fn.params.begin(), map_.fn.params.end(),
                         [&](const Param& p) { return p.name == copy->array; });
    }
    const auto* rep = as<Replicate>(stmt.exp);
    return rep != nullptr && !is_local(rep->value) &&
           std::none_of(rep->shape.begin(), rep->shape.end(),
                        [&](const Operand& dim) { return is_local(dim); });
  }
  Name host_dest(Builder& out, Name dest) const {
    const Stmt& stmt = *made_.at(dest);
    const Type type = array_of(map_.width, stmt.pat[0].type);
    if (const auto* rep = as<Replicate>(stmt.exp)) {
      std::vector<Operand> shape = {map_.width};
      shape.insert(shape.end(), rep->shape.begin(), rep->shape.end());
      return out.let1(type, Replicate{std::move(shape), rep->value}, "dest");
    }
    const Name source = as<Copy>(stmt.exp)->array;
    for (size_t k = 0; k < map_.fn.params.size(); ++k)
      if (map_.fn.params[k].name == source) return out.let1(type, Copy{map_.inputs[k]}, "dest");
    return out.let1(type, Replicate{{map_.width}, source}, "dest");
  }

  const Soac& map_;
  std::unordered_set<Name> local_;
  // The statements that make destinations.
  std::unordered_map<Name, const Stmt*> made_;
};

}  // namespace

bool is_write_nest(const Soac& soac) {
  return WriteNest(soac).match();
}

bool write_nest_kernel(Builder& out, Stmt& stmt) {
  const Soac* soac = as<Soac>(stmt.exp);
  if (soac == nullptr || stmt.hints.sequential_inner) return false;
  const Exp exp = std::move(stmt.exp);
  WriteNest nest(*as<Soac>(exp));
  if (!nest.match()) {
    stmt.exp = std::move(const_cast<Exp&>(exp));
    return false;
  }
  const Loc before = out.loc();
  out.set_loc(stmt.loc);
  nest.append(out, stmt);
  out.set_loc(before);
  return true;
}

bool vector_hist_kernel(Builder& out, Stmt& stmt, const Replicates& replicates) {
  Hist* hist = as<Hist>(stmt.exp);
  if (hist == nullptr || hist->ops.size() != 1 || stmt.hints.sequential) return false;
  Program& prog = out.program();
  const HistOp& op = hist->ops[0];
  const Soac* map = mapped_operator(op.op);
  if (map == nullptr) return false;
  const size_t rank = op.shape.size();
  std::vector<Operand> neutral;
  for (const Operand& ne : op.op.neutral) {
    const Name* name = as_name(ne);
    const auto found = name == nullptr ? replicates.end() : replicates.find(*name);
    if (found == replicates.end() || found->second.shape.size() != 1) return false;
    neutral.push_back(found->second.value);
  }
  for (const Param& p : op.op.fn.params)
    if (p.type.rank() != 1) return false;
  analysis::Ranks ranks;
  for (const Param& p : hist->fn.params)
    if (p.type.is_array()) ranks.emplace(p.name, p.type.rank());
  for (const Stmt& s : hist->fn.body.stmts)
    if (!analysis::is_repeatable(s, ranks) || as<Assert>(s.exp) != nullptr) return false;
  if (hist->fn.body.stmts.size() > kMaxRepeated) return false;

  Kernel kernel;
  kernel.domain.kind = Domain::kGrid;
  kernel.domain.dims = {hist->width, map->width};
  const Type i64 = scalar_type(Prim::kI64);
  const Name i = prog.names.fresh("i"), j = prog.names.fresh("j");
  kernel.pull.params = {{i, i64}, {j, i64}};
  Builder body(prog);
  body.set_loc(stmt.loc);
  const auto rows = read_rows(body, hist->inputs, hist->fn.params, i);
  Lambda fn = copy_with_fresh_names(hist->fn, prog.names);
  const std::vector<Operand> values = inline_lambda(body, std::move(fn), rows);
  std::vector<Operand> results(values.begin(), values.begin() + static_cast<ptrdiff_t>(rank));
  kernel.pull.results.assign(rank + 1, {{}, i64});
  results.emplace_back(j);
  for (size_t k = 0; k < op.dests.size(); ++k) {
    const Type element = row_type(op.op.fn.params[k].type);
    const Name* row = as_name(values[rank + k]);
    results.emplace_back(body.let1(element, Index{*row, {DimSlice{true, j}}}, "v"));
    kernel.pull.results.push_back({{}, element});
  }
  kernel.pull.body = body.finish(std::move(results));
  Sink sink{Sink::kHist, static_cast<int>(rank + 1 + op.dests.size())};
  sink.shape = op.shape;
  sink.shape.push_back(map->width);
  sink.dests = op.dests;
  Operator scalar = row_operator(prog, op.op, *map, neutral);
  sequentialise(scalar.fn.body, prog);
  sink.op.push_back(std::move(scalar));
  kernel.sinks.push_back(std::move(sink));
  out.append({std::move(stmt.pat), std::move(kernel), stmt.tokens, {}, stmt.loc});
  return true;
}

}  // namespace skald::passes
