// SPDX-License-Identifier: Apache-2.0
// SOACs → loops.
//
//   before   let {s_9 : i32} = soac(n_0, {xs_1}, \{x_2 : i32} : {i32} -> in {x_2}, reduce add 0i32)
//
//   after    let {s_9 : i32} = loop {acc_3 : i32 = 0i32} for i_4 < n_0 do
//              let {x_2 : i32} = index(xs_1, [i_4])
//              let {r_5 : i32} = add_i32(acc_3, x_2)
//              in {r_5}
//
// Arrays that are built element by element start as `scratch` and are updated in place.  The
// irregular SOACs are in sequentialise_partition.cpp and sequentialise_flatmap.cpp.
#include "passes/kernels/sequentialise.h"

#include <unordered_set>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise_internal.h"
#include "support/bug.h"

namespace skald::passes {

using namespace core;

std::string sequential_name(const std::string& fn) {
  return fn + "_seq";
}

std::vector<Operand> inline_lambda(Builder& out, Lambda fn, const std::vector<Operand>& args) {
  SKALD_CHECK(fn.params.size() == args.size(), "a lambda of {} parameters applied to {} operands",
              fn.params.size(), args.size());
  Substitution subst;
  for (size_t i = 0; i < args.size(); ++i) subst.emplace(fn.params[i].name, args[i]);
  substitute(fn.body, subst);
  for (Stmt& stmt : fn.body.stmts) out.append(std::move(stmt));
  return std::move(fn.body.result);
}

std::vector<Operand> read_rows(Builder& out, const std::vector<Name>& inputs,
                               const std::vector<Param>& params, const Operand& i) {
  std::vector<Operand> rows;
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (params[k].type.kind == Type::kAcc) {
      rows.push_back(inputs[k]);
      continue;
    }
    rows.push_back(out.let1(params[k].type, Index{inputs[k], {DimSlice{true, i}}},
                            out.names().base(params[k].name)));
  }
  return rows;
}

Operand write_row(Builder& out, const Type& array, Name target, const std::vector<Operand>& at,
                  const Operand& value) {
  std::vector<DimSlice> slice;
  for (const Operand& index : at) slice.push_back({true, index});
  return out.let1(array, Update{target, std::move(slice), value}, out.names().base(target));
}

Operand in_bounds(Builder& out, const std::vector<Operand>& indices,
                  const std::vector<Operand>& shape) {
  Operand all = const_bool(true);
  for (size_t k = 0; k < indices.size(); ++k) {
    all = out.logical_and(all,
                          out.cmpop(CmpOpKind::kLe, Prim::kI64, const_i64(0), indices[k], "low"));
    all = out.logical_and(all, out.cmpop(CmpOpKind::kLt, Prim::kI64, indices[k], shape[k], "high"));
  }
  return all;
}

Name LoopBuilder::carry(const Type& type, const Operand& init, std::string_view base, Carry how) {
  const Name name = prog_.names.fresh(base);
  loop_.params.push_back({{name, type, how == Carry::kUpdated && type.is_array()}, init});
  return name;
}

void LoopBuilder::finish(Builder& out, std::vector<Param> pat, std::vector<Operand> results,
                         std::vector<Name> tokens) {
  loop_.body = body_.finish(std::move(results));
  out.let_pat(std::move(pat), std::move(loop_), std::move(tokens));
}

LoopBuilder::LoopBuilder(Program& prog, const Operand& bound, Loc loc) : prog_(prog), body_(prog) {
  body_.set_loc(loc);
  loop_.form = Loop::kFor;
  loop_.var = {prog.names.fresh("i"), scalar_type(Prim::kI64)};
  loop_.bound = bound;
}

namespace {

// The accumulators of an operator as loop parameters.
std::vector<Name> carry_operator(LoopBuilder& loop, const Operator& op) {
  std::vector<Name> names;
  for (size_t k = 0; k < op.neutral.size(); ++k)
    names.push_back(loop.carry(op.fn.params[k].type, op.neutral[k], "acc", Carry::kReplaced));
  return names;
}

// acc ⊕ values, for one step.
std::vector<Operand> apply_operator(Builder& out, Operator& op, const std::vector<Name>& acc,
                                    std::span<const Operand> values) {
  std::vector<Operand> args(acc.begin(), acc.end());
  args.insert(args.end(), values.begin(), values.end());
  return inline_lambda(out, std::move(op.fn), args);
}

}  // namespace

