// SPDX-License-Identifier: Apache-2.0
// Names and attributes in the surface syntax (ast.h), and what all its parts share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "source/source.h"

namespace skald::futhark {

using source::Span;

struct Type;  // types.h

// A name made unique by the checker.  `id` 0 means "not resolved yet".
struct VName {
  std::string base;
  uint32_t id = 0;
  friend bool operator==(const VName& a, const VName& b) {
    return a.id == b.id && (a.id != 0 || a.base == b.base);
  }
};

// An identifier or operator where it is bound.
struct Ident {
  std::string name;
  Span span;
  // Set by the checker.
  uint32_t id = 0;
};

// M.N.x, or just x.  Also for operators: M.+
struct QualName {
  std::vector<std::string> quals;
  std::string name;
  Span span;
};

struct Exp;
struct Pat;
struct TypeExp;
struct Dec;
struct ModExp;
struct ModTypeExp;
// Takes the expression apart in a loop, because chains of `let`s and operators are long.
void delete_exp(Exp* e);

}  // namespace skald::futhark

template <>
struct std::default_delete<skald::futhark::Exp> {
  void operator()(skald::futhark::Exp* e) const { skald::futhark::delete_exp(e); }
};

namespace skald::futhark {

template <class T>
using Ptr = std::unique_ptr<T>;

// #[name], #[12], #[name(arg, …)]
struct Attr {
  std::string name;  // or the digits of an integer
  bool is_int = false;
  std::vector<Attr> args;
  Span span;
};

}  // namespace skald::futhark
