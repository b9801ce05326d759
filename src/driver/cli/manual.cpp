// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "driver/cli/description.h"

namespace skald::driver {

namespace {

// Text as it is: a dash that can be copied, no commands.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '-')
      out += "\\-";
    else if (c == '\\')
      out += "\\e";
    else
      out += c;
  }
  if (!out.empty() && (out[0] == '.' || out[0] == '\'')) out.insert(0, "\\&");
  return out;
}

std::string option_entry(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames())
    names += (names.empty() ? "\\fB\\-" : ", \\fB\\-") + roff(name) + "\\fR";
  for (const std::string& name : option.get_lnames())
    names += (names.empty() ? "\\fB\\-\\-" : ", \\fB\\-\\-") + roff(name) + "\\fR";
  if (takes_value(option)) names += " \\fI" + roff(option.get_type_name()) + "\\fR";
  return fmt::format(".TP\n{}\n{}\n", names, roff(option.get_description()));
}

std::string command_section(const CLI::App& command) {
  std::string usage = "\\fBskald " + roff(command.get_name()) + "\\fR [\\fIOPTIONS\\fR]";
  std::string entries;
  for (const CLI::Option* argument : positional_arguments(command)) {
    const std::string name = roff(argument->get_name(true));
    const bool several = argument->get_items_expected_max() > 1;
    const std::string shown = fmt::format("\\fI{}\\fR{}", name, several ? "..." : "");
    usage += argument->get_required() ? " " + shown : " [" + shown + "]";
    entries += fmt::format(".TP\n\\fI{}\\fR\n{}\n", name, roff(argument->get_description()));
  }
  for (const CLI::Option* option : offered_options(command)) entries += option_entry(*option);
  std::string text = fmt::format(".SS {}\n{}\n.PP\n{}.\n{}", roff(command.get_name()), usage,
                                 roff(command.get_description()), entries);
  if (!command.get_footer().empty()) text += ".PP\n.nf\n" + roff(command.get_footer()) + "\n.fi\n";
  return text;
}

}  // namespace

std::string manual_page(const CLI::App& app) {
  std::string text = fmt::format(
      ".TH SKALD 1 \"\" \"skald {}\" \"User commands\"\n"
      ".SH NAME\nskald \\- {}\n"
      ".SH SYNOPSIS\n\\fBskald\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]\n"
      ".SH COMMANDS\n",
      roff(SKALD_VERSION), roff("compiles and runs data-parallel array programs"));
  for (const CLI::App* command : offered_commands(app)) text += command_section(*command);
  text += ".SH EXIT STATUS\n.nf\n" + roff(app.get_footer()) + "\n.fi\n";
  return text;
}

}  // namespace skald::driver
