// SPDX-License-Identifier: Apache-2.0
#include "driver/cli/mistakes.h"

#include <fmt/format.h>

#include "driver/cli/description.h"
#include "support/nearest.h"

namespace skald::driver {

namespace {

const CLI::App& chosen_command(const CLI::App& app) {
  const CLI::App* command = &app;
  for (const CLI::App* chosen : app.get_subcommands()) command = chosen;
  return *command;
}

std::string call_of(const CLI::App& app, const CLI::App& command) {
  return &command == &app ? "skald" : "skald " + command.get_name();
}

// "--bakend=cpu" is about "--bakend", and "-xyz" about "-x".
std::string option_part(const std::string& word) {
  if (word.starts_with("--")) return word.substr(0, word.find('='));
  return word.substr(0, 2);
}

std::string unknown_option(const std::string& call, const CLI::App& command,
                           const std::string& word) {
  const std::string option = option_part(word);
  std::vector<std::string> names;
  for (const CLI::Option* known : offered_options(command))
    for (const std::string& name : known->get_lnames()) names.push_back("--" + name);
  const std::string near = did_you_mean(nearest(option, names));
  return fmt::format("`{}` has no option `{}`{}{}", call, option, near.empty() ? "" : "; ", near);
}

// What was typed and nobody wanted, in that order.
std::string unexpected(const std::string& call, const CLI::App& command) {
  std::string text;
  for (const std::string& word : command.remaining()) {
    if (!text.empty()) text += "\nerror: ";
    if (word.size() > 1 && word[0] == '-')
      text += unknown_option(call, command, word);
    else
      text += fmt::format("`{}` is one argument too many for `{}`", word, call);
  }
  return text;
}

std::string missing_argument(const std::string& call, const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional() && option->get_required() && option->count() == 0)
      return fmt::format("`{}` needs {}: {}", call, option->get_name(true),
                         option->get_description());
  return {};
}

}  // namespace

std::string call_failure(const CLI::App* app, const CLI::Error& problem) {
  const CLI::App& command = chosen_command(*app);
  const std::string call = call_of(*app, command);
  std::string text;
  if (dynamic_cast<const CLI::ExtrasError*>(&problem) != nullptr) text = unexpected(call, command);
  if (dynamic_cast<const CLI::RequiredError*>(&problem) != nullptr)
    text = missing_argument(call, command);
  if (text.empty()) text = problem.what();
  // "--runs: 1 required INT missing".
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&problem) != nullptr)
    text = fmt::format("`{}` needs a value", text.substr(0, text.find(':')));
  return fmt::format("error: {}\n`{} --help` says what is possible.\n", text, call);
}

std::string unknown_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : offered_commands(app)) names.push_back(command->get_name());
  const std::vector<std::string> near = nearest(word, names);
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return fmt::format("there is no command `{}`; {}", word,
                     near.empty() ? "the commands are " + all : did_you_mean(near));
}

}  // namespace skald::driver
