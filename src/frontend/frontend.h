// SPDX-License-Identifier: Apache-2.0
// What a front end is: a value that turns the text of one language into core, stage SOACS.
//
// A front end lives in a folder of its own under src/frontend and is one line of the table in
// compile/registry/frontends.cpp.  docs/extending.md has an example.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/program.h"
#include "source/diagnostic.h"
#include "source/progress.h"

namespace skald::frontend {

struct Options {
  bool warnings = true;
  bool safe = false;  // ignore what switches checks off (#[unsafe])
  source::Progress progress = {};
};

struct Frontend {
  std::string_view name;                     // "futhark"
  std::vector<std::string_view> extensions;  // ".fut"
  // The text of `path` is whatever `sources` loads for it: a file, or what was provided instead.
  // Both put what is wrong into the diagnostics and never throw for what the user wrote.  The core
  // program holds its places as text (core::LocTable), in the words of the language.
  bool (*check)(const std::string& path, source::SourceMap& sources,
                source::Diagnostics& diagnostics, const Options& options);
  std::optional<core::Program> (*load)(const std::string& path, source::SourceMap& sources,
                                       source::Diagnostics& diagnostics, const Options& options);
  // Programs consist of forms, which `skald run` evaluates in order unless an entry point is asked
  // for.  They are the entry points "form 1", "form 2", …: the first result is a length and a text
  // to print, the parameters are results of earlier ones with the same names.
  bool has_forms = false;
  // The program as it was read, printed again; null where there is no such form.
  std::string (*show_syntax)(source::FileId file, source::SourceMap& sources,
                             source::Diagnostics& diagnostics) = nullptr;
};

}  // namespace skald::frontend
