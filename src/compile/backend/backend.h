// SPDX-License-Identifier: Apache-2.0
// What a back end is: a value that opens engines.  An engine is a device with its memory; it makes
// executables of core programs, and these take and give arrays in the engine's memory.
//
//   Backend     cpu, interp, opencl: a row of the table in registry/backends.cpp
//   Engine      one opened device: threads and host memory, or a gpu and its memory
//   Executable  one compiled program on one engine
//
// Adding a back end: docs/extending.md.  Read next: entry_values.h, ../program/program.h.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/backend/event.h"
#include "compile/backend/object_code.h"
#include "compile/backend/run_failure.h"
#include "core/ir/program.h"
#include "core/tuning/tuning.h"
#include "imp/ir/imp.h"
#include "machine/device_model.h"
#include "passes/pass.h"
#include "runtime/budget.h"
#include "runtime/values/value.h"

namespace skald::compile {

// For programs that are not trusted; 0: no limit.  docs/library.md says what counts.
struct Limits {
  int64_t memory = 0;  // bytes of all arrays of an engine together, those of running calls included
  double seconds = 0;  // for one call
  int64_t stack = 0;   // bytes that recursive functions may use, on each thread
};

struct EngineOptions {
  int threads = 0;          // of a cpu; 0: all cores
  std::string device = {};  // a part of a device's name; empty: the best one
  bool profile = false;     // record events
  Limits limits = {};
  // What the user should know about how programs will run.
  std::function<void(const std::string&)> on_note = {};
};

// A program at stage MEMORY as imp for a back end.
using LowerFunction = Result<imp::Program> (*)(const core::Program& prog,
                                               const passes::PassOptions& options);

struct ProgramOptions {
  passes::PassOptions passes = {};
  core::Tuning tuning = {};
  double time_limit = 0;  // seconds, for the interpreter, besides that of its engine; 0: none
  // The interpreter compiles the program as far as this; without it it runs what it is given.
  std::optional<core::Stage> stage = {};
  // The same, and on to imp as this function of a back end makes it (Backend::lower).
  LowerFunction lower = nullptr;
  std::function<void(const std::string&)> on_note = {};
  // Somebody waits for the code, or may not need it for long.
  bool soon = false;
};

class Executable {
 public:
  virtual ~Executable() = default;
  // Arguments and results are those of the entry point, without the sizes, in the engine's memory.
  // Arrays that the entry point may change (core::Param::unique) and that somebody else holds too
  // are copied first.
  virtual Result<std::vector<runtime::Value>, RunFailure> call(
      const core::Function& entry, std::vector<runtime::Value> args) = 0;
  // What Engine::load needs to make it again, if that is more than the image it was made from, or
  // if it was made from none.  Empty: nothing to keep.
  virtual std::string image() { return {}; }
  // The tuning parameters that its code has.
  virtual std::vector<core::TuningParam> params() const = 0;
};

// Calls on one engine may come from several threads.
class Engine {
 public:
  explicit Engine(const EngineOptions& options)
      : events_(options.profile), budget_(runtime::BudgetRef::with_limit(options.limits.memory)) {}
  virtual ~Engine() = default;

  // Compiles a stage-SOACS program, which must outlive the executable, as the engine must.  Fails
  // only for what the user asked for (unknown passes) or what the device cannot do; our own bugs
  // throw.
  virtual Result<std::unique_ptr<Executable>> compile(const core::Program& prog,
                                                      const ProgramOptions& options) = 0;
  // What images depend on besides program and options: this build, this device.  Empty: it has no
  // images.
  virtual std::string image_key() const { return {}; }
  // All that measured times depend on; empty: nobody measures this engine.
  virtual std::string identity() const { return {}; }
  // The executable that left this image.  Fails if the image is of no use.
  virtual Result<std::unique_ptr<Executable>> load(std::string_view image,
                                                   const ProgramOptions& options);

