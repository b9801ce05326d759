// SPDX-License-Identifier: Apache-2.0
// Lookup of ids, innermost first.
#include "frontend/futhark/elaborate/values/known_ids.h"

namespace skald::futhark::elab {

ValuePtr KnownIds::term(const Env& env, uint32_t id) const {
  if (id == 0) return nullptr;
  if (ValuePtr v = lookup_term_id(env, id)) return v;
  for (auto it = sizes_.rbegin(); it != sizes_.rend(); ++it)
    if (it->first == id) return it->second;
  auto it = terms_.find(id);
  return it == terms_.end() ? nullptr : it->second;
}

const TypeBinding* KnownIds::type(const Env& env, uint32_t id) const {
  if (const TypeBinding* found = lookup_type_id(env, id)) return found;
  auto it = types_.find(id);
  return it == types_.end() ? nullptr : &it->second;
}

Env KnownIds::with_sizes(Env env, size_t from) const {
  for (size_t i = from; i < sizes_.size(); ++i)
    env = bind_term(env, {}, sizes_[i].first, sizes_[i].second);
  return env;
}

}  // namespace skald::futhark::elab
