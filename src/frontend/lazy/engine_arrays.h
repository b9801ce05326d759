// SPDX-License-Identifier: Apache-2.0
// Arrays of recorders as arguments of the engine's calls.
#pragma once

#include "frontend/lazy/engine_api.h"
#include "frontend/lazy/graph.h"

namespace skald::lazy {

// Lends the memory of a node's array for a call; with `give_back` it is given away, and comes back
// through that function.
inline void add_array(EngineCall& call, const Node* node, Buffer* buffer,
                      void (*give_back)(void*, void*)) {
  EngineArray& array = call.arrays.emplace_back();
  if (buffer->data) array.data = static_cast<std::byte*>(buffer->data) + node->byte_offset;
  array.device = buffer->device;
  array.type = node->type;
  array.bytes = node->count() * item_size(node->type);
  array.shape.assign(node->shape.begin(), node->shape.end());
  if (!give_back || node->shape.empty()) return;
  buffer->device = nullptr;
  buffer->retain();
  array.release = give_back;
  array.argument = buffer;
}

}  // namespace skald::lazy
