// SPDX-License-Identifier: Apache-2.0
// What histograms cost, as data: the constants of hist_model.h, one list for processors and one for
// devices.  Femtoseconds, because a point takes a device hardly more than a thousand of them.
//
// A constant is the first of these that is there: what `--param NAME=INT` or a tuning file says;
// what `skald device --calibrate` measured on this machine (compile/machine/hist_calibration.h);
// the default below, from docs/histograms.md and bench/hist/README.md.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace skald::machine {

enum class HistCost : uint8_t {
  // ---- Processors, one thread.
  kUpdate,       // of a bin in the first cache, by an operator that combines
  kChoice,       // by one that keeps the bin or replaces it
  kBeyondL1,     // more for each array of which an element is not in the first cache
  kBeyondL2,     // … nor in the second one
  kBeyondPages,  // … nor on one of the pages whose addresses are at hand
  kBeyondL3,     // … nor in the last one
  kAgain,        // more for an update of the same bin as the one before, which it waits for
  kSort,         // to bring a point near others of its range of bins
  kSortArray,    // … for each component of its value
  kCopy,         // to make and combine an element of a copy of the bins
  kStart,        // until all threads work
  // ---- Devices, all threads together.
  kLaunch,     // of a kernel
  kSortPoint,  // to sort a point by ranges of bins
  kJoin,       // of a bin of a group with the destination
  // A point counted in the memory of a group: with all bins there; for each range of bins, if all
  // points are looked at for each; sorted by ranges.  And in the memory of the device.  By class.
  kOwnInstruction,
  kOwnShort,
  kOwnChoice,
  kOwnSwap,
  kOwnLock,
  kRangeInstruction,
  kRangeShort,
  kRangeChoice,
  kRangeSwap,
  kRangeLock,
  kCountInstruction,
  kCountShort,
  kCountChoice,
  kCountSwap,
  kCountLock,
  kCountAgain,  // more if what the point gives is computed again then, but for locks
  // More for a sorted point whose bin a neighbour has, and for one whose bin comes often.
  kCountSameChoice,
  kCountSameSwap,
  kCountSameLock,
  kCountFrequentChoice,
  kCountFrequentSwap,
  kCountFrequentLock,
  kMemoryInstruction,
  kMemoryFloat,
  kMemoryRow,  // neighbours that are added to neighbours, four at a time
  kMemorySwap,
  kMemoryLock,
  // … whose bin has a place in the memory of a group.
  kPlaceSwap,
  kPlaceLock,
  // A bin in the memory of the device, of an operator that seldom changes it: looked at; more if it
  // is in no cache near by; and for each thread that changes a bin at the beginning.
  kLook,
  kLookBeyond,
  kLookMeet,
  kSee,  // to look at keys before a way is chosen
};
inline constexpr size_t kHistCosts = static_cast<size_t>(HistCost::kSee) + 1;

enum class HistMachine : uint8_t { kProcessor, kDevice };

// A constant for people: `hist.update`.
struct HistCostInfo {
  std::string_view name;
  HistMachine of;
  int64_t usual;  // where nobody has measured
};
const std::array<HistCostInfo, kHistCosts>& hist_cost_infos();

struct HistCosts {
  std::array<int64_t, kHistCosts> each;
  int64_t operator[](HistCost cost) const { return each[static_cast<size_t>(cost)]; }
};

// Ways to make a histogram, for whoever wants a certain one where it fits (`--param hist.way=3`).
enum class HistWay : uint8_t {
  kChosen,  // by the model
  // Processors: one thread updates the bins; copies; copies that neighbours use in turn; sorted.
  kOneThread,
  kCopies,
  kInTurn,
  kSorted,
  // Devices: bins in the memory of groups; ranges of them; points sorted by ranges; no such bins.
  kGroupBins,
  kRangeBins,
  kSortedBins,
  kPoints,
  // Bins in the device's memory that are looked at first.
  kLookedBins,
  // Points that follow each other combined, then bins in the memory of groups as long as there is
  // room.
  kRunBins,
};
inline constexpr HistWay kLastHistWay = HistWay::kRunBins;
inline constexpr std::string_view kHistWayName = "hist.way";

// A bin comes often if so many of the first points of a group of threads go to it.
inline constexpr std::string_view kHistOftenName = "hist.often";
inline constexpr int64_t kUsuallyOften = 32;

// Points that a thread of a device has at once, where an update is more than an instruction.
inline constexpr std::string_view kHistKeptName = "hist.kept";
inline constexpr int64_t kUsuallyKept = 2;

struct HistNumbers {
  HistCosts costs;
  HistWay way = HistWay::kChosen;
  int64_t often = kUsuallyOften;
  int64_t kept = kUsuallyKept;
};

using NumbersByName = std::map<std::string, int64_t, std::less<>>;

HistCosts usual_hist_costs();
// With those that `chosen` names; 0 stands for "as usual".
HistNumbers hist_numbers(const NumbersByName& chosen);
bool is_hist_number(std::string_view name);

}  // namespace skald::machine
