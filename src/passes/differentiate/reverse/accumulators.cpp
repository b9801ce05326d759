// SPDX-License-Identifier: Apache-2.0
// Accumulators of the program in reverse mode.
//
//   ys = with_acc xs (\acc -> … update_acc(acc, i, v) …)
//
// If writes add, then x̄s = ȳs and every write gives v̄ += ȳs[i].  The function runs again without
// its writes, and where one was, its rule reads ȳs.
#include "core/ir/visit.h"
#include "passes/differentiate/reverse/gather.h"
#include "passes/differentiate/reverse/reverse.h"

namespace skald::passes::ad {

std::vector<Name> inside_with_acc(const std::vector<AccArray>& arrays,
                                  const std::vector<Type>& types, const std::vector<Name>& tokens,
                                  Emit& out,
                                  const std::function<Exp(const std::vector<Name>&)>& make) {
  if (arrays.empty()) return out.let(types, make({}), "bar", tokens);
  Session& session = out.session();
  WithAcc node;
  std::vector<Name> accs;
  std::vector<Type> outside;
  std::vector<size_t> order;  // of the results: accumulators first
  for (const AccArray& a : arrays) {
    const Type elem = a.acc.acc_elems[0];
    AccInput input{a.acc.shape, {a.array}, {}};
    input.op.push_back({addition(session, {elem}), {Operand(Const{elem.elem, 0})}, true});
    node.inputs.push_back(std::move(input));
    accs.push_back(out.fresh("acc"));
    node.fn.params.push_back({.name = accs.back(), .type = a.acc});
    outside.push_back(session.type_of(a.array));
    order.push_back(a.result);
  }
  session.learn(node.fn.params);
  for (size_t k = 0; k < types.size(); ++k) {
    if (std::ranges::find(arrays, k, &AccArray::result) != arrays.end()) continue;
    outside.push_back(types[k]);
    order.push_back(k);
  }
  Emit inside(session, out.loc());
  std::vector<Name> made = inside.let(types, make(accs), "bar", tokens);
  std::vector<Operand> given;
  for (const size_t k : order) {
    given.emplace_back(made[k]);
    node.fn.results.push_back({.type = types[k]});
  }
  node.fn.body = inside.finish(std::move(given));
  const std::vector<Name> shown = out.let(outside, std::move(node), "bar");
  for (size_t k = 0; k < order.size(); ++k) made[order[k]] = shown[k];
  return made;
}

void Reverse::with_acc(Stmt& stmt, WithAcc& e, Emit& out) {
  size_t at = 0;
  const size_t accs = e.inputs.size();
  for (size_t k = 0; k < accs; ++k) {
    const AccInput& input = e.inputs[k];
    std::vector<Operand> bars;
    bool wanted = false;
    for (size_t j = 0; j < input.arrays.size(); ++j)
      wanted = wanted || find(stmt.pat[at + j].name).has_value();
    for (size_t j = 0; j < input.arrays.size() && wanted; ++j, ++at) {
      bars.push_back(seed(stmt.pat[at].name, out));
      add(input.arrays[j], bars.back(), out);
    }
    if (!wanted) {
      at += input.arrays.size();
      continue;
    }
    if (input.op.empty() || !is_addition(input.op[0].fn))
      session_.report(stmt.loc,
                      "reverse mode for accumulators whose writes do something else than add");
    acc_sources_.insert_or_assign(std::get<Name>(e.fn.body.result[k]), bars);
  }
  Seeds seeds(accs);
  for (; at < stmt.pat.size(); ++at) seeds.push_back(find(stmt.pat[at].name));
  run(e.fn.body, [&](Emit&) { return seeds; }, out);
}

void Reverse::update_acc(Stmt& stmt, UpdateAcc& e, Emit& out) {
  const std::vector<Operand> bars = acc_sources_.at(stmt.pat[0].name);
  acc_sources_.insert_or_assign(e.acc, bars);
  const std::vector<Operand> shape = session_.type_of(e.acc).shape;
  for (size_t k = 0; k < e.values.size(); ++k)
    if (active(e.values[k]))
      add(e.values[k], gather(std::get<Name>(bars[k]), e.indices, shape, out), out, Own::kYes);
}

}  // namespace skald::passes::ad
