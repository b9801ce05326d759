// SPDX-License-Identifier: Apache-2.0
// `A @ p` and `r @ A` each read all of A, which takes as long as memory needs.  Where both are
// pending, A goes through the cache in blocks of rows, of each of which BLAS makes its part of both
// products.  So does `(A @ x) @ A`, whose first product is known row by row.
#include "shared_products.h"

#include <algorithm>
#include <cstring>

#include "fallback.h"
#include "plan_cache.h"
#include "plans.h"
#include "real_arrays.h"
#include "recording.h"
#include "ufunc.h"

namespace skald::python {

namespace {

// So much of a matrix stays in the cache of a core while it is used twice.  Matrices that are not
// much larger are there anyway.
constexpr int64_t kBlock = int64_t{1} << 19, kLargeMatrix = 16 * kBlock;
// Products are looked for among so many nodes.
constexpr int kNearby = 64;

// A product of a vector with a large matrix at hand, whose rows lie one after the other.
struct Product {
  Node* node = nullptr;
  View matrix;              // without axes: it is no such product
  bool by_columns = false;  // vector @ matrix
  const Input* vector = nullptr;

  explicit Product(Node* candidate) {
    if (candidate->kind != NodeKind::kProduct || (candidate->axes != 1 && candidate->axes != 2) ||
        !(candidate->type == DType::kF64 || candidate->type == DType::kF32))
      return;
    by_columns = candidate->axes == 2;
    const Input& from = candidate->inputs[by_columns ? 1 : 0];
    const Buffer* buffer = from.node->buffer;
    if (!buffer || !buffer->data || buffer->device || from.node->is_compressed ||
        from.view.count() * lazy::item_size(from.type) < kLargeMatrix)
      return;
    View view = from.view;
    if (view.strides[0] == 1) {
      std::swap(view.shape[0], view.shape[1]);
      std::swap(view.strides[0], view.strides[1]);
      by_columns = !by_columns;
    }
    // A block has rows enough, and each is long enough, that calling BLAS costs little.
    constexpr int64_t kLeast = 256;
    if (view.strides[1] != 1 || view.strides[0] < view.shape[1] || view.shape[0] < kLeast ||
        view.shape[1] < kLeast || view.shape[1] * lazy::item_size(from.type) > kBlock / 4)
      return;
    vector = &candidate->inputs[candidate->axes == 2 ? 0 : 1];
    matrix = view;
    node = candidate;
  }
  explicit operator bool() const { return node != nullptr; }
  Node* source() const { return node->inputs[node->axes == 2 ? 1 : 0].node; }
  bool is_ready() const {
    const Buffer* buffer = vector->node->buffer;
    return buffer && buffer->data && !buffer->device && !vector->node->is_compressed;
  }
  // Is `other` the vector, all of it?
  bool needs(const Product& other) const {
    return vector->node == other.node && vector->view.offset == 0 &&
           vector->view.shape == other.node->shape && vector->view.is_dense();
  }
  bool shares(const Product& other) const {
    return source() == other.source() && node->type == other.node->type && matrix == other.matrix;
  }
};

// Rows from `at` on of what is shown.
PyObject* rows_of(const std::byte* data, DType type, View view, int64_t at, int64_t count) {
  view.offset += at * view.strides[0];
  view.shape[0] = count;
  return show(const_cast<std::byte*>(data), type, view, true);
}

// One of the two while its blocks are computed.
class Blocks {
 public:
  explicit Blocks(const Product& product) : product_(product), result_(product.node) {
    if (!product.by_columns) return;
    const int64_t bytes = product.node->count() * lazy::item_size(product.node->type);
    if (result_.buffer) std::memset(result_.buffer->data, 0, static_cast<size_t>(bytes));
    part_ = Ref(PyArray_EMPTY(1, product.node->shape.data(), numpy_type(product.node->type), 0));
  }
  bool is_good() const { return result_.array && (!product_.by_columns || part_); }
  const std::byte* data() const { return static_cast<const std::byte*>(result_.buffer->data); }
  // `vector`: if its elements are not those of the input.
  bool add(PyObject* block, int64_t at, int64_t count, const std::byte* vector) {
    const Product& p = product_;
    const DType type = p.node->type;
    const View whole = View::dense(p.vector->node->shape);
    const std::byte* from = vector ? vector : p.vector->node->data();
    const View& view = vector ? whole : p.vector->view;
    PyObject* const matmul = ufuncs()[ops.matmul].real;
    if (!p.by_columns) {
      Ref x(show(const_cast<std::byte*>(from), type, view, false));
      Ref out(rows_of(data(), type, View::dense(p.node->shape), at, count));
      PyObject* const args[] = {block, x.get(), out.get()};
      return x && out && Ref(PyObject_Vectorcall(matmul, args, 3, nullptr));
    }
    Ref x(rows_of(from, type, view, at, count));
    PyObject* const args[] = {x.get(), block, part_.get()};
    if (!x || !Ref(PyObject_Vectorcall(matmul, args, 3, nullptr))) return false;
    PyObject* const sum[] = {result_.array.get(), part_.get(), result_.array.get()};
    return static_cast<bool>(Ref(PyObject_Vectorcall(ufuncs()[ops.add].real, sum, 3, nullptr)));
  }
  void give() { result_.give(product_.node); }

 private:
  const Product& product_;
  Result result_;
  Ref part_;  // of a product by columns: that of one block
};

// The second one may need the first.
bool multiply_both(const Product& first, const Product& second) {
  const DType type = first.node->type;
  const int size = lazy::item_size(type);
  const std::byte* const matrix = first.source()->data();
  if (!count_fallback("matmul", 2 * first.matrix.count() * size)) return false;
  Blocks one(first), two(second);
  if (!one.is_good() || !two.is_good()) return false;
  const int64_t rows = first.matrix.shape[0];
  const int64_t step = kBlock / (first.matrix.shape[1] * size);
  const bool is_chain = second.needs(first);
  for (int64_t at = 0; at < rows; at += step) {
    const int64_t count = std::min(step, rows - at);
    if (PyErr_CheckSignals() != 0) return false;
    Ref block(rows_of(matrix, type, first.matrix, at, count));
    if (!block || !one.add(block.get(), at, count, nullptr) ||
        !two.add(block.get(), at, count, is_chain ? one.data() : nullptr))
      return false;
  }
  one.give();
  two.give();
  stats.eager_nodes += 2;
  return true;
}

}  // namespace

bool multiply_shared() {
  const PlanOptions& options = plan_options();
  if (lazy::pending().products() < 2 || options.evaluator == Evaluator::kCompiled ||
      options.hot > 0 || options.backend != "cpu" || current_trace())
    return true;
  int left = kNearby;
  for (Node* node = lazy::pending().first(); node && left > 0; node = node->next, --left) {
    const Product first(node);
    if (!first || !first.is_ready()) continue;
    for (Node* later = node->next; later && left > 0; later = later->next, --left) {
      const Product second(later);
      if (!second || !second.shares(first)) continue;
      const bool is_chain = !first.by_columns && second.by_columns && second.needs(first);
      if (!is_chain && !second.is_ready()) continue;
      // Nothing may drop them meanwhile.
      node->retain();
      later->retain();
      const bool good = multiply_both(first, second);
      node->drop();
      later->drop();
      return good;
    }
  }
  return true;
}

}  // namespace skald::python
