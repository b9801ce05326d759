// SPDX-License-Identifier: Apache-2.0
// Types, bound names and bodies of imp.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "core/ir/exp.h"
#include "core/ir/program.h"

namespace skald::imp {

using core::BinOpKind;
using core::CmpOpKind;
using core::Const;
using core::const_i64;
using core::Loc;
using core::MessagePart;
using core::Name;
using core::Operand;
using core::Prim;
using core::TernOpKind;
using core::UnOpKind;

enum class Space : uint8_t { kHeap, kScratch, kView, kShared, kDevice, kGroup, kPrivate };
// Names in these spaces own a reference to their block.
inline bool is_owning(Space space) {
  return space == Space::kHeap || space == Space::kDevice || space == Space::kGroup;
}

// A scalar, or a block of memory.
struct Type {
  enum Kind : uint8_t { kScalar, kBlock };
  Kind kind = kScalar;
  Prim prim = Prim::kI64;      // kScalar
  Space space = Space::kHeap;  // kBlock
  bool is_block() const { return kind == kBlock; }
  friend bool operator==(const Type&, const Type&) = default;
  static auto fields(auto& self) { return std::tie(self.kind, self.prim, self.space); }
};
inline Type scalar(Prim prim) {
  return {Type::kScalar, prim, Space::kHeap};
}
inline Type block(Space space = Space::kHeap) {
  return {Type::kBlock, Prim::kI64, space};
}

// A bound name.
struct Decl {
  Name name = {};
  Type type = {};
  friend bool operator==(const Decl&, const Decl&) = default;
  static auto fields(auto& self) { return std::tie(self.name, self.type); }
};

struct Stmt;

// Statements; names bound in it are visible up to its end.  Move-only, see core::Body.
struct Body {
  std::vector<Stmt> stmts;

  Body();
  explicit Body(std::vector<Stmt> s);
  Body(Body&&) noexcept;
  Body& operator=(Body&&) noexcept;
  ~Body();
  static auto fields(auto& self) { return std::tie(self.stmts); }
};

}  // namespace skald::imp
