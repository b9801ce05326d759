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
#include <vector>

#include "core/ir/program.h"
#include "machine/cache_shares.h"
#include "support/pass.h"
#include "support/result.h"

namespace skald::passes {

// What passes may know about the machine that runs the program.  Fixed numbers, not those of the
// machine that compiles: the same program gives the same code everywhere.  Those in the table of
// device.cpp can be chosen (`--param NAME=INT`).
struct Device {
  // How many points must run at once to fill the machine.
  int64_t parallelism = 64;
  // How many give about half of its speed.  On a gpu that is two warps for each scheduler.
  int64_t half_busy = 64;
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
  // Rows of different lengths with so many elements in all may run one after another on a thread
  // each: as many as a cache holds, of eight bytes.  The plain caches, because sums of floats
  // depend on it.
  int64_t large_rows = machine::rows_of_one_thread(machine::kPlainCaches) / 8;
  // Irregular nests inside irregular nests are flattened down to this many levels.
  int64_t lift_depth = 0;
  // Should operators of scans and reductions be given more checks than they have?
  bool operators_may_fail = true;
  // Is `#[flattening(no_outer)]` an order?  Programs have it because of gpus: where the outer level
  // fills the machine, rows that one thread computes from beginning to end stay in its cache.
  bool obeys_flattening = false;
  // Are rows of different lengths always reduced by segments?  Threads that go together would wait
  // for the one with the longest row.
  bool reduces_by_segments = false;
  // Do threads work in groups that share memory?
  bool groups = false;
  // Bytes that such a group surely has.
  int64_t group_memory = 0;
  // Bytes that the tapes of a loop may take in reverse mode; 0: as many as they need.
  int64_t tape_memory = 0;
  // Bytes that products of all rounds of a loop may take, which are computed before it.
  int64_t early_memory = int64_t{256} << 20;
  // Do kernels run in a space of their own, with arrays in its memory?
  bool own_space = false;
  // What versions of a nest cost, where threads work in groups (flatten/versions/version_times.h):
  // from a launch to the next; a barrier of a group; an element of a loop in a thread, if its
  // neighbours read what lies beside it, and if each reads a row of its own; the memory's speed. 0:
  // versions are chosen by thresholds.
  int64_t launch_ns = 0;
  int64_t barrier_ns = 0;
  int64_t element_ns = 0;
  int64_t far_element_ns = 0;
  int64_t bytes_per_us = 1;
};

// A gpu; its kernels are compiled when first used, so that versions cost little.
constexpr Device kGpu = {.parallelism = 262144,
                         .half_busy = 32768,
                         .version_kernels = 64,
                         .registers = 64,
                         .lifted_statements = 2000,
                         .nest_statements = 2000,
                         .lift_depth = 2,
                         .operators_may_fail = false,
                         .obeys_flattening = true,
                         .reduces_by_segments = true,
                         .groups = true,
                         .group_memory = 31 << 10,
                         .own_space = true,
                         .launch_ns = 5000,
                         .barrier_ns = 600,
                         .element_ns = 200,
                         .far_element_ns = 350,
                         .bytes_per_us = 4000000};

// A number of a device that can be chosen.
struct DeviceNumber {
  std::string_view name;
  int64_t Device::* number;
  bool groups_only = false;  // means nothing where threads do not work in groups
};
const std::vector<DeviceNumber>& device_numbers();
// Other names in `chosen` mean nothing here.
void choose_numbers(Device& device, const std::map<std::string, int64_t, std::less<>>& chosen);

using PassContext = BasicPassContext<Device>;
using PassOptions = BasicPassOptions<Device>;
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

// Runs the passes in order.  Fails with a sentence if a name is unknown or a pass does not fit the
// stage.
Result<core::Program> run_passes(core::Program prog, const std::vector<std::string_view>& names,
                                 const PassOptions& options = {});

}  // namespace skald::passes
