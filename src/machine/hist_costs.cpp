// SPDX-License-Identifier: Apache-2.0
#include "machine/hist_costs.h"

#include <algorithm>

namespace skald::machine {

namespace {

constexpr int64_t kPicosecond = 1000, kMicrosecond = 1'000'000'000;
// More than this for a point would leave no room for many points.
constexpr int64_t kMostOfPoint = 10'000'000, kMostOfStart = 1'000'000'000'000;

constexpr bool is_of_start(HistCost cost) {
  return cost == HistCost::kStart || cost == HistCost::kLaunch || cost == HistCost::kLookMeet ||
         cost == HistCost::kSee;
}

}  // namespace

const std::array<HistCostInfo, kHistCosts>& hist_cost_infos() {
  constexpr HistMachine kCpu = HistMachine::kProcessor, kGpu = HistMachine::kDevice;
  static constexpr std::array<HistCostInfo, kHistCosts> kInfos = {{
      {"hist.update", kCpu, 600 * kPicosecond},
      {"hist.choice", kCpu, 800 * kPicosecond},
      {"hist.beyond_l1", kCpu, 600 * kPicosecond},
      {"hist.beyond_l2", kCpu, 1000 * kPicosecond},
      {"hist.beyond_pages", kCpu, 6000 * kPicosecond},
      {"hist.beyond_l3", kCpu, 1000 * kPicosecond},
      {"hist.again", kCpu, 1350 * kPicosecond},
      {"hist.sort", kCpu, 2200 * kPicosecond},
      {"hist.sort_array", kCpu, 1000 * kPicosecond},
      {"hist.copy", kCpu, 600 * kPicosecond},
      {"hist.start", kCpu, 5 * kMicrosecond},
      // As calibrated on an H200; same, frequent and place by keys that are sorted, and Zipf's.
      {"hist.launch", kGpu, 5 * kMicrosecond},
      {"hist.sort_point", kGpu, 2000},
      {"hist.join", kGpu, 2500},
      {"hist.own_instruction", kGpu, 700},
      {"hist.own_short", kGpu, 1000},
      {"hist.own_choice", kGpu, 3200},
      {"hist.own_swap", kGpu, 1900},
      {"hist.own_lock", kGpu, 9400},
      {"hist.range_instruction", kGpu, 1000},
      {"hist.range_short", kGpu, 1300},
      {"hist.range_choice", kGpu, 4700},
      {"hist.range_swap", kGpu, 4200},
      {"hist.range_lock", kGpu, 8200},
      {"hist.count_instruction", kGpu, 700},
      {"hist.count_short", kGpu, 8000},
      {"hist.count_choice", kGpu, 12300},
      {"hist.count_swap", kGpu, 7700},
      {"hist.count_lock", kGpu, 25600},
      {"hist.count_again", kGpu, 3000},
      {"hist.same_choice", kGpu, 8 * kPicosecond},
      {"hist.same_swap", kGpu, 3 * kPicosecond},
      {"hist.same_lock", kGpu, 8 * kPicosecond},
      {"hist.frequent_choice", kGpu, 5 * kPicosecond},
      {"hist.frequent_swap", kGpu, 20 * kPicosecond},
      {"hist.frequent_lock", kGpu, 110 * kPicosecond},
      {"hist.memory_instruction", kGpu, 17400},
      {"hist.memory_float", kGpu, 17300},
      {"hist.memory_row", kGpu, 1300},
      {"hist.memory_swap", kGpu, 25500},
      {"hist.memory_lock", kGpu, 190 * kPicosecond},
      {"hist.place_swap", kGpu, 150 * kPicosecond},
      {"hist.place_lock", kGpu, 400 * kPicosecond},
      {"hist.look", kGpu, 2700},
      {"hist.look_beyond", kGpu, 7500},
      {"hist.look_meet", kGpu, 7500 * kPicosecond},
      {"hist.see", kGpu, 12 * kMicrosecond},
  }};
  return kInfos;
}

HistCosts usual_hist_costs() {
  HistCosts costs;
  for (size_t k = 0; k < kHistCosts; ++k) costs.each[k] = hist_cost_infos()[k].usual;
  return costs;
}

HistNumbers hist_numbers(const NumbersByName& chosen) {
  HistNumbers numbers{usual_hist_costs()};
  for (size_t k = 0; k < kHistCosts; ++k) {
    const auto found = chosen.find(hist_cost_infos()[k].name);
    if (found == chosen.end() || found->second == 0) continue;
    const int64_t most = is_of_start(static_cast<HistCost>(k)) ? kMostOfStart : kMostOfPoint;
    numbers.costs.each[k] = std::clamp<int64_t>(found->second, 1, most);
  }
  if (const auto way = chosen.find(kHistWayName); way != chosen.end())
    if (way->second <= static_cast<int64_t>(kLastHistWay))
      numbers.way = static_cast<HistWay>(way->second);
  if (const auto found = chosen.find(kHistOftenName); found != chosen.end() && found->second > 0)
    numbers.often = found->second;
  if (const auto found = chosen.find(kHistKeptName); found != chosen.end() && found->second > 0)
    numbers.kept = found->second;
  return numbers;
}

bool is_hist_number(std::string_view name) {
  return name == kHistWayName || name == kHistOftenName || name == kHistKeptName ||
         std::ranges::any_of(hist_cost_infos(),
                             [&](const HistCostInfo& info) { return info.name == name; });
}

}  // namespace skald::machine
