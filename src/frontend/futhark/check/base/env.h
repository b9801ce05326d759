// SPDX-License-Identifier: Apache-2.0
// What names stand for: values, types, modules, module types, and environments of them.
//
// Entries live in the Context (context.h) and are shared by all environments that see them; an
// environment is a list of (name, entry) in the order of definition.  A Scope is a view of an
// environment as it was after some number of definitions, so a definition whose check is put off
// still sees exactly what was in scope where it stands.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/futhark/ast/ast.h"
#include "frontend/futhark/check/base/type_ops.h"

namespace skald::futhark {

struct LazyDef;  // definitions.h
struct Env;

using PrimSet = uint16_t;  // bit i: kAllPrims[i]
constexpr PrimSet prim_bit(Prim p) {
  return static_cast<PrimSet>(1u << static_cast<unsigned>(p));
}
constexpr PrimSet kSignedPrims = 0b0000'0001'1110, kIntPrims = 0b0001'1111'1110,
                  kFloatPrims = 0b1110'0000'0000, kNumberPrims = kIntPrims | kFloatPrims,
                  kEveryPrim = 0b1111'1111'1111;

struct ValEntry {
  enum Kind : uint8_t {
    kGlobal,
    kLocal,
    kSelf,        // a function inside its own body
    kOverloaded,  // built-in operator on the primitives of `overload`
    kEquality,    // == and !=
  } kind = kGlobal;
  VName name;
  Span span = {};
  // The type scheme.  Of a local variable the unsized type; its sized type is the size step's
  // business.
  std::vector<TParam> params = {};
  const Type* type = nullptr;
  PrimSet overload = 0;
  bool result_bool = false;  // of an overloaded operator
  bool intrinsic = false;
  // Its definition was wrong and has been reported.
  bool broken = false;
  bool used = false;
  // The definition, if its body has not been looked at yet.
  LazyDef* lazy = nullptr;
  const Type* erased = nullptr;  // cache of erase_sizes(type)
  // The scheme as the size step sees it, for local names.
  const Type* sized = nullptr;
  std::vector<TParam> sized_params = {};
};

struct TypeEntry {
  VName name;
  Span span = {};
  Liftedness lifted = Liftedness::kUnlifted;
  TypeDef def;
  // Its definition was wrong and has been reported.
  bool broken = false;
};

// An abstract type of a module type: where it is found and by which id it is known.
struct AbstractType {
  std::vector<std::string> path;
  VName name;
  Liftedness lifted = Liftedness::kUnlifted;
};

struct Mod;
// A module type, as meant: an environment or parametric module over abstract types.
struct ModType {
  std::vector<AbstractType> abstract;
  const Mod* mod = nullptr;
};
struct Mod {
  const Env* env = nullptr;  // null: parametric, then
  std::vector<AbstractType> param_abstract = {};
  const Mod* param = nullptr;
  ModType result = {};
  // Ids between these were made by the body: every application makes them anew.
  uint32_t generative_from = 0, generative_to = 0;
};

// A module that may be looked at only when somebody asks for it: the prelude has many, a program
// uses few.
class LazyMod {
 public:
  LazyMod(const Mod* mod = nullptr) : mod_(mod) {}  // NOLINT: implicit by design
  explicit LazyMod(std::function<const Mod*()> make) : make_(std::move(make)) {}
  LazyMod(const LazyMod& other) : mod_(other.get()) {}
  LazyMod(LazyMod&&) = default;
  LazyMod& operator=(LazyMod&&) = default;

  const Mod* get() const {
    if (make_) mod_ = std::exchange(make_, nullptr)();
    return mod_;
  }
  operator const Mod*() const { return get(); }  // NOLINT: implicit by design
  const Mod* operator->() const { return get(); }

 private:
  mutable const Mod* mod_ = nullptr;
  mutable std::function<const Mod*()> make_;
};

struct ModEntry {
  VName name;
  Span span = {};
  LazyMod mod = {};
};
struct ModTypeEntry {
  VName name;
  Span span = {};
  ModType type;
};

// A term: a value or a module.
struct Term {
  ValEntry* val = nullptr;
  ModEntry* mod = nullptr;
  explicit operator bool() const { return val || mod; }
};

// A name to be looked up in several environments.
struct Key {
  Key(const std::string& text)  // NOLINT: implicit by design
      : name(text), hash(static_cast<uint32_t>(std::hash<std::string_view>{}(text))) {}
  Key(const std::string& text, uint32_t known_hash) : name(text), hash(known_hash) {}
  const std::string& name;
  uint32_t hash;
};

// Where in a list each name occurs last, and where before that.  What was added last can be taken
// away again.
class LatestByName {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  size_t size() const { return entries_.size(); }
  // The place of the last one of that name, by `name_at(place)`; kNone if there is none.
  template <class NameAt>
  uint32_t find(const Key& key, NameAt&& name_at) const {
    if (slots_.empty()) return kNone;
    return slots_[slot_of(key, name_at)];
  }
  // The place of the one of the same name before it.
  uint32_t before(uint32_t place) const { return entries_[place].before; }
  // Adds the name at the place size().
  template <class NameAt>
  void push(const Key& key, NameAt&& name_at) {
    if (slots_.size() < 2 * (entries_.size() + 1)) grow(name_at);
    uint32_t& slot = slots_[slot_of(key, name_at)];
    entries_.push_back({key.hash, slot});
    slot = static_cast<uint32_t>(entries_.size() - 1);
  }
  // Takes the last one away.  No other name was put in after the first of its name, so the slot may
  // become empty without hiding another one behind it.
  template <class NameAt>
  void pop(const Key& key, NameAt&& name_at) {
    slots_[slot_of(key, name_at)] = entries_.back().before;
    entries_.pop_back();
  }

