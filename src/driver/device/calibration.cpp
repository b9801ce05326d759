// SPDX-License-Identifier: Apache-2.0
#include "driver/device/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "support/bug.h"

namespace skald::driver {

namespace {

using compile::HistTrial;

std::string way_name(machine::HistWay way) {
  using enum machine::HistWay;
  switch (way) {
    case kChosen: return "chosen";
    case kOneThread: return "one thread";
    case kCopies: return "copies";
    case kInTurn: return "in turn";
    case kSorted: return "sorted";
    case kGroupBins: return "group bins";
    case kRangeBins: return "range bins";
    case kSortedBins: return "sorted bins";
    case kPoints: return "points";
    case kLookedBins: return "looked bins";
    case kRunBins: return "run bins";
  }
  SKALD_BUG("a way without a name");
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

}  // namespace

void show_calibration(const std::string& machine, const compile::HistCalibration& found) {
  std::puts(fmt::format("\nhistograms on {}: what they cost, in picoseconds", machine).c_str());
  for (const machine::HistCostInfo& info : machine::hist_cost_infos())
    if (const auto cost = found.costs.find(info.name); cost != found.costs.end())
      std::puts(fmt::format("  {:<26}{:>14.1f}   usually {:.1f}", info.name,
                            static_cast<double>(cost->second) / 1e3,
                            static_cast<double>(info.usual) / 1e3)
                    .c_str());
  std::puts(fmt::format("\n  {:<12}{:<12}{:>10}{:>12}{:>15}{:>15}{:>8}", "operator", "way",
                        "points", "bins", "predicted us", "measured us", "ratio")
                .c_str());
  for (const HistTrial& trial : found.trials)
    std::puts(fmt::format("  {:<12}{:<12}{:>10}{:>12}{:>15.1f}{:>15.1f}{:>8.2f}", trial.entry,
                          way_name(trial.way), trial.points, trial.bins, trial.predicted / 1e3,
                          trial.measured / 1e3, trial.predicted / trial.measured)
                  .c_str());
}

std::string calibration_page(const std::string& machine, const compile::HistCalibration& found) {
  constexpr double kSide = 460, kMargin = 50;
  constexpr const char* kColours[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44",
                                      "#66ccee", "#aa3377", "#888888"};
  double low = 1e300, high = 0;
  for (const HistTrial& trial : found.trials) {
    low = std::min({low, trial.predicted, trial.measured});
    high = std::max({high, trial.predicted, trial.measured});
  }
  const double first = std::floor(std::log10(low)), last = std::ceil(std::log10(high) + 1e-9);
  const auto place = [&](double time) {
    return (kSide - kMargin) * (std::log10(time) - first) / (last - first);
  };
  std::string svg = fmt::format(
      R"(<svg width="{0}" height="{1}"><line x1="{2}" y1="{3}" x2="{4}" y2="0" stroke="#888"/>)",
      kSide + 160, kSide + 20, kMargin, kSide - kMargin, kSide);
  for (double power = first; power <= last; ++power) {
    const double at = place(std::pow(10, power));
    svg += fmt::format(
        R"(<line x1="{0}" x2="{1}" y1="{2}" y2="{2}" stroke="#ddd"/><text x="{3}" y="{4}" text-anchor="end">{5:g}</text><text x="{6}" y="{7}" text-anchor="middle">{5:g}</text>)",
        kMargin, kSide, kSide - kMargin - at, kMargin - 6, kSide - kMargin - at + 4,
        std::pow(10, power - 3), kMargin + at, kSide - kMargin + 18);
  }
  std::map<std::string, size_t> ways;
  for (const HistTrial& trial : found.trials) {
    const size_t number = ways.try_emplace(way_name(trial.way), ways.size()).first->second;
    svg += fmt::format(
        R"(<circle cx="{:.1f}" cy="{:.1f}" r="4" fill="{}"><title>{}, {}, {} bins: {:.1f} predicted, {:.1f} measured</title></circle>)",
        kMargin + place(trial.measured), kSide - kMargin - place(trial.predicted),
        kColours[number % std::size(kColours)], trial.entry, way_name(trial.way), trial.bins,
        trial.predicted / 1e3, trial.measured / 1e3);
  }
  for (const auto& [name, number] : ways)
    svg += fmt::format(R"(<text x="{}" y="{}" fill="{}">{}</text>)", kSide + 10,
                       20 + 16 * static_cast<double>(number),
                       kColours[number % std::size(kColours)], name);
  return fmt::format(
      R"(<!doctype html><html lang="en"><meta charset="utf-8"><title>Histograms: the model</title>
<style>body{{font-family:sans-serif;margin:2em}}svg{{font-size:11px}}</style>
<h1>Histograms on {}</h1><p>Predicted (up) over measured (right) microseconds; on the line they are equal.</p>{}</svg></html>
)",
      escaped(machine), svg);
}

}  // namespace skald::driver
