// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/reverse/scanning.h"

namespace skald::passes::ad {

std::vector<Name> scan_with(const Operand& width, Operator op, const std::vector<Name>& inputs,
                            Emit& out) {
  Session& session = out.session();
  Soac soac;
  soac.width = width;
  soac.inputs = inputs;
  std::vector<Type> types;
  for (const Name input : inputs) {
    const Type type = session.type_of(input), row = row_type(type);
    types.push_back(type);
    soac.fn.params.push_back({.name = out.fresh("x"), .type = row});
    soac.fn.results.push_back({.type = row});
    soac.fn.body.result.emplace_back(soac.fn.params.back().name);
  }
  session.learn(soac.fn.params);
  soac.scans.push_back(std::move(op));
  return out.let(types, std::move(soac), "scanned");
}

std::vector<Operand> before_index(const std::vector<Name>& scanned,
                                  const std::vector<Operand>& neutral, const Operand& at,
                                  Emit& out) {
  Session& session = out.session();
  If node;
  node.cond = out.cmp(CmpOpKind::kLt, Prim::kI64, const_i64(0), at);
  Emit yes(session, out.loc());
  const Operand prior = yes.bin(BinOpKind::kSub, Prim::kI64, at, const_i64(1));
  std::vector<Operand> rows;
  std::vector<Type> types;
  for (const Name array : scanned) {
    rows.push_back(yes.row(array, prior));
    types.push_back(row_type(session.type_of(array)));
  }
  node.then_body = yes.finish(std::move(rows));
  node.else_body = Body({}, neutral);
  const std::vector<Name> names = out.let(types, std::move(node), "before");
  return {names.begin(), names.end()};
}

}  // namespace skald::passes::ad
