// SPDX-License-Identifier: Apache-2.0
#include "compile/calibrate/hist_trials.h"

#include <algorithm>

#include "machine/cache_shares.h"

namespace skald::compile {

using machine::CpuUpdate;
using machine::DeviceUpdate;
using machine::HistCost;
using machine::HistWay;
using machine::MemoryUpdate;

const char* const kHistTrialProgram = R"(
def hash (x: u32): u32 =
  let x = (x ^ (x >> 16)) * 0x7feb352d
  let x = (x ^ (x >> 15)) * 0x846ca68b
  in x ^ (x >> 16)
entry uniform (n: i64) (h: i64): [n]i32 = tabulate n (\i -> i32.i64 (i64.u32 (hash (u32.i64 i)) % h))
entry sparse (n: i64) (h: i64): [n]i32 = tabulate n (\i -> i32.i64 (i64.u32 (hash (u32.i64 i)) % 4096 * (h / 4096)))
entry same (n: i64) (h: i64): [n]i32 = replicate n (i32.i64 (h / 3))

def places [n] (keys: [n]i32): [n]i64 = map i64.i32 keys
entry adds [n] (h: i64) (keys: [n]i32): [h]i32 = hist (+) 0 h (places keys) (replicate n 1)
entry limits [n] (h: i64) (keys: [n]i32): [h]i32 =
  hist (\a b -> i32.min (a + b) 0xffffff) 0 h (places keys) (map (\k -> 1 + (k & 3)) keys)
entry chooses [n] (h: i64) (keys: [n]i32): ([h]i32, [h]i32) =
  let value (k: i32) (i: i64) = i32.u32 (hash (u32.i32 k + u32.i64 i) >> 8)
  let larger (i: i32, x: i32) (j: i32, y: i32) =
    if x > y then (i, x) else if y > x then (j, y) else if i < j then (i, x) else (j, y)
  in unzip (hist larger (i32.highest, i32.lowest) h (places keys) (map2 (\k i -> (i32.i64 i, value k i)) keys (iota n)))
entry swaps [n] (h: i64) (keys: [n]i32): [h]i32 = hist (*) 1 h (places keys) (map (\k -> 1 + (k & 2)) keys)
entry locks [n] (h: i64) (keys: [n]i32): ([h]i32, [h]i32, [h]i32, [h]i32) =
  let more (a: i32, b: i32, c: i32, d: i32) (e: i32, f: i32, g: i32, i: i32) =
    if a > e then (a, b + f, c, d) else (e, b + f, g, i)
  in unzip4 (hist more (i32.lowest, 0, 0, 0) h (places keys) (map2 (\k i -> (i32.u32 (hash (u32.i64 i) >> 8), 1, i32.i64 i, k)) keys (iota n)))
entry float_rows [n] (h: i64) (keys: [n]i32): [][64]f32 =
  hist (map2 (+)) (replicate 64 0f32) (h / 64) (map (% (h / 64)) (places (take (n / 64) keys))) (tabulate_2d (n / 64) 64 (\i j -> f32.i64 (i + j)))
entry float_adds [n] (h: i64) (keys: [n]i32): [h]f32 = hist (+) 0 h (places keys) (map f32.i32 keys)
)";

namespace {

HistForms forms;

// ---- processors

struct CpuEntry {
  const char* name;
  CpuUpdate update;
  int64_t arrays;
};
constexpr CpuEntry kCpuEntries[] = {{"adds", CpuUpdate::kCombines, 1},
                                    {"chooses", CpuUpdate::kChooses, 2}};
constexpr int64_t kElement = 4;  // bytes
constexpr int64_t kPage = 4096;
static_assert(kSparseBins == 4096, "as in the program above");

machine::CpuHist<HistForms> cpu_model(const machine::Processor& processor, const CpuEntry& entry,
                                      bool all_threads, int64_t points, int64_t bins) {
  const double threads = all_threads ? processor.cores : 1;
  const auto n = static_cast<double>(points), h = static_cast<double>(bins);
  return {forms,
          processor.caches,
          entry.update,
          entry.arrays,
          1,
          machine::part_of_bins(processor.caches),
          n,
          h,
          h * static_cast<double>(kElement * entry.arrays),
          threads};
}

HistTrial cpu_trial(const machine::Processor& processor, const CpuEntry& entry, HistWay way,
                    bool all_threads, int64_t points, int64_t bins) {
  const auto model = cpu_model(processor, entry, all_threads, points, bins);
  HistTrial trial{entry.name, way, all_threads, TrialKeys::kUniform, points, bins, {}};
  const HistForms::Time each = model.update_of(model.bytes);
  if (way == HistWay::kOneThread) trial.form = model.by_one_thread(each);
  if (way == HistWay::kCopies) trial.form = model.by_copies(each, model.threads);
  if (way == HistWay::kSorted) trial.form = model.by_sorting(0);
  return trial;
}

// Bins that are in the second cache, but lie on more pages than are at hand.
HistTrial sparse_trial(const machine::Processor& processor, const CpuEntry& entry, int64_t points,
                       int64_t bins) {
  const auto model = cpu_model(processor, entry, false, points, bins);
  HistTrial trial{entry.name, HistWay::kOneThread, false, TrialKeys::kSparse, points, bins, {}};
  constexpr auto kWhole = static_cast<double>(model.kWhole);
  const int64_t pages = kSparseBins * entry.arrays;
  constexpr int64_t kAtHand = machine::kPagesAtHand / kPage;
  const double at_hand =
      kWhole * std::min<double>(1, static_cast<double>(kAtHand) / static_cast<double>(pages));
  trial.form = model.by_one_thread(model.update_of_seen(kWhole, at_hand, 0, model.bytes));
  return trial;
}

}  // namespace

