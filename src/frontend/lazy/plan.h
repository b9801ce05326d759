// SPDX-License-Identifier: Apache-2.0
// A plan: pending nodes as a row of numbers that does not mention long sizes, memory or most
// constants.  Equal codes are the same program, so the code is the key of the cache of compiled
// plans, and lower.h makes the program from it.
//
// Sizes that are not small are numbered in the order they are met; equal sizes have equal numbers.
// So are positions.  What differs from run to run is in the lists beside the code.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/lazy/graph.h"

namespace skald::lazy {

// An i64 of a plan: a number that is part of the code, or one of the plan's `symbols`.
struct PlanNumber {
  bool is_symbol = false;
  int64_t value = 0;
  bool is_one() const { return !is_symbol && value == 1; }
  friend bool operator==(const PlanNumber&, const PlanNumber&) = default;
};

// A number in the code: literals are even, symbols odd.
inline int64_t literal_code(int64_t value) {
  return value * 2;
}
inline int64_t symbol_code(int64_t number) {
  return number * 2 + 1;
}

enum class ViewForm : uint8_t {
  kWhole,     // index i of the view is index i of the source
  kAxes,      // each axis of the view runs along one axis of the source, or repeats it
  kDiagonal,  // one axis that runs along both of a matrix
  kFlat,      // offset + Σ i * stride in the source's elements in row-major order
};

// kComplex: a complex constant, whose parts are two other constants.
enum class SourceKind : uint8_t { kScalar, kLiteral, kNode, kExternal, kComplex };

struct PlanInput {
  SourceKind source = SourceKind::kNode;
  int64_t index = 0;  // of the scalar, node or external array; the bits of a literal
  DType type = DType::kF64;
  ViewForm form = ViewForm::kWhole;
  std::vector<int> axes;            // kAxes: the source's axis of each axis of the view, or -1
  std::vector<PlanNumber> strides;  // of each axis of the view
  std::vector<PlanNumber> starts;   // kAxes, kDiagonal: for each axis of the source; kFlat: one
  std::vector<PlanInput> parts;     // of a complex constant
};

struct PlanNode {
  NodeKind kind = NodeKind::kElementwise;
  uint16_t op = 0;
  DType type = DType::kF64, compute_type = DType::kF64;
  bool is_output = false, keeps_axes = false;
  uint64_t axes = 0;
  std::vector<PlanNumber> shape;
  std::vector<PlanInput> inputs;
  PlanInput target;  // of an assignment
  PlanNumber shift;  // of a roll; one that is a symbol is positive
  // Of what it writes, or of what is reduced; what the factors of a product share; the sizes that a
  // call is given.
  std::vector<PlanNumber> target_shape;
  std::vector<std::vector<PlanNumber>> input_shapes;  // of a call only
};

struct PlanExternal {
  DType type = DType::kF64;
  std::vector<PlanNumber> shape;
  bool is_exclusive = false;  // nobody else needs its memory any more
};

struct Plan {
  std::vector<PlanExternal> externals;
  std::vector<PlanNode> nodes;
  std::vector<DType> scalars;
  int symbols = 0;
  // A loop, of which the nodes are one round.  One more symbol says how many there are.
  bool is_loop = false;
  std::vector<int> carried;  // the output that is this external array in the next round, or -1
  // What differs from round to round comes from arrays, after the external ones.
  std::vector<int> changing_symbols, changing_scalars;
  // Of the changing symbols: pairs that are different in each round.
  std::vector<std::pair<int, int>> distinct;
};

// Nodes that do the same again and again.
struct Repetition {
  int64_t start = 0, period = 0, rounds = 0;
};

// Writes the code of nodes one after the other.
class PlanWriter {
 public:
  // The first loop among `count` nodes from `first` on; false: there is none.  Rows of nodes that
  // look alike were mostly met before, and have the same loop then; `write_rounds` finds out if
  // not.
  bool find_loop(Node* first, int64_t count, Repetition& loop);
  // The nodes of the list from `first` to the one before `end`.  What was written before is gone.
  void write(Node* first, Node* end);
  // The same for a loop, if the nodes from `first` on are rounds of `period` nodes each, `most` or
  // fewer; gives how many.  0: they are not (rounds.cpp).
  int64_t write_rounds(Node* first, int64_t period, int64_t most);
  // A function of all that the nodes, given in the order they were recorded, need from outside.
  void write_function(const std::vector<Node*>& function, const std::vector<Node*>& results);