 private:
  struct Entry {
    uint32_t hash, before;
  };
  template <class NameAt>
  size_t slot_of(const Key& key, NameAt&& name_at) const {
    const size_t mask = slots_.size() - 1;
    for (size_t at = key.hash & mask;; at = (at + 1) & mask) {
      const uint32_t place = slots_[at];
      if (place == kNone || (entries_[place].hash == key.hash && name_at(place) == key.name))
        return at;
    }
  }
  template <class NameAt>
  void grow(NameAt&& name_at) {
    slots_.assign(std::max(kFirstSlots, slots_.size() * 2), kNone);
    entries_.reserve(slots_.size() / 2);
    for (uint32_t i = 0; i < entries_.size(); ++i)
      slots_[slot_of(Key(name_at(i), entries_[i].hash), name_at)] = i;
  }

  static constexpr size_t kFirstSlots = 32;

  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;
};

struct Env {
  struct Item {
    std::string name;
    Term term = {};
    TypeEntry* type = nullptr;
    ModTypeEntry* mod_type = nullptr;
  };
  std::vector<Item> items;
  // Something that would have added names was wrong, and has been reported.
  bool incomplete = false;
  // The declarations it is made of, those that follow included; null if there are none.
  const std::vector<Ptr<Dec>>* source = nullptr;

  void add(Item item) { items.push_back(std::move(item)); }
  void add_all(const Env& other);
  // The latest one among the first `limit` items.
  Term find_term(const Key& name, size_t limit = SIZE_MAX) const;
  TypeEntry* find_type(const Key& name, size_t limit = SIZE_MAX) const;
  ModTypeEntry* find_mod_type(const Key& name, size_t limit = SIZE_MAX) const;

 private:
  template <class Wanted>
  const Item* find(const Key& name, size_t limit, Wanted wanted) const;
  // The items by name, made when somebody first asks: many environments are never asked.
  mutable LatestByName index_;
};

struct Scope {
  const Env* env = nullptr;
  size_t limit = SIZE_MAX;
  std::shared_ptr<const Scope> parent = {};
};
using ScopePtr = std::shared_ptr<const Scope>;

// Names in force at one point: the local ones of a definition on top of a module-level scope.
class Names {
 public:
  explicit Names(ScopePtr scope) : scope_(std::move(scope)) {}

  // Everything bound until the Mark is destroyed goes out of scope with it.
  class Mark {
   public:
    explicit Mark(Names& names)
        : names_(names), terms_(names.terms_.size()), types_(names.types_.size()) {}
    ~Mark() {
      names_.terms_.pop_to(terms_);
      names_.types_.pop_to(types_);
    }
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;

   private:
    Names& names_;
    size_t terms_, types_;
  };

  void bind(const std::string& name, Term term) { terms_.bind(name, term); }
  void bind_type(const std::string& name, TypeEntry* type) { types_.bind(name, type); }
  void open(const Env& env);

  Term term(const std::string& name) const;
  TypeEntry* type(const std::string& name) const;
  ModTypeEntry* mod_type(const std::string& name) const;
  // Follows the qualifiers; null if one is not a module with that member.
  Term term(const QualName& name) const;
  TypeEntry* type(const QualName& name) const;
  ModTypeEntry* mod_type(const QualName& name) const;
  // Everything that can be seen, inner names first; what is hidden by them too.
  void for_each(const std::function<void(const Env::Item&)>& visit) const;
  // Whether a name may be unknown because of a mistake that has been reported.
  bool excused(const QualName& name) const;
  const ScopePtr& scope() const { return scope_; }

 private:
  // A stack of bindings.
  template <class What>
  class Stack {
   public:
    size_t size() const { return bound_.size(); }
    void bind(const std::string& name, What what) {
      if (bound_.empty()) bound_.reserve(kUsual);
      index_.push(name, names());
      bound_.emplace_back(name, what);
    }
    void pop_to(size_t size) {
      for (; bound_.size() > size; bound_.pop_back()) index_.pop(bound_.back().first, names());
    }
    // The innermost one; nothing if there is none.
    What find(const Key& key) const {
      const uint32_t place = index_.find(key, names());
      return place == LatestByName::kNone ? What{} : bound_[place].second;
    }
    template <class Visit>
    void for_each(Visit&& visit) const {
      for (size_t i = bound_.size(); i-- > 0;)
        if (index_.find(bound_[i].first, names()) == i) visit(bound_[i].first, bound_[i].second);
    }

   private:
    auto names() const {
      return [this](uint32_t place) -> const std::string& { return bound_[place].first; };
    }
    static constexpr size_t kUsual = 10;
    std::vector<std::pair<std::string, What>> bound_;
    LatestByName index_;
  };

  const Env* qualified(const std::vector<std::string>& quals) const;

  ScopePtr scope_;
  Stack<Term> terms_;
  Stack<TypeEntry*> types_;
};

}  // namespace skald::futhark
