// SPDX-License-Identifier: Apache-2.0
// Rows of pending nodes that programs can take, and what NumPy would need for them.
#pragma once

#include "common.h"

namespace skald::python {

// Fewer nodes are no loop.
constexpr int64_t kShortestLoop = 12;

// Seconds that NumPy would need for a plan, about: all of it, and what a program could save of
// that.
struct Needed {
  double all = 0, savable = 0;
};

// Nodes one after the other that the compiler can take.
struct Row {
  Node* end = nullptr;  // the one after the last
  int64_t length = 0;
  double work = 0;      // what Node::work says, of all
  double products = 0;  // seconds

  explicit Row(Node* first);
  // Keeps the first ones.
  void cut(Node* first, int64_t count);
  Needed needed() const;
  // Too little work to be put into programs, or even to be remembered: it is done (direct.h) about
  // as fast as a plan is looked up.
  bool is_little() const;
};

// Pending nodes from one on, and seconds that NumPy would need for them, about.
struct Ahead {
  int64_t count = 0;
  double seconds = 0;
};
// Products may be run together (product_rows.cpp), for which the next one must be first.
Ahead up_to_product(const Node* first);

}  // namespace skald::python
