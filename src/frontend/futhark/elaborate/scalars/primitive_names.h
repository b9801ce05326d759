// SPDX-License-Identifier: Apache-2.0
// The names of the monomorphic primitives: add32, fdiv64, sext_i8_i32, sqrt32, …
//
// A name is a stem, a width and sometimes two types.  Integers come as signed types; a stem that
// reads its operands as unsigned says so ("udiv").
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/ir/exp.h"
#include "frontend/futhark/ast/types.h"

namespace skald::futhark::elab {

struct Primitive {
  enum Kind : uint8_t { kBin, kUn, kTern, kCmp, kConv, kSign, kUnsign, kToBits, kFromBits } kind;
  core::BinOpKind bin = core::BinOpKind::kAdd;
  core::UnOpKind un = core::UnOpKind::kNeg;
  core::TernOpKind tern = core::TernOpKind::kFma;
  core::CmpOpKind cmp = core::CmpOpKind::kEq;
  Prim type = Prim::kI32;    // what the operands are read as
  Prim target = Prim::kI32;  // of a conversion: computed type, then
  Prim result = Prim::kI32;  // the type by the name
  bool checked = false;      // division and power
  bool up = false;           // division that rounds up
  size_t arity() const { return kind == kBin || kind == kCmp ? 2 : kind == kTern ? 3 : 1; }
};

std::optional<Primitive> primitive_of_name(const std::string& name);

// The integer type of these bits, of this many bits.
Prim signed_int(int width);
Prim as_unsigned(Prim p);
Prim as_signed(Prim p);

}  // namespace skald::futhark::elab
