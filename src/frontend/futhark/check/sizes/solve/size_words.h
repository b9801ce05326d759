// SPDX-License-Identifier: Apache-2.0
// Sizes and sized types as people would write them.
#pragma once

#include <string>
#include <vector>

#include "frontend/futhark/check/base/context.h"
#include "frontend/futhark/check/sizes/solve/size_table.h"

namespace skald::futhark {

class SizeWords {
 public:
  SizeWords(Context& ctx, SizeTable& table) : ctx_(ctx), f_(ctx.f), table_(table) {}

  std::string show(const Exp* e);
  std::string show(const Type* t);
  // With `[]` for sizes that are known only when the program runs.
  std::string show_open(const Type* t);
  // A size in quotes, or in words if nobody has given it a name.
  std::string of(const Exp* e);
  // Where an unknown size comes from; begins a new paragraph.
  std::string notes_for(const Exp* e);
  bool is_invented(const Exp* e);
  bool can_be_written(const Type* t);
  void label_origins(const Exp* e, std::vector<source::Label>& labels);

 private:
  const Exp* as_shown(const Exp* e);
  std::string note_open(const Exp* e);

  Context& ctx_;
  TypeFactory& f_;
  SizeTable& table_;
};

}  // namespace skald::futhark