std::vector<HistTrial> processor_trials(const machine::Processor& processor, int64_t points) {
  std::vector<HistTrial> trials;
  for (const CpuEntry& entry : kCpuEntries) {
    for (const int bits : {8, 12, 15, 17, 19, 21, 23, 24})
      trials.push_back(
          cpu_trial(processor, entry, HistWay::kOneThread, false, points, int64_t{1} << bits));
    for (const int bits : {22, 24})
      trials.push_back(sparse_trial(processor, entry, points, int64_t{1} << bits));
    for (const int bits : {18, 20, 21, 22, 24})
      trials.push_back(
          cpu_trial(processor, entry, HistWay::kSorted, false, points, int64_t{1} << bits));
    for (const int bits : {8, 14, 17, 19})
      trials.push_back(
          cpu_trial(processor, entry, HistWay::kCopies, true, points, int64_t{1} << bits));
  }
  // One bin: every update waits for the one before it.
  HistTrial again = cpu_trial(processor, kCpuEntries[0], HistWay::kOneThread, false, points, 256);
  again.keys = TrialKeys::kSame;
  again.form = forms.plus(again.form, forms.time(HistCost::kAgain, static_cast<double>(points)));
  trials.push_back(again);
  return trials;
}

// ---- devices

namespace {

struct DeviceEntry {
  const char* name;
  DeviceUpdate own;
  MemoryUpdate memory;
  int64_t bytes;  // of a bin in the memory of a group
};
constexpr DeviceEntry kDeviceEntries[] = {
    {"adds", DeviceUpdate::kInstruction, MemoryUpdate::kInstruction, 4},
    {"limits", DeviceUpdate::kShort, MemoryUpdate::kSwap, 4},
    {"chooses", DeviceUpdate::kChoice, MemoryUpdate::kLock, 8},
    {"swaps", DeviceUpdate::kSwap, MemoryUpdate::kSwap, 4},
    {"locks", DeviceUpdate::kLock, MemoryUpdate::kLock, 20},
};

}  // namespace

std::vector<HistTrial> device_trials(const machine::DeviceModel& device, int64_t points) {
  std::vector<HistTrial> trials;
  const auto n = static_cast<double>(points), units = static_cast<double>(device.compute_units);
  const machine::DeviceHist<HistForms> model{forms, n, units, {}};
  constexpr int64_t kTile = 8192;  // of points that are sorted
  constexpr double kThreadsOfUnit = 2048;
  constexpr double kSortLaunches = machine::DeviceHist<HistForms>::kSortLaunches;
  const auto add = [&](const DeviceEntry& entry, HistWay way, int64_t bins, double launches,
                       const HistForms::Time& work, double joined) {
    HistTrial trial{entry.name, way, true, TrialKeys::kUniform, points, bins, {}};
    trial.form = forms.plus(forms.time(HistCost::kLaunch, launches),
                            forms.plus(work, model.joining(joined)));
    trials.push_back(trial);
  };
  for (const DeviceEntry& entry : kDeviceEntries) {
    const int64_t room = device.group_memory / entry.bytes;  // bins of a group
    const int64_t few = room / 8, many = room * 2 - room / 8, more = room * 5;
    const double groups = 2 * units, wide = units * static_cast<double>(room);
    add(entry, HistWay::kGroupBins, few, 1, model.in_groups(entry.own, groups),
        groups * static_cast<double>(few));
    add(entry, HistWay::kRangeBins, many, 1, model.in_ranges(entry.own, 2), wide);
    for (const int64_t bins : {many, more})
      add(entry, HistWay::kSortedBins, bins, kSortLaunches,
          forms.plus(model.sorting(kTile), model.in_sorted(entry.own)), wide);
    add(entry, HistWay::kPoints, more, 1, model.in_memory(entry.memory), 0);
    if (entry.own != DeviceUpdate::kChoice) continue;
    for (const int64_t bins : {int64_t{64}, few, many, 4 * more})
      add(entry, HistWay::kLookedBins, bins, model.kLookLaunches,
          model.looking(static_cast<double>(bins * entry.bytes),
                        static_cast<double>(device.group_memory), units * kThreadsOfUnit,
                        static_cast<double>(bins)),
          static_cast<double>(bins * model.kLookJoins));
  }
  const DeviceEntry floats{"float_adds", DeviceUpdate::kSwap, MemoryUpdate::kFloat, 4};
  add(floats, HistWay::kPoints, device.group_memory, 1, model.in_memory(MemoryUpdate::kFloat), 0);
  const DeviceEntry rows{"float_rows", DeviceUpdate::kSwap, MemoryUpdate::kRow, 4};
  add(rows, HistWay::kPoints, 4 * device.group_memory, 1, model.in_memory(MemoryUpdate::kRow), 0);
  return trials;
}

}  // namespace skald::compile
