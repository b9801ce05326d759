// SPDX-License-Identifier: Apache-2.0
#include "little.h"

#include <cstring>

#include "at_once.h"
#include "direct.h"
#include "rows.h"

namespace skald::python {

namespace {

bool is_at_hand(const Node* node) {
  return node->buffer && node->buffer->data && !node->buffer->device && !node->is_compressed;
}

// Elements of an array that go to another part of it, by way of other memory.
bool move_elements(const Node* node, const View& from, const View& to) {
  const Scratch scratch(to.count() * lazy::item_size(node->type));
  const View dense = View::dense(to.shape);
  return scratch.data() && copy_elements(node->type, node->data(), from, scratch.data(), dense) &&
         copy_elements(node->type, scratch.data(), dense, node->data(), to);
}

}  // namespace

bool make_own(Base* base) {
  const Node* old = base->current;
  const Buffer* buffer = old->buffer;
  if (buffer->exports > 0) return false;
  if (old->refs == 1 && buffer->refs == 1 && buffer->writable) return true;
  if (old->count() > lazy::kMostAtOnce) return false;
  const int64_t bytes = old->count() * lazy::item_size(old->type);
  Buffer* copy = lazy::new_buffer(bytes);
  if (!copy) return false;
  std::memcpy(copy->data, old->data(), static_cast<size_t>(bytes));
  base->set(lazy::new_value(old->type, old->shape, copy));
  return true;
}

void run_if_little(Node* node) {
  if (node->count() > lazy::kMostAtOnce) return;
  for (int i = 0; i < node->input_count; ++i) {
    const Input& input = node->inputs[i];
    if (input.node && (!is_at_hand(input.node) || input.view.count() > lazy::kMostAtOnce)) return;
  }
  if (may_run_at_once() && evaluate_quietly(node)) ++stats.eager_nodes;
}

bool write_if_little(Base* base, const View& target, const Node* value, const View& value_view) {
  Input input;
  input.type = value->type;
  if (value->buffer) {
    input.node = const_cast<Node*>(value);
    input.view = value_view;
  } else if (value->kind == NodeKind::kFill) {
    input.scalar = value->scalar;
  } else {
    return false;
  }
  return write_if_little(base, target, input);
}

bool write_if_little(Base* base, const View& target, const Input& value) {
  const Node* old = base->current;
  const bool is_move = value.node == old;
  if (target.count() > lazy::kMostAtOnce || target.rank() > kMostAxes || !is_at_hand(old) ||
      !base->may_change() || value.type != old->type || !may_run_at_once())
    return false;
  if (!is_move && value.node && (!is_at_hand(value.node) || value.node->buffer == old->buffer))
    return false;
  if (!make_own(base)) return false;
  const Node* node = base->current;
  return is_move ? move_elements(node, value.view, target)
                 : copy_directly(node->data(), node->type, target, value);
}

}  // namespace skald::python
