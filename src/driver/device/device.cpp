// SPDX-License-Identifier: Apache-2.0
// skald device: the processor and the devices of this machine, as the compiler sees them.
#include <algorithm>
#include <cstdio>
#include <fstream>

#include "compile/registry/backends.h"
#include "driver/commands.h"
#include "driver/device/calibration.h"
#include "driver/device/chosen_devices.h"
#include "driver/session.h"
#include "driver/words.h"
#include "machine/operator_costs.h"

namespace skald::driver {

namespace {

using machine::DeviceModel;
using machine::Processor;

std::string bytes_text(int64_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double number = static_cast<double>(bytes);
  size_t unit = 0;
  for (; number >= 1024 && unit + 1 < std::size(kUnits); ++unit) number /= 1024;
  const bool whole = number == static_cast<double>(static_cast<int64_t>(number));
  return whole ? fmt::format("{:.0f} {}", number, kUnits[unit])
               : fmt::format("{:.1f} {}", number, kUnits[unit]);
}

std::string speed_text(double bytes_per_second) {
  return fmt::format("{:.1f} GB/s", bytes_per_second / 1e9);
}

constexpr const char* kNotMeasured = "not measured (skald device --measure)";

void line(std::string_view label, const std::string& text) {
  std::puts(fmt::format("  {:<18}{}", label, text).c_str());
}

// ---- as text

void cache_line(std::string_view label, const machine::Cache& cache) {
  if (cache.bytes == 0) return line(label, "none");
  line(label, cache.shared_by == 1 ? bytes_text(cache.bytes) + ", of each core"
                                   : fmt::format("{}, shared by {} cores", bytes_text(cache.bytes),
                                                 cache.shared_by));
}

std::string source_text(machine::CacheSource source) {
  switch (source) {
    case machine::CacheSource::kKernel: return "as the kernel says";
    case machine::CacheSource::kLibrary: return "as the C library says";
    case machine::CacheSource::kAssumed: return "assumed: nobody says anything";
  }
  return {};
}

void show_processor(const Processor& p) {
  std::puts(fmt::format("processor: {}", p.name).c_str());
  line("architecture", p.architecture);
  line("cores", fmt::format("{} usable", p.cores));
  line("vector registers",
       fmt::format(
           "{} of {} bytes{}", p.registers.count, p.registers.bytes,
           p.registers.wide_bytes > 0 ? fmt::format(", or of {}", p.registers.wide_bytes) : ""));
  line("caches", source_text(p.caches.source));
  line("cache line", bytes_text(p.caches.line));
  cache_line("L1 data", p.caches.l1d);
  cache_line("L2", p.caches.l2);
  cache_line("L3", p.caches.l3);
  line("memory", p.bandwidth.all_cores == 0
                     ? kNotMeasured
                     : fmt::format("{} by one core, {} by all", speed_text(p.bandwidth.one_core),
                                   speed_text(p.bandwidth.all_cores)));
  std::string costs;
  for (const machine::OperatorCost& cost : machine::kOperatorCosts)
    costs += fmt::format("{}{} {}", costs.empty() ? "" : ", ", cost.name, cost.scalar);
  line("operators", costs);
}

void show_device(const DeviceModel& d) {
  const auto known = [](int64_t number, const std::string& text) {
    return number == 0 ? std::string("unknown") : text;
  };
  std::puts(fmt::format("\ndevice: {}", d.name).c_str());
  line("back end", fmt::format("{}, driver {}", d.backend, d.driver));
  line("kind", fmt::format("{}{}", d.is_gpu ? "gpu" : "no gpu", d.has_f64 ? "" : ", without f64"));
  line("compute units",
       known(d.compute_units, fmt::format("{} at {} MHz", d.compute_units, d.clock_mhz)));
  line("warp", known(d.warp, fmt::format("{} threads", d.warp)));
  line("group", known(d.group_threads, fmt::format("at most {} threads, {} shared", d.group_threads,
                                                   bytes_text(d.group_memory))));
  line("L2", known(d.l2, bytes_text(d.l2)));
  line("memory", known(d.memory, bytes_text(d.memory)) +
                     (d.times.bandwidth == 0 ? std::string(", speed ") + kNotMeasured
                                             : fmt::format(", {}", speed_text(d.times.bandwidth))));
  line("launch", d.times.launch_us == 0 ? kNotMeasured
                                        : fmt::format("{:.1f} us among many, {:.1f} us alone",
                                                      d.times.launch_us, d.times.round_trip_us));
}

void show_text(const ChosenDevices& shown) {
  if (shown.processor) show_processor(*shown.processor);
  for (const compile::KnownDevice& device : shown.devices) show_device(device.model);
  for (const std::string& problem : shown.problems)
    std::puts(fmt::format("\nno device by {}", problem).c_str());
}

// ---- as JSON: numbers in bytes, seconds and Hz; null: not known or not measured

std::string number_or_null(double number) {
  return number == 0 ? "null" : fmt::format("{:.17g}", number);
}

std::string json_of(const machine::Cache& cache) {
  return fmt::format(R"({{"bytes": {}, "shared_by": {}}})", cache.bytes, cache.shared_by);
}

std::string json_of(const Processor& p) {
  constexpr const char* kSources[] = {"kernel", "library", "assumed"};
  std::string costs;
  for (const machine::OperatorCost& cost : machine::kOperatorCosts)
    costs += fmt::format(R"({}{}: {{"scalar": {}, "waiting": {}, "vector": {}}})",
                         costs.empty() ? "" : ", ", json_text(cost.name), cost.scalar, cost.waiting,
                         cost.vector);
  return fmt::format(
      R"({{"name": {}, "architecture": {}, "cores": {},
    "vector_registers": {{"count": {}, "bytes": {}, "wide_bytes": {}}},
    "caches": {{"source": "{}", "line": {}, "l1d": {}, "l2": {}, "l3": {}}},
    "bandwidth": {{"one_core": {}, "all_cores": {}}},
    "operator_costs": {{{}}}}})",
      json_text(p.name), json_text(p.architecture), p.cores, p.registers.count, p.registers.bytes,
      p.registers.wide_bytes, kSources[static_cast<size_t>(p.caches.source)], p.caches.line,
      json_of(p.caches.l1d), json_of(p.caches.l2), json_of(p.caches.l3),
      number_or_null(p.bandwidth.one_core), number_or_null(p.bandwidth.all_cores), costs);
}

