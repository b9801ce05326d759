// SPDX-License-Identifier: Apache-2.0
// Two nodes, one after the other, as one: where the second alone needs the first.
#include <cstdlib>

#include "direct.h"
#include "evaluate.h"
#include "plan_cache.h"
#include "real_arrays.h"
#include "sums.h"
#include "ufunc.h"

namespace skald::python {

namespace {

// Has the view no element twice?
bool is_without_overlap(const View& view) {
  // Axes of larger steps must go further than all of smaller ones together.
  uint64_t open = (uint64_t{1} << view.rank()) - 1;
  int64_t reach = 0;
  while (open != 0) {
    int next = -1;
    for (int i = 0; i < view.rank(); ++i) {
      if ((open >> i & 1) != 0 &&
          (next < 0 || std::abs(view.strides[i]) < std::abs(view.strides[next])))
        next = i;
    }
    if (view.shape[next] > 1 && std::abs(view.strides[next]) <= reach) return false;
    reach += std::abs(view.strides[next]) * (view.shape[next] - 1);
    open &= ~(uint64_t{1} << next);
  }
  return true;
}

// May the part of `old` that `writer` wants be changed while `node` is computed?
bool may_change(const Node* node, const Node* writer, const Node* old) {
  int own = 1;
  for (int i = 0; i < node->input_count; ++i) {
    const Input& input = node->inputs[i];
    if (!input.node) continue;
    if (!input.node->buffer || input.node->is_compressed) return false;
    if (input.node->buffer != old->buffer) continue;
    if (input.node != old || !(input.view == writer->target)) return false;
    ++own;
  }
  const Buffer* buffer = old->buffer;
  return buffer && old->refs == own && buffer->refs == 1 && buffer->exports == 0 &&
         buffer->writable && !old->is_compressed && is_without_overlap(writer->target);
}

// Computes `node` where `writer`, which alone needs it, would write it.
Done write_in_place(Node* node, Node* writer) {
  const bool fits = node->kind == NodeKind::kElementwise && writer->kind == NodeKind::kAssign &&
                    writer->input_count == 2 && writer->inputs[1].node == node && node->refs == 2 &&
                    node->is_pending() && node->type == writer->type && node->op < kWhereOp &&
                    !node->is_masked && node->count() > 0;
  if (!fits) return Done::kNo;
  const View& view = writer->inputs[1].view;
  Node* old = writer->inputs[0].node;
  if (view.offset != 0 || !(view.shape == node->shape) || !view.is_dense() ||
      !may_change(node, writer, old))
    return Done::kNo;
  bool reads = false;
  for (int i = 0; i < node->input_count; ++i) {
    Node* from = node->inputs[i].node;
    if (from && !bring_home(from->buffer)) return Done::kFailed;
    reads = reads || from == old;
  }
  if (!bring_home(old->buffer)) return Done::kFailed;
  Buffer* buffer = old->buffer;
  const int64_t offset = old->byte_offset;
  const Done done = compute_directly_into(node, old->data(), writer->target, reads);
  if (done == Done::kFailed) return done;
  if (done == Done::kNo) {
    if (node->count() <= lazy::kFewElements) return done;
    Ref out(show(old->data(), node->type, writer->target, true));
    if (!out || !call_ufunc(node, out.get())) return Done::kFailed;
  }
  buffer->forget_device();
  buffer->retain();
  lazy::set_value(writer, buffer, offset);
  return Done::kYes;
}

}  // namespace

Done evaluate_pair(Node* node, Node* next) {
  Done done = write_in_place(node, next);
  if (done == Done::kNo) done = sum_chosen(node, next);
  if (done != Done::kYes) return done;
  stats.eager_nodes += 2;
  if (Trace* trace = current_trace()) trace->runs += 2;
  return done;
}

}  // namespace skald::python
