// SPDX-License-Identifier: Apache-2.0
// What one point gives to outputs and scatters.
#include "core/ir/sinks.h"

#include "core/ir/visit.h"
#include "imp/lower/kernel/writer.h"

namespace skald::imp {

using core::Sink;

namespace {

// Is the value, computed in this body, a choice with a negative constant among the alternatives?
bool may_be_negative_constant(const core::Body& body, const Operand& operand) {
  if (const core::Const* c = core::as_const(operand)) return core::int_value(*c) < 0;
  for (const core::Stmt& stmt : body.stmts)
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      if (operand != Operand(stmt.pat[k].name)) continue;
      if (const auto* e = core::as<core::Select>(stmt.exp))
        return may_be_negative_constant(body, e->then) ||
               may_be_negative_constant(body, e->otherwise);
      if (const auto* e = core::as<core::If>(stmt.exp))
        return may_be_negative_constant(e->then_body, e->then_body.result[k]) ||
               may_be_negative_constant(e->else_body, e->else_body.result[k]);
      return false;
    }
  return false;
}

}  // namespace

const ArrayPlace& KernelWriter::result_place(size_t k) const {
  return fn.place(stmt.pat[k].name);
}

std::vector<Operand> KernelWriter::sink_values(const SinkInfo& info,
                                               const std::vector<Operand>& values) const {
  const bool is_hist = info.sink->kind == Sink::kHist;
  const auto first = values.begin() + static_cast<ptrdiff_t>(info.values);
  return {first, first + (is_hist ? static_cast<ptrdiff_t>(core::values_of_write(*info.sink))
                                  : info.sink->count)};
}

// Is a value of the thunk the point's own index in a dimension of this size?
bool KernelWriter::is_own_index(size_t value, const Operand& size) const {
  if (value >= node.pull.body.result.size()) return false;
  const Name* name = core::as_name(node.pull.body.result[value]);
  for (size_t k = 0; k < node.pull.params.size() && k < facts.dims.size(); ++k)
    if (name != nullptr && node.pull.params[k].name == *name) return facts.dims[k] == size;
  return false;
}

Operand KernelWriter::in_bounds(Code& code, const std::vector<Operand>& at, const SinkInfo& info) {
  const std::vector<Operand>& shape = info.sink->shape;
  Operand all = core::const_bool(true);
  bool first = true;
  for (size_t k = 0; k < at.size(); ++k) {
    if (!info.sink->late && node.domain.kind != core::Domain::kSeg &&
        is_own_index(info.values + k, fn.value(shape[k])))
      continue;
    // One unsigned comparison tests both ends.
    const Operand index = code.let(Prim::kU64, core::Bitcast{Prim::kI64, Prim::kU64, at[k]}, "u");
    const Operand size =
        code.let(Prim::kU64, core::Bitcast{Prim::kI64, Prim::kU64, fn.value(shape[k])}, "u");
    const Operand inside =
        code.let(Prim::kBool, core::CmpOp{CmpOpKind::kLt, Prim::kU64, index, size}, "inside");
    all = first ? inside : code.both(all, inside, "inside");
    first = false;
  }
  return all;
}

void KernelWriter::direct_sinks(Code& code, const std::vector<Operand>& indices,
                                const std::vector<Operand>& values) {
  for (const SinkInfo& info : facts.sinks) {
    if (info.sink->kind == Sink::kOut) out_sink(code, info, indices, values);
    if (info.sink->kind == Sink::kScatter) scatter_sink(code, info, values);
  }
}

void KernelWriter::out_sink(Code& code, const SinkInfo& info, const std::vector<Operand>& indices,
                            const std::vector<Operand>& values) {
  for (size_t k = 0; k < static_cast<size_t>(info.sink->count); ++k)
    if (!facts.in_place.contains(info.values + k))
      fn.store(code, result_place(info.results + k), indices, values[info.values + k]);
}

void KernelWriter::scatter_sink(Code& code, const SinkInfo& info,
                                const std::vector<Operand>& values) {
  const size_t rank = info.sink->shape.size();
  if (core::writes_rows(*info.sink)) {
    const Operand place = values[info.values], length = values[info.values + 1];
    const Operand high = code.sub_i64(fn.value(info.sink->shape[0]), length);
    const Operand low = code.less_i64(const_i64(-1), place);
    const Operand fits =
        code.both(low, code.less_i64(place, code.add_i64(high, const_i64(1))), "fits");
    code.branch(fits, [&](Code& inner) {
      fn.copy(inner, fn.slice(inner, result_place(info.results), {{false, place, length}}),
              fn.place(std::get<Name>(values[info.values + 2])));
    });
    return;
  }
  const std::vector<Operand> at(values.begin() + static_cast<ptrdiff_t>(info.values),
                                values.begin() + static_cast<ptrdiff_t>(info.values + rank));
  const auto write = [&](Code& inner) {
    fn.store(inner, result_place(info.results), at, values[info.values + rank]);
  };
  const Operand inside = in_bounds(code, at, info);
  if (leaves_out_points(info))
    code.maybe(inside, write);
  else
    code.branch(inside, write);
}

// Does the thunk say of some points that they are not written, by a place that does not exist?
// Where each goes otherwise, the test is foreseen.
bool KernelWriter::leaves_out_points(const SinkInfo& info) const {
  const core::Body& body = info.sink->late ? node.post[0].body : node.pull.body;
  for (size_t k = 0; k < info.sink->shape.size(); ++k)
    if (may_be_negative_constant(body, body.result[info.values + k])) return true;
  return false;
}

}  // namespace skald::imp
