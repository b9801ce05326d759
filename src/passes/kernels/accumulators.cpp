// SPDX-License-Identifier: Apache-2.0
// Accumulators → arrays that are updated in place.
//
//   before   let {ys_2 : [n_0]i32} = with_acc(acc [n_0] {xs_1} with {0i32} \{a_3, b_4} …,
//              \{acc_5 : acc([n_0], {i32})} : {acc([n_0], {i32})} ->
//              let {acc_6 : acc([n_0], {i32})} = update_acc(acc_5, {i_7}, {v_8})
//              in {acc_6})
//
//   after    let {xs_9 : [n_0]i32} = if …0 <= i_7 < n_0… then
//              let {old_10 : i32} = xs_1[i_7]
//              …new_11 = old_10 ⊕ v_8…
//              let {xs_12 : [n_0]i32} = xs_1 with [i_7] = new_11
//              in {xs_12}
//            else {xs_1}
//            let {ys_2 : [n_0]i32} = xs_9
//
// An accumulator is used up by every operation on it, so the arrays can take its way through
// loops and branches.  Everything that writes to one is sequential by now, except kernels made from
// maps whose iterations write once: their writes become sinks.  A function that takes accumulators
// takes arrays instead, in a variant for each operator it is called with.
#include <algorithm>
#include <deque>

#include "core/edit/builder.h"
#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/kernels/accumulators_internal.h"
#include "passes/kernels/sequentialise.h"
#include "passes/kernels/sequentialise_internal.h"

namespace skald::passes {

using namespace core;

namespace {

class ExpandAccumulators {
 public:
  ExpandAccumulators(Program& prog, AccVariants& variants) : prog_(prog), variants_(variants) {}

  // A function whose parameters are no accumulators, or stand for these.
  void function(Function& fn, std::unordered_map<Name, AccArrays> accs = {}) {
    accs_ = std::move(accs);
    for (const Param& p : fn.params) types_.insert_or_assign(p.name, p.type);
    body(fn.body);
  }

  void body(Body& body) {
    Builder out(prog_);
    for (Stmt& s : body.stmts) stmt(out, std::move(s));
    std::vector<Operand> results = expanded(body.result);
    body = out.finish(std::move(results));
  }

 private:
  static Type array_type(const Type& acc, size_t k) {
    return array_of(acc.shape, acc.acc_elems[k]);
  }

  std::vector<Operand> expanded(const std::vector<Operand>& operands) const {
    std::vector<Operand> result;
    for (const Operand& operand : operands) {
      const Name* name = as_name(operand);
      const auto acc = name == nullptr ? accs_.end() : accs_.find(*name);
      if (acc == accs_.end())
        result.push_back(operand);
      else
        result.insert(result.end(), acc->second.arrays.begin(), acc->second.arrays.end());
    }
    return result;
  }

  // The pattern with arrays instead of accumulators; `like(k)` is what element k is made from.
  template <class Like>
  std::vector<Param> expanded(std::vector<Param> pat, const Like& like) {
    std::vector<Param> result;
    for (size_t k = 0; k < pat.size(); ++k) {
      if (!is_accumulator(pat[k].type)) {
        result.push_back(std::move(pat[k]));
        continue;
      }
      AccArrays acc = accs_.at(like(k));
      acc.type = pat[k].type;
      acc.arrays.clear();
      for (size_t j = 0; j < acc.type.acc_elems.size(); ++j) {
        acc.arrays.push_back(prog_.names.fresh_like(pat[k].name));
        result.push_back({acc.arrays.back(), array_type(acc.type, j)});
      }
      accs_.emplace(pat[k].name, std::move(acc));
    }
    return result;
  }

  void stmt(Builder& out, Stmt stmt) {
    out.set_loc(stmt.loc);
    for (const Param& p : stmt.pat) types_.insert_or_assign(p.name, p.type);
    for_each_param(stmt.exp, [&](const Param& p) { types_.insert_or_assign(p.name, p.type); });
    if (as<Call>(stmt.exp) != nullptr) return call(out, std::move(stmt));
    if (as<WithAcc>(stmt.exp) != nullptr) return with_acc(out, std::move(stmt));
    if (as<UpdateAcc>(stmt.exp) != nullptr) return update_acc(out, std::move(stmt));
    if (as<If>(stmt.exp) != nullptr) return branch(out, std::move(stmt));
    if (as<Loop>(stmt.exp) != nullptr) return loop(out, std::move(stmt));
    for_each_body(stmt.exp, [&](Body& inner) { body(inner); });
    if (as<Kernel>(stmt.exp) != nullptr) return kernel(out, std::move(stmt));
    if (stmt.pat.size() == 1 && is_accumulator(stmt.pat[0].type)) {
      // A copy of the name.
      const Value* value = as<Value>(stmt.exp);
      const Opaque* opaque = as<Opaque>(stmt.exp);
      SKALD_CHECK(value != nullptr || opaque != nullptr, "an accumulator comes from nowhere");
      const Operand& arg = value != nullptr ? value->arg : opaque->arg;
      accs_.emplace(stmt.pat[0].name, accs_.at(std::get<Name>(arg)));
      return;
    }
    out.append(std::move(stmt));
  }

