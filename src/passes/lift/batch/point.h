// SPDX-License-Identifier: Apache-2.0
// Code of one kernel at one point, and how it gets at the values of its instance.
//
// Nothing is replicated: a kernel reads the scalar of its instance from rows[s], the array of its
// instance as a slice of the common data, and a value of an outer batch through the lists of
// members in between.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/edit/rename.h"
#include "passes/lift/batch/lifting.h"

namespace skald::passes::lift {

// The points of an inner SOAC for all instances: elements of segments one after another, or a grid
// if the width is the same for all.
struct Space {
  bool grid = false;
  core::Operand inner = core::const_i64(0);  // grid
  core::Name offsets = {};                   // otherwise
  core::Operand total = core::const_i64(0);  // otherwise
  core::Name s = {}, j = {}, p = {};
};

// The array of an instance as consecutive rows of some common array.
struct View {
  core::Name data;
  core::Operand total, start;
};

struct Point {
  Lifting& lifting;
  Batch& batch;
  core::Builder& body;
  core::Name s;  // the instance
  core::Substitution subst = {};
  std::unordered_map<const Batch*, core::Operand> instances = {};  // of batches around

  // Makes the value known here, under a name of its own.
  void bring(core::Name name);
  core::Operand bring(core::Operand operand);
  core::Type bring(core::Type type);
  void bring_all(const Names& names);
  std::vector<core::Name> bring_tokens(const std::vector<core::Name>& tokens);
  // The number of the instance of `owner` that this point belongs to.
  core::Operand index_of(const Batch* owner);
  // How many rows, or elements if flat, the array of this instance has.
  core::Operand element_count(const core::Type& type, bool flat);
  std::optional<View> view_of(core::Name array);
  // Element j of an array of this instance.
  core::Operand element(const Space& space, core::Name array, const core::Type& row);
  // The function of a SOAC.
  std::vector<core::Operand> values(const Space& space, const std::vector<core::Name>& inputs,
                                    const core::Lambda& fn, std::vector<core::Ret>& types);
};

// Can the array be had as a view?
bool has_view(const Lifting& lifting, const Batch& b, core::Name array);

}  // namespace skald::passes::lift
