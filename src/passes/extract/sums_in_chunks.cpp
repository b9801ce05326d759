// SPDX-License-Identifier: Apache-2.0
// Maps that write to accumulators at computed places: chunks of iterations with arrays of their
// own.
//
//   before   let {ys, rs} = with_acc(acc [m] {xs} with ⊕ ne, \{a} ->
//              map(n, {zs, a}, \{z, a} -> … update_acc … in {a', r}))
//
//   after    let {parts, rows} = kernel(flat(chunks), \{c} ->
//              with_acc(acc [m] {replicate([m], ne)} with ⊕ ne, \{a} ->
//                loop for i < (iterations of chunk c) do … update_acc … rows with [i] = r))
//            let {sums} = kernel(grid(m, chunks), \{j, c} -> parts[c, j], reduce with ⊕ ne)
//            let {ys} = kernel(flat(m), \{j} -> xs[j] ⊕ sums[j])
//            let {rs} = (rows as one row)[0:n]
//
// How many chunks there are depends on sizes alone, so that sums of floats are the same on all
// machines and with any number of threads.
#include "passes/extract/sums_in_chunks.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/kernels/sequentialise_internal.h"

namespace skald::passes {

using namespace core;

namespace {

bool is_acc(const Type& type) {
  return type.kind == Type::kAcc;
}

// The model.  A place of an array costs this many statements in each chunk: it is filled, read and
// added.  These are to be a small part (the second number) of all.
constexpr int64_t kPlace = 12, kSmallPart = 8;
// A chunk runs at least this many statements; more chunks than this help no machine.
constexpr int64_t kLeastStatements = 1 << 15, kMostChunks = 32;

// How many statements a body runs; loops whose number of rounds is not known outside count once.
Operand statements_run(Builder& out, const Body& body, const NameSet& known_outside) {
  Operand sum = const_i64(static_cast<int64_t>(body.stmts.size()));
  for (const Stmt& stmt : body.stmts) {
    std::optional<Operand> rounds;
    if (const Soac* soac = as<Soac>(stmt.exp)) rounds = soac->width;
    if (const Loop* loop = as<Loop>(stmt.exp); loop != nullptr && loop->form == Loop::kFor)
      rounds = loop->bound;
    const Name* name = rounds ? as_name(*rounds) : nullptr;
    if (name != nullptr && !known_outside.contains(*name)) rounds.reset();
    if (const Loop* loop = as<Loop>(stmt.exp); loop != nullptr && rounds)
      rounds = out.convert(loop->var.type.elem, Prim::kI64, *rounds);
    for_each_body(stmt.exp, [&](const Body& inner) {
      const Operand inside = statements_run(out, inner, known_outside);
      sum = out.size_add(sum, rounds ? out.size_mul(*rounds, inside) : inside);
    });
  }
  return sum;
}

Operand quotient(Builder& out, const Operand& a, const Operand& b) {
  return out.binop(BinOpKind::kQuot, Prim::kI64, a,
                   out.binop(BinOpKind::kMax, Prim::kI64, b, const_i64(1)));
}

Operand least(Builder& out, const Operand& a, const Operand& b) {
  return out.binop(BinOpKind::kMin, Prim::kI64, a, b);
}

Operand product(Builder& out, const std::vector<Operand>& dims) {
  Operand all = const_i64(1);
  for (const Operand& dim : dims) all = out.size_mul(all, dim);
  return all;
}

// One level more around a type.
Type rows_of(const Operand& count, const Type& row) {
  std::vector<Operand> shape = {count};
  shape.insert(shape.end(), row.shape.begin(), row.shape.end());
  return array_of(shape, scalar_type(row.elem));
}

class Chunks {
 public:
  Chunks(Builder& out, Stmt stmt)
      : out_(out), prog_(out.program()), stmt_(std::move(stmt)), node_(*as<WithAcc>(stmt_.exp)) {
    Stmt& inner = node_.fn.body.stmts[0];
    map_ = std::move(*as<Soac>(inner.exp));
    tokens_ = std::move(inner.tokens);
    tokens_.insert(tokens_.end(), stmt_.tokens.begin(), stmt_.tokens.end());
  }

  SumsInChunks run() {
    out_.set_loc(stmt_.loc);
    const Operand chunks = count();
    sequentialise(map_.fn.body, prog_);
    for (AccInput& input : node_.inputs) sequentialise(input.op[0].fn.body, prog_);
    const Operand good = out_.cmpop(CmpOpKind::kLt, Prim::kI64, const_i64(1), chunks, "in_chunks");
    Builder body(prog_);
    body.set_loc(stmt_.loc);
    std::vector<Operand> results = combined(body, chunks);
    return {good, body.finish(std::move(results))};
  }