  void call(Builder& out, Stmt stmt) {
    Call& node = *as<Call>(stmt.exp);
    std::vector<const AccArrays*> taken;
    for (const Operand& arg : node.args)
      if (const Name* name = as_name(arg))
        if (const auto found = accs_.find(*name); found != accs_.end())
          taken.push_back(&found->second);
    if (taken.empty()) return out.append(std::move(stmt));
    std::vector<std::vector<Type>> free_types;
    std::vector<Operand> args = expanded(node.args);
    for (const AccArrays* acc : taken) {
      free_types.emplace_back();
      for (const Name name : acc->free) {
        free_types.back().push_back(types_.at(name));
        args.emplace_back(name);
      }
    }
    node.fn = variants_.variant(node.fn, taken, free_types);
    node.args = std::move(args);
    // Results come from the accumulators in order.
    std::vector<Name> names;
    for (const auto& [name, acc] : accs_)
      for (const AccArrays* t : taken)
        if (t == &acc) names.push_back(name);
    std::vector<Name> like(stmt.pat.size());
    size_t next = 0;
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      if (!is_accumulator(stmt.pat[k].type)) continue;
      for (const Name name : names)
        if (&accs_.at(name) == taken[std::min(next, taken.size() - 1)]) like[k] = name;
      ++next;
    }
    stmt.pat = expanded(std::move(stmt.pat), [&](size_t k) { return like[k]; });
    out.append(std::move(stmt));
  }

