// SPDX-License-Identifier: Apache-2.0
// SOACs, loops and branches of the code that is unrolled, round by round.
#include <algorithm>

#include "core/ir/visit.h"
#include "passes/scalarise/unrolling.h"

namespace skald::passes {

using namespace core;

std::optional<SmallValue> Unrolling::row(Builder& out, const Param& param, Name input, int64_t i) {
  if (const SmallArray* array = small(input)) {
    const std::optional<Selected> selected = select(*array, {{true, const_i64(i)}});
    if (!selected) return std::nullopt;
    SmallArray part{array->elem, selected->shape, {}};
    for (const size_t place : selected->places) part.elems.push_back(array->elems[place]);
    if (part.shape.empty()) return part.elems[0];
    return part;
  }
  if (!constant_shape(param.type)) return std::nullopt;
  const Operand source = operand(input);
  const Name* array = as_name(source);
  if (array == nullptr) return std::nullopt;
  const Name part = out.let1(param.type, Index{*array, {{true, const_i64(i)}}}, "row", held_);
  if (param.type.is_scalar()) return Operand{part};
  return load_elements(out, part, param.type);
}

// The outputs before the first round.
static std::optional<std::vector<SmallArray>> empty_outputs(const Soac& soac, int64_t rounds) {
  std::vector<SmallArray> outputs;
  const Lambda& last = soac.post.empty() ? soac.fn : soac.post[0];
  size_t folded = 0, scanned = 0;
  for (const Operator& op : soac.scans) scanned += op.neutral.size();
  for (const Operator& op : soac.reduces) folded += op.neutral.size();
  std::vector<Type> types;
  if (soac.post.empty()) {
    for (size_t k = 0; k < scanned; ++k) types.push_back(last.results[k].type);
    for (size_t k = scanned + folded; k < last.results.size(); ++k)
      types.push_back(last.results[k].type);
  } else {
    for (const Ret& ret : last.results) types.push_back(ret.type);
  }
  for (const Type& type : types) {
    const std::optional<std::vector<int64_t>> shape = constant_shape(type);
    if (!shape) return std::nullopt;
    SmallArray output{type.elem, {rounds}, {}};
    output.shape.insert(output.shape.end(), shape->begin(), shape->end());
    outputs.push_back(std::move(output));
  }
  return outputs;
}

Unrolling::Values Unrolling::soac(Builder& out, const Soac& soac) {
  const Operand bound = operand(soac.width);
  const Const* width = as_const(bound);
  if (width == nullptr || int_value(*width) > kMostRounds) return std::nullopt;
  const int64_t rounds = std::max<int64_t>(0, int_value(*width));
  std::vector<const Operator*> ops;
  for (const Operator& op : soac.scans) ops.push_back(&op);
  for (const Operator& op : soac.reduces) ops.push_back(&op);
  std::vector<Results> accs;
  for (const Operator* op : ops) {
    accs.emplace_back();
    for (size_t v = 0; v < op->neutral.size(); ++v) {
      const std::optional<SmallValue> start = value(op->neutral[v]);
      if (std::holds_alternative<Operand>(*start) && op->fn.params[v].type.is_array())
        return std::nullopt;
      accs.back().push_back(*start);
    }
  }
  // What each output has so far.
  std::optional<std::vector<SmallArray>> made = empty_outputs(soac, rounds);
  if (!made) return std::nullopt;
  std::vector<SmallArray>& outputs = *made;
  for (int64_t i = 0; i < rounds; ++i) {
    Results args;
    for (size_t k = 0; k < soac.inputs.size(); ++k) {
      std::optional<SmallValue> given = row(out, soac.fn.params[k], soac.inputs[k], i);
      if (!given) return std::nullopt;
      args.push_back(std::move(*given));
    }
    const Values values = apply(out, soac.fn, args);
    if (!values) return std::nullopt;
    size_t at = 0;
    for (size_t k = 0; k < ops.size(); ++k) {
      Results pair = accs[k];
      for (size_t v = 0; v < ops[k]->neutral.size(); ++v) pair.push_back((*values)[at++]);
      Values next = apply(out, ops[k]->fn, pair);
      if (!next) return std::nullopt;
      accs[k] = std::move(*next);
    }
    Results row_values;
    for (size_t k = 0; k < soac.scans.size(); ++k)
      row_values.insert(row_values.end(), accs[k].begin(), accs[k].end());
    row_values.insert(row_values.end(), values->begin() + static_cast<ptrdiff_t>(at),
                      values->end());
    if (!soac.post.empty()) {
      Values after = apply(out, soac.post[0], row_values);
      if (!after) return std::nullopt;
      row_values = std::move(*after);
    }
    for (size_t k = 0; k < outputs.size(); ++k) {
      std::vector<Operand>& elems = outputs[k].elems;
      if (const auto* part = std::get_if<SmallArray>(&row_values[k]))
        elems.insert(elems.end(), part->elems.begin(), part->elems.end());
      else if (outputs[k].shape.size() == 1)
        elems.push_back(std::get<Operand>(row_values[k]));
      else
        return std::nullopt;
    }
  }
  Results results;
  for (size_t k = soac.scans.size(); k < ops.size(); ++k)
    results.insert(results.end(), accs[k].begin(), accs[k].end());
  for (SmallArray& output : outputs) {
    if (static_cast<int64_t>(output.elems.size()) > kMostRounds) return std::nullopt;
    results.emplace_back(std::move(output));
  }
  return results;
}

Unrolling::Values Unrolling::loop(Builder& out, const Loop& loop) {
  const Operand bound = operand(loop.bound);
  const Const* count = as_const(bound);
  if (loop.form != Loop::kFor || count == nullptr || int_value(*count) > kMostRounds)
    return std::nullopt;
  Results state;
  for (const LoopParam& p : loop.params) {
    std::optional<SmallValue> init = value(p.init);
    if (std::holds_alternative<Operand>(*init) && p.param.type.is_array()) return std::nullopt;
    state.push_back(std::move(*init));
  }
  for (int64_t i = 0; i < int_value(*count); ++i) {
    bind(loop.var.name, Operand{const_int(loop.var.type.elem, i)});
    for (size_t k = 0; k < state.size(); ++k) bind(loop.params[k].param.name, state[k]);
    Values next = body(out, loop.body);
    if (!next) return std::nullopt;
    state = std::move(*next);
  }
  return state;
}

// Both sides give scalars.
Unrolling::Values Unrolling::branch(Builder& out, const Stmt& stmt, const If& node) {
  const Operand cond = operand(node.cond);
  if (const Const* known = as_const(cond))
    return body(out, known->bits != 0 ? node.then_body : node.else_body);
  std::vector<Type> types;
  for (const Param& p : stmt.pat) {
    const std::optional<int64_t> count = scalar_count(p.type);
    if (!count) return std::nullopt;
    types.insert(types.end(), static_cast<size_t>(*count), scalar_type(p.type.elem));
  }
  const auto side = [&](const Body& given) -> std::optional<Body> {
    Builder inside(prog_);
    const Values results = body(inside, given);
    if (!results) return std::nullopt;
    std::vector<Operand> scalars;
    for (size_t k = 0; k < results->size(); ++k) {
      if (const auto* array = std::get_if<SmallArray>(&(*results)[k]))
        scalars.insert(scalars.end(), array->elems.begin(), array->elems.end());
      else if (stmt.pat[k].type.is_scalar())
        scalars.push_back(std::get<Operand>((*results)[k]));
      else
        return std::nullopt;
    }
    return inside.finish(std::move(scalars));
  };
  std::optional<Body> then_body = side(node.then_body), else_body = side(node.else_body);
  if (!then_body || !else_body || then_body->result.size() != types.size() ||
      else_body->result.size() != types.size())
    return std::nullopt;
  out.set_loc(stmt.loc);
  const std::vector<Name> names = out.let(
      types, If{cond, std::move(*then_body), std::move(*else_body)}, "chosen", tokens(stmt));
  Results results;
  size_t at = 0;
  for (const Param& p : stmt.pat) {
    if (p.type.is_scalar()) {
      results.emplace_back(Operand{names[at++]});
      continue;
    }
    SmallArray array{p.type.elem, *constant_shape(p.type), {}};
    const auto count = static_cast<size_t>(*scalar_count(p.type));
    for (size_t k = 0; k < count; ++k) array.elems.emplace_back(names[at++]);
    results.emplace_back(std::move(array));
  }
  return results;
}

}  // namespace skald::passes
