// SPDX-License-Identifier: Apache-2.0
// What the checker's ids stand for beyond environments: sizes that expressions brought into being,
// and members of modules seen through module types.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/futhark/elaborate/values/values.h"

namespace skald::futhark::elab {

// Sizes that an expression brings into being (Exp::ext), by id, the latest last.
using FoundSizes = std::vector<std::pair<uint32_t, ValuePtr>>;

class KnownIds {
 public:
  // The term of this id: in the environment, or a size found before, or a member of a module.
  // Null if there is none.
  ValuePtr term(const Env& env, uint32_t id) const;
  const TypeBinding* type(const Env& env, uint32_t id) const;
  void add_term(uint32_t id, ValuePtr value) { terms_[id] = std::move(value); }
  void add_type(uint32_t id, TypeBinding type) { types_[id] = std::move(type); }

  // Sizes are known from where they are found to the end of the block, and the enclosing let puts
  // those found since it began into its environment.
  void add_size(uint32_t id, ValuePtr value) { sizes_.emplace_back(id, std::move(value)); }
  size_t size_count() const { return sizes_.size(); }
  void forget_sizes(size_t from) { sizes_.resize(std::min(from, sizes_.size())); }
  Env with_sizes(Env env, size_t from) const;
  // For the body of a function, which knows nothing of the sizes around.
  FoundSizes exchange_sizes(FoundSizes sizes) { return std::exchange(sizes_, std::move(sizes)); }

 private:
  FoundSizes sizes_;
  std::unordered_map<uint32_t, ValuePtr> terms_;     // the latest of each id
  std::unordered_map<uint32_t, TypeBinding> types_;  // the latest of each id
};

}  // namespace skald::futhark::elab
