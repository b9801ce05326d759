// SPDX-License-Identifier: Apache-2.0
// What runs instructions: the current thread, its frames, and what to do when something fails.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/interp/interp.h"
#include "imp/interp/code.h"
#include "imp/interp/interp.h"
#include "imp/interp/memory.h"

namespace skald::imp::interp {

// A failure of the program, on its way out.
struct RunError {
  std::string message;
  std::vector<Loc> places;  // the failing one, then those of the calls around it
  bool gave_up = false;
  std::string code = {};  // see core::RuntimeError
};

struct Frame {
  const FunctionCode* fn = nullptr;
  const Instr* next = nullptr;     // where it goes on
  size_t slots = 0, blocks = 0;    // where its slots begin
  const CallCode* call = nullptr;  // that made it; null: nobody did
};

struct Attempted {
  int32_t position = 0;  // the slot of it, which may change
  size_t frames = 0;     // how many there were
  int32_t blocks = 0;    // from here on they belong to the body
  const Instr* after = nullptr;
};

struct Group;

// The host's thread, or one of a launch.
struct Thread {
  enum class State : uint8_t { kRuns, kWaits, kEnded, kFailed };
  State state = State::kRuns;
  std::vector<uint64_t> slots;
  std::vector<Handle> blocks;
  std::vector<Frame> frames;
  std::vector<Attempted> attempts;
  Group* group = nullptr;  // null: the host
  int64_t shared = 0;      // bytes of the group's memory that it uses
  size_t number = 0;       // in its group, where threads run side by side
  size_t shuffles = 0;     // that it took part in
  std::unordered_map<const Instr*, size_t> allocations = {};  // of blocks of the group
};

// The threads that share memory.
struct Group {
  // One execution of an allocation by all threads.
  struct Shared {
    Handle handle;
    int64_t arrived = 0;
  };
  int64_t threads = 1;
  int64_t most_shared = 0;  // bytes whose number is no constant
  std::unordered_map<const Instr*, std::vector<Shared>> blocks = {};
  std::array<std::vector<uint64_t>, 2> offered = {};  // by threads, in shuffles
};

class Machine {
 public:
  Machine(const Program& prog, const core::InterpOptions& options);
  Result<std::vector<core::ArrayValue>, core::RuntimeError> interpret(
      std::string_view entry, const std::vector<core::ArrayValue>& args,
      const std::vector<ResultType>& results);

  // ---- for instructions
  uint64_t& slot(int32_t k) { return slots_[k]; }
  int64_t number(int32_t k) const { return static_cast<int64_t>(slots_[k]); }
  Handle& handle(int32_t k) { return handles_[k]; }
  // The block there; a bug if there is none, or if this code cannot reach it.
  Block& block(int32_t k);
  // Where element `index` lies, of so many bytes; a bug if that is outside.
  std::byte* element(int32_t block, int64_t index, int size);
  // The same for several; null if there are none.
  std::byte* elements(int32_t block, int64_t first, int64_t count, int size);
  void jump(int64_t to) { next_ = thread_->frames.back().fn->code.data() + to; }
  void look_at_clock();
  [[noreturn]] void wrong(const std::string& what) const;
  // That runs now.
  const Stmt* statement() const;

  // ---- calls
  void call(const CallCode& code);
  void leave_function();
  // Stops the innermost attempt, the thread or the run.
  void fail(std::string message, Loc loc, bool gave_up = false);
  void fail(RunError error);
  RunError without_memory(int64_t bytes, Loc loc) const;
  void leave_attempt();
  // The lock that the thread holds, or null: who fails holds it no longer.
  void hold(std::byte* lock) { held_lock_ = lock; }
  void drop(int32_t from, int32_t to);

  // ---- launches
  void launch(const LaunchCode& code);
  // Runs the thread until it waits, ends or fails.
  void run(Thread& thread);
  void pause(Thread::State state);
  Handle shared_block(const Instr& instr, const AllocCode& code, int64_t bytes);

  Thread& thread() { return *thread_; }
  Memory& memory() { return memory_; }
  const core::InterpOptions& options() const { return options_; }
  bool next_turn() { return turn_ = !turn_; }
  bool is_on_device() const;

 private:
  struct Kept {
    std::vector<uint64_t> scalars;
    std::vector<Handle> blocks;
  };

  void push_frame(Thread& thread, const FunctionCode& fn, const CallCode* call) const;
  void pop_frame();
  void set_frame();
  void take_results(const CallCode& code, const Kept& kept);
  void record(int64_t position, RunError error);
  void run_together(const LaunchCode& code, const Thread& pattern, Group& group);
  Thread thread_of(const LaunchCode& code, const Thread& host) const;
  void pass_args(const FunctionCode& fn, const std::vector<core::ArrayValue>& args, Thread& host);
  std::vector<core::ArrayValue> results_of(const FunctionCode& fn, Thread& host,
                                           const std::vector<ResultType>& types);
  void check_nothing_is_left();
  std::vector<Loc> places() const;

  const Program& prog_;
  const core::InterpOptions& options_;
  std::vector<FunctionCode> functions_;
  Memory memory_;
  Thread* thread_ = nullptr;
  const Instr* next_ = nullptr;  // null: the thread does not go on
  uint64_t* slots_ = nullptr;    // of the current frame
  Handle* handles_ = nullptr;
  std::byte* held_lock_ = nullptr;
  std::unordered_map<const FunctionCode*, Kept> kept_;  // results of `once` functions
  std::optional<RunError> error_;                       // of the run
  std::optional<std::pair<int64_t, RunError>> launch_error_;
  bool turn_ = false;
  int64_t until_clock_ = 0;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace skald::imp::interp
