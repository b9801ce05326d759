// SPDX-License-Identifier: Apache-2.0
// The machine that runs the interpreter's form of a program (code.h).
//
// Functions that can fail give false after calling `fail`; the instruction loop then adds where it
// happened.  Files: run.cpp (instruction loop, errors), values.cpp (moving values, allocation,
// places), arrays.cpp, control.cpp (branches, loops, calls), soacs.cpp, writes.cpp (hist, scatter,
// accumulators), irregular.cpp (partition, flatmap), kernels.cpp.
#pragma once

#include <chrono>
#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/interp/code.h"
#include "core/interp/compile.h"
#include "core/interp/few.h"
#include "core/interp/interp.h"

namespace skald::core::interp {

// A function, compiled when it is first called.
struct LoadedFunction {
  FunctionCode code;
  std::vector<std::unique_ptr<Frame>> free_frames;
  // "once": the results of the first call.
  bool once = false;
  std::unique_ptr<Frame> kept = {};
};

// Arrays under construction by scattered writes.  `frame` is where the operator's parameters live.
struct TargetState {
  const TargetCode* code = nullptr;
  Frame* frame = nullptr;
  Dims shape;
  std::vector<Array> arrays;
};

// Gives a lambda's parameter row after row of an input.
struct RowReader {
  Kind kind = Kind::kNone;
  Slot to = 0;
  int size = 0;
  int64_t step = 0;
  const std::byte* data = nullptr;
  Slot array = 0;
};

// Stores a value row after row into a result.
struct RowWriter {
  Kind kind = Kind::kNone;
  Use from;
  int size = 0;
  int64_t step = 0;
  Array out;
};

class Machine {
 public:
  Machine(const Program& prog, const InterpOptions& options);
  // On a thread whose stack has `stack_bytes` bytes left below this call.
  Result<std::vector<ArrayValue>, RuntimeError> interpret(std::string_view fn,
                                                          std::vector<ArrayValue> args,
                                                          int64_t stack_bytes);

 private:
  // ---- run.cpp
  [[nodiscard]] bool run(const Code& code, Frame& f);
  // False if the limit of time is reached.
  [[nodiscard]] bool look_at_clock();
  [[nodiscard]] bool run_node(const Instr& instr, Frame& f);
  // Records what went wrong; gives false.
  bool fail(std::string message);
  // A limit that the user has set.
  bool fail_at_limit(std::string message, std::string_view code);
  // There are no `bytes` bytes `what` (" for an array", say).
  bool fail_for_memory(int64_t bytes, const std::string& what);
  // Adds the place of a failure that has none so far; gives false.
  bool locate(Loc loc);
  bool fail_assert(const AssertCode& code, const Frame& f);
  template <class Byte>
  bool find_element(const SliceCode& code, const Array& array, Byte*& at, Frame& f);
  bool fail_index(int64_t index, int64_t size);

  // ---- values.cpp
  static int64_t int_at(Slot slot, const Frame& f) { return static_cast<int64_t>(f.scalars[slot]); }
  static Dims dims_at(const std::vector<Slot>& slots, const Frame& f);
  static Array take(const Use& use, Frame& f);
  static void put(Kind kind, Slot slot, const Use& from, Frame& f) {
    if (is_scalar_slot(kind))
      f.scalars[slot] = f.scalars[from.slot];
    else if (is_array_slot(kind))
      f.arrays[slot] = take(from, f);
  }
  static void put_across(Kind kind, Slot slot, Frame& to, const Use& from, Frame& f);
  static void release(const std::vector<Binding>& params, Frame& f);
  [[nodiscard]] bool carry(const Carry& carry, Frame& f);
  [[nodiscard]] bool allocate(Prim elem, const Dims& shape, Array& out);
  // Where the value of `dst` shall be built.
  [[nodiscard]] bool output(const Binding& dst, const Dims& shape, const Frame& f, Array& out);
  [[nodiscard]] bool placed(const Binding& dst, const Dims& shape, const Frame& f, Array& out);
  [[nodiscard]] bool bound(const Binding& dst, Frame& f);
  [[nodiscard]] bool make_writable(Array& array);
  [[nodiscard]] bool count_at(Slot slot, const Frame& f, int64_t& count);

  // ---- arrays.cpp
  [[nodiscard]] bool index_all(const SliceCode& code, Frame& f);
  [[nodiscard]] bool slice_of(const Array& array, const std::vector<DimCode>& dims, const Frame& f,
                              Array& out);
  [[nodiscard]] bool flat_slice_of(const Array& array, const FlatCode& code, const Frame& f,
                                   Array& out);
  [[nodiscard]] bool slice(const SliceCode& code, Frame& f);
  [[nodiscard]] bool update(const SliceCode& code, Frame& f);
  [[nodiscard]] bool store_into(const Array& part, const Use& value, Frame& f);
  [[nodiscard]] bool flat_index(const FlatCode& code, Frame& f);
  [[nodiscard]] bool flat_update(const FlatCode& code, Frame& f);
  [[nodiscard]] bool array_lit(const ArrayLitCode& code, Frame& f);
  [[nodiscard]] bool concat(const ConcatCode& code, Frame& f);
  [[nodiscard]] bool iota(const IotaCode& code, Frame& f);
  [[nodiscard]] bool replicate(const ShapeCode& code, Frame& f);
  [[nodiscard]] bool scratch(const ShapeCode& code, Frame& f);
  [[nodiscard]] bool reshape(const ShapeCode& code, Frame& f);
  [[nodiscard]] bool rearrange(const RearrangeCode& code, Frame& f);
  [[nodiscard]] bool copy(const CopyCode& code, Frame& f);
  [[nodiscard]] bool alloc(const AllocCode& code, Frame& f);
  [[nodiscard]] bool free_block(Slot slot, Frame& f);
  void trace(const TraceCode& code, const Frame& f);