// Nothing but reductions by commutative operators on scalars: loops that may be cut into pieces.
static bool may_reorder(const Soac& soac) {
  size_t reduced = 0;
  for (const Operator& op : soac.reduces) {
    if (!op.commutative) return false;
    reduced += op.neutral.size();
    for (const Ret& ret : op.fn.results)
      if (!ret.type.is_scalar()) return false;
  }
  return reduced > 0 && soac.scans.empty() && soac.fn.results.size() == reduced;
}

// The pattern of the loop, whose results follow its parameters.  A reduced array may still be the
// neutral one or something else from outside, but the result of a SOAC is new and may be consumed:
// `copies` gets those to be copied, with the names that the loop gives them.
static std::vector<Param> loop_pattern(NameTable& names, std::vector<Param> scanned,
                                       std::vector<Param> results, size_t reduced,
                                       std::vector<std::pair<Param, Name>>& copies) {
  std::vector<Param> pat = std::move(scanned);
  for (size_t k = 0; k < reduced; ++k) {
    if (results[k].type.is_array()) {
      const Name shared = names.fresh_like(results[k].name);
      pat.push_back({shared, results[k].type});
      copies.emplace_back(std::move(results[k]), shared);
    } else {
      pat.push_back(std::move(results[k]));
    }
  }
  for (const bool accumulators : {true, false})
    for (size_t k = reduced; k < results.size(); ++k)
      if ((results[k].type.kind == Type::kAcc) == accumulators)
        pat.push_back(std::move(results[k]));
  return pat;
}

void sequentialise_soac(Builder& out, Stmt stmt) {
  Program& prog = out.program();
  Soac soac = std::move(*as<Soac>(stmt.exp));
  const bool reorder = may_reorder(soac);
  LoopBuilder loop(prog, soac.width, stmt.loc);
  size_t reduced = 0;
  std::vector<std::vector<Name>> scan_accs, reduce_accs;
  for (const Operator& op : soac.scans) scan_accs.push_back(carry_operator(loop, op));
  for (const Operator& op : soac.reduces) {
    reduce_accs.push_back(carry_operator(loop, op));
    reduced += op.neutral.size();
  }
  // Accumulators (type kAcc) among the inputs travel through the loop.
  std::vector<Name> inputs = soac.inputs;
  for (size_t k = 0; k < inputs.size(); ++k)
    if (soac.fn.params[k].type.kind == Type::kAcc)
      inputs[k] = loop.carry(soac.fn.params[k].type, inputs[k], "acc", Carry::kReplaced);

  // The outputs: one array for each pattern element after the reductions.
  std::vector<Name> outputs;
  for (size_t k = reduced; k < stmt.pat.size(); ++k) {
    const Param& p = stmt.pat[k];
    if (p.type.kind == Type::kAcc) {
      outputs.push_back({});
      continue;
    }
    const Name start =
        out.let1(p.type, Scratch{p.type.elem, p.type.shape}, prog.names.base(p.name));
    outputs.push_back(loop.carry(p.type, start, prog.names.base(p.name)));
  }

  Builder& body = loop.body();
  const std::vector<Operand> rows = read_rows(body, inputs, soac.fn.params, loop.index());
  std::vector<Operand> values = inline_lambda(body, std::move(soac.fn), rows);
  std::vector<Operand> results, row_values;
  size_t at = 0;
  for (size_t k = 0; k < soac.scans.size(); ++k) {
    const size_t count = scan_accs[k].size();
    const auto next =
        apply_operator(body, soac.scans[k], scan_accs[k], std::span(values).subspan(at, count));
    results.insert(results.end(), next.begin(), next.end());
    row_values.insert(row_values.end(), next.begin(), next.end());
    at += count;
  }
  for (size_t k = 0; k < soac.reduces.size(); ++k) {
    const size_t count = reduce_accs[k].size();
    const auto next =
        apply_operator(body, soac.reduces[k], reduce_accs[k], std::span(values).subspan(at, count));
    results.insert(results.end(), next.begin(), next.end());
    at += count;
  }
  row_values.insert(row_values.end(), values.begin() + static_cast<ptrdiff_t>(at), values.end());
  if (!soac.post.empty())
    row_values = inline_lambda(body, std::move(soac.post.front()), row_values);

  // Loop results follow the loop's parameters: scans, reductions, accumulators, outputs.
  std::vector<Operand> writes;
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (!outputs[k])
      results.push_back(row_values[k]);
    else
      writes.push_back(
          write_row(body, stmt.pat[reduced + k].type, outputs[k], {loop.index()}, row_values[k]));
  }
  results.insert(results.end(), writes.begin(), writes.end());

  std::vector<Param> scanned;
  for (const auto& names : scan_accs)
    for (const Name name : names)
      scanned.push_back({prog.names.fresh("unused"), loop.type_of(name)});
  std::vector<std::pair<Param, Name>> copies;
  std::vector<Param> pat =
      loop_pattern(prog.names, std::move(scanned), std::move(stmt.pat), reduced, copies);
  if (reorder) out.set_hints({.reduction = true});
  loop.finish(out, std::move(pat), std::move(results), std::move(stmt.tokens));
  if (reorder) out.set_hints({});
  for (auto& [param, shared] : copies) out.let_pat({std::move(param)}, Copy{shared});
}

