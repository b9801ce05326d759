// SPDX-License-Identifier: Apache-2.0
// Semantic types: what the checker computes and the elaborator reads.
//
// Types are immutable and owned by a TypeArena; `const Type*` is the everyday handle.  Two types
// may be equal without being the same pointer.  Sizes are expressions (ast.h): a size variable is
// an EVar with its `id` set, a constant an ELiteral, anything else a resolved expression without
// bindings.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/futhark/ast/ast.h"
#include "support/pool.h"
#include "support/prim.h"

namespace skald::futhark {

// One dimension.  A null `exp` is an anonymous size: any length.
struct Size {
  const Exp* exp = nullptr;
};

struct TypeArg {
  const Type* type = nullptr;  // null for a size argument
  Size size = {};
};

struct Type {
  enum Kind : uint8_t {
    kPrim,
    kArray,   // one dimension: [size]elem
    kRecord,  // fields sorted by name; a tuple is a record with fields "0", "1", … in numeric order
    kSum,     // constructors sorted by name
    kArrow,
    kNamed,  // a type parameter or an abstract type, with arguments
    kMeta,   // inference variable; none is left after checking
  } kind = kPrim;
  // `*`: may be consumed (parameters), aliases nothing (results).
  bool unique = false;

  Prim prim = Prim::kI32;  // kPrim

  Size size = {};              // kArray
  const Type* elem = nullptr;  // kArray

  std::vector<std::pair<std::string, const Type*>> fields = {};                // kRecord
  std::vector<std::pair<std::string, std::vector<const Type*>>> constrs = {};  // kSum

  // kArrow: (param: from) -> ?[exts].to
  VName param = {};  // id 0: unnamed
  const Type* from = nullptr;
  const Type* to = nullptr;
  std::vector<VName> exts = {};

  VName name = {};                            // kNamed
  std::vector<TypeArg> args = {};             // kNamed
  Liftedness lifted = Liftedness::kUnlifted;  // kNamed

  uint32_t meta = 0;  // kMeta

  // What is somewhere inside, so that walks may leave out what they cannot change.  The arena fills
  // this in.
  enum Inside : uint8_t {
    kSizes = 1,      // a size expression
    kMetas = 2,      // an inference variable
    kNames = 4,      // a type parameter or abstract type
    kArrows = 8,     // a function
    kUniques = 16,   // a `*`
    kDependent = 32  // a place for a size: array, argument of a named type, name of a parameter
  };
  uint8_t inside = 0;
  // It and all that it consists of live as long as the program; the arena fills this in too.
  bool lasting = false;
  uint32_t parts = 1;  // how large it is when written out, at most kMostParts + 1
  static constexpr uint32_t kMostParts = 1u << 17;

  bool has(int what) const { return (inside & what) != 0; }
};

class TypeArena {
 public:
  enum class Lives : uint8_t { kWithProgram, kForAWhile };
  explicit TypeArena(Lives lives = Lives::kWithProgram) : lives_(lives) {}

  const Type* make(Type t) { return finish(types_.add(std::move(t))); }
  // The same without moving it about: a new type to be filled in …
  Type& start() { return types_.add(); }
  // … and finished.
  const Type* finish(Type& t) {
    note_parts(t);
    t.lasting = lives_ == Lives::kWithProgram;
    return &t;
  }
  // Whether a type with more than kMostParts was made since somebody asked.  Such types come from
  // a few lines that double something again and again; walking over them takes for ever.
  bool too_large() const { return too_large_; }
  void forget_too_large() { too_large_ = false; }
  // Keeps a size expression alive for as long as the types that mention it.
  const Exp* keep(Exp e) { return &exps_.add(std::move(e)); }
  // The expression for a size variable, by id; null until somebody sets it.
  const Exp*& size_var(uint32_t id) { return size_vars_[id]; }
  // All that was made is gone.
  void clear();

 private:
  Pool<Type> types_;
  Pool<Exp> exps_;
  std::unordered_map<uint32_t, const Exp*> size_vars_;
  Lives lives_;
  bool too_large_ = false;

  void note_parts(Type& t);
};

inline bool is_tuple(const Type& t) {
  if (t.kind != Type::kRecord || t.fields.size() == 1) return false;
  for (size_t i = 0; i < t.fields.size(); ++i)
    if (t.fields[i].first != std::to_string(i)) return false;
  return true;
}

}  // namespace skald::futhark
