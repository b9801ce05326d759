// SPDX-License-Identifier: Apache-2.0
// What can be typed after `skald`: the commands, their options, and where their values go.  Help,
// manual page and completions are made from the same description.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "driver/options.h"

namespace skald::driver {

struct Arguments {
  CommonOptions common;
  bool no_warnings = false;
  std::string color = "auto";
  CheckOptions check;
  RunOptions run;
  TestOptions test;
  DumpOptions dump;
  BuildOptions build;
  CacheOptions cache;
  DeviceOptions device;
  std::string code;   // explain
  std::string topic;  // help
  std::string shell;  // completions
  // The words that an option takes, where they are few.
  std::unordered_map<const CLI::Option*, std::vector<std::string>> choices;
};

// `first`: the first argument.  If it is a command, the others and their options are left out: to
// describe all of them takes longer than some programs run.
void add_commands(CLI::App& app, Arguments& args, std::string_view first);

}  // namespace skald::driver
