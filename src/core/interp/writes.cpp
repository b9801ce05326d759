// SPDX-License-Identifier: Apache-2.0
// Writes to computed places: scatter, histograms, accumulators.
#include <memory>

#include "core/interp/machine.h"
#include "support/bug.h"

namespace skald::core::interp {

bool Machine::open_target(const TargetCode& code, Frame& f, TargetState& state) {
  state.code = &code;
  state.frame = &f;
  state.shape = dims_at(code.shape, f);
  for (const Use& use : code.arrays) {
    Array array = take(use, f);
    for (int d = 0; d < state.shape.size(); ++d)
      if (array.shape[d] != state.shape[d])
        return store_.fail(
            fmt::format("Unchecked shape: a destination of shape {} where {} is expected.",
                        shape_text(array.shape), shape_text(state.shape)));
    if (!store_.make_writable(array)) return false;
    state.arrays.push_back(std::move(array));
  }
  return true;
}

bool Machine::write_target(TargetState& state, const Use* indices, const Use* values, Frame& f) {
  const int outer = state.shape.size();
  // The byte offsets differ only by the arrays' strides.
  Few<int64_t, 4> offsets(state.arrays.size());
  for (int d = 0; d < outer; ++d) {
    const int64_t index = int_at(indices[d].slot, f);
    if (static_cast<uint64_t>(index) >= static_cast<uint64_t>(state.shape[d])) return true;
    for (size_t k = 0; k < offsets.size(); ++k) offsets[k] += index * state.arrays[k].step(d);
  }
  if (!state.code->op) {
    for (size_t k = 0; k < offsets.size(); ++k)
      if (!arrays_.write_at(state.arrays[k], offsets[k], outer, values[k], f)) return false;
    return true;
  }

  const OperatorCode& op = *state.code->op;
  Frame& home = *state.frame;
  for (size_t k = 0; k < offsets.size(); ++k) {
    const Array& array = state.arrays[k];
    const Binding& left = op.fn.params[k];
    const Binding& right = op.fn.params[offsets.size() + k];
    if (left.kind == Kind::kScalar)
      home.scalars[left.slot] = load_bits(array.data + offsets[k], array.elem_size());
    else
      home.arrays[left.slot] = {array.block, array.data + offsets[k], array.elem,
                                array.shape.without_first(outer),
                                array.strides.without_first(outer)};
    put_across(right.kind, right.slot, home, values[k], f);
  }
  if (op.fn.direct != nullptr) {
    const uint64_t sum =
        op.fn.direct(home.scalars[op.fn.params[0].slot], home.scalars[op.fn.params[1].slot]);
    const Array& array = state.arrays[0];
    store_bits(array.data + offsets[0], array.elem_size(), sum);
    return true;
  }
  if (!run(op.fn.code, home)) return false;
  for (size_t k = 0; k < offsets.size(); ++k)
    if (!arrays_.write_at(state.arrays[k], offsets[k], outer, op.fn.code.results[k], home))
      return false;
  return true;
}

bool Machine::scattered(const WriteCode& code, Frame& f) {
  int64_t width = 0;
  Readers readers(code.inputs.size());
  if (!open_rows(code, width, f, readers)) return false;
  std::vector<TargetState> states(code.targets.size());
  size_t index_count = 0;
  for (size_t k = 0; k < states.size(); ++k) {
    if (!open_target(code.targets[k], f, states[k])) return false;
    index_count += code.targets[k].shape.size();
  }
  for (int64_t i = 0; i < width; ++i) {
    read_row(readers, i, f);
    if (!run(code.fn.code, f)) return false;
    const Use* index = code.fn.code.results.data();
    const Use* value = index + index_count;
    for (TargetState& state : states) {
      if (!write_target(state, index, value, f)) return false;
      index += state.shape.size();
      value += state.arrays.size();
    }
  }
  const Binding* dst = code.pat.data();
  for (TargetState& state : states)
    for (Array& array : state.arrays) f.arrays[(dst++)->slot] = std::move(array);
  release(code.fn.params, f);
  for (const TargetCode& target : code.targets)
    if (target.op) release(target.op->fn.params, f);
  return true;
}

bool Machine::with_acc(const WithAccCode& code, Frame& f) {
  std::vector<TargetState> states(code.inputs.size());
  for (size_t k = 0; k < states.size(); ++k) {
    if (!open_target(code.inputs[k], f, states[k])) return false;
    f.scalars[code.fn.params[k].slot] = reinterpret_cast<uint64_t>(&states[k]);
  }
  if (!run(code.fn.code, f)) return false;
  const Binding* dst = code.pat.data();
  for (TargetState& state : states)
    for (Array& array : state.arrays) f.arrays[(dst++)->slot] = std::move(array);
  for (size_t k = states.size(); k < code.fn.code.results.size(); ++k, ++dst)
    put(dst->kind, dst->slot, code.fn.code.results[k], f);
  for (const TargetCode& target : code.inputs)
    if (target.op) release(target.op->fn.params, f);
  return true;
}

bool Machine::update_acc(const UpdateAccCode& code, Frame& f) {
  auto& state = *reinterpret_cast<TargetState*>(f.scalars[code.acc]);
  SKALD_CHECK(static_cast<int>(code.indices.size()) == state.shape.size() &&
                  code.values.size() == state.arrays.size(),
              "interpreter: {} indices and {} values for an accumulator", code.indices.size(),
              code.values.size());
  Few<Use, 4> indices(code.indices.size());
  for (size_t k = 0; k < indices.size(); ++k) indices[k] = {Kind::kScalar, code.indices[k]};
  if (!write_target(state, indices.begin(), code.values.data(), f)) return false;
  f.scalars[code.dst] = f.scalars[code.acc];
  return true;
}

}  // namespace skald::core::interp
