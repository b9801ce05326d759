// SPDX-License-Identifier: Apache-2.0
// The elaborator's own entry point.
#include "frontend/futhark/elaborate/elaborate.h"

#include "frontend/futhark/elaborate/elab.h"
#include "support/stack.h"

namespace skald::futhark::elab {

Elaborator::Elaborator(const CheckedProgram& checked, const source::SourceMap& sources,
                       source::Diagnostics& diagnostics, const ElaborateOptions& options,
                       core::Program& out)
    : checked_(checked),
      sources_(sources),
      diagnostics_(diagnostics),
      options_(options),
      prog_(out) {}

Elaborator::~Elaborator() {
  // Frames hold closures, which hold environments, which hold frames.
  for (auto& frame : frames_) {
    frame->terms.clear();
    frame->types.clear();
    frame->mod_types.clear();
    frame->term_ids.clear();
    frame->type_ids.clear();
  }
}

void Elaborator::run() {
  load_files();
  for (const auto& [def, where] : entries_) {
    names_used_["entry_" + def->name.name] = 1;
  }
  for (const auto& [def, where] : entries_) entry_point(*def, *where.first, where.second);
}

}  // namespace skald::futhark::elab

namespace skald::futhark {

bool elaborate(const CheckedProgram& checked, const source::SourceMap& sources,
               source::Diagnostics& diagnostics, const ElaborateOptions& options,
               core::Program& out) {
  size_t errors = diagnostics.error_count();
  on_large_stack([&] {
    elab::Elaborator elaborator(checked, sources, diagnostics, options, out);
    try {
      elaborator.run();
    } catch (const InternalError&) {
      // After a limitation the rest may fail in any way; the limitation is what counts.
      if (diagnostics.error_count() == errors) throw;
    }
  });
  return diagnostics.error_count() == errors;
}

}  // namespace skald::futhark