std::string json_of(const DeviceModel& d) {
  const auto number = [](int64_t n) { return n == 0 ? "null" : std::to_string(n); };
  return fmt::format(
      R"({{"name": {}, "backend": {}, "driver": {}, "gpu": {}, "f64": {},
     "compute_units": {}, "clock": {}, "warp": {}, "group_threads": {}, "group_memory": {},
     "l2": {}, "memory": {}, "bandwidth": {}, "launch": {}, "round_trip": {}}})",
      json_text(d.name), json_text(d.backend), json_text(d.driver), d.is_gpu, d.has_f64,
      number(d.compute_units), number(d.clock_mhz * 1000000), number(d.warp),
      number(d.group_threads), number(d.group_memory), number(d.l2), number(d.memory),
      number_or_null(d.times.bandwidth), number_or_null(d.times.launch_us / 1e6),
      number_or_null(d.times.round_trip_us / 1e6));
}

void show_json(const ChosenDevices& shown) {
  std::string devices, problems;
  for (const compile::KnownDevice& device : shown.devices)
    devices += (devices.empty() ? "\n    " : ",\n    ") + json_of(device.model);
  for (const std::string& problem : shown.problems)
    problems += (problems.empty() ? "" : ", ") + json_text(problem);
  std::puts(fmt::format("{{\n  \"processor\": {},\n  \"devices\": [{}],\n  \"problems\": [{}]\n}}",
                        shown.processor ? json_of(*shown.processor) : "null", devices, problems)
                .c_str());
}

// ---- what takes time

Result<Unit> measure(ChosenDevices& shown) {
  if (shown.processor) {
    Result<Processor> measured = compile::measured_processor();
    if (!measured) return measured.failure();
    shown.processor = std::move(*measured);
  }
  for (compile::KnownDevice& device : shown.devices) {
    Result<DeviceModel> measured = compile::measured_device(device);
    if (!measured) return Failure(fmt::format("{}: {}", device.model.name, measured.error()));
    device.model = std::move(*measured);
  }
  return Unit{};
}

// Shows what was found, and writes the page if one is wanted.
Result<Unit> calibrate_one(const std::string& name, const DeviceOptions& options,
                           const Result<compile::HistCalibration>& found) {
  if (!found) return Failure(fmt::format("{}: {}", name, found.error()));
  show_calibration(name, *found);
  if (options.html.empty()) return Unit{};
  std::ofstream page(options.html);
  page << calibration_page(name, *found);
  page.flush();
  return page ? Result<Unit>(Unit{})
              : Result<Unit>(Failure(fmt::format("cannot write `{}`", options.html)));
}

Result<Unit> calibrate(const ChosenDevices& shown, const DeviceOptions& options) {
  const auto effort =
      options.quick ? compile::CalibrationEffort::kQuick : compile::CalibrationEffort::kWhole;
  if (!options.html.empty() && (shown.processor ? 1U : 0U) + shown.devices.size() > 1)
    return Failure("--html writes one plot: say which device it is of");
  const compile::Backend* cpu = compile::find_backend("cpu");
  if (shown.processor && cpu != nullptr) {
    const Result<Unit> done =
        calibrate_one(shown.processor->name, options,
                      compile::calibrate_processor(*cpu, *shown.processor, effort));
    if (!done) return done;
  }
  for (const compile::KnownDevice& device : shown.devices) {
    const Result<Unit> done =
        calibrate_one(device.model.name, options,
                      compile::calibrate_device(*device.backend, device.model, effort));
    if (!done) return done;
  }
  return Unit{};
}

}  // namespace

int run_device(const CommonOptions& common, const DeviceOptions& options) {
  const auto fail = [&](const std::string& error) {
    Session(common).error(error);
    return kUserError;
  };
  Result<ChosenDevices> chosen =
      choose_devices(options.name, compile::known_processor(), compile::known_devices());
  if (!chosen) return fail(chosen.error());
  if (options.measure || options.calibrate)
    if (const Result<Unit> one = choose_one(options.name, *chosen); !one) return fail(one.error());
  if (options.measure)
    if (const Result<Unit> measured = measure(*chosen); !measured) return fail(measured.error());
  options.json ? show_json(*chosen) : show_text(*chosen);
  if (options.calibrate)
    if (const Result<Unit> done = calibrate(*chosen, options); !done) return fail(done.error());
  return kOk;
}

}  // namespace skald::driver
