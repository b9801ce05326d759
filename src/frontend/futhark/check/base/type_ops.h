// SPDX-License-Identifier: Apache-2.0
// Building and rewriting semantic types.  Nothing here knows about inference.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/futhark/ast/types.h"
#include "frontend/futhark/check/base/id_set.h"

namespace skald::futhark {

// A parameter of a type scheme or of a type definition.
struct TParam {
  VName name;
  bool is_size = false;
  Liftedness lifted = Liftedness::kUnlifted;
  Span span = {};
  bool inferred = false;  // a size that the user did not name
};

// A definition of a type over its parameters; `exts` are existential sizes of `type`.
struct TypeDef {
  std::vector<TParam> params;
  const Type* type = nullptr;
  std::vector<VName> exts = {};
};

// Makes types in an arena, and fresh ids.
class TypeFactory {
 public:
  explicit TypeFactory(TypeArena& arena);

  uint32_t fresh_id() { return ++last_id_; }
  VName fresh(const std::string& base) { return {base, fresh_id()}; }
  // A block of ids for work that is put off: set_last_id(first) before it, and back after it.
  uint32_t reserve_ids(uint32_t count) { return std::exchange(last_id_, last_id_ + count); }
  uint32_t last_id() const { return last_id_; }
  void set_last_id(uint32_t id) { last_id_ = id; }

  const Type* prim(Prim p) const { return prims_[static_cast<size_t>(p)]; }
  const Type* i64() const { return prim(Prim::kI64); }
  const Type* boolean() const { return prim(Prim::kBool); }
  const Type* unit() const { return unit_; }
  const Type* array(Size size, const Type* elem, bool unique = false);
  const Type* tuple(const std::vector<const Type*>& elems);
  // Sorts the fields.
  const Type* record(std::vector<std::pair<std::string, const Type*>> fields);
  const Type* sum(std::vector<std::pair<std::string, std::vector<const Type*>>> constrs);
  const Type* arrow(const Type* from, const Type* to, VName param = {},
                    std::vector<VName> exts = {});
  const Type* named(VName name, Liftedness lifted, std::vector<TypeArg> args = {});
  const Type* meta(uint32_t id);
  const Type* make(Type t) { return arena_->make(std::move(t)); }
  // The type with `unique` set or cleared on every array and named type outside of functions.
  const Type* with_unique(const Type* t, bool unique);

  // The expression that mentions a variable as a size; of one arena, the same pointer for the same
  // id.
  const Exp* size_var(const VName& name);
  const Exp* size_const(int64_t value);
  // lhs op rhs, both i64, with the built-in operator.
  const Exp* size_binary(const char* op, const Exp* lhs, const Exp* rhs);
  const Exp* keep(Exp e) { return arena_->keep(std::move(e)); }

  TypeArena& arena() { return *arena_; }

  // As long as one lives, what is made lies in its arena.
  class Use {
   public:
    Use(TypeFactory& f, TypeArena& arena) : f_(f), before_(std::exchange(f.arena_, &arena)) {}
    ~Use() { f_.arena_ = before_; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    TypeFactory& f_;
    TypeArena* before_;
  };
  // The arena that lives as long as the program: for what outlives the definition at hand.
  TypeArena& lasting() { return lasting_; }

 private:
  TypeArena& lasting_;
  TypeArena* arena_;
  uint32_t last_id_ = 0;
  std::vector<const Type*> prims_;
  const Type* unit_ = nullptr;
};

// "1" sorts before "10" and before "a"; tuples keep their order.
bool field_less(const std::string& a, const std::string& b);

const Type* find_field(const Type& record, const std::string& name);
const std::vector<const Type*>* find_constr(const Type& sum, const std::string& name);

// Rewrites the type bottom-up, sharing what does not change: `on_size` for every size expression,
// `on_leaf` for kNamed and kMeta types (after their arguments); either may be empty.
struct TypeMapper {
  std::function<const Exp*(const Exp*)> on_size = {};
  std::function<const Type*(const Type*)> on_leaf = {};
};
const Type* map_type(TypeFactory& f, const Type* t, const TypeMapper& m);

// A copy that lives as long as the program; the type itself if it does so.
const Type* lasting_type(TypeFactory& f, const Type* t);

// All sizes anonymous, no existentials, nothing unique: what the unsized step works with.
const Type* erase_sizes(TypeFactory& f, const Type* t);

struct TypeSubst {
  std::unordered_map<uint32_t, TypeDef> types;
  std::unordered_map<uint32_t, const Exp*> sizes;
  bool empty() const { return types.empty() && sizes.empty(); }
};
// Existential sizes of substituted definitions are renamed apart and bound at the nearest function
// result around them; those with no function around are appended to `exts`.
const Type* subst_type(TypeFactory& f, const Type* t, const TypeSubst& s,
                       std::vector<VName>* exts = nullptr);
const Type* apply_type_def(TypeFactory& f, const TypeDef& def, const std::vector<TypeArg>& args,
                           std::vector<VName>* exts);

// Where a size is used in a type.
enum class SizePos : uint8_t { kImmediate, kParam, kReturn };
// Visits every size expression with its position and the names bound by functions around it.
void for_each_size(const Type* t,
                   const std::function<void(const Exp*, SizePos, const IdSet& bound)>& f);
// Ids of all variables in sizes that the type does not bind itself.
void free_sizes(const Type* t, IdSet& out);
IdSet free_sizes(const Type* t);
// Sizes used as the size of an array or argument outside of functions; the other set: sizes that
// occur only elsewhere.
struct Witnesses {
  IdSet witnessed, unwitnessed;
};
Witnesses size_witnesses(const Type* t);
void for_each_named(const Type* t, const std::function<void(const Type*)>& f);

bool is_function_free(const Type* t);  // no arrow anywhere
bool is_consuming(const Type* param);  // some part of a parameter's type is `*`
bool same_unsized(const Type* a, const Type* b);
int array_rank(const Type* t);

}  // namespace skald::futhark
