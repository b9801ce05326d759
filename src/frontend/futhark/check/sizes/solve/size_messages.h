// SPDX-License-Identifier: Apache-2.0
// What is said about sizes that differ: where they come from, and what to do.
#pragma once

#include <string>
#include <vector>

#include "frontend/futhark/check/sizes/solve/size_words.h"
#include "frontend/futhark/check/sizes/solve/unifying.h"

namespace skald::futhark {

class SizeMessages {
 public:
  SizeMessages(Reporter& report, TypeFactory& f, SizeTable& table, SizeWords& words)
      : report_(report), f_(f), table_(table), words_(words) {}

  // Notes that these two are not equal; returns false.
  bool explain(Unifying& u, const Exp* a, const Exp* b);
  void report(const Unifying& u, const Type* expected, const Type* actual);
  // Whether the same was said about the same variable; if not, it is from now on.
  bool told_before(const Unifying& u);

 private:
  std::string headline(const Unifying& u);
  std::string hint(const Unifying& u, const Type* expected, const Type* actual);

  Reporter& report_;
  TypeFactory& f_;
  SizeTable& table_;
  SizeWords& words_;
  // Variables whose sizes were reported as another one than needed.
  struct Told {
    uint32_t variable;
    const Exp *expected, *actual;
  };
  std::vector<Told> told_;
};

}  // namespace skald::futhark
