// SPDX-License-Identifier: Apache-2.0
// skald_property: checks properties on random programs until the time is over.
//
//   skald_property [--seconds=10] [--seed=1] [--only=NAME] [--count=N] [--backend=cpu|opencl]
//
// A failure prints the seed, what went wrong and the smallest program found; --seed repeats it.
// With --count exactly that many seeds are used, whatever the time.  With --backend that back end
// is checked instead of the passes.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "property.h"

namespace skald::property {

core::RandomOptions options_for(uint64_t seed) {
  core::RandomOptions options;
  options.size = 5 + static_cast<int>(seed % 12) * 5;
  options.failures = seed % 2 == 0;
  return options;
}

namespace {

int run(int argc, char** argv) {
  double seconds = 10;
  uint64_t seed = 1, count = 0;
  std::string only;
  bool backend = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    const auto value = [&](std::string_view option) -> const char* {
      return arg.starts_with(option) ? argv[i] + option.size() : nullptr;
    };
    if (const char* text = value("--seconds=")) {
      seconds = std::atof(text);
    } else if (const char* text = value("--seed=")) {
      seed = std::strtoull(text, nullptr, 10);
    } else if (const char* text = value("--count=")) {
      count = std::strtoull(text, nullptr, 10);
    } else if (const char* text = value("--only=")) {
      only = text;
    } else if (const char* text = value("--backend=")) {
      only = text;
      backend = true;
    } else {
      fmt::print(stderr,
                 "usage: {} [--seconds=S] [--seed=N] [--count=N] [--only=NAME | --backend=NAME]\n",
                 argv[0]);
      return 2;
    }
  }
  std::vector<Property> properties;
  using Group = std::vector<Property> (*)();
  for (const Group group : backend ? std::vector<Group>{backend_properties}
                                   : std::vector<Group>{core_properties, pass_properties,
                                                        imp_properties, derivative_properties})
    for (Property& p : group())
      if (only.empty() || p.name == only) properties.push_back(std::move(p));
  if (properties.empty()) {
    fmt::print(stderr, "there is no {} {} here\n", backend ? "back end" : "property", only);
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  uint64_t done = 0;
  for (; count != 0 ? done < count : elapsed() < seconds; ++done, ++seed) {
    for (const Property& property : properties) {
      std::optional<std::string> problem;
      try {
        problem = property.check(seed);
      } catch (const std::exception& error) {
        problem = fmt::format("exception: {}", error.what());
      }
      if (!problem) continue;
      fmt::print("FAILED {} ({})\nrepeat with --{}={} --seed={} --count=1\n{}\n", property.name,
                 property.what, backend ? "backend" : "only", property.name, seed, *problem);
      return 1;
    }
  }
  fmt::print("{} seeds, {} properties, {:.1f} s: all hold\n", done, properties.size(), elapsed());
  return 0;
}

}  // namespace

}  // namespace skald::property

int main(int argc, char** argv) {
  return skald::property::run(argc, argv);
}
