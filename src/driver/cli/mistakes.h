// SPDX-License-Identifier: Apache-2.0
// What to say when skald was called in a way that it does not understand.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace skald::driver {

// The whole message.
std::string call_failure(const CLI::App* app, const CLI::Error& problem);
std::string unknown_command(const CLI::App& app, const std::string& word);

}  // namespace skald::driver
