// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/cli/description.h"
#include "driver/error_pages.h"

namespace skald::driver {

namespace {

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

std::vector<std::string> command_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* command : offered_commands(app)) words.push_back(command->get_name());
  return words;
}

// What stands for itself after a command; none: files.
std::vector<std::string> argument_words(const CLI::App& app, const CLI::App& command,
                                        const Arguments& args) {
  if (command.get_name() == "help") return command_words(app);
  std::vector<std::string> words;
  if (command.get_name() == "explain")
    for (const ErrorPage& page : error_pages()) words.emplace_back(page.code);
  for (const CLI::Option* argument : positional_arguments(command))
    if (const auto found = args.choices.find(argument); found != args.choices.end())
      words = found->second;
  return words;
}

const std::vector<std::string>* choices_of(const CLI::Option* option, const Arguments& args) {
  const auto found = args.choices.find(option);
  return found == args.choices.end() ? nullptr : &found->second;
}

// Inside single quotes, for a shell that ends them with '\'' only.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

// zsh reads brackets and colons in descriptions.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string bash_completions(const CLI::App& app, const Arguments& args) {
  std::string values, options, words;
  for (const CLI::App* command : offered_commands(app)) {
    std::vector<std::string> names;
    for (const CLI::Option* option : offered_options(*command)) {
      const std::vector<std::string> own = names_of(*option);
      names.insert(names.end(), own.begin(), own.end());
      if (const auto* choices = choices_of(option, args))
        for (const std::string& name : own)
          values += fmt::format("    {}:{}) words=\"{}\" ;;\n", command->get_name(), name,
                                fmt::join(*choices, " "));
    }
    options +=
        fmt::format("      {}) words=\"{}\" ;;\n", command->get_name(), fmt::join(names, " "));
    if (const auto own = argument_words(app, *command, args); !own.empty())
      words += fmt::format("      {}) words=\"{}\" ;;\n", command->get_name(), fmt::join(own, " "));
  }
  return fmt::format(R"(# Completions of skald for bash; made by `skald completions bash`.
_skald() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} command=${{COMP_WORDS[1]}} words=""
  # --option=value is three words.
  [[ $current == "=" ]] && current=""
  [[ $previous == "=" ]] && previous=${{COMP_WORDS[COMP_CWORD - 2]}}
  if [[ $COMP_CWORD == 1 ]]; then
    COMPREPLY=($(compgen -W "{}" -- "$current"))
    return
  fi
  case $command:$previous in
{}  esac
  if [[ -z $words && $current == -* ]]; then
    case $command in
{}    esac
  fi
  if [[ -z $words ]]; then
    case $command in
{}    esac
  fi
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    compopt -o filenames
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -F _skald skald
)",
                     fmt::join(command_words(app), " "), values, options, words);
}

std::string zsh_completions(const CLI::App& app, const Arguments& args) {
  std::string commands, cases;
  for (const CLI::App* command : offered_commands(app)) {
    commands += fmt::format(
        "    {}\n", in_quotes(command->get_name() + ":" + zsh_text(command->get_description())));
    cases += fmt::format("    {})\n      _arguments \\\n", command->get_name());
    for (const CLI::Option* option : offered_options(*command))
      for (const std::string& name : names_of(*option)) {
        std::string spec = name;
        if (takes_value(*option)) spec += name.starts_with("--") ? "=" : "+";
        spec += "[" + zsh_text(option->get_description()) + "]";
        if (takes_value(*option)) {
          const auto* choices = choices_of(option, args);
          spec += choices == nullptr ? std::string(":value:_files")
                                     : fmt::format(":value:({})", fmt::join(*choices, " "));
        }
        cases += fmt::format("        {} \\\n", in_quotes(spec));
      }
    const std::vector<std::string> own = argument_words(app, *command, args);
    cases += own.empty() ? std::string("        '*:file:_files'\n      ;;\n")
                         : fmt::format("        '*:word:({})'\n      ;;\n", fmt::join(own, " "));
  }
  return fmt::format(R"(#compdef skald
# Completions of skald for zsh; made by `skald completions zsh`.
_skald() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
_skald "$@"
)",
                     commands, cases);
}

std::string fish_completions(const CLI::App& app, const Arguments& args) {
  std::string out = "# Completions of skald for fish; made by `skald completions fish`.\n";
  for (const CLI::App* command : offered_commands(app)) {
    const std::string name = command->get_name();
    out += fmt::format("complete -c skald -n __fish_use_subcommand -f -a {} -d {}\n", name,
                       in_quotes(command->get_description()));
    const std::string here =
        fmt::format("complete -c skald -n '__fish_seen_subcommand_from {}'", name);
    for (const CLI::Option* option : offered_options(*command)) {
      std::string line = here;
      for (const std::string& each : option->get_lnames()) line += " -l " + each;
      for (const std::string& each : option->get_snames()) line += " -s " + each;
      if (takes_value(*option)) line += " -r";
      if (const auto* choices = choices_of(option, args))
        line += fmt::format(" -f -a '{}'", fmt::join(*choices, " "));
      out += line + " -d " + in_quotes(option->get_description()) + "\n";
    }
    if (const auto own = argument_words(app, *command, args); !own.empty())
      out += fmt::format("{} -f -a '{}'\n", here, fmt::join(own, " "));
  }
  return out;
}

}  // namespace skald::driver