 private:
  Operand count() {
    Operand places = const_i64(0);
    for (const AccInput& input : node_.inputs)
      places = out_.size_add(places,
                             out_.size_mul(product(out_, input.shape),
                                           const_i64(static_cast<int64_t>(input.arrays.size()))));
    const Operand work =
        out_.size_mul(map_.width, statements_run(out_, map_.fn.body, free_names(map_.fn)));
    Operand chunks = quotient(out_, work, out_.size_mul(places, const_i64(kPlace * kSmallPart)));
    chunks = least(out_, chunks, quotient(out_, work, const_i64(kLeastStatements)));
    return least(out_, chunks, least(out_, map_.width, const_i64(kMostChunks)));
  }

  // The rows that the map gives, as long as a chunk: what it gives besides accumulators.
  std::vector<Type> row_types(const Operand& size) const {
    std::vector<Type> types;
    for (const Ret& ret : map_.fn.results)
      if (!is_acc(ret.type)) types.push_back(rows_of(size, ret.type));
    return types;
  }

  // Iterations begin … begin+rounds of the map, with these accumulators; gives them and the rows.
  std::vector<Operand> iterations(Builder& body, const std::vector<Name>& accs,
                                  const std::vector<Type>& rows, const Operand& begin,
                                  const Operand& rounds) {
    LoopBuilder loop(prog_, rounds, stmt_.loc);
    std::vector<Name> inputs = map_.inputs, outputs;
    std::vector<Param> pat;
    const auto give = [&](const Type& type) { pat.push_back({prog_.names.fresh("part"), type}); };
    size_t at = 0;
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (!is_acc(map_.fn.params[k].type)) continue;
      inputs[k] = loop.carry(map_.fn.params[k].type, accs[at++], "acc", Carry::kReplaced);
      give(map_.fn.params[k].type);
    }
    for (const Type& type : rows) {
      const Name start = body.let1(type, Scratch{type.elem, type.shape}, "rows");
      outputs.push_back(loop.carry(type, start, "rows"));
      give(type);
    }
    Builder& round = loop.body();
    const Operand i = round.size_add(begin, loop.index());
    const std::vector<Operand> given = read_rows(round, inputs, map_.fn.params, i);
    const std::vector<Ret> types = map_.fn.results;
    const std::vector<Operand> values = inline_lambda(round, std::move(map_.fn), given);
    std::vector<Operand> results, written;
    for (size_t k = 0; k < values.size(); ++k) {
      if (is_acc(types[k].type)) {
        results.push_back(values[k]);
        continue;
      }
      const size_t row = written.size();
      written.push_back(write_row(round, rows[row], outputs[row], {loop.index()}, values[k]));
    }
    results.insert(results.end(), written.begin(), written.end());
    std::vector<Operand> last;
    for (const Param& p : pat) last.emplace_back(p.name);
    loop.finish(body, std::move(pat), std::move(results), {});
    return last;
  }

  // New arrays with nothing in them but neutral elements, and the accumulators made of them.
  WithAcc own_arrays(Builder& body, std::vector<Type>& types) {
    WithAcc own;
    for (size_t k = 0; k < map_.inputs.size(); ++k) {
      if (!is_acc(map_.fn.params[k].type)) continue;
      const AccInput& outer = input_of(map_.inputs[k]);
      AccInput input{outer.shape, {}, {}};
      const Operator& op = outer.op[0];
      for (size_t j = 0; j < op.neutral.size(); ++j) {
        types.push_back(array_of(outer.shape, map_.fn.params[k].type.acc_elems[j]));
        input.arrays.push_back(
            body.let1(types.back(), Replicate{outer.shape, op.neutral[j]}, "own"));
      }
      input.op.push_back({copy_with_fresh_names(op.fn, prog_.names), op.neutral, op.commutative});
      own.inputs.push_back(std::move(input));
      own.fn.params.push_back({prog_.names.fresh("acc"), map_.fn.params[k].type});
      own.fn.results.push_back({{}, map_.fn.params[k].type});
    }
    return own;
  }

  const AccInput& input_of(Name acc) const {
    const auto& params = node_.fn.params;
    const auto found = std::ranges::find_if(params, [&](const Param& p) { return p.name == acc; });
    return node_.inputs[static_cast<size_t>(found - params.begin())];
  }

