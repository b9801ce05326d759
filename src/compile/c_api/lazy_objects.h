// SPDX-License-Identifier: Apache-2.0
// Lazy arrays of the C interface (include/skald/lazy.h): a version of the graph, seen through a
// view.
#pragma once

#include <skald/lazy.h>

#include <mutex>
#include <string>
#include <vector>

#include "compile/c_api/errors.h"
#include "frontend/lazy/graph.h"

namespace skald::c_api {

// The graph is not thread-safe: whoever touches it holds this.
std::mutex& lazy_mutex();

struct LazyArray {
  lazy::Node* node = nullptr;  // owned
  lazy::View view;

  LazyArray() = default;
  // Takes over the reference.
  explicit LazyArray(lazy::Node* made) : node(made), view(lazy::View::dense(made->shape)) {}
  LazyArray(const LazyArray&) = delete;
  LazyArray& operator=(const LazyArray&) = delete;
  // With the lock held.
  ~LazyArray() {
    if (node) node->drop();
  }
  bool is_whole() const { return view.offset == 0 && view.shape == node->shape && view.is_dense(); }
};

// ---- Running (lazy_run.cpp); all with the lock held.
// The number of an operation of that name.
uint16_t lazy_op(const std::string& name);
Outcome choose_lazy_backend(const std::string& name);
// Runs all that is pending.
Outcome run_lazy();
// Afterwards the node's elements are in the host's memory.
Outcome bring_lazy_home(lazy::Node* node);

}  // namespace skald::c_api
