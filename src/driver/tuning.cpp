// SPDX-License-Identifier: Apache-2.0
#include "driver/tuning.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>

#include "machine/hist_costs.h"
#include "passes/pass.h"

namespace skald::driver {

namespace {

// A threshold that everything reaches, and one that nothing does.
constexpr int64_t kLowThreshold = 1, kHighThreshold = int64_t{1} << 40;
// Runs differ by about so much.
constexpr double kNoise = 0.97;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

bool parse_choice(std::string_view text, core::Tuning& tuning) {
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = trimmed(text.substr(0, equals));
  const std::string_view number = trimmed(text.substr(equals + 1));
  int64_t value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (name.empty() || error != std::errc() || end != number.data() + number.size() || value < 0)
    return false;
  tuning[std::string(name)] = value;
  return true;
}

}  // namespace

Result<core::Tuning> parse_choices(const std::vector<std::string>& choices) {
  core::Tuning tuning;
  for (const std::string& choice : choices)
    if (!parse_choice(choice, tuning))
      return Failure(
          fmt::format("`{}` does not choose a tuning parameter; write NAME=INT, where INT is not "
                      "negative",
                      choice));
  return tuning;
}

core::Tuning device_choices(const core::Tuning& tuning) {
  core::Tuning chosen;
  for (const passes::DeviceNumber& each : passes::device_numbers())
    if (const auto found = tuning.find(each.name); found != tuning.end()) chosen.insert(*found);
  for (const auto& each : tuning)
    if (machine::is_hist_number(each.first)) chosen.insert(each);
  return chosen;
}

Result<Unit> read_tuning_file(const std::string& path, core::Tuning& tuning) {
  std::ifstream file(path);
  std::string line;
  int number = 0;
  while (std::getline(file, line)) {
    ++number;
    if (!trimmed(line).empty() && !parse_choice(line, tuning))
      return Failure(
          fmt::format("{}:{}: expected NAME=INT, where INT is not negative", path, number));
  }
  if (!file.eof()) return Failure(fmt::format("cannot read the tuning file `{}`", path));
  return Unit{};
}

std::optional<core::Tuning> find_fastest(const std::vector<core::TuningParam>& params,
                                         core::Tuning chosen, const TimeChoices& time,
                                         const SayTried& say) {
  std::optional<double> best = time(chosen);
  if (!best) return std::nullopt;
  say(fmt::format("{:.0f} µs as it is", *best * 1e6));
  for (const core::TuningParam& param : params) {
    if (!param.param_class.starts_with("threshold") || chosen.contains(param.name)) continue;
    std::optional<int64_t> taken;
    for (const int64_t number : {kLowThreshold, kHighThreshold}) {
      core::Tuning tried = chosen;
      tried[param.name] = number;
      const std::optional<double> took = time(tried);
      if (!took) continue;
      say(fmt::format("{:.0f} µs with {}={}", *took * 1e6, param.name, number));
      if (*took >= *best * kNoise) continue;
      best = took;
      taken = number;
    }
    if (taken) chosen[param.name] = *taken;
  }
  return chosen;
}

Result<Unit> write_tuning_file(const std::string& path, const core::Tuning& tuning) {
  std::ofstream file(path);
  for (const auto& [name, number] : tuning) file << name << '=' << number << '\n';
  file.flush();
  if (!file) return Failure(fmt::format("cannot write the tuning file `{}`", path));
  return Unit{};
}

}  // namespace skald::driver