  // The kernel over the chunks; gives the arrays of all accumulators of the map, then its rows.
  std::vector<Name> parts(Builder& body, const Operand& chunks, const Operand& size) {
    Kernel kernel;
    kernel.domain.dims = {chunks};
    const Name chunk = prog_.names.fresh("chunk");
    kernel.pull.params = {{chunk, scalar_type(Prim::kI64)}};
    Builder thunk(prog_);
    thunk.set_loc(stmt_.loc);
    const Operand begin = thunk.size_mul(chunk, size);
    const Operand rounds =
        thunk.binop(BinOpKind::kMax, Prim::kI64, const_i64(0),
                    least(thunk, size, thunk.size_sub(map_.width, begin)), "rounds");
    std::vector<Type> types;
    WithAcc own = own_arrays(thunk, types);
    const std::vector<Type> rows = row_types(size);
    std::vector<Name> accs;
    for (const Param& p : own.fn.params) accs.push_back(p.name);
    Builder inside(prog_);
    inside.set_loc(stmt_.loc);
    std::vector<Operand> results = iterations(inside, accs, rows, begin, rounds);
    own.fn.body = inside.finish(std::move(results));
    for (const Type& type : rows) own.fn.results.push_back({{}, type, true});
    types.insert(types.end(), rows.begin(), rows.end());
    const std::vector<Name> made = thunk.let(types, std::move(own), "part");
    kernel.pull.body = thunk.finish({made.begin(), made.end()});
    std::vector<Type> all;
    for (const Type& type : types) {
      kernel.pull.results.push_back({{}, type});
      kernel.sinks.push_back({Sink::kOut, 1});
      all.push_back(rows_of(chunks, type));
    }
    return body.let(all, std::move(kernel), "parts", tokens_);
  }

  // What an accumulator held, with the sums of all chunks.
  std::vector<Operand> totals(Builder& body, const AccInput& input, std::span<const Name> parts,
                              const Operand& chunks) {
    const Operator& op = input.op[0];
    const Operand places = product(body, input.shape);
    const Name place = prog_.names.fresh("place"), chunk = prog_.names.fresh("chunk");
    const Name at = prog_.names.fresh("place");
    Builder one(prog_), added(prog_);
    Kernel sum, add;
    std::vector<Operand> values, old;
    std::vector<Type> types;
    for (size_t k = 0; k < parts.size(); ++k) {
      const Type elem = op.fn.params[k].type;
      types.push_back(array_of({places}, elem));
      const Name flat =
          body.let1(array_of({chunks, places}, elem), Reshape{parts[k], {chunks, places}}, "parts");
      values.emplace_back(
          one.let1(elem, Index{flat, {DimSlice{true, chunk}, DimSlice{true, place}}}, "part"));
      sum.pull.results.push_back({{}, elem});
      const Name before = body.let1(types.back(), Reshape{input.arrays[k], {places}}, "old");
      old.emplace_back(added.let1(elem, Index{before, {DimSlice{true, at}}}, "old"));
      add.pull.results.push_back({{}, elem});
      add.sinks.push_back({Sink::kOut, 1});
    }
    sum.domain = {Domain::kGrid, {places, chunks}};
    sum.pull.params = {{place, scalar_type(Prim::kI64)}, {chunk, scalar_type(Prim::kI64)}};
    sum.pull.body = one.finish(std::move(values));
    sum.sinks.push_back({Sink::kReduce, static_cast<int>(parts.size())});
    sum.sinks[0].op.push_back(
        {copy_with_fresh_names(op.fn, prog_.names), op.neutral, op.commutative});
    const std::vector<Name> sums = body.let(types, std::move(sum), "sums");
    for (size_t k = 0; k < sums.size(); ++k)
      old.emplace_back(
          added.let1(op.fn.params[k].type, Index{sums[k], {DimSlice{true, at}}}, "sum"));
    add.domain.dims = {places};
    add.pull.params = {{at, scalar_type(Prim::kI64)}};
    std::vector<Operand> results =
        inline_lambda(added, copy_with_fresh_names(op.fn, prog_.names), old);
    add.pull.body = added.finish(std::move(results));
    std::vector<Operand> totals;
    const std::vector<Name> flat = body.let(types, std::move(add), "totals");
    for (size_t k = 0; k < flat.size(); ++k)
      totals.emplace_back(body.let1(array_of(input.shape, op.fn.params[k].type),
                                    Reshape{flat[k], input.shape}, "totals"));
    return totals;
  }

