// SPDX-License-Identifier: Apache-2.0
// skald build FILE: a relocatable object with all entry points, a C header and a manifest.
//
// The object calls the runtime library (runtime/abi.h) and the C library; linking is the host
// program's business.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "compile/registry/backends.h"
#include "driver/commands.h"
#include "driver/object.h"
#include "driver/pass_options.h"
#include "driver/session.h"
#include "driver/tuning.h"

namespace skald::driver {

namespace {

bool write_file(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  return static_cast<bool>(file.flush());
}

// A name for C: letters, digits and underscores.
std::string c_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (digit && name.empty()) name += '_';
    name += digit || letter ? c : '_';
  }
  return name.empty() ? "program" : name;
}

}  // namespace

int run_build(const CommonOptions& common, const BuildOptions& options) {
  Session session(common);
  const compile::Backend& backend =
      options.backend != nullptr ? *options.backend : *compile::find_backend("cpu");
  std::string why_not;
  if (!backend.is_available(why_not)) return session.fail(why_not);
  if (backend.make_object == nullptr)
    return session.fail(
        fmt::format("not supported yet: object code of the {} back end", backend.name));
  Result<passes::PassOptions> pass_options = make_pass_options(options.compile);
  if (!pass_options) return session.fail(pass_options.error());
  core::Tuning tuning;
  if (!options.tuning_file.empty())
    if (const Result<Unit> read = read_tuning_file(options.tuning_file, tuning); !read)
      return session.fail(read.error());
  pass_options->numbers = device_choices(tuning);
  const Result<core::Tuning> chosen = parse_choices(options.choices);
  if (!chosen) return session.fail(chosen.error());
  const core::Tuning numbers = device_choices(*chosen);
  for (const auto& [name, number] : *chosen) {
    if (!numbers.contains(name))
      return session.fail(
          fmt::format("`{}` is chosen when the program runs, not when it is compiled", name));
    pass_options->numbers[name] = number;
  }
  std::optional<core::Program> prog = session.load(options.file);
  if (!session.report() || !prog) return kUserError;
  // Forms are for `run`; host programs call functions.
  for (core::Function& fn : prog->functions)
    if (fn.entry && fn.entry->name.starts_with("form ")) fn.entry.reset();

  std::filesystem::path base = options.output.empty()
                                   ? std::filesystem::path(options.file).replace_extension()
                                   : std::filesystem::path(options.output);
  if (base.extension() == ".o") base.replace_extension();
  const std::string name = c_name(base.filename().string());
  const Result<compile::ObjectCode> object =
      backend.make_object(*prog, *pass_options, name + "_entry_");
  if (!object) return session.fail(object.error());
  const std::string path = base.string();
  const std::pair<std::string, std::string> files[] = {
      {path + ".o", object->bytes},
      {path + ".h", header_text(*object, *prog, name, options.file)},
      {path + ".json", manifest_text(*object, *prog, base.filename().string())}};
  for (const auto& [file, text] : files)
    if (!write_file(file, text)) return session.fail(fmt::format("cannot write `{}`", file));
  return kOk;
}

}  // namespace skald::driver
