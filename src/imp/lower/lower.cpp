// SPDX-License-Identifier: Apache-2.0
// Functions and entry points.
#include "imp/lower/lower.h"

#include <algorithm>

#include "imp/ir/visit.h"
#include "imp/lower/common/function.h"
#include "imp/lower/cpu/strategies/strategies.h"
#include "imp/lower/entry_wrapper.h"
#include "imp/lower/gpu/strategies/strategies.h"
#include "support/bug.h"

namespace skald::imp {

namespace {

bool is_value(const core::Type& type) {
  return type.kind == core::Type::kMem || type.is_scalar();
}

Type imp_type(const core::Type& type, Space space = Space::kHeap) {
  return type.kind == core::Type::kMem ? block(space) : scalar(type.elem);
}

bool calls(const Body& body, std::string_view name) {
  return std::ranges::any_of(body.stmts, [&](const Stmt& stmt) {
    const auto* call = as<Call>(stmt);
    bool found = call != nullptr && call->fn == name;
    for_each_body(stmt, [&](const Body& inner) { found = found || calls(inner, name); });
    return found;
  });
}

// The shape of the part of a parameter that the function works on: share-windows takes it first.
std::vector<Operand> shape_of_part(const core::Function& fn, const core::Param& param) {
  const auto is_param = [&](const Operand& o) {
    return std::ranges::any_of(fn.params,
                               [&](const core::Param& p) { return o == Operand{p.name}; });
  };
  std::vector<Operand> shape = param.type.shape;
  for (const core::Stmt& stmt : fn.body.stmts) {
    const auto* index = core::as<core::Index>(stmt.exp);
    if (index == nullptr || !(index->array == param.name)) continue;
    const core::DimSlice& outer = index->slice[0];
    if (!outer.is_index && is_param(outer.start) && is_param(outer.count)) shape[0] = outer.count;
    break;
  }
  return shape;
}

// The shapes of the arrays among the parameters; none if the function may change one.
std::vector<std::vector<Operand>> unchanged_arrays(const core::Function& fn) {
  std::vector<std::vector<Operand>> shapes;
  for (const core::Param& p : fn.params) {
    if (p.unique) return {};
    if (p.type.is_array()) shapes.push_back(shape_of_part(fn, p));
  }
  return shapes;
}

}  // namespace

Function entry_wrapper(Program& prog, const core::Function& fn) {
  Function wrapper;
  wrapper.name = "entry_" + fn.name;
  wrapper.entry = fn.entry->name;
  // Without a place: it is no call that the user wrote.
  Call call{{}, fn.name, {}, {}};
  // What the names in the types of results stand for here.
  std::unordered_map<Name, Operand> known;
  std::vector<Stmt> stmts;
  for (const core::Param& p : fn.params) {
    if (!is_value(p.type)) continue;
    const Name name = prog.names.fresh_like(p.name);
    wrapper.params.push_back({name, imp_type(p.type)});
    call.args.push_back(name);
    known[p.name] = name;
    // The dimensions follow the block; the function has them as sizes already.
    if (p.type.kind != core::Type::kMem) continue;
    const core::Param& array = *(&p + 1);
    for (const Operand& size : array.type.shape) {
      const Name dim = prog.names.fresh("dim");
      wrapper.params.push_back({dim, scalar(Prim::kI64)});
      // A constant is no size that it has.
      if (core::as_const(size) == nullptr) continue;
      const Name same = prog.names.fresh("same");
      stmts.push_back(
          Stmt{Let{same, Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, dim, size}}});
      stmts.push_back(
          Stmt{Check{same, {std::string("entry point arguments have invalid sizes.")}, fn.loc}});
    }
  }
  // A size among the results is known by its name in the result list or in the body.
  for (size_t k = 0; k < fn.results.size(); ++k) {
    const core::Ret& ret = fn.results[k];
    if (!is_value(ret.type)) continue;
    const Name name = ret.name ? prog.names.fresh_like(ret.name) : prog.names.fresh("result");
    call.results.push_back({name, imp_type(ret.type)});
    if (ret.name) known[ret.name] = name;
    if (const Name* inner = core::as_name(fn.body.result[k])) known.emplace(*inner, name);
  }
  size_t next = 0;
  for (const core::Ret& ret : fn.results) {
    if (is_value(ret.type)) {
      wrapper.results.push_back(imp_type(ret.type));
      wrapper.ret.push_back(call.results[next++].name);
      continue;
    }
    for (const Operand& dim : ret.type.shape) {
      const Name* name = core::as_name(dim);
      SKALD_CHECK(name == nullptr || known.contains(*name),
                  "entry point {}: a result of unknown size", fn.name);
      wrapper.results.push_back(scalar(Prim::kI64));
      wrapper.ret.push_back(name == nullptr ? dim : known.at(*name));
    }
  }
  stmts.push_back(Stmt{std::move(call)});
  wrapper.body = Body(std::move(stmts));
  return wrapper;
}

Function FunctionLowering::lower(const core::Function& fn, FunctionKind kind) {
  Function result;
  result.name = fn.name;
  result.kind = kind;
  // Code called from inside a launch runs in one thread.
  if (kind == FunctionKind::kDevice) ++parallel_depth;
  result.once = fn.params.empty() && fn.hints.once;
  for (const core::Param& p : fn.params)
    if (is_value(p.type))
      result.params.push_back({p.name, imp_type(p.type, target.owned(*this, p.type.space))});
  for (const core::Param& p : fn.params) remember(p);
  for (const core::Ret& ret : fn.results)
    if (is_value(ret.type))
      result.results.push_back(imp_type(ret.type, target.owned(*this, ret.type.space)));
  flows.add(fn.body);
  Code code(prog);
  body(code, fn.body);
  for (size_t k = 0; k < fn.results.size(); ++k)
    if (is_value(fn.results[k].type)) result.ret.push_back(value(fn.body.result[k]));
  result.body = code.finish();
  return result;
}

Program lower(const core::Program& prog, const LowerOptions& options) {
  Program result;
  result.names = prog.names;
  result.locs = prog.locs;
  for (const core::Function& fn : prog.functions) {
    CpuTarget cores;
    result.functions.push_back(FunctionLowering(result, cores, options).lower(fn));
    if (calls(result.functions.back().body, fn.name))
      result.functions.back().arrays = unchanged_arrays(fn);
  }
  for (const core::Function& fn : prog.functions)
    if (fn.entry) result.functions.push_back(entry_wrapper(result, fn));
  return result;
}

std::vector<StrategyOption> lowering_strategies() {
  std::vector<StrategyOption> found;
  for (const auto& names : {strategies_for_cores(), strategies_for_devices()})
    for (const StrategyName& each : names) found.push_back({std::string(each.name), !each.is_last});
  return found;
}

}  // namespace skald::imp
