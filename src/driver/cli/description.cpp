// SPDX-License-Identifier: Apache-2.0
#include "driver/cli/description.h"

namespace skald::driver {

std::vector<const CLI::App*> offered_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::Option*> offered_options(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) {
    return !option->get_positional() && !option->get_group().empty();
  });
}

std::vector<const CLI::Option*> positional_arguments(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

}  // namespace skald::driver
