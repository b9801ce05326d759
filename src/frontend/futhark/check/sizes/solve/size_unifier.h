// SPDX-License-Identifier: Apache-2.0
// Making the sizes of two types equal.
#pragma once

#include <vector>

#include "frontend/futhark/check/sizes/solve/size_messages.h"

namespace skald::futhark {

class SizeUnifier {
 public:
  SizeUnifier(Context& ctx, Reporter& report, SizeTable& table, SizeWords& words,
              SizeMessages& messages)
      : ctx_(ctx), f_(ctx.f), report_(report), table_(table), words_(words), messages_(messages) {}

  // Reports if they cannot be; sizes that are still open in them are then wrong.
  bool unify(const Type* expected, const Type* actual, const SizeWhy& why);
  // Sizes that differ become fresh unknown ones.
  const Type* unify_branches(const Type* a, const Type* b, Span span, std::vector<VName>& ext);

 private:
  bool sub(Unifying& u, bool swapped, const Type* a, const Type* b);
  bool sub_arrow(Unifying& u, bool swapped, const Type* a, const Type* b);
  bool sub_sizes(Unifying& u, const Exp* a, const Exp* b);
  bool link(Unifying& u, uint32_t id, const Exp* e);
  void explain_scope(Unifying& u, const SizeVar& size, const SizeVar& inside, const Exp* e);
  bool local_link(Unifying& u, const Exp* var, const Exp* other);
  bool absorb(Unifying& u, const Exp* var, const Exp* other);

  Context& ctx_;
  TypeFactory& f_;
  Reporter& report_;
  SizeTable& table_;
  SizeWords& words_;
  SizeMessages& messages_;
};

}  // namespace skald::futhark
