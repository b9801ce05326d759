// SPDX-License-Identifier: Apache-2.0
// What the command line offers, made into other forms: completions of shells, the manual page.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "driver/cli/arguments.h"

namespace skald::driver {

std::vector<const CLI::App*> offered_commands(const CLI::App& app);
// Without hidden ones, and without what stands for itself, as FILE does.
std::vector<const CLI::Option*> offered_options(const CLI::App& command);
std::vector<const CLI::Option*> positional_arguments(const CLI::App& command);
bool takes_value(const CLI::Option& option);

std::string bash_completions(const CLI::App& app, const Arguments& args);
std::string zsh_completions(const CLI::App& app, const Arguments& args);
std::string fish_completions(const CLI::App& app, const Arguments& args);
// In the language of man(7).
std::string manual_page(const CLI::App& app);

}  // namespace skald::driver
