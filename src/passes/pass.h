// SPDX-License-Identifier: Apache-2.0
// What a pass is, and the runner that times, verifies and dumps around it.
//
// A pass is one function `core::Program verb_object(core::Program, PassContext&)` in one file; all
// passes are rows of one table and all pipelines are lists, both in pipelines.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/program.h"
#include "support/result.h"

namespace skald::passes {

// What passes may know about the machine that runs the program.  Fixed numbers, not those of the
// machine that compiles: the same program gives the same code everywhere.  Those in the table of
// device.cpp can be chosen (`--param NAME=INT`).
struct Device {
  // How many points must run at once to fill the machine.
  int64_t parallelism = 64;
  // A second version of a nest may have that many kernels.  On a cpu the outer level is nearly
  // always enough, so that a long version would only cost compile time.
  int64_t version_kernels = 4;
  // About so many values a kernel may keep from point to point before they go to memory.
  int64_t registers = 96;
  // A merged kernel may have so many statements and sinks more than the largest of its parts.
  int64_t fused_statements = 600;
  int64_t fused_sinks = 24;
  // Can what follows a scan be reduced or partitioned in the same pass?
  bool late_folds = true;
  // A nest of more statements is not lifted unless it must be, and no more than this in all.
  int64_t lifted_statements = 200;
  // Larger nests have one version only.
  int64_t nest_statements = 400;
  // Operators on arrays of so many elements are parallel code in a loop of the host.
  int64_t large_array = 1024;
  // Irregular nests inside irregular nests are flattened down to this many levels.
  int64_t lift_depth = 0;
  // Can a thread run a function that calls itself?
  bool recursion_in_kernels = true;
  // Should operators of scans and reductions be given more checks than they have?
  bool operators_may_fail = true;
  // Is `#[flattening(no_outer)]` an order?  Programs have it because of gpus: where the outer level
  // fills the machine, rows that one thread computes from beginning to end stay in its cache.
  bool obeys_flattening = false;
  // Do threads work in groups that share memory?
  bool groups = false;
  // Bytes that such a group surely has.
  int64_t group_memory = 0;
};

// A gpu; its kernels are compiled when first used, so that versions cost little.
constexpr Device kGpu = {.parallelism = 262144,
                         .version_kernels = 12,
                         .registers = 64,
                         .lifted_statements = 2000,
                         .lift_depth = 2,
                         .recursion_in_kernels = false,
                         .operators_may_fail = false,
                         .obeys_flattening = true,
                         .groups = true,
                         .group_memory = 31 << 10};

// A number of a device that can be chosen.
struct DeviceNumber {
  std::string_view name;
  int64_t Device::* number;
  bool groups_only = false;  // means nothing where threads do not work in groups
};
const std::vector<DeviceNumber>& device_numbers();
// Other names in `chosen` mean nothing here.
void choose_numbers(Device& device, const std::map<std::string, int64_t, std::less<>>& chosen);

// What one run of a pass may use and must count.
class PassContext {
 public:
  explicit PassContext(uint64_t limit = UINT64_MAX, Device device = {})
      : limit_(limit), device_(device) {}

  const Device& device() const { return device_; }

  // Asks to do one rewrite.  False once `--limit=PASS:N` is used up: then leave the code as it is.
  // `rule` names the rewrite for `--explain`.
  bool may_rewrite(std::string_view rule = {}) {
    if (rewrites_ >= limit_) return false;
    ++rewrites_;
    if (!rule.empty()) ++counts_[rule];
    return true;
  }
  uint64_t rewrites() const { return rewrites_; }
  // How often each named rule was used, by name.
  const std::map<std::string_view, uint64_t>& counts() const { return counts_; }

  // `--explain=PASS`: what the pass did and did not do, one line each.  Ask before making a line.
  bool explains() const { return static_cast<bool>(on_explain_); }
  void explain(const std::string& line) const {
    if (on_explain_) on_explain_(line);
  }
  void set_on_explain(std::function<void(const std::string&)> f) { on_explain_ = std::move(f); }

  // `-v`: a limit that was met, so that the result is correct but less good than it could be.
  void report_limit(const std::string& line) const {
    if (on_limit_) on_limit_(line);
  }
  void set_on_limit(std::function<void(const std::string&)> f) { on_limit_ = std::move(f); }

 private:
  uint64_t limit_;
  Device device_;
  uint64_t rewrites_ = 0;
  std::map<std::string_view, uint64_t> counts_;
  std::function<void(const std::string&)> on_explain_, on_limit_;
};

using PassFunction = core::Program (*)(core::Program, PassContext&);

struct PassInfo {
  std::string_view name;         // also the command-line flag
  std::string_view description;  // one line
  PassFunction run;
  core::Stage from, to;
  // A lowering step: leaving it out would make the next pass fail.
  bool required = false;
};

// Every pass, in the order of the pipelines.
const std::vector<PassInfo>& all_passes();
const PassInfo* find_pass(std::string_view name);
// The passes that take a fresh stage-SOACS program to `stage`.
std::vector<std::string_view> pipeline_to(core::Stage stage);

struct PassEvent {
  std::string_view pass;
  double milliseconds = 0;
  uint64_t rewrites = 0;
  const core::Program* program = nullptr;
};

struct PassOptions {
  bool verify = true;
  std::unordered_set<std::string> disabled = {};          // --disable=PASS
  std::unordered_map<std::string, uint64_t> limits = {};  // --limit=PASS:N
  std::string stop_after = {};                            // --after=PASS
  std::unordered_set<std::string> explained = {};         // --explain=PASS
  std::function<void(const std::string&)> on_explain = {};
  std::function<void(const std::string&)> on_limit = {};  // -v: limits that were met
  std::function<void(const PassEvent&)> on_pass = {};     // after every pass
  Device device = {};
  std::map<std::string, int64_t, std::less<>> numbers = {};  // chosen for the device
};

// Runs the passes in order.  Fails with a sentence if a name is unknown or a pass does not fit the
// stage.
Result<core::Program> run_passes(core::Program prog, const std::vector<std::string_view>& names,
                                 const PassOptions& options = {});

}  // namespace skald::passes