  std::vector<int64_t> code;
  std::vector<int64_t> symbols;
  std::vector<Scalar> scalars;
  std::vector<Node*> externals;
  std::vector<Node*> nodes, outputs;
  uint64_t hash = 0;
  // Of a loop: what differs from round to round, and which external arrays are not ours to change.
  std::vector<std::vector<int64_t>> symbol_tables;
  std::vector<std::vector<Scalar>> scalar_tables;
  std::vector<bool> must_copy;

 private:
  void begin();
  void finish();
  int64_t size_number(int64_t value);
  int64_t position_number(int64_t value);
  void write_node(Node* node);
  void write_scalar(DType type, const Scalar& scalar, bool may_be_literal);
  void write_externals();
  void hash_code();
  void write_call(const Node* node);
  void note_mask(Node* mask) const;
  void write_input(const Input& input);
  void write_view(const View& view, const Dims& shape);
  bool write_axes(const View& view, const Dims& shape);
  int64_t external_of(Node* node);

  // A number with its symbol; plans have few, so they are looked for one after the other.
  struct Known {
    int64_t value, number;
  };
  int64_t known_number(std::vector<Known>& known, int64_t value);
  struct KnownScalar {
    DType type;
    int64_t bits, number;
  };
  int64_t scalar_number(DType type, const Scalar& scalar);

  // ---- Loops (rounds.cpp).  Rounds are written with their numbers left open, which are compared
  // afterwards.
  enum class Open : uint8_t { kSize, kPosition, kShift, kScalar, kSeed };
  struct OpenNumber {
    size_t at;  // in the code
    Open what;
    DType type;
  };
  struct Round;
  int64_t leave_open(Open what, int64_t value, DType type = DType::kI64);
  Node* write_round(Node* next, int64_t period, Round& round);
  int64_t write_alike(Node* first, int64_t period, int64_t most, Round& one, Round& last);
  bool look_for_loop(Node* first, Repetition& loop);
  bool repeats(Node* first, const Repetition& loop);
  int64_t try_rounds(Node* first, int64_t period, int64_t most);
  void put_together(Node* first, Repetition& loop);
  bool follows(const Round& first, const Round& before, const Round& round);
  bool find_outputs(const Round& first, int64_t rounds);
  bool close_numbers(int64_t rounds);
  void write_distinct();
  void close_scalar(const OpenNumber& number, const int64_t* column, int64_t rounds, bool same);

  std::vector<uint32_t> looks_;  // of the nodes among which a loop is looked for
  std::unordered_map<uint64_t, Repetition> known_loops_;  // by a hash of these; no rounds: no loop
  uint64_t last_looks_ = 0;
  bool is_open_ = false, is_first_round_ = false;
  std::vector<int32_t> next_uses_;
  std::vector<OpenNumber> open_;
  std::vector<int64_t> values_;  // of the open numbers, round after round
  std::vector<int> origins_;     // of external arrays: which node of the round before, or -1
  std::vector<int> carried_;     // the same for all rounds but the first
  std::vector<int64_t> changing_symbols_, changing_scalars_;
  size_t externals_at_ = 0;  // in the code

  std::vector<Known> sizes_, positions_;
  std::vector<KnownScalar> known_scalars_;
  bool may_consume_ = true;  // arrays from outside, if nobody else needs them
  uint64_t stamp_ = 0;
  static inline uint64_t last_stamp = 0;
};

Plan read_plan(const std::vector<int64_t>& code);

// Constants that are worth a program of their own: x*2, x/2, x-1.
bool is_literal(DType type, const Scalar& scalar);

}  // namespace skald::lazy
