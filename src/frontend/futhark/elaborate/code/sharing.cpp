// SPDX-License-Identifier: Apache-2.0
// Views, followed to the arrays they are views of.
#include "frontend/futhark/elaborate/code/sharing.h"

namespace skald::futhark::elab {

void Sharing::add_alias(Name name, const Operand& source) {
  if (const Name* n = core::as_name(source); n && *n != name) alias_[name].push_back(*n);
}

std::vector<Name> Sharing::roots_of(Name name) const {
  std::vector<Name> roots, work = {name};
  std::unordered_set<Name> seen;
  while (!work.empty()) {
    Name n = work.back();
    work.pop_back();
    if (!seen.insert(n).second) continue;
    auto it = alias_.find(n);
    if (it == alias_.end()) {
      roots.push_back(n);
    } else {
      work.insert(work.end(), it->second.begin(), it->second.end());
    }
  }
  return roots;
}

void Sharing::share(Name array) {
  for (Name root : roots_of(array)) shared_.insert(root);
}

void Sharing::share(const Value& v) {
  for (const Operand& leaf : leaves_of(v))
    if (const Name* name = core::as_name(leaf)) share(*name);
}

bool Sharing::is_shared(Name name) const {
  for (Name root : roots_of(name))
    if (shared_.contains(root)) return true;
  return shared_.contains(name);
}

void Sharing::mark_consumed(Name array) {
  for (Name root : roots_of(array)) consumed_.insert(root);
}

}  // namespace skald::futhark::elab