  // ---- Memory.  On the host unless an engine says otherwise.
  virtual bool has_own_memory() const { return false; }
  // What arrays count against; null: nothing.
  virtual runtime::MemoryBudget* budget() const { return budget_.get(); }
  // Does an array lie in the engine's memory?
  virtual bool holds(const runtime::Value& value) const;
  // From the host's memory to the engine's and back; shared where that is the same memory.
  virtual Result<runtime::Value> upload(const runtime::Value& value);
  virtual Result<runtime::Value> download(const runtime::Value& value);
  // Copies the elements of an array in the engine's memory to the host.
  virtual Result<Unit> read(const runtime::Value& value, void* to);
  // Another array with the same elements, in the engine's memory.
  virtual Result<runtime::Value> copy(const runtime::Value& value);
  // With undefined elements.
  virtual Result<runtime::Value> allocate(Prim type, std::vector<int64_t> shape);
  // `bytes` bytes of an array from `offset` on, as an array of another shape; shares memory if the
  // engine's memory can be shared like that.
  virtual Result<runtime::Value> part(const runtime::Value& value, int64_t offset,
                                      std::vector<int64_t> shape);
  // Memory of the device that somebody else allocated, and the other way round.  Fails where there
  // is no such memory.
  virtual Result<runtime::Value> adopt(Prim type, std::vector<int64_t> shape, void* memory,
                                       void (*release)(void* memory, void* argument),
                                       void* argument);
  virtual Result<void*> native(const runtime::Value& value);
  // Copies the arrays among the arguments of an entry point that it may change and that somebody
  // else holds too.
  Result<Unit> own_unique(const core::Function& entry, std::vector<runtime::Value>& args);
  // What calls asked for begins, if it has not: a call may leave work to a device that waits for
  // more.
  virtual void start() {}
  // Waits until all that was asked for has happened.
  virtual Result<Unit> finish() { return Unit{}; }

  // ---- Events, if EngineOptions::profile asked for them.
  EventLog& events() { return events_; }
  // Those since the last call.
  virtual std::vector<Event> take_events() { return events_.take(); }

 private:
  EventLog events_;
  runtime::BudgetRef budget_;
};

// Arguments on the host, results on the host.
Result<std::vector<runtime::Value>, RunFailure> call_with_host_values(
    Engine& engine, Executable& executable, const core::Function& entry,
    std::vector<runtime::Value> args);

// What `skald dump --emit=NAME` prints.
struct Emit {
  std::string_view name, description;
  Result<std::string> (*text)(const imp::Program& prog, const passes::PassOptions& options);
};

struct Backend {
  std::string_view name;  // "cpu"
  // False, with the reason and a way out, where it cannot work.
  bool (*is_available)(std::string& why_not);
  Result<std::shared_ptr<Engine>> (*open)(const EngineOptions& options);
  // Runs programs at any stage; the others are compared with it.
  bool is_interpreter = false;
  // Which of EngineOptions::limits its engines obey; others must be refused.
  bool limits_memory = false, limits_time = false, limits_stack = false;
  // So many programs `skald test` runs in one process: more than one where starting takes long.
  int tests_together = 1;

  // ---- For those who look on; each may be absent.
  // The devices that it can open, as their drivers describe them, without opening them.  Fails,
  // with the reason, if there are none.
  Result<std::vector<machine::DeviceModel>> (*devices)() = nullptr;
  // What only trying tells about one of them; takes about half a second.
  Result<machine::DeviceTimes> (*measure)(const machine::DeviceModel& device) = nullptr;
  // What passes may know about its devices.
  passes::Device device = {};
  LowerFunction lower = nullptr;
  std::vector<Emit> emits = {};
  // Object code of this machine for all entry points of a stage-SOACS program.  `symbols` is what
  // their names begin with.
  Result<ObjectCode> (*make_object)(const core::Program& prog, const passes::PassOptions& options,
                                    const std::string& symbols) = nullptr;
};

// A limit that nobody would keep is worse than none, so it is refused.
Result<Unit> check_limits(const Backend& backend, const Limits& limits);

}  // namespace skald::compile