void sequentialise_scatter(Builder& out, Stmt stmt) {
  Program& prog = out.program();
  Scatter scatter = std::move(*as<Scatter>(stmt.exp));
  LoopBuilder loop(prog, scatter.width, stmt.loc);
  std::vector<Name> targets;
  for (size_t k = 0; k < scatter.dests.size(); ++k)
    targets.push_back(
        loop.carry(stmt.pat[k].type, scatter.dests[k].dest, prog.names.base(stmt.pat[k].name)));
  Builder& body = loop.body();
  const auto rows = read_rows(body, scatter.inputs, scatter.fn.params, loop.index());
  const auto values = inline_lambda(body, std::move(scatter.fn), rows);
  size_t index_at = 0, value_at = values.size() - scatter.dests.size();
  std::vector<Operand> results;
  for (size_t k = 0; k < scatter.dests.size(); ++k) {
    const auto& shape = scatter.dests[k].shape;
    const std::vector<Operand> at(values.begin() + static_cast<ptrdiff_t>(index_at),
                                  values.begin() + static_cast<ptrdiff_t>(index_at + shape.size()));
    index_at += shape.size();
    results.push_back(update_if(
        body, in_bounds(body, at, shape), {stmt.pat[k].type}, {targets[k]}, [&](Builder& then) {
          return std::vector<Operand>{
              write_row(then, stmt.pat[k].type, targets[k], at, values[value_at++])};
        })[0]);
  }
  loop.finish(out, std::move(stmt.pat), std::move(results), std::move(stmt.tokens));
}

