// SPDX-License-Identifier: Apache-2.0
#include "little.h"

#include "direct.h"
#include "plan_cache.h"
#include "plans.h"
#include "recording.h"

namespace skald::python {

namespace {

// Where more is pending, this may be a part of it: a loop is found only if all of it is recorded.
bool may_run_now() {
  const PlanOptions& options = plan_options();
  return lazy::pending().more() == 0 && options.evaluator == Evaluator::kAuto && options.hot == 0 &&
         options.backend == "cpu" && !is_recording() && !current_trace();
}

bool is_at_hand(const Node* node) {
  return node->buffer && node->buffer->data && !node->buffer->device;
}

}  // namespace

void run_if_little(Node* node) {
  if (node->count() > lazy::kVeryFewElements) return;
  for (int i = 0; i < node->input_count; ++i) {
    const Input& input = node->inputs[i];
    if (input.node && (!is_at_hand(input.node) || input.view.count() > lazy::kVeryFewElements))
      return;
  }
  if (may_run_now() && evaluate_quietly(node)) ++stats.eager_nodes;
}

bool write_if_little(const Base* base, const View& target, const Node* value,
                     const View& value_view) {
  const Node* old = base->current;
  if (target.count() > lazy::kVeryFewElements || !is_at_hand(old) || !base->may_change())
    return false;
  const Buffer* buffer = old->buffer;
  const bool ours = old->refs == 1 && buffer->refs == 1 && buffer->exports == 0 && buffer->writable;
  if (!ours || value->buffer == buffer) return false;
  Input input;
  input.type = value->type;
  if (value->buffer) {
    if (!is_at_hand(value)) return false;
    input.node = const_cast<Node*>(value);
    input.view = value_view;
  } else if (value->kind == NodeKind::kFill) {
    input.scalar = value->scalar;
  } else {
    return false;
  }
  return may_run_now() && copy_directly(old->data(), old->type, target, input);
}

}  // namespace skald::python