  // The body takes the statement's place.
  void with_acc(Builder& out, Stmt stmt) {
    WithAcc node = std::move(*as<WithAcc>(stmt.exp));
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      AccInput& input = node.inputs[k];
      AccArrays acc{node.fn.params[k].type, input.arrays};
      acc.number = variants_.next_number();
      if (!input.op.empty()) {
        operators_.push_back(std::move(input.op[0]));
        body(operators_.back().fn.body);
        acc.op = &operators_.back();
        const auto free = free_names(acc.op->fn);
        acc.free.assign(free.begin(), free.end());
        std::sort(acc.free.begin(), acc.free.end());
      }
      accs_.emplace(node.fn.params[k].name, std::move(acc));
    }
    for (Stmt& inner : node.fn.body.stmts) {
      inner.tokens.insert(inner.tokens.end(), stmt.tokens.begin(), stmt.tokens.end());
      this->stmt(out, std::move(inner));
    }
    out.set_loc(stmt.loc);
    const std::vector<Operand> results = expanded(node.fn.body.result);
    size_t arrays = 0;
    for (const AccInput& input : node.inputs) arrays += input.arrays.size();
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      const Name* name = as_name(results[k]);
      // A further array is known outside by other names of its sizes.
      Exp exp = k >= arrays && stmt.pat[k].type.is_array() && name != nullptr
                    ? Exp(Reshape{*name, stmt.pat[k].type.shape})
                    : Exp(Value{results[k]});
      std::vector<Param> pat;
      pat.push_back(std::move(stmt.pat[k]));
      out.let_pat(std::move(pat), std::move(exp));
    }
  }

  void update_acc(Builder& out, Stmt stmt) {
    const UpdateAcc& node = *as<UpdateAcc>(stmt.exp);
    const AccArrays acc = accs_.at(node.acc);
    std::vector<Type> types;
    for (size_t k = 0; k < acc.arrays.size(); ++k) types.push_back(array_type(acc.type, k));
    const Operand inside = in_bounds(out, node.indices, acc.type.shape);
    Builder then(prog_), otherwise(prog_);
    then.set_loc(stmt.loc);
    std::vector<Operand> values = node.values;
    if (acc.op != nullptr) {
      std::vector<DimSlice> slice;
      for (const Operand& index : node.indices) slice.push_back({true, index});
      std::vector<Operand> args;
      for (size_t k = 0; k < acc.arrays.size(); ++k)
        args.push_back(then.let1(acc.type.acc_elems[k], Index{acc.arrays[k], slice}, "old"));
      args.insert(args.end(), values.begin(), values.end());
      values = inline_lambda(then, copy_with_fresh_names(acc.op->fn, prog_.names), args);
    }
    std::vector<Operand> written;
    for (size_t k = 0; k < acc.arrays.size(); ++k)
      written.push_back(write_row(then, types[k], acc.arrays[k], node.indices, values[k]));
    If branch{inside, then.finish(std::move(written)),
              otherwise.finish({acc.arrays.begin(), acc.arrays.end()})};
    AccArrays next = acc;
    next.arrays = out.let(types, std::move(branch), prog_.names.base(acc.arrays[0]), stmt.tokens);
    accs_.emplace(stmt.pat[0].name, std::move(next));
  }

  void branch(Builder& out, Stmt stmt) {
    If node = std::move(*as<If>(stmt.exp));
    const std::vector<Operand> like = node.then_body.result;
    body(node.then_body);
    body(node.else_body);
    stmt.pat = expanded(std::move(stmt.pat), [&](size_t k) { return std::get<Name>(like[k]); });
    stmt.exp = std::move(node);
    out.append(std::move(stmt));
  }

  void loop(Builder& out, Stmt stmt) {
    Loop node = std::move(*as<Loop>(stmt.exp));
    std::vector<LoopParam> params;
    std::vector<Operand> like;
    for (LoopParam& p : node.params) {
      like.push_back(p.init);
      if (!is_accumulator(p.param.type)) {
        params.push_back(std::move(p));
        continue;
      }
      const AccArrays init = accs_.at(std::get<Name>(p.init));
      AccArrays acc = init;
      acc.type = p.param.type;
      acc.arrays.clear();
      for (size_t j = 0; j < init.arrays.size(); ++j) {
        acc.arrays.push_back(prog_.names.fresh_like(init.arrays[j]));
        params.push_back({{acc.arrays.back(), array_type(acc.type, j), true}, init.arrays[j]});
      }
      accs_.emplace(p.param.name, std::move(acc));
    }
    node.params = std::move(params);
    body(node.body);
    stmt.pat = expanded(std::move(stmt.pat), [&](size_t k) { return std::get<Name>(like[k]); });
    stmt.exp = std::move(node);
    out.append(std::move(stmt));
  }

  // Sinks that write to accumulators: with an operator a histogram, without one a scatter for each
  // array.  Their results are the first of the statement.
  void kernel(Builder& out, Stmt stmt) {
    Kernel& node = *as<Kernel>(stmt.exp);
    std::vector<Sink> sinks;
    std::vector<Ret> results;
    std::vector<Operand> values;
    std::vector<Name> like;
    size_t at = 0;
    const auto take = [&](size_t from, size_t count) {
      for (size_t k = from; k < from + count; ++k) {
        results.push_back(node.pull.results[k]);
        values.push_back(node.pull.body.result[k]);
      }
    };
    if (node.guarded) take(at++, 1);
    for (Sink& sink : node.sinks) {
      const size_t first = at;
      at += static_cast<size_t>(sink.count);
      const auto found = sink.dests.empty() ? accs_.end() : accs_.find(sink.dests[0]);
      if (found == accs_.end()) {
        take(first, static_cast<size_t>(sink.count));
        sinks.push_back(std::move(sink));
        continue;
      }
      const AccArrays& acc = found->second;
      const size_t rank = sink.shape.size();
      like.push_back(sink.dests[0]);
      if (acc.op != nullptr) {
        take(first, static_cast<size_t>(sink.count));
        sink.op.push_back({copy_with_fresh_names(acc.op->fn, prog_.names), acc.op->neutral, true});
        sink.dests = acc.arrays;
        sinks.push_back(std::move(sink));
        continue;
      }
      for (size_t k = 0; k < acc.arrays.size(); ++k) {
        take(first, rank);
        take(first + rank + k, 1);
        Sink scatter{Sink::kScatter, static_cast<int>(rank + 1)};
        scatter.shape = sink.shape;
        scatter.dests = {acc.arrays[k]};
        sinks.push_back(std::move(scatter));
      }
    }
    node.sinks = std::move(sinks);
    node.pull.results = std::move(results);
    node.pull.body.result = std::move(values);
    stmt.pat = expanded(std::move(stmt.pat), [&](size_t k) { return like[k]; });
    out.append(std::move(stmt));
  }

  Program& prog_;
  AccVariants& variants_;
  std::unordered_map<Name, Type> types_;
  std::unordered_map<Name, AccArrays> accs_;
  // Those of the accumulators; they do not move.
  std::deque<Operator> operators_;
};

}  // namespace

void expand_in_function(Program& prog, AccVariants& variants, Function& fn,
                        std::unordered_map<Name, AccArrays> accs) {
  ExpandAccumulators(prog, variants).function(fn, std::move(accs));
}

}  // namespace skald::passes
