// SPDX-License-Identifier: Apache-2.0
// Back ends as the commands see them: something that runs the entry points of a core program.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/ir/program.h"
#include "core/tuning/tuning.h"
#include "driver/options.h"
#include "imp/ir/imp.h"
#include "passes/pass.h"
#include "runtime/values/value.h"

namespace skald::driver {

// The run-time error of a user's program, ready to print: message, blank line, back trace.
struct RunFailure {
  std::string text;
  // The interpreter reached its limit of time or memory.
  bool gave_up = false;
};

class Backend {
 public:
  virtual ~Backend() = default;
  // Arguments and results are those of the entry point, without the sizes.
  virtual Result<std::vector<runtime::Value>, RunFailure> run(const core::Function& entry,
                                                              std::vector<runtime::Value> args) = 0;
  // What load_backend needs to make it again, if that is more than the image it was made from, or
  // if it was made from none.  Empty: nothing to keep.
  virtual std::string image() { return {}; }
  // The tuning parameters that this back end's code has.
  virtual std::vector<core::TuningParam> params() const = 0;
};

struct BackendOptions {
  int threads = 0;
  passes::PassOptions passes = {};
  core::Tuning tuning = {};
  double time_limit = 0;  // seconds, for the interpreter; 0: none
  // The interpreter compiles the program as far as this; without it it runs what it is given.
  std::optional<core::Stage> stage = {};
  // The same, and on to imp for the cpu or for a device.
  std::optional<imp::Target> imp = {};
  // What the user should know about how the program will run.
  std::function<void(const std::string&)> on_note = {};
};

std::string_view backend_name(BackendKind kind);
// Whether this build has it; `why_not` says how to get it.
bool has_backend(BackendKind kind, std::string& why_not);
// The best back end of this build.
BackendKind default_backend();

// Compiles a stage-SOACS program.  The program must outlive the back end.  Fails only for what the
// user asked for (unknown passes); our own bugs throw.
Result<std::unique_ptr<Backend>> make_backend(BackendKind kind, const core::Program& prog,
                                              const BackendOptions& options);

// What images of this back end depend on besides program and options: this build, this machine.
// Empty if it makes none.
std::string image_key(BackendKind kind);
// The back end that make_backend made when it left this image.  Fails if the image is of no use.
Result<std::unique_ptr<Backend>> load_backend(BackendKind kind, std::string_view image,
                                              const BackendOptions& options);

// The primitive type and rank of each value that an entry point takes, and of each result.
struct PlainType {
  Prim type = Prim::kI32;
  int rank = 0;
};
std::vector<PlainType> entry_inputs(const core::Function& entry);
std::vector<PlainType> entry_outputs(const core::Function& entry);

// The arguments of the core function: the sizes that follow from the shapes, then the values. Fails
// if the shapes contradict each other.
Result<std::vector<runtime::Value>> with_sizes(const core::Function& entry,
                                               std::vector<runtime::Value> args);

// Copies the arrays among `args` that the entry point may change and that somebody else holds too.
// The first argument is parameter number `first`.
Result<Unit> own_unique(const core::Function& entry, std::vector<runtime::Value>& args,
                        size_t first);

// Copies the values whose elements lie across their alignment: compiled code takes that for granted
// (atomic updates fail without it).  Only memory adopted from elsewhere can be like that.
Result<Unit> align_elements(std::vector<runtime::Value>& args);

}  // namespace skald::driver
