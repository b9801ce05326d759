// SPDX-License-Identifier: Apache-2.0
// The machine that runs the interpreter's form of a program (code.h).
//
// What runs no code of the program is elsewhere: store.h (values, memory, errors), array_ops.h.
// Files: run.cpp (instruction loop), control.cpp (branches, loops, calls), soacs.cpp, writes.cpp
// (hist, scatter, accumulators), irregular.cpp (partition, flatmap), kernels.cpp.
#pragma once

#include <chrono>
#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/interp/array_ops.h"
#include "core/interp/code/code.h"
#include "core/interp/compile/compile.h"
#include "core/interp/few.h"
#include "core/interp/interp.h"
#include "core/interp/store.h"

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
    return store_.count_at(code.width, f, width) &&
           open_inputs(code.inputs, code.fn, width, f, readers);
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
    return writer.kind != Kind::kArray ||
           arrays_.write_at(writer.out, i * writer.step, 1, writer.from, f);
  }
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
  Store store_;
  ArrayOps arrays_{store_};
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
};

}  // namespace skald::core::interp
