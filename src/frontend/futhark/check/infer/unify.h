// SPDX-License-Identifier: Apache-2.0
// Unification of unsized types: the solver of the first step.
//
// An inference variable (kMeta) is free, or must be one of a set of primitives, or must be a record
// with some fields or a sum with some constructors; in the end it is linked to a type.  Variables
// have levels: one made outside of a polymorphic local function may not become a type that
// mentions the function's type parameters.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/futhark/check/base/context.h"

namespace skald::futhark {

// Why two types must be equal.  `head` gives the first lines of the message if they are not;
// without it the message says "Cannot unify".
struct Reason {
  Span span;
  std::function<std::string()> head = {};
  std::vector<source::Label> labels = {};
  // The expression at `span`, and which of the types is its own; for the hint.
  const Exp* value = nullptr;
  enum Side : uint8_t { kFirst, kSecond } own = kFirst;
  // What the expression is wanted as, if the message has a hint of its own.
  std::function<std::string()> hint = {};
};

struct Meta {
  enum Kind : uint8_t { kFree, kPrims, kRecord, kSum, kLinked } kind = kFree;
  Liftedness lifted = Liftedness::kLifted;
  PrimSet prims = 0;
  int level = 0;
  const Type* link = nullptr;
  std::map<std::string, const Type*> fields = {};
  std::map<std::string, std::vector<const Type*>> constrs = {};
  Span span = {};
  Span decided = {};      // kLinked: where
  std::string base = {};  // what a type parameter made of it is called
  bool wrong = false;     // the type of something that was reported: fits everything
  uint32_t walk = 0;      // the last walk that came here
};

class Unifier {
 public:
  Unifier(Context& ctx, Reporter& reporter) : ctx_(ctx), f_(ctx.f), report_(reporter) {
    // Few definitions have more variables than that.
    metas_.reserve(48);
  }

  int level = 0;

  const Type* fresh(Span span, Liftedness lifted, const char* base = "t");
  // The type of what has no type because of a mistake.
  const Type* wrong(Span span);
  bool is_wrong(const Type* t) const;
  const Type* fresh_prim(Span span, PrimSet prims);
  const Type* fresh_record(Span span, const std::string& field, const Type* type);
  const Type* fresh_sum(Span span, const std::string& constr, std::vector<const Type*> payload);
  // A type parameter of the definition at hand: its level is the present one.
  void declare_param(uint32_t id) { param_levels_[id] = level; }

  // Reports a mismatch and returns false.
  bool unify(const Type* a, const Type* b, const Reason& why);

  // The type without its outermost links.
  const Type* shallow(const Type* t) const;
  // The type with all that is known filled in.
  const Type* zonk(const Type* t);
  std::string show(const Type* t);
  // Two types on lines of their own, the first one first: types that are not known yet are named in
  // the order in which they are shown.
  std::string show_both(std::string_view before_a, const Type* a, std::string_view before_b,
                        const Type* b);
  // A headline with its line break: "BEFORE i32, but WHAT is f32"; empty if it would be too long.
  std::string plain_types(const std::string& before, const Type* expected, const Type* actual,
                          const std::string& what);
  Meta& meta(uint32_t id) { return metas_[id]; }
  uint32_t count() const { return static_cast<uint32_t>(metas_.size()); }
  // For a meta that is not linked itself: its root.
  uint32_t root(const Type* t) const { return shallow(t)->meta; }

 private:
  const Type* add(Meta m);
  bool go(const Type* a, const Type* b);
  bool go_shallow(const Type* a, const Type* b);
  bool go_metas(uint32_t a, uint32_t b, const Type* ta, const Type* tb);
  bool bind(uint32_t id, const Type* t);
  bool check_occurs(uint32_t id, const Type* t);
  bool walk_occurs(uint32_t id, const Type* t);
  void limit_lifted(Liftedness l, const Type* t);
  // A variable that stands for a large type may be met very often in one walk.
  bool seen_before(const Type* t);
  bool fail(std::string note) {
    note_ = std::move(note);
    return false;
  }
  // Remembers where the type at hand was decided, for the message.
  void blame(const Type* t);
  // unify_messages.cpp
  std::string unknown_name(uint32_t id);
  std::string prims_text(PrimSet set) const;
  std::string prims_words(PrimSet set) const;
  std::string plain_type(const Type* t);
  std::string plain_head(const Type* a, const Type* b, const Reason& why);
  std::string constrs_text(const Meta& m);
  void report(const Type* a, const Type* b, const Reason& why);
  std::string hint_for(const Type* a, const Type* b, const Reason& why);

  Context& ctx_;
  TypeFactory& f_;
  Reporter& report_;
  std::vector<Meta> metas_;
  std::unordered_map<uint32_t, int> param_levels_;
  const Type* wrong_ = nullptr;
  uint32_t walk_ = 0;
  Span at_ = {};  // of the types being unified
  std::vector<source::Label> blamed_;
  std::vector<uint32_t> shown_;  // variables in the present message, in order
  std::string note_;             // what exactly did not fit
  std::string hint_;             // what may have been meant
  // The innermost types that differ.
  const Type *clash_a_ = nullptr, *clash_b_ = nullptr;
  std::string code_;       // the error's code, if it is a special one
  bool whole_ = false;     // `note_` is the whole message
  bool fraction_ = false;  // a number with a fraction would be an integer
};

// The expression must have one of these types.
void require(Unifier& uni, const Exp& e, PrimSet prims, const char* why);

}  // namespace skald::futhark
