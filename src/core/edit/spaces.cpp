// SPDX-License-Identifier: Apache-2.0
#include "core/edit/spaces.h"

#include <algorithm>

#include "core/ir/fields.h"

namespace skald::core {

namespace {

// Shows `see` every space in the code: of arrays, of blocks, of kernels.
template <class T, class F>
void for_each_space(T& code, F& see) {
  using U = std::remove_const_t<T>;
  if constexpr (std::is_same_v<U, Type>) {
    if (code.is_array() || code.kind == Type::kMem) see(code.space);
  } else if constexpr (std::is_same_v<U, Exp>) {
    visit(code, [&](auto& node) { for_each_space(node, see); });
  } else if constexpr (detail::is_vector<U>) {
    for (auto& element : code) for_each_space(element, see);
  } else if constexpr (detail::HasFields<U>) {
    if constexpr (std::is_same_v<U, Kernel>) see(code.space);
    std::apply([&](auto&... field) { (for_each_space(field, see), ...); }, U::fields(code));
  }
}

struct SetSpace {
  Space space;
  void operator()(Space& of) const { of = space; }
};

}  // namespace

void set_space(Function& fn, Space space) {
  SetSpace set{space};
  for_each_space(fn, set);
}

void set_space(Kernel& kernel, Space space) {
  SetSpace set{space};
  for_each_space(kernel, set);
}

Space highest_space(const Program& prog) {
  Space highest = Space::kHost;
  const auto see = [&](Space space) { highest = std::max(highest, space); };
  for (const Function& fn : prog.functions) for_each_space(fn, see);
  return highest;
}

}  // namespace skald::core
