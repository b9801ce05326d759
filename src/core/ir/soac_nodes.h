// SPDX-License-Identifier: Apache-2.0
// Second-order array combinators: nodes of the core IR (exp.h) that apply functions to arrays.
//
// All have a `width` (the number of iterations) and `inputs` of `width` rows; `fn` gets one row of
// each. The iterations may run in any order or all at once.  An input may also be an accumulator,
// which is passed to every iteration and must be returned as the corresponding result.
#pragma once

#include <string_view>
#include <tuple>
#include <vector>

#include "core/ir/body.h"

namespace skald::core {

// An associative operator with its neutral elements.  `fn` takes two groups of values (left,
// right).
struct Operator {
  Lambda fn;
  std::vector<Operand> neutral;
  bool commutative = false;
  static auto fields(auto& self) { return std::tie(self.fn, self.neutral, self.commutative); }
};

// map, reduce and scan in one.  `fn` gives, for each row: the inputs of all scans, the inputs of
// all reductions, and further values.  Scans are inclusive.  Then `post` (if there is one) gets the
// scanned values and the further values of a row; without it they are themselves the outputs.  The
// results of the statement are the values of the reductions, then one array per output of `post`.
struct Soac {
  static constexpr std::string_view kName = "soac";
  Operand width;
  std::vector<Name> inputs;
  Lambda fn;
  std::vector<Operator> scans = {};
  std::vector<Operator> reduces = {};
  std::vector<Lambda> post = {};  // none or one
  bool is_map() const { return scans.empty() && reduces.empty() && post.empty(); }
  static auto fields(auto& self) {
    return std::tie(self.width, self.inputs, self.fn, self.scans, self.reduces, self.post);
  }
};

// One histogram: `dests` are arrays with the outer dimensions `shape` and share one bin index.
struct HistOp {
  std::vector<Operand> shape;
  std::vector<Name> dests;
  Operator op;
  static auto fields(auto& self) { return std::tie(self.shape, self.dests, self.op); }
};
// Generalised histograms.  `fn` gives the bin indices of all histograms (shape.size() of i64 each),
// then their values.  Values with an index out of bounds are ignored.  The others are combined into
// the destinations with the operator, which is associative and commutative, in any order.  Consumes
// the destinations.
struct Hist {
  static constexpr std::string_view kName = "hist";
  Operand width;
  std::vector<Name> inputs;
  std::vector<HistOp> ops;
  Lambda fn;
  static auto fields(auto& self) { return std::tie(self.width, self.inputs, self.ops, self.fn); }
};

// One destination: the outer dimensions `shape` of `dest` are indexed.
struct ScatterDest {
  std::vector<Operand> shape;
  Name dest;
  static auto fields(auto& self) { return std::tie(self.shape, self.dest); }
};
// Writes rows to computed places.  `fn` gives the indices for all destinations (shape.size() of i64
// each), then one value for each destination.  An index out of bounds is ignored; of several writes
// to one place some one survives.  Consumes the destinations.
struct Scatter {
  static constexpr std::string_view kName = "scatter";
  Operand width;
  std::vector<Name> inputs;
  std::vector<ScatterDest> dests;
  Lambda fn;
  static auto fields(auto& self) { return std::tie(self.width, self.inputs, self.dests, self.fn); }
};

// Sorts rows into classes, keeping their order.  `fn` gives an i64 class and values; rows with a
// class outside 0 … classes-1 are dropped (filter is a partition with one class).  Results: the
// sizes of the classes, then for class 0 an array for each value, for class 1 …
struct Partition {
  static constexpr std::string_view kName = "partition";
  Operand width;
  int classes;
  std::vector<Name> inputs;
  Lambda fn;
  static auto fields(auto& self) {
    return std::tie(self.width, self.classes, self.inputs, self.fn);
  }
};

// A map whose rows have different lengths.  `fn` gives a length k, then `data` arrays with outer
// dimension k, then further values of regular type.  Results: the total length m; the lengths
// [n]i64; flags [m]bool (true where a segment starts); offsets [n]i64; the data arrays,
// concatenated, of outer dimension m; the further values as arrays.
struct FlatMap {
  static constexpr std::string_view kName = "flatmap";
  Operand width;
  int data;
  std::vector<Name> inputs;
  Lambda fn;
  static auto fields(auto& self) { return std::tie(self.width, self.data, self.inputs, self.fn); }
};

// An accumulator: arrays with outer dimensions `shape`, turned write-only.  With an operator a
// write combines (the lambda takes old values, then new ones); without, it overwrites.
struct AccInput {
  std::vector<Operand> shape;
  std::vector<Name> arrays;
  std::vector<Operator> op;  // none or one
  static auto fields(auto& self) { return std::tie(self.shape, self.arrays, self.op); }
};
// Gives `fn` one accumulator for each input; it returns them (first) and further values.  Results:
// the arrays of all inputs after all writes, then the further values.  Consumes the arrays.
struct WithAcc {
  static constexpr std::string_view kName = "with_acc";
  std::vector<AccInput> inputs;
  Lambda fn;
  static auto fields(auto& self) { return std::tie(self.inputs, self.fn); }
};
// Writes values at an index of an accumulator; out of bounds is ignored.  Gives the accumulator.
struct UpdateAcc {
  static constexpr std::string_view kName = "update_acc";
  Name acc;
  std::vector<Operand> indices;
  std::vector<Operand> values;
  static auto fields(auto& self) { return std::tie(self.acc, self.indices, self.values); }
};

}  // namespace skald::core
