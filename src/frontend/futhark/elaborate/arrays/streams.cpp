// SPDX-License-Identifier: Apache-2.0
// Accumulators: scatter_stream, hist_stream.
#include "frontend/futhark/elaborate/arrays/soacs.h"
#include "frontend/futhark/elaborate/bodies/lambdas.h"
#include "frontend/futhark/elaborate/code/coerce.h"

namespace skald::futhark::elab {

ValuePtr Soacs::scatter_stream(const Args& args, const Use& use) {
  return stream(args.at(0), {}, args.at(1), args.at(2), use);
}

ValuePtr Soacs::hist_stream(const Args& args, const Use& use) {
  const RepPtr elem = args.at(0)->rep->elem;
  std::vector<core::Operator> op;
  op.push_back(operator_of(args.at(1), args.at(2), elem, Commutative::kYes, use));
  return stream(args[0], std::move(op), args.at(3), args.at(4), use);
}

ValuePtr Soacs::stream(const ValuePtr& dest, std::vector<core::Operator> op, const ValuePtr& fn,
                       const ValuePtr& xs, const Use& use) {
  RepPtr elem = dest->rep->elem;
  Operand size = *dest->rep->dim.op, width = *xs->rep->dim.op;
  std::vector<core::Type> types = leaf_types(*dest->rep), rows = leaf_types(*elem);
  core::AccInput input{{size}, {}, std::move(op)};
  for (size_t i = 0; i < types.size(); ++i)
    input.arrays.push_back(code_.consume(dest->leaves[i], types[i]));
  Rep acc_rep;
  acc_rep.kind = Rep::kAcc;
  acc_rep.acc.kind = core::Type::kAcc;
  acc_rep.acc.shape = {size};
  acc_rep.acc.acc_elems = rows;
  RepPtr acc = std::make_shared<const Rep>(std::move(acc_rep));
  Use inner{use.span};
  core::WithAcc node;
  const auto each = [&](const Args& row) { return evaluator_.apply(fn, {row[0], row[1]}, inner); };
  const auto all = [&](const Args& outer) {
    core::Soac soac;
    soac.fn = lambda_to(code_, {acc, xs->rep->elem}, each, acc);
    soac.width = width;
    soac.inputs = {std::get<Name>(outer[0]->leaves[0])};
    std::vector<Name> more = inputs_of(code_, *xs, width);
    soac.inputs.insert(soac.inputs.end(), more.begin(), more.end());
    return make_value(acc, {code_.emit1(acc->acc, std::move(soac), "acc")});
  };
  node.fn = lambda_to(code_, {acc}, all, acc, "acc");
  node.inputs.push_back(std::move(input));
  return make_value(dest->rep, code_.emit(types, std::move(node), "acc_res"));
}

}  // namespace skald::futhark::elab
