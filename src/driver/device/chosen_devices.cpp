// SPDX-License-Identifier: Apache-2.0
#include "driver/device/chosen_devices.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace skald::driver {

namespace {

using compile::KnownDevice;

constexpr std::string_view kProcessor = "cpu";

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// What was asked for: of which back end, and with what in its name; empty: whatever it is.
struct Wanted {
  std::string backend, part;

  Wanted(const std::string& text, const std::set<std::string>& backends) : part(lower(text)) {
    const size_t colon = part.find(':');
    const std::string before = part.substr(0, colon);
    if (!backends.contains(before)) return;
    backend = before;
    part = colon == std::string::npos ? "" : part.substr(colon + 1);
  }
  bool is(std::string_view of, const std::string& name) const {
    return (backend.empty() || backend == of) && lower(name).find(part) != std::string::npos;
  }
};

// As it can be asked for.
std::string full_name(const KnownDevice& device) {
  return fmt::format("{}:{}", device.model.backend, device.model.name);
}
std::string full_name(const machine::Processor& processor) {
  return fmt::format("{}:{}", kProcessor, processor.name);
}

}  // namespace

Result<ChosenDevices> choose_devices(const std::string& text, machine::Processor processor,
                                     compile::KnownDevices known) {
  if (text.empty())
    return ChosenDevices{std::move(processor), std::move(known.devices), std::move(known.problems)};
  std::set<std::string> backends = {std::string(kProcessor)};
  for (const KnownDevice& device : known.devices) backends.insert(device.model.backend);
  for (const std::string& problem : known.problems)
    backends.insert(problem.substr(0, problem.find(':')));
  const Wanted wanted(lower(text) == "processor" ? std::string(kProcessor) : text, backends);
  ChosenDevices chosen;
  std::string all = "\n  " + full_name(processor);
  if (wanted.is(kProcessor, processor.name)) chosen.processor = std::move(processor);
  for (KnownDevice& device : known.devices) {
    all += "\n  " + full_name(device);
    if (wanted.is(device.model.backend, device.model.name))
      chosen.devices.push_back(std::move(device));
  }
  if (chosen.processor || !chosen.devices.empty()) return chosen;
  for (const std::string& problem : known.problems) all += "\nno device by " + problem;
  if (!wanted.backend.empty() && wanted.part.empty())
    return Failure(fmt::format("the back end `{}` has no device here; there are{}", text, all));
  return Failure(fmt::format(
      "no back end is called `{}`, and no device has that in its name; there are{}", text, all));
}

Result<Unit> choose_one(const std::string& wanted, ChosenDevices& chosen) {
  std::set<std::string> names;
  if (chosen.processor) names.insert(full_name(*chosen.processor));
  std::erase_if(chosen.devices,
                [&](const KnownDevice& device) { return !names.insert(full_name(device)).second; });
  if (wanted.empty() || names.size() == 1) return Unit{};
  std::string all;
  for (const std::string& name : names) all += "\n  " + name;
  return Failure(fmt::format("`{}` names {} of this machine; say which one is to be measured:{}",
                             wanted, names.size(), all));
}

}  // namespace skald::driver
