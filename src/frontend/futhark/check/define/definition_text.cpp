// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/define/definition_text.h"

#include "frontend/futhark/parse/parse.h"

namespace skald::futhark {

DefinitionText::DefinitionText(Context& ctx, DVal& def, ValEntry& entry)
    : ctx_(ctx), def_(def), entry_(entry) {
  const auto reader = ctx.readers.find(def.name.span.file.index);
  if (reader == ctx.readers.end()) return;
  reader->second->fill(def);
  scratch_.emplace(ctx.f, ctx.scratch);
  if (ctx.options.progress)
    ctx.options.progress("checking", def.name.span.end, reader->second->bytes());
}

void DefinitionText::keep_entry() {
  if (scratch_) entry_.type = lasting_type(ctx_.f, entry_.type);
}

DefinitionText::~DefinitionText() {
  if (!scratch_) return;
  scratch_.reset();
  DefinitionReader::empty(def_);
  ctx_.scratch.clear();
}

}  // namespace skald::futhark
