// SPDX-License-Identifier: Apache-2.0
#include "frontend/lazy/lower/decide/read_places.h"

#include <algorithm>

#include "frontend/lazy/lower/decide/node_forms.h"

namespace skald::lazy {

int64_t times_again(const std::set<Place>& places) {
  std::map<std::map<int, int64_t>, int64_t> count;
  int64_t most = 1;
  for (const Place& place : places) most = std::max(most, ++count[place.positions]);
  return most - 1;
}

void ReadPlaces::add(std::set<Place>& places, const PlanNode& reader, const PlanInput& input,
                     const Place& at) const {
  Place place{{}, at.moves + step(reader, input)};
  std::map<int, int64_t> along = at.positions;  // of the axes of the view
  if (reader.kind == NodeKind::kReduce || reader.kind == NodeKind::kProduct) along.clear();
  if (reader.kind == NodeKind::kRoll) along.erase(__builtin_ctzll(reader.axes));
  if (reader.kind == NodeKind::kAssign) {
    // The other place is read instead, not too.
    if (is_moved_(reader) && &input != &reader.inputs[0]) return;
    const int axis = fixed_axis(reader);
    const auto known = axis < 0 ? along.end() : along.find(axis);
    const bool is_old = &input == &reader.inputs[0];
    if (known != along.end()) {
      // It is known whether this was written.
      const bool here = known->second == reader.target.starts[static_cast<size_t>(axis)].value;
      if (!here && !is_old) return;
    }
    if (!is_old) {
      std::map<int, int64_t> in_value;
      for (size_t i = 0; i < reader.target.axes.size(); ++i) {
        const auto it = along.find(reader.target.axes[i]);
        if (it != along.end() && along_axis(reader.target, it->first) == static_cast<int>(i))
          in_value[static_cast<int>(i)] = it->second;
      }
      along = std::move(in_value);
    }
  }
  if (input.form == ViewForm::kWhole) place.positions = along;
  for (size_t k = 0; input.form == ViewForm::kAxes && k < input.starts.size(); ++k) {
    const auto axis = static_cast<int>(k);
    const int view_axis = along_axis(input, axis);
    const bool used = std::find(input.axes.begin(), input.axes.end(), axis) != input.axes.end();
    if (!used && !input.starts[k].is_symbol) place.positions[axis] = input.starts[k].value;
    if (view_axis >= 0 && along.contains(view_axis)) place.positions[axis] = along[view_axis];
  }
  places.insert(std::move(place));
}

std::string ReadPlaces::step(const PlanNode& reader, const PlanInput& input) const {
  std::string text;
  if (pushed_rolls_.contains(&reader)) return text;
  const bool is_value = reader.kind == NodeKind::kAssign && &input != &reader.inputs[0];
  const auto add = [&](char what, const PlanNumber& n) {
    text += what;
    text += (n.is_symbol ? "s" : "") + std::to_string(n.value);
  };
  if (reader.kind == NodeKind::kRoll) {
    add('x', {false, static_cast<int64_t>(reader.axes)});
    add('r', reader.shift);
  }
  if (input.form != ViewForm::kAxes) {
    if (input.form != ViewForm::kWhole) text += 'f';
    for (const PlanNumber& n : input.starts) add('+', n);
    for (const PlanNumber& n : input.strides) add('*', n);
    return text;
  }
  int before = -1;
  for (size_t i = 0; i < input.axes.size(); ++i) {
    const int axis = input.axes[i];
    if (axis < 0) continue;
    const PlanNumber& start = input.starts[static_cast<size_t>(axis)];
    bool moves = start != PlanNumber{false, 0} || input.strides[i] != PlanNumber{false, 1};
    if (is_value && reader.target.form == ViewForm::kAxes && i < reader.target.axes.size() &&
        reader.target.axes[i] >= 0) {
      // What is written where it is read does not move.
      const auto there = static_cast<size_t>(reader.target.axes[i]);
      moves = start != reader.target.starts[there] || input.strides[i] != reader.target.strides[i];
    }
    if (moves || axis < before) {
      add('a', {false, axis});
      add('+', start);
      add('*', input.strides[i]);
    }
    before = axis;
  }
  return text;
}

}  // namespace skald::lazy
