// SPDX-License-Identifier: Apache-2.0
// What the command line says, as plain data.  cli fills it; each command reads its part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compile/backend/backend.h"
#include "core/tuning/tuning.h"

namespace skald::driver {

// For every command.
struct CommonOptions {
  bool json_diagnostics = false;
  bool warnings = true;
  bool warnings_are_errors = false;
  bool verbose = false;
  bool colour = false;
  bool safe = false;  // ignore #[unsafe]
};

// How far down and how a program is compiled; `dump` sets more of it than `run`.
struct CompileOptions {
  bool exact = false;                      // kernels of devices round every operation
  bool verify = false;                     // after every pass
  std::vector<std::string> disabled = {};  // passes
  std::vector<std::string> limits = {};    // "PASS:N"
  std::vector<std::string> explain = {};   // passes that say what they did, on stderr
  bool report_limits = false;              // say on stderr which limits of passes were met
  core::Tuning numbers = {};               // of the device, chosen by --param or a tuning file
};

// Where the interpreter runs a program.
struct InterpretAt {
  std::string stage = {};   // "soacs", "kernels", "memory", "imp"; empty: as the front end made it
  std::string device = {};  // "cpu", "gpu": what it is compiled for; empty: cpu
};

struct CheckOptions {
  std::vector<std::string> files = {};
};

struct RunOptions {
  std::string file = {};
  const compile::Backend* backend = nullptr;  // null: the default one
  std::string entry = {};  // empty: main, or the forms of a program that has some
  bool binary_output = false;
  bool force = false;  // binary results even to a terminal
  bool print_result = true;
  std::string runtime_file = {};         // -t: microseconds, one line per run
  int runs = 1;                          // -r
  int threads = 0;                       // 0: all
  std::vector<std::string> params = {};  // --param NAME=INT
  std::string tuning_file = {};          // --tuning
  std::string tune_file = {};            // --tune
  bool cache = true;                     // keep compiled code on disk, and use it
  compile::Limits limits = {};           // --max-memory, --max-time, --max-stack
  InterpretAt interpret = {};
  CompileOptions compile = {};
};

struct BuildOptions {
  std::string file = {};
  const compile::Backend* backend = nullptr;
  std::string output = {};                // without extension
  std::vector<std::string> choices = {};  // --param NAME=INT, numbers of the device only
  std::string tuning_file = {};  // --tuning; what is chosen when the program runs is left out
  CompileOptions compile = {};
};

struct CacheOptions {
  bool clear = false;
};

struct DeviceOptions {
  std::string name = {};  // as chosen_devices.h takes it; empty: all
  bool measure = false;
  bool calibrate = false;
  bool quick = false;     // is a calibration that is less exact enough?
  std::string html = {};  // a file for the plot of what was calibrated
  bool json = false;
};

// How far `skald test` takes each program.
enum class TestMode : uint8_t { kRun, kCompile, kElaborate, kCheck, kStructure };

struct TestOptions {
  TestMode mode = TestMode::kRun;
  std::vector<std::string> excluded_tags = {};
  std::string tuning_extension = "tuning";  // x.fut.tuning belongs to x.fut; empty: none is read
  std::vector<std::string> params = {};     // --param NAME=INT
  bool progress = true;                     // a line on the terminal that says how far we are
  std::vector<std::string> paths = {};
  std::vector<const compile::Backend*> backends = {};
  int jobs = 0;                       // 0: one per core
  int together = 0;                   // programs in one process; 0: as the back end says
  int threads = 0;                    // of the cpu back end; 0: all
  double time_limit = 120;            // seconds for one program
  int64_t start_until = 0;            // no program is started later; seconds since 1970, 0: no end
  compile::Limits limits = {};        // of each call: --max-memory, --max-time, --max-stack
  std::string entry = {};             // only this entry point
  int property_tests = 100;           // candidates for each property
  int property_size = 50;             // their size, unless the property says another
  std::optional<uint64_t> seed = {};  // of the candidates; without it a new one every time
  bool list_failures_only = false;
  InterpretAt interpret = {};
  CompileOptions compile = {};
};

struct DumpOptions {
  std::string file = {};
  std::string stage = {};                // "ast", "soacs", "kernels", "memory", "imp"
  std::string after = {};                // stop after this pass of the pipeline
  std::vector<std::string> passes = {};  // run exactly these passes
  std::string emit = {};                 // "ll", "asm", "device-imp", "cl"
  std::string device = {};               // "cpu", "gpu"; empty: what `emit` is for
  bool renumber = false;
  bool locs = false;
  bool annotate = false;  // places in imp and in the text of kernels
  bool list_passes = false;
  bool list_strategies = false;           // the ways that kernels are lowered by
  bool stats = false;                     // kernels, bytes and arrays instead of the program
  bool params = false;                    // list the tuning parameters
  std::vector<std::string> choices = {};  // --param NAME=INT, numbers of the device only
  bool times = false;
  std::string check_equal = {};  // another program: interpret both on random data and compare
  CompileOptions compile = {};
};

}  // namespace skald::driver
