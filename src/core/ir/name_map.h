// SPDX-License-Identifier: Apache-2.0
// Maps and sets by name.
//
// Passes make them by the thousand, most with a handful of names, so that what counts is to
// allocate little: entries lie one after the other in the order they came, and up to kScanned of
// them are found by looking at all.  Beyond that a table of positions is kept, with open
// addressing.
//
//   entries_   │ xs_12 │ n_3 │ ys_40 │ …
//   slots_     │ 0 │ 2 │ – │ 1 │ …       1 + the position of an entry, or 0
//
// As in a std::unordered_map, except that a new or removed entry moves others: keep no reference
// across one.  The order is the order of insertion until something is removed, so that it is the
// same on every machine.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/ir/name.h"

namespace skald::core {

namespace detail {

// What maps and sets have in common; `Key` gives the name of an entry.
template <class Entry, class Key>
class NameTableOf {
 public:
  using value_type = Entry;
  using iterator = typename std::vector<Entry>::iterator;
  using const_iterator = typename std::vector<Entry>::const_iterator;

  iterator begin() { return entries_.begin(); }
  iterator end() { return entries_.end(); }
  const_iterator begin() const { return entries_.begin(); }
  const_iterator end() const { return entries_.end(); }
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

  iterator find(Name name) { return entries_.begin() + position(name); }
  const_iterator find(Name name) const { return entries_.begin() + position(name); }
  bool contains(Name name) const { return position(name) != count(); }

  void clear() {
    entries_.clear();
    slots_.clear();
  }
  void reserve(size_t size) { entries_.reserve(size); }

  // The last entry takes the place of the one that goes.
  size_t erase(Name name) {
    const ptrdiff_t at = position(name);
    if (at == count()) return 0;
    if (!slots_.empty()) {
      vacate(slot_of(at));
      if (at != count() - 1) slots_[slot_of(count() - 1)] = static_cast<uint32_t>(at + 1);
    }
    if (at != count() - 1) entries_[static_cast<size_t>(at)] = std::move(entries_.back());
    entries_.pop_back();
    return 1;
  }

 protected:
  // Appends what is not there yet.
  template <class... Args>
  std::pair<iterator, bool> add(Name name, Args&&... args) {
    const ptrdiff_t at = position(name);
    if (at != count()) return {entries_.begin() + at, false};
    entries_.emplace_back(std::forward<Args>(args)...);
    if (!slots_.empty() || entries_.size() > kScanned) {
      if (entries_.size() * 2 > slots_.size())
        rebuild();
      else
        fill(count() - 1);
    }
    return {entries_.end() - 1, true};
  }

 private:
  static constexpr size_t kScanned = 8;

  ptrdiff_t count() const { return static_cast<ptrdiff_t>(entries_.size()); }
  size_t mask() const { return slots_.size() - 1; }
  // Ids come in runs, which this spreads evenly.
  size_t home(Name name) const { return (name.id * 0x9E3779B1u) >> shift_; }
  Name name_at(ptrdiff_t at) const { return Key()(entries_[static_cast<size_t>(at)]); }

  ptrdiff_t position(Name name) const {
    if (slots_.empty()) {
      ptrdiff_t at = 0;
      while (at < count() && !(name_at(at) == name)) ++at;
      return at;
    }
    for (size_t s = home(name); slots_[s] != 0; s = (s + 1) & mask())
      if (name_at(slots_[s] - 1) == name) return slots_[s] - 1;
    return count();
  }
  size_t slot_of(ptrdiff_t at) const {
    size_t s = home(name_at(at));
    while (slots_[s] != static_cast<uint32_t>(at + 1)) s = (s + 1) & mask();
    return s;
  }
  void fill(ptrdiff_t at) {
    size_t s = home(name_at(at));
    while (slots_[s] != 0) s = (s + 1) & mask();
    slots_[s] = static_cast<uint32_t>(at + 1);
  }
  void rebuild() {
    slots_.assign(std::bit_ceil(4 * entries_.size()), 0);
    shift_ = 32 - std::countr_zero(slots_.size());
    for (ptrdiff_t at = 0; at < count(); ++at) fill(at);
  }
  // Entries that the slot pushed on move back.
  void vacate(size_t hole) {
    for (size_t s = (hole + 1) & mask(); slots_[s] != 0; s = (s + 1) & mask()) {
      const size_t wanted = home(name_at(slots_[s] - 1));
      if (((s - wanted) & mask()) < ((s - hole) & mask())) continue;
      slots_[hole] = slots_[s];
      hole = s;
    }
    slots_[hole] = 0;
  }

  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;  // a power of two, or none
  int shift_ = 0;
};

struct NameItself {
  Name operator()(Name name) const { return name; }
};
struct NameFirst {
  template <class T>
  Name operator()(const std::pair<Name, T>& entry) const {
    return entry.first;
  }
};

}  // namespace detail

class NameSet : public detail::NameTableOf<Name, detail::NameItself> {
 public:
  NameSet() = default;
  NameSet(std::initializer_list<Name> names) : NameSet(names.begin(), names.end()) {}
  template <class It>
  NameSet(It first, It last) {
    insert(first, last);
  }
  std::pair<iterator, bool> insert(Name name) { return add(name, name); }
  template <class It>
  void insert(It first, It last) {
    for (; first != last; ++first) insert(*first);
  }
  void merge(const NameSet& other) { insert(other.begin(), other.end()); }
  // For code that keeps its own sets.
  operator std::unordered_set<Name>() const {  // NOLINT(google-explicit-constructor)
    return {begin(), end()};
  }
  friend bool operator==(const NameSet& a, const NameSet& b) {
    if (a.size() != b.size()) return false;
    for (const Name name : a)
      if (!b.contains(name)) return false;
    return true;
  }
};

template <class T>
class NameMap : public detail::NameTableOf<std::pair<Name, T>, detail::NameFirst> {
  using Base = detail::NameTableOf<std::pair<Name, T>, detail::NameFirst>;

 public:
  using typename Base::iterator;

  NameMap() = default;
  NameMap(std::initializer_list<std::pair<Name, T>> entries) {
    for (const auto& [name, value] : entries) emplace(name, value);
  }
  T& operator[](Name name) { return try_emplace(name).first->second; }
  T& at(Name name) { return this->find(name)->second; }
  const T& at(Name name) const { return this->find(name)->second; }
  template <class... Args>
  std::pair<iterator, bool> try_emplace(Name name, Args&&... args) {
    return this->add(name, std::piecewise_construct, std::forward_as_tuple(name),
                     std::forward_as_tuple(std::forward<Args>(args)...));
  }
  template <class U>
  std::pair<iterator, bool> emplace(Name name, U&& value) {
    return try_emplace(name, std::forward<U>(value));
  }
  template <class U>
  void insert_or_assign(Name name, U&& value) {
    (*this)[name] = std::forward<U>(value);
  }
};

}  // namespace skald::core