  // The rows of all chunks as one; the last chunk may have more room than iterations.
  Operand joined(Builder& body, Name rows, const Type& type, const Operand& chunks) {
    std::vector<Operand> shape(type.shape.begin(), type.shape.end());
    shape[0] = body.size_mul(chunks, shape[0]);
    const Type all = array_of(shape, scalar_type(type.elem));
    const Name flat = body.let1(all, Reshape{rows, shape}, "rows");
    shape[0] = map_.width;
    std::vector<DimSlice> slice;
    for (const Operand& dim : shape) slice.push_back({false, const_i64(0), dim, const_i64(1)});
    return body.let1(array_of(shape, scalar_type(type.elem)), Index{flat, std::move(slice)},
                     "rows");
  }

  std::vector<Operand> combined(Builder& body, const Operand& chunks) {
    const Operand size =
        quotient(body, body.size_add(map_.width, body.size_sub(chunks, const_i64(1))), chunks);
    const std::vector<Param> params = map_.fn.params;
    const std::vector<Ret> rets = map_.fn.results;
    const std::vector<Type> rows = row_types(size);
    const std::vector<Name> made = parts(body, chunks, size);
    // By accumulator, then by result of the map.
    std::unordered_map<Name, std::vector<Operand>> of_acc;
    size_t at = 0;
    for (size_t k = 0; k < params.size(); ++k) {
      if (!is_acc(params[k].type)) continue;
      const size_t count = params[k].type.acc_elems.size();
      of_acc[map_.inputs[k]] =
          totals(body, input_of(map_.inputs[k]), std::span(made).subspan(at, count), chunks);
      at += count;
    }
    std::vector<Operand> results;
    for (const Param& p : node_.fn.params)
      results.insert(results.end(), of_acc[p.name].begin(), of_acc[p.name].end());
    std::unordered_map<Name, Operand> of_row;
    const std::vector<Param>& pat = node_.fn.body.stmts[0].pat;
    for (size_t k = 0, row = 0; k < pat.size(); ++k)
      if (!is_acc(rets[k].type)) {
        of_row.emplace(pat[k].name, joined(body, made[at + row], rows[row], chunks));
        ++row;
      }
    for (size_t k = node_.inputs.size(); k < node_.fn.body.result.size(); ++k) {
      const Name* name = as_name(node_.fn.body.result[k]);
      const auto row = name == nullptr ? of_row.end() : of_row.find(*name);
      results.push_back(row == of_row.end() ? node_.fn.body.result[k] : row->second);
      // Outside its sizes may have other names.
      const Type& outside = stmt_.pat[results.size() - 1].type;
      if (row != of_row.end())
        results.back() =
            body.let1(outside, Reshape{std::get<Name>(row->second), outside.shape}, "rows");
    }
    return results;
  }

  Builder& out_;
  Program& prog_;
  Stmt stmt_;
  WithAcc& node_;
  Soac map_;
  std::vector<Name> tokens_;
};

}  // namespace

Stmt* only_accumulating_map(WithAcc& node) {
  Body& body = node.fn.body;
  if (body.stmts.empty()) return nullptr;
  Stmt& last = body.stmts.back();
  const Soac* map = as<Soac>(last.exp);
  if (map == nullptr || !map->is_map()) return nullptr;
  for (const AccInput& input : node.inputs) {
    if (input.op.empty()) return nullptr;
    for (const Param& p : input.op[0].fn.params)
      if (!p.type.is_scalar()) return nullptr;
  }
  // Accumulator k is the k-th of the map's accumulators that it takes and gives, in some order.
  std::vector<Name> taken, given;
  for (size_t k = 0; k < map->inputs.size(); ++k)
    if (is_acc(map->fn.params[k].type)) taken.push_back(map->inputs[k]);
  for (const Param& p : last.pat)
    if (is_acc(p.type)) given.push_back(p.name);
  if (taken.size() != node.inputs.size() || given.size() != taken.size()) return nullptr;
  for (size_t k = 0; k < taken.size(); ++k) {
    const auto at = std::ranges::find(taken, node.fn.params[k].name);
    if (at == taken.end()) return nullptr;
    if (body.result[k] != Operand{given[static_cast<size_t>(at - taken.begin())]}) return nullptr;
  }
  for (size_t k = 0; k + 1 < body.stmts.size(); ++k)
    for (const Name acc : taken)
      if (free_names(body.stmts[k]).contains(acc)) return nullptr;
  return &last;
}

int64_t least_statements_for_places() {
  return kPlace * kSmallPart * kMostChunks;
}

SumsInChunks sums_in_chunks(Builder& out, Stmt stmt) {
  return Chunks(out, std::move(stmt)).run();
}

}  // namespace skald::passes
