// SPDX-License-Identifier: Apache-2.0
// Elements that a mask names, in memory, and nodes of which only these are of use (selection.h).
#pragma once

#include "common.h"

namespace skald::python {

// Elements in memory.
struct Shown {
  std::byte* data;
  const View& view;
};
inline Shown shown(const ArrayObject* array) {
  return {array->base->current->data(), array->view};
}
inline Shown shown(const Input& input) {
  return {input.node->data(), input.view};
}

int64_t count_chosen(const Shown& mask);
// The chosen ones of `from`, one after the other.
void compress(const Shown& mask, const Shown& from, int size, std::byte* to);
// The other way round; `step` is in bytes.
void spread(const Shown& mask, const Shown& to, int size, const std::byte* from, int64_t step);

// Calls `use.operator()<size>()` for the size of an element.
template <class Use>
inline void for_size(int size, const Use& use) {
  switch (size) {
    case 1: use.template operator()<1>(); break;
    case 2: use.template operator()<2>(); break;
    case 4: use.template operator()<4>(); break;
    case 8: use.template operator()<8>(); break;
    default: use.template operator()<16>(); break;
  }
}

// The mask of a node that is masked, or that reads what is.
const Input* mask_of(const Node* node);
// Computes a masked node by NumPy: its value are the chosen elements alone.
bool run_masked(Node* node);
// Gives masked nodes that `node` reads, and that have the chosen elements only, all of them: the
// others are anything.  False: there is no memory.
bool expand_inputs(const Node* node);

}  // namespace skald::python
