// SPDX-License-Identifier: Apache-2.0
// Equality and hashing up to the choice of bound names.
//
// Two pieces of code are equal if some one-to-one renaming of names makes them the same and leaves
// free names alone.  Because names are unique, this is equality up to bound names, and the renaming
// can be found in one walk: the first meeting of two names pairs them for good.
#include "core/edit/rename.h"
#include "core/ir/fields.h"
#include "core/ir/name_map.h"
#include "support/hash.h"

namespace skald::core {

namespace {

struct NamePairs {
  NameMap<Name> there = {}, back = {};
  bool name(Name a, Name b) {
    if (!a || !b) return !a && !b;
    const auto [forth_place, forth_new] = there.try_emplace(a, b);
    const auto [back_place, back_new] = back.try_emplace(b, a);
    return forth_new == back_new && forth_place->second == b && back_place->second == a;
  }
};

template <class T>
bool equal_code(const T& a, const T& b) {
  NamePairs pairs;
  if (!detail::match_deep(a, b, pairs)) return false;
  // A free name is paired with itself; a name that is not is bound in both pieces.
  NameSet bound_a, bound_b;
  struct Binders {
    NameSet& bound;
    void bind(Name name) { bound.insert(name); }
    void use(const Operand&) {}
    void use(Name) {}
  } in_a{bound_a}, in_b{bound_b};
  detail::walk_deep(a, in_a);
  detail::walk_deep(b, in_b);
  for (auto [x, y] : pairs.there) {
    if (bound_a.contains(x) != bound_b.contains(y)) return false;
    if (!bound_a.contains(x) && x != y) return false;
  }
  return true;
}

bool equal_entries(const std::optional<EntryPoint>& a, const std::optional<EntryPoint>& b) {
  if (!a || !b) return !a && !b;
  return a->name == b->name && a->sizes == b->sizes && a->result_sizes == b->result_sizes &&
         a->params == b->params && a->results == b->results && a->property == b->property;
}

// Bound names hash to the order in which they are first met, free names to their ids.
class Hasher {
 public:
  template <class T>
  explicit Hasher(const T& code) {
    struct Binders {
      NameMap<uint64_t>& order;
      void bind(Name name) { order.emplace(name, 0); }
      void use(const Operand&) {}
      void use(Name) {}
    } binders{order_};
    detail::walk_deep(code, binders);
    add(code);
  }
  uint64_t hash() const { return hash_; }

  template <class T>
  void add(const T& x) {
    if constexpr (std::is_same_v<T, Name>) {
      add_name(x);
    } else if constexpr (std::is_same_v<T, Operand> || std::is_same_v<T, MessagePart>) {
      mix(x.index());
      x.index() == 0 ? add(std::get<0>(x)) : add(std::get<1>(x));
    } else if constexpr (std::is_same_v<T, Exp>) {
      mix(x.index());
      visit(x, [&](auto& node) { add(node); });
    } else if constexpr (std::is_same_v<T, Loc>) {
    } else if constexpr (std::is_same_v<T, Const>) {
      mix(static_cast<uint64_t>(x.type));
      mix(x.bits);
    } else if constexpr (std::is_same_v<T, std::string>) {
      mix(hash64(x));
    } else if constexpr (detail::is_vector<T>) {
      mix(x.size());
      for (const auto& element : x) add(element);
    } else if constexpr (detail::HasFields<T>) {
      std::apply([&](auto&... field) { (add(field), ...); }, T::fields(x));
    } else {
      mix(static_cast<uint64_t>(x));
    }
  }
  void mix(uint64_t value) { hash_ = hash_combine(hash_, value); }

 private:
  void add_name(Name name) {
    auto found = order_.find(name);
    if (found == order_.end()) {
      mix(name.id);
      return;
    }
    if (found->second == 0) found->second = ++met_;
    // Apart from small ids of free names.
    mix(~found->second);
  }

  NameMap<uint64_t> order_;
  uint64_t met_ = 0;
  uint64_t hash_ = 0;
};

}  // namespace

bool equal(const Program& a, const Program& b) {
  if (a.stage != b.stage || a.functions.size() != b.functions.size()) return false;
  for (size_t i = 0; i < a.functions.size(); ++i) {
    const Function &f = a.functions[i], &g = b.functions[i];
    if (f.name != g.name || f.hints != g.hints || !equal_entries(f.entry, g.entry)) return false;
    if (!equal_code(f, g)) return false;
  }
  return true;
}

bool equal(const Lambda& a, const Lambda& b) {
  return equal_code(a, b);
}
bool equal(const Body& a, const Body& b) {
  return equal_code(a, b);
}
bool equal(const Exp& a, const Exp& b) {
  return equal_code(a, b);
}

uint64_t structural_hash(const Exp& exp) {
  return Hasher(exp).hash();
}
uint64_t structural_hash(const Lambda& fn) {
  return Hasher(fn).hash();
}
uint64_t structural_hash(const Program& prog) {
  uint64_t hash = static_cast<uint64_t>(prog.stage);
  for (const Function& fn : prog.functions) {
    hash = hash_combine(hash, hash64(fn.name));
    for (const std::string& word : hint_words(fn.hints)) hash = hash_combine(hash, hash64(word));
    if (fn.entry) hash = hash_combine(hash, hash64(fn.entry->name));
    hash = hash_combine(hash, Hasher(fn).hash());
  }
  return hash;
}

}  // namespace skald::core