  // ---- control.cpp
  [[nodiscard]] bool branch(const IfCode& code, bool cond, Frame& f);
  [[nodiscard]] bool loop(const LoopCode& code, Frame& f);
  [[nodiscard]] bool call(const CallCode& code, Frame& f);
  LoadedFunction* load(std::string_view name);
  std::unique_ptr<Frame> new_frame(LoadedFunction& fn);
  void free_frame(LoadedFunction& fn, std::unique_ptr<Frame> frame);
  [[nodiscard]] bool enter();

  // ---- soacs.cpp
  using Readers = Few<RowReader, 6>;
  [[nodiscard]] bool open_inputs(const std::vector<Use>& inputs, const LambdaCode& fn,
                                 int64_t width, Frame& f, Readers& readers);
  // The number of rows of a SOAC, and what reads them.
  template <class Code>
  [[nodiscard]] bool open_rows(const Code& code, int64_t& width, Frame& f, Readers& readers) {
    return count_at(code.width, f, width) && open_inputs(code.inputs, code.fn, width, f, readers);
  }
  static void read_row(const Readers& readers, int64_t i, Frame& f);
  // A writer of rows of type `row` into `dst`, or into a new array if there is no `dst`.
  [[nodiscard]] bool open_output(const Binding* dst, const Binding& row, const Use& from,
                                 int64_t width, const Frame& f, RowWriter& writer);
  [[nodiscard]] bool write_row(const RowWriter& writer, int64_t i, Frame& f) {
    if (writer.kind == Kind::kScalar) {
      store_bits(writer.out.data + i * writer.step, writer.size, f.scalars[writer.from.slot]);
      return true;
    }
    return writer.kind != Kind::kArray || write_at(writer.out, i * writer.step, 1, writer.from, f);
  }
  // Stores a value at `bytes` bytes into `out`, whose first `outer` dimensions are indexed.
  [[nodiscard]] bool write_at(const Array& out, int64_t bytes, int outer, const Use& from,
                              Frame& f);
  static void start(const OperatorCode& op, Frame& f);
  // left = op(left, values)
  [[nodiscard]] bool feed(const OperatorCode& op, const Use* values, Frame& f) {
    if (op.fn.direct != nullptr) {
      uint64_t& left = f.scalars[op.fn.params[0].slot];
      left = op.fn.direct(left, f.scalars[values[0].slot]);
      return true;
    }
    return feed_general(op, values, f);
  }
  [[nodiscard]] bool feed_general(const OperatorCode& op, const Use* values, Frame& f);
  [[nodiscard]] bool soac(const SoacCode& code, Frame& f);
  [[nodiscard]] bool soac_rows(const SoacCode& code, int64_t width, const Readers& readers,
                               const std::vector<RowWriter>& writers, Frame& f);

  // ---- writes.cpp
  [[nodiscard]] bool open_target(const TargetCode& code, Frame& f, TargetState& state);
  // `indices` and `values` are operands in `f`.  An index out of bounds is ignored.
  [[nodiscard]] bool write_target(TargetState& state, const Use* indices, const Use* values,
                                  Frame& f);
  [[nodiscard]] bool scattered(const WriteCode& code, Frame& f);
  [[nodiscard]] bool with_acc(const WithAccCode& code, Frame& f);
  [[nodiscard]] bool update_acc(const UpdateAccCode& code, Frame& f);

  // ---- irregular.cpp
  // The rows of `writers` sorted into `classes`: sizes into pat[0 …], then arrays.
  [[nodiscard]] bool distribute(const std::vector<int64_t>& class_of, int classes,
                                const std::vector<RowWriter>& writers, std::span<const Binding> pat,
                                Frame& f);
  [[nodiscard]] bool partition(const PartitionCode& code, Frame& f);
  [[nodiscard]] bool flat_map(const FlatMapCode& code, Frame& f);

  // ---- kernels.cpp
  friend class KernelRun;
  [[nodiscard]] bool kernel(const KernelCode& code, Frame& f);

  // ---- machine.cpp
  bool pass_args(FunctionCode& fn, std::vector<ArrayValue> args, Frame& f);
  std::vector<ArrayValue> results_of(const FunctionCode& fn, Frame& f);

  const Program& prog_;
  const InterpOptions& options_;
  MemoryBudget budget_;
  NameSlots slots_;
  std::unordered_map<std::string_view, const Function*> by_name_;
  std::unordered_map<const Function*, std::unique_ptr<LoadedFunction>> loaded_;
  std::vector<Loc> calls_;  // the statements whose calls are active
  const char* stack_end_ = nullptr;
  bool has_stack_limit_ = false;  // the user has set where it ends
  // The clock is looked at once for so many bodies.
  static constexpr int kBodiesPerLook = 4096;
  int until_clock_ = kBodiesPerLook;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool failed_ = false;
  bool located_ = false;
  RuntimeError error_;
};

}  // namespace skald::core::interp
