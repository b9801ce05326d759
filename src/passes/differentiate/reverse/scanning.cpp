// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/reverse/scanning.h"

#include <algorithm>

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

std::vector<Name> before_rows(const Operand& width, const std::vector<Name>& scanned,
                              const std::vector<Operand>& neutral, Emit& out) {
  return out.map(width, {}, [&](Emit& in, const Emit::Rows& rows) {
    return before_index(scanned, neutral, rows[0], in);
  });
}

std::vector<DimSlice> reversed(const Operand& count, Emit& out) {
  const Operand last = out.bin(BinOpKind::kSub, Prim::kI64, count, const_i64(1));
  return {{.is_index = false, .start = last, .count = count, .stride = const_i64(-1)}};
}

Operator turned_operator(Session& session, const Operator& op) {
  Operator turned{fresh_lambda(session, op.fn), op.neutral, op.commutative};
  std::ranges::rotate(turned.fn.params,
                      turned.fn.params.begin() + static_cast<ptrdiff_t>(op.neutral.size()));
  return turned;
}

// (f, a) ⊕' (g, b) = (f or g, if g then b else a ⊕ b)
std::vector<Name> segmented_scan(const Operand& width, const Operator& op, Name flags,
                                 const std::vector<Name>& inputs, Emit& out) {
  Session& session = out.session();
  const size_t n = op.neutral.size();
  const Type flag = scalar_type(Prim::kBool);
  Lambda old = fresh_lambda(session, op.fn);
  Operator flagged;
  Lambda& fn = flagged.fn;
  std::vector<Name> starts;
  for (size_t side = 0; side < 2; ++side) {
    starts.push_back(out.fresh("start"));
    fn.params.push_back({.name = starts.back(), .type = flag});
    for (size_t k = 0; k < n; ++k) fn.params.push_back(old.params[side * n + k]);
  }
  session.learn(fn.params);
  fn.results = {{.type = flag}};
  flagged.neutral = {Operand(const_bool(false))};
  std::vector<Type> types;
  std::vector<Operand> right;
  for (size_t k = 0; k < n; ++k) {
    types.push_back(old.params[k].type);
    fn.results.push_back({.type = types.back()});
    flagged.neutral.push_back(op.neutral[k]);
    right.emplace_back(old.params[n + k].name);
  }
  Emit in(session, out.loc());
  If node;
  node.cond = starts[1];
  node.then_body = Body({}, std::move(right));
  node.else_body = std::move(old.body);
  std::vector<Operand> results = {in.either(starts[0], starts[1])};
  for (const Name name : in.let(types, std::move(node), "joined")) results.emplace_back(name);
  fn.body = in.finish(std::move(results));
  std::vector<Name> all = {flags};
  all.insert(all.end(), inputs.begin(), inputs.end());
  const std::vector<Name> made = scan_with(width, std::move(flagged), all, out);
  return {made.begin() + 1, made.end()};
}

}  // namespace skald::passes::ad
