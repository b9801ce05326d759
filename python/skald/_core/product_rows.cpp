// SPDX-License-Identifier: Apache-2.0
// `for i in range(n): c[i, i:] = a[:, i] @ b[:, i:]` goes through `b` once for each i.  Where many
// such products are pending, their vectors are rows of one matrix, and one product of matrices has
// all results, each as a part of a row.
#include "product_rows.h"

#include <algorithm>
#include <vector>

#include "fallback.h"
#include "plan_cache.h"
#include "plans.h"
#include "real_arrays.h"

namespace skald::python {

namespace {

// Fewer products gain nothing.
constexpr int64_t kFewest = 8;
// More would not be faster, and where each product has one column less than the one before, as many
// columns are computed for nothing.
constexpr int64_t kMost = 96;
// So many nodes are looked through.
constexpr int64_t kNearby = 8192;

bool is_at_hand(const Node* node) {
  return node && node->buffer && node->buffer->data && !node->buffer->device &&
         !node->is_compressed;
}

// vector @ matrix; matrix @ vector is the same with the axes of the matrix exchanged.
struct Factors {
  const Input* vector = nullptr;  // null: it is no such product
  Node* source = nullptr;         // of the matrix
  View matrix;

  explicit Factors(const Node* node) {
    if (node->kind != NodeKind::kProduct || (node->axes != 1 && node->axes != 2) ||
        !(lazy::is_float(node->type) || lazy::is_complex(node->type)))
      return;
    const bool vector_first = node->axes == 2;
    const Input& other = node->inputs[vector_first ? 1 : 0];
    if (!is_at_hand(node->inputs[0].node) || !is_at_hand(node->inputs[1].node)) return;
    source = other.node;
    matrix = other.view;
    if (!vector_first) {
      std::swap(matrix.shape[0], matrix.shape[1]);
      std::swap(matrix.strides[0], matrix.strides[1]);
    }
    if (matrix.strides[1] == 0 || matrix.shape[0] == 0 || matrix.shape[1] == 0) return;
    vector = &node->inputs[vector_first ? 0 : 1];
  }
  explicit operator bool() const { return vector != nullptr; }
  int64_t columns() const { return matrix.shape[1]; }
  // The same rows of the same arrays, wherever their columns begin.
  bool matches(const Factors& other) const {
    const int64_t way = matrix.offset - other.matrix.offset;
    return vector->node == other.vector->node && source == other.source &&
           vector->view.strides == other.vector->view.strides &&
           matrix.shape[0] == other.matrix.shape[0] && matrix.strides == other.matrix.strides &&
           way % matrix.strides[1] == 0;
  }
};

class Rows {
 public:
  explicit Rows(Node* first) : one_(first) {
    if (!one_) return;
    int64_t left = kNearby;
    for (Node* node = first; node && left > 0 && !is_over_; node = node->next, --left) {
      if (node->kind == NodeKind::kProduct) add(node);
      seen_ = node->id;
    }
  }
  // The number of the last node that was looked at; 0: the first product cannot be computed yet.
  uint64_t seen() const { return seen_; }
  bool is_worth_it() const {
    const auto count = static_cast<int64_t>(nodes_.size());
    return count >= kFewest && 2 * elements_ >= count * (last_ - first_);
  }

  // Afterwards all have their values.
  bool multiply() {
    const auto count = static_cast<int64_t>(nodes_.size());
    const int64_t columns = last_ - first_;
    const DType type = nodes_[0]->type;
    const int size = lazy::item_size(type);
    View left = one_.vector->view, right = one_.matrix;
    left.shape.insert(0, count);
    left.strides.insert(0, step_);
    right.offset += first_ * right.strides[1];
    right.shape[1] = columns;
    if (!count_fallback("matmul", (left.count() + right.count()) * size)) return false;
    Buffer* buffer = lazy::new_buffer(count * columns * size);
    if (!buffer) return true;
    Dims shape(2, count);
    shape[1] = columns;
    Ref a(show(one_.vector->node->data(), type, left, false));
    Ref b(show(one_.source->data(), type, right, false));
    Ref to(show(buffer->data, type, View::dense(shape), true));
    const bool good =
        a && b && to && Ref(PyArray_MatrixProduct2(a.get(), b.get(), as_real(to.get())));
    for (size_t i = 0; good && i < nodes_.size(); ++i) {
      buffer->retain();
      const int64_t at = static_cast<int64_t>(i) * columns + begins_[i] - first_;
      lazy::set_value(nodes_[i], buffer, at * size);
      ++stats.eager_nodes;
    }
    buffer->drop();
    return good;
  }

 private:
  // Columns are counted from where the first product begins.
  void add(Node* node) {
    const Factors factors(node);
    if (!factors || !factors.matches(one_) || node->is_refused) return;
    const int64_t way = factors.vector->view.offset - one_.vector->view.offset;
    const auto count = static_cast<int64_t>(nodes_.size());
    if (count == 1) step_ = way;
    const int64_t begin = (factors.matrix.offset - one_.matrix.offset) / one_.matrix.strides[1];
    const int64_t first = std::min(first_, begin);
    const int64_t last = std::max(last_, begin + factors.columns());
    is_over_ = way != count * step_ || (count > 0 && step_ == 0) || count == kMost;
    if (is_over_) return;
    first_ = first, last_ = last;
    elements_ += factors.columns();
    begins_.push_back(begin);
    nodes_.push_back(node);
  }

  Factors one_;
  std::vector<Node*> nodes_;
  std::vector<int64_t> begins_;
  int64_t step_ = 0, first_ = 0, last_ = 0, elements_ = 0;
  uint64_t seen_ = 0;
  bool is_over_ = false;
};

}  // namespace

bool multiply_rows(Node* first) {
  constexpr int kBefore = 64;
  // Among the nodes up to this one nothing is to be found.
  static uint64_t looked_until = 0;
  const PlanOptions& options = plan_options();
  if (lazy::pending().products() < kFewest || options.evaluator == Evaluator::kCompiled ||
      options.hot > 0 || !options.is_cpu || current_trace())
    return true;
  Node* product = first;
  for (int left = kBefore; product && product->kind != NodeKind::kProduct; product = product->next)
    if (--left == 0) return true;
  if (!product || product->id <= looked_until) return true;
  Rows rows(product);
  if (rows.is_worth_it()) return rows.multiply();
  looked_until = std::max(looked_until, rows.seen());
  return true;
}

}  // namespace skald::python
