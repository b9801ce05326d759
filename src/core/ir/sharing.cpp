// SPDX-License-Identifier: Apache-2.0
#include "core/ir/sharing.h"

#include "core/ir/visit.h"

namespace skald::core {

std::optional<Operand> view_of(const Exp& exp) {
  if (const auto* e = as<Value>(exp)) return e->arg;
  if (const auto* e = as<Opaque>(exp)) return e->arg;
  if (const auto* e = as<Index>(exp)) return e->array;
  if (const auto* e = as<FlatIndex>(exp)) return e->array;
  if (const auto* e = as<Reshape>(exp)) return e->array;
  if (const auto* e = as<Rearrange>(exp)) return e->array;
  return std::nullopt;
}

std::vector<Operand> consumed_by(const Exp& exp, const Function* callee) {
  std::vector<Operand> out;
  const auto add = [&](const std::vector<Name>& names) {
    out.insert(out.end(), names.begin(), names.end());
  };
  if (const auto* e = as<Update>(exp)) {
    out.emplace_back(e->array);
  } else if (const auto* e = as<FlatUpdate>(exp)) {
    out.emplace_back(e->array);
  } else if (const auto* e = as<Hist>(exp)) {
    for (const HistOp& op : e->ops) add(op.dests);
  } else if (const auto* e = as<Scatter>(exp)) {
    for (const ScatterDest& dest : e->dests) out.emplace_back(dest.dest);
  } else if (const auto* e = as<WithAcc>(exp)) {
    for (const AccInput& input : e->inputs) add(input.arrays);
  } else if (const auto* e = as<Kernel>(exp)) {
    for (const Sink& sink : e->sinks) add(sink.dests);
  } else if (const auto* e = as<Loop>(exp)) {
    for (const LoopParam& p : e->params)
      if (p.param.unique && p.param.type.is_array()) out.push_back(p.init);
  } else if (const auto* e = as<Call>(exp)) {
    for (size_t k = 0; k < e->args.size(); ++k)
      if (callee == nullptr || (k < callee->params.size() && callee->params[k].unique))
        out.push_back(e->args[k]);
  }
  return out;
}

std::vector<AppliedFunction> functions_of(const Exp& exp) {
  std::vector<AppliedFunction> out;
  const auto add_operators = [&](const std::vector<Operator>& ops) {
    for (const Operator& op : ops) out.push_back({&op.fn});
  };
  if (const auto* e = as<Soac>(exp)) {
    out.push_back({&e->fn, &e->inputs});
    add_operators(e->scans);
    add_operators(e->reduces);
    for (const Lambda& post : e->post) out.push_back({&post});
  } else if (const auto* e = as<Hist>(exp)) {
    for (const HistOp& op : e->ops) out.push_back({&op.op.fn});
    out.push_back({&e->fn, &e->inputs});
  } else if (const auto* e = as<Scatter>(exp)) {
    out.push_back({&e->fn, &e->inputs});
  } else if (const auto* e = as<Partition>(exp)) {
    out.push_back({&e->fn, &e->inputs});
  } else if (const auto* e = as<FlatMap>(exp)) {
    out.push_back({&e->fn, &e->inputs});
  } else if (const auto* e = as<WithAcc>(exp)) {
    for (const AccInput& input : e->inputs) add_operators(input.op);
    out.push_back({.fn = &e->fn, .once = true});
  } else if (const auto* e = as<Jvp>(exp)) {
    out.push_back({&e->fn});
  } else if (const auto* e = as<Vjp>(exp)) {
    out.push_back({&e->fn});
  } else if (const auto* e = as<WithVjp>(exp)) {
    out.push_back({&e->fn});
    out.push_back({&e->rule});
  } else if (const auto* e = as<Kernel>(exp)) {
    out.push_back({&e->pull});
    for (const Sink& sink : e->sinks) add_operators(sink.op);
    for (const Lambda& post : e->post) out.push_back({&post});
  }
  return out;
}

}  // namespace skald::core
