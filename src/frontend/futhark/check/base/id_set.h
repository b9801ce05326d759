// SPDX-License-Identifier: Apache-2.0
// Small sets of ids: most have a handful of members and live for a moment.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <unordered_set>
#include <utility>
#include <vector>

namespace skald::futhark {

// Members come in the order in which they were put in.
class IdSet {
 public:
  using value_type = uint32_t;
  using const_iterator = const uint32_t*;
  using iterator = const_iterator;

  IdSet() = default;
  IdSet(std::initializer_list<uint32_t> ids) { insert(ids.begin(), ids.end()); }

  const_iterator begin() const { return many_.empty() ? few_.data() : many_.data(); }
  const_iterator end() const { return begin() + size(); }
  size_t size() const { return many_.empty() ? count_ : many_.size(); }
  bool empty() const { return size() == 0; }

  bool contains(uint32_t id) const {
    if (index_.empty()) return std::find(begin(), end(), id) != end();
    return index_.contains(id);
  }
  // Whether it is new, as `second`.
  std::pair<const_iterator, bool> insert(uint32_t id) {
    if (contains(id)) return {end(), false};
    if (many_.empty() && count_ < few_.size()) {
      few_[count_++] = id;
      return {end() - 1, true};
    }
    if (many_.empty()) many_.assign(few_.begin(), few_.end());
    many_.push_back(id);
    if (!index_.empty()) {
      index_.insert(id);
    } else if (many_.size() > kSearched) {
      index_.insert(many_.begin(), many_.end());
    }
    return {end() - 1, true};
  }
  template <class Iterator>
  void insert(Iterator first, Iterator last) {
    for (; first != last; ++first) insert(*first);
  }
  size_t erase(uint32_t id) {
    if (!contains(id)) return 0;
    if (many_.empty()) {
      auto* const at = std::find(few_.begin(), few_.begin() + count_, id);
      std::copy(at + 1, few_.begin() + count_, at);
      --count_;
      return 1;
    }
    many_.erase(std::find(many_.begin(), many_.end(), id));
    index_.erase(id);
    // Without members it is a set of few again.
    if (many_.empty()) count_ = 0;
    return 1;
  }

 private:
  // Up to this many are looked through one by one.
  static constexpr size_t kSearched = 32;

  std::array<uint32_t, 6> few_;
  uint32_t count_ = 0;
  std::vector<uint32_t> many_;          // all of them, if there are more than `few_` can hold
  std::unordered_set<uint32_t> index_;  // of `many_`, once that is long
};

}  // namespace skald::futhark