void sequentialise_hist(Builder& out, Stmt stmt) {
  Program& prog = out.program();
  Hist hist = std::move(*as<Hist>(stmt.exp));
  LoopBuilder loop(prog, hist.width, stmt.loc);
  std::vector<std::vector<Name>> targets;
  size_t pat_at = 0, index_at = 0, index_count = 0;
  for (const HistOp& op : hist.ops) {
    targets.emplace_back();
    index_count += op.shape.size();
    for (const Name dest : op.dests)
      targets.back().push_back(loop.carry(stmt.pat[pat_at++].type, dest, prog.names.base(dest)));
  }
  Builder& body = loop.body();
  const auto rows = read_rows(body, hist.inputs, hist.fn.params, loop.index());
  const auto values = inline_lambda(body, std::move(hist.fn), rows);
  size_t value_at = index_count;
  std::vector<Operand> results;
  for (size_t k = 0; k < hist.ops.size(); ++k) {
    HistOp& op = hist.ops[k];
    const std::vector<Operand> at(
        values.begin() + static_cast<ptrdiff_t>(index_at),
        values.begin() + static_cast<ptrdiff_t>(index_at + op.shape.size()));
    index_at += op.shape.size();
    std::vector<Type> types;
    for (const Name target : targets[k]) types.push_back(loop.type_of(target));
    const auto next =
        update_if(body, in_bounds(body, at, op.shape), types, targets[k], [&](Builder& then) {
          std::vector<DimSlice> slice;
          for (const Operand& index : at) slice.push_back({true, index});
          std::vector<Operand> args;
          for (size_t j = 0; j < targets[k].size(); ++j)
            args.push_back(then.let1(op.op.fn.params[j].type, Index{targets[k][j], slice}, "old"));
          for (size_t j = 0; j < targets[k].size(); ++j) args.push_back(values[value_at++]);
          std::vector<Type> rows_of_bins;
          for (size_t j = 0; j < targets[k].size(); ++j)
            rows_of_bins.push_back(op.op.fn.params[j].type);
          const auto combined = inline_lambda(then, std::move(op.op.fn), args);
          std::vector<Operand> written;
          for (size_t j = 0; j < targets[k].size(); ++j) {
            // An operator may give back the row of the bin as it is, which is no new array.
            const Type& row = rows_of_bins[j];
            const Operand value = row.is_array()
                                      ? Operand{then.let1(row, Copy{*as_name(combined[j])}, "row")}
                                      : combined[j];
            written.push_back(write_row(then, types[j], targets[k][j], at, value));
          }
          return written;
        });
    results.insert(results.end(), next.begin(), next.end());
  }
  loop.finish(out, std::move(stmt.pat), std::move(results), std::move(stmt.tokens));
}

std::vector<Operand> update_if(Builder& out, const Operand& cond, const std::vector<Type>& types,
                               const std::vector<Name>& targets,
                               const std::function<std::vector<Operand>(Builder&)>& update) {
  Builder then(out.program()), otherwise(out.program());
  then.set_loc(out.loc());
  std::vector<Operand> updated = update(then);
  If branch{cond, then.finish(std::move(updated)),
            otherwise.finish(std::vector<Operand>(targets.begin(), targets.end()))};
  const std::vector<Name> names =
      out.let(types, std::move(branch), out.names().base(targets.front()));
  return {names.begin(), names.end()};
}

void sequentialise_stmt(Builder& out, Stmt stmt) {
  for_each_body(stmt.exp, [&](Body& inner) { sequentialise(inner, out.program()); });
  const Loc outer = out.loc();
  out.set_loc(stmt.loc);
  if (as<Soac>(stmt.exp) != nullptr)
    sequentialise_soac(out, std::move(stmt));
  else if (as<Hist>(stmt.exp) != nullptr)
    sequentialise_hist(out, std::move(stmt));
  else if (as<Scatter>(stmt.exp) != nullptr)
    sequentialise_scatter(out, std::move(stmt));
  else if (as<Partition>(stmt.exp) != nullptr)
    sequentialise_partition(out, std::move(stmt));
  else if (as<FlatMap>(stmt.exp) != nullptr)
    sequentialise_flatmap(out, std::move(stmt));
  else
    out.append(std::move(stmt));
  out.set_loc(outer);
}

// Where a nest has two versions, one thread takes the nest as the program has it: the other one
// stores what lies between its levels.
static void choose_outer_versions(Body& body) {
  std::unordered_set<Name> thresholds;
  for (Stmt& stmt : body.stmts) {
    const auto* tunable = as<Tunable>(stmt.exp);
    if (tunable != nullptr && tunable->param.find(".suff_outer_par_") != std::string::npos)
      thresholds.insert(stmt.pat[0].name);
    const auto* compared = as<CmpOp>(stmt.exp);
    const Name* least = compared == nullptr ? nullptr : as_name(compared->lhs);
    if (least != nullptr && compared->op == CmpOpKind::kLe && thresholds.contains(*least))
      stmt.exp = Value{const_bool(true)};
  }
}

void sequentialise(Body& body, Program& prog) {
  choose_outer_versions(body);
  Builder out(prog);
  for (Stmt& stmt : body.stmts) {
    if (Call* call = as<Call>(stmt.exp)) call->fn = sequential_name(call->fn);
    sequentialise_stmt(out, std::move(stmt));
  }
  body = out.finish(std::move(body.result));
}

}  // namespace skald::passes
