// SPDX-License-Identifier: Apache-2.0
#include "compile/calibrate/calibrate_hist.h"

#include <chrono>
#include <ctime>
#include <map>
#include <thread>

#include "compile/calibrate/hist_fit.h"
#include "compile/machine/kept_hist_costs.h"
#include "compile/program/loader.h"
#include "compile/program/program.h"

namespace skald::compile {

namespace {

using Clock = std::chrono::steady_clock;
using machine::HistWay;
using runtime::Value;

constexpr const char* kProgramName = "calibration.fut";
constexpr int64_t kCpuPoints = 2'000'000, kGpuPoints = 20'000'000, kQuick = 10;
// A trial is run until so much time is over, and at least so many times; the least time counts.
constexpr double kSecondsOfTrial = 0.3, kSecondsOfQuickTrial = 0.01;
constexpr int kLeastRuns = 4, kLeastQuickRuns = 2;

bool is_quick(CalibrationEffort effort) {
  return effort == CalibrationEffort::kQuick;
}

const char* keys_entry(TrialKeys keys) {
  if (keys == TrialKeys::kSparse) return "sparse";
  return keys == TrialKeys::kSame ? "same" : "uniform";
}

Value i64_value(int64_t number) {
  return *Value::scalar(Prim::kI64, static_cast<uint64_t>(number));
}

// An engine with the trial program, compiled once for each way.
class TrialEngine {
 public:
  // `threads`: of the processor; 0 on devices.
  TrialEngine(std::shared_ptr<Engine> engine, CalibrationEffort effort, int64_t threads = 0)
      : engine_(std::move(engine)),
        threads_(static_cast<double>(threads)),
        seconds_(is_quick(effort) ? kSecondsOfQuickTrial : kSecondsOfTrial),
        least_runs_(is_quick(effort) ? kLeastQuickRuns : kLeastRuns) {}

  Engine& engine() { return *engine_; }
  // Nanoseconds.
  Result<double> measure(const HistTrial& trial) {
    Result<Program*> program = program_for(trial.way);
    if (!program) return program.failure();
    Result<std::vector<Value>> keys =
        call(**program, keys_entry(trial.keys), {i64_value(trial.points), i64_value(trial.bins)});
    if (!keys) return keys.failure();
    double least = 0;
    const Clock::time_point begin = Clock::now();
    for (int runs = 0; runs < least_runs_ || seconds_since(begin) < seconds_; ++runs) {
      const Clock::time_point started = Clock::now();
      const double worked = processor_seconds();
      Result<std::vector<Value>> made =
          call(**program, trial.entry, {i64_value(trial.bins), (*keys)[0]});
      if (!made) return made.failure();
      const double clock = seconds_since(started), work = processor_seconds() - worked;
      const double took = 1e9 * undisturbed(clock, work);
      // The first one compiles kernels and touches memory.
      if (runs > 0) least = least == 0 ? took : std::min(least, took);
    }
    return least;
  }

 private:
  static double processor_seconds() {
    return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
  }
  static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  Result<Program*> program_for(HistWay way) {
    std::unique_ptr<Program>& program = programs_[way];
    if (program != nullptr) return program.get();
    Loader loader;
    loader.sources().provide(kProgramName, kHistTrialProgram);
    ProgramRequest request{.path = kProgramName, .cache = false};
    request.options.passes.verify = false;
    request.options.passes.numbers[std::string(machine::kHistWayName)] = static_cast<int64_t>(way);
    std::string shown, problem;
    program = Program::make(loader, engine_, request, shown, problem);
    if (program == nullptr) return Failure(problem.empty() ? shown : problem);
    return program.get();
  }

  Result<std::vector<Value>> call(Program& program, const std::string& name,
                                  std::vector<Value> args) {
    const core::Function* entry = program.find_entry(name);
    SKALD_CHECK(entry != nullptr, "an entry point of the trial program");
    Result<std::vector<Value>, RunFailure> made =
        program.executable().call(*entry, std::move(args));
    if (!made) return Failure(made.error().text());
    if (Result<Unit> done = engine_->finish(); !done) return done.failure();
    return std::move(*made);
  }

  // What a clock would say if nothing else ran on the machine.  One thread takes what it works; of
  // several each takes its share, if the clock says so much more that they were kept from working.
  double undisturbed(double clock, double work) const {
    constexpr double kKeptFromWork = 2;
    if (threads_ == 0) return clock;
    const double share = work / threads_;
    if (threads_ == 1) return std::min(clock, share);
    return clock > kKeptFromWork * share ? share : clock;
  }

  std::shared_ptr<Engine> engine_;
  double threads_;
  double seconds_;
  int least_runs_;
  std::map<HistWay, std::unique_ptr<Program>> programs_;
};

// Measures trials, fits the constants that they depend on, predicts.
Result<HistCalibration> fit(std::vector<HistTrial> trials, TrialEngine& one, TrialEngine& all) {
  std::vector<MeasuredTime> times;
  HistForms::Time seen = {};
  for (HistTrial& trial : trials) {
    TrialEngine& engine = trial.all_threads ? all : one;
    HistTrial empty = trial;
    empty.points = 1;
    const Result<double> took = engine.measure(trial), without = engine.measure(empty);
    if (!took || !without)
      return Failure(fmt::format("{}: {}", trial.entry, took ? without.error() : took.error()));
    trial.measured = *took;
    // Memory for the result, which all ways need; on devices the launch that fills it, too.
    trial.known += 1e6 * std::min(*without, *took / 2);
    times.push_back({trial.form, trial.known, 1e6 * trial.measured});
    seen = HistForms::plus(seen, trial.form);
  }
  const machine::HistCosts costs = fit_hist_costs(times, machine::usual_hist_costs());
  HistCalibration found;
  for (HistTrial& trial : trials)
    trial.predicted = (total_of(trial.form, costs) + trial.known) / 1e6;
  for (size_t k = 0; k < machine::kHistCosts; ++k)
    if (seen[k] > 0) found.costs[std::string(machine::hist_cost_infos()[k].name)] = costs.each[k];
  found.trials = std::move(trials);
  keep_hist_costs(all.engine(), found.costs);
  return found;
}

}  // namespace

Result<HistCalibration> calibrate_processor(const Backend& backend,
                                            const machine::Processor& processor,
                                            CalibrationEffort effort) {
  EngineOptions single;
  single.threads = 1;
  Result<std::shared_ptr<Engine>> one = backend.open(single), all = backend.open({});
  if (!one || !all) return Failure(one ? all.error() : one.error());
  TrialEngine with_one(std::move(*one), effort, 1);
  TrialEngine with_all(std::move(*all), effort, processor.cores);
  const int64_t points = kCpuPoints / (is_quick(effort) ? kQuick : 1);
  return fit(processor_trials(processor, points), with_one, with_all);
}

Result<HistCalibration> calibrate_device(const Backend& backend, const machine::DeviceModel& device,
                                         CalibrationEffort effort) {
  EngineOptions options;
  options.device = device.name;
  Result<std::shared_ptr<Engine>> engine = backend.open(options);
  if (!engine) return engine.failure();
  TrialEngine runs(std::move(*engine), effort);
  const int64_t points = device.is_gpu ? kGpuPoints : kCpuPoints;
  return fit(device_trials(device, points / (is_quick(effort) ? kQuick : 1)), runs, runs);
}

}  // namespace skald::compile
