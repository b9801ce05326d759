// SPDX-License-Identifier: Apache-2.0
#include "little.h"

#include "at_once.h"
#include "direct.h"

namespace skald::python {

namespace {

bool is_at_hand(const Node* node) {
  return node->buffer && node->buffer->data && !node->buffer->device;
}

}  // namespace

void run_if_little(Node* node) {
  if (node->count() > lazy::kFewElements) return;
  for (int i = 0; i < node->input_count; ++i) {
    const Input& input = node->inputs[i];
    if (input.node && (!is_at_hand(input.node) || input.view.count() > lazy::kFewElements)) return;
  }
  if (may_run_at_once() && evaluate_quietly(node)) ++stats.eager_nodes;
}

bool write_if_little(const Base* base, const View& target, const Node* value,
                     const View& value_view) {
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

bool write_if_little(const Base* base, const View& target, const Input& value) {
  const Node* old = base->current;
  if (target.count() > lazy::kFewElements || !is_at_hand(old) || !base->may_change()) return false;
  const Buffer* buffer = old->buffer;
  const bool ours = old->refs == 1 && buffer->refs == 1 && buffer->exports == 0 && buffer->writable;
  if (!ours) return false;
  if (value.node && (value.node->buffer == buffer || !is_at_hand(value.node))) return false;
  return may_run_at_once() && copy_directly(old->data(), old->type, target, value);
}

}  // namespace skald::python
