// SPDX-License-Identifier: Apache-2.0
// An output of a plan for which there is no memory is refused: the plan is written without it, so
// that all others get their values, and then it alone fails.
#include "refused.h"

#include <sys/mman.h>

#include <algorithm>

#include "evaluate.h"
#include "places.h"

namespace skald::python {

namespace {

// How many nodes are refused and not yet given up.
int refused = 0;

int64_t bytes_of(const Node* node) {
  return node->count() * lazy::item_size(node->type);
}

void refuse(Node* node) {
  node->is_refused = true;
  ++refused;
}

// Outputs that need memory of their own, the smallest first.  What a program may change can become
// an output of the same size.
std::vector<Node*> new_outputs(const lazy::PlanWriter& writer, const lazy::Plan& plan) {
  std::vector<Node*> outputs = writer.outputs;
  std::sort(outputs.begin(), outputs.end(),
            [](const Node* a, const Node* b) { return bytes_of(a) < bytes_of(b); });
  for (size_t i = 0; i < writer.externals.size(); ++i) {
    if (!plan.externals[i].is_exclusive) continue;
    const int64_t bytes = bytes_of(writer.externals[i]);
    const auto same = std::find_if(outputs.begin(), outputs.end(),
                                   [&](const Node* each) { return bytes_of(each) == bytes; });
    if (same != outputs.end()) outputs.erase(same);
  }
  return outputs;
}

// Address space for each, all at once; gives how many fit.
size_t count_fitting(const std::vector<Node*>& outputs) {
  std::vector<std::pair<void*, size_t>> rooms;
  for (const Node* node : outputs) {
    const auto bytes = static_cast<size_t>(std::max<int64_t>(bytes_of(node), 1));
    void* room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) break;
    rooms.emplace_back(room, bytes);
  }
  for (const auto& [room, bytes] : rooms) munmap(room, bytes);
  return rooms.size();
}

}  // namespace

void set_no_memory(const Node* node) {
  static PyObject* const type = [] {
    Ref module(PyImport_ImportModule("numpy._core._exceptions"));
    PyObject* found = module ? PyObject_GetAttrString(module.get(), "_ArrayMemoryError") : nullptr;
    if (!found) PyErr_Clear();
    return found ? found : Ref::borrowed(PyExc_MemoryError).release();
  }();
  Ref shape(PyTuple_New(node->shape.size()));
  for (int i = 0; shape && i < node->shape.size(); ++i)
    PyTuple_SET_ITEM(shape.get(), i, PyLong_FromLongLong(node->shape[i]));
  Ref args(shape ? PyTuple_Pack(2, shape.get(), descr_of(node->type)) : nullptr);
  if (args) PyErr_SetObject(type, args.get());
}

bool is_refusing() {
  return refused > 0;
}

bool refuse_what_does_not_fit(const lazy::PlanWriter& writer, const lazy::Plan& plan) {
  // Less is always there.
  constexpr int64_t kMuch = int64_t{1} << 26;
  int64_t bytes = 0;
  for (const Node* node : writer.outputs) bytes += bytes_of(node);
  if (bytes < kMuch) return false;
  const std::vector<Node*> outputs = new_outputs(writer, plan);
  size_t fitting = count_fitting(outputs);
  if (fitting == outputs.size()) return false;
  lazy::free_kept_blocks();
  fitting = count_fitting(outputs);
  for (size_t i = fitting; i < outputs.size(); ++i) refuse(outputs[i]);
  return fitting < outputs.size();
}

bool refuse_largest(const lazy::PlanWriter& writer) {
  if (writer.outputs.empty()) return false;
  refuse(*std::max_element(writer.outputs.begin(), writer.outputs.end(),
                           [](const Node* a, const Node* b) { return bytes_of(a) < bytes_of(b); }));
  return true;
}

void forget_refused(const lazy::PlanWriter& writer) {
  for (Node* node : writer.nodes) node->is_refused = false;
  refused = 0;
}

bool give_up_refused(const lazy::PlanWriter& writer) {
  if (!is_refusing()) return true;
  Node* first = nullptr;
  for (Node* node : writer.nodes) {
    if (!node->is_refused || !node->is_pending()) continue;
    set_no_memory(node);
    give_up(node);
    if (!first) first = node;
  }
  forget_refused(writer);
  if (!first) return true;
  set_no_memory(first);
  tell_places(first);
  return false;
}

bool give_up_spoiled(const lazy::PlanWriter& writer, const lazy::Plan& plan) {
  std::vector<const Node*> spoiled;
  for (size_t i = 0; i < writer.externals.size(); ++i) {
    if (plan.externals[i].is_exclusive) spoiled.push_back(writer.externals[i]);
  }
  if (spoiled.empty()) return false;
  std::vector<Node*> lost;
  for (Node* node : writer.nodes) {
    for (int i = 0; i < node->input_count; ++i) {
      const bool needs =
          std::find(spoiled.begin(), spoiled.end(), node->inputs[i].node) != spoiled.end();
      if (!needs) continue;
      spoiled.push_back(node);
      lost.push_back(node);
      break;
    }
  }
  if (!lost.empty()) tell_places(lost.front());
  for (Node* node : lost) lose(node);
  return true;
}

}  // namespace skald::python
