// SPDX-License-Identifier: Apache-2.0
// Products of vectors and matrices: short and small ones, where calling BLAS costs more than the
// arithmetic, at once; others as nodes.
#include <cstring>

#include "direct.h"
#include "no_flags.h"
#include "plan_cache.h"
#include "plans.h"
#include "recording.h"

namespace skald::python {

namespace {

struct Complex {
  double real = 0, imag = 0;
};
double product(double a, double b) {
  return a * b;
}
Complex product(Complex a, Complex b) {
  return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
}
void add(double& sum, double term) {
  sum += term;
}
void add(Complex& sum, Complex term) {
  sum.real += term.real;
  sum.imag += term.imag;
}

template <class T>
const T* elements(const ArrayObject* array) {
  return reinterpret_cast<const T*>(array->base->current->data()) + array->view.offset;
}

template <class T>
void multiply(const ArrayObject* left, const ArrayObject* right, T* to) {
  const int64_t rows = left->view.shape[0], inner = left->view.shape[1];
  const int64_t columns = right->view.shape[1];
  const int64_t *x_steps = left->view.strides.data(), *y_steps = right->view.strides.data();
  const T *x = elements<T>(left), *y = elements<T>(right);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      T sum = {};
      for (int64_t k = 0; k < inner; ++k)
        add(sum, product(x[i * x_steps[0] + k * x_steps[1]], y[k * y_steps[0] + j * y_steps[1]]));
      *to++ = sum;
    }
  }
}

double dot(const double* x, int64_t x_step, const double* y, int64_t y_step, int64_t n) {
  double sums[4] = {};
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; ++k) sums[k] += x[(i + k) * x_step] * y[(i + k) * y_step];
  }
  double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (; i < n; ++i) sum += x[i * x_step] * y[i * y_step];
  return sum;
}

// Fewer elements are multiplied before BLAS has begun.
constexpr int64_t kShortForBlas = 32;

bool may_run_blas() {
  const PlanOptions& options = plan_options();
  return options.evaluator == Evaluator::kAuto && options.hot == 0 && options.is_cpu;
}
bool is_at_hand(const ArrayObject* array) {
  const Buffer* buffer = array->base->current->buffer;
  return buffer && buffer->data && !buffer->device;
}

// Afterwards both, where they are not null, are at hand; false: somebody else must see to it, or an
// exception is set.
bool force_both(ArrayObject* left, ArrayObject* right) {
  for (ArrayObject* array : {left, right}) {
    if (!array) continue;
    const bool waits = array->base->current->is_pending();
    if (waits && lazy::pending().large() > 0) return false;
    if (!force(array)) return false;
  }
  return true;
}

}  // namespace

namespace {

// A vector of ours or of the real NumPy.
struct Vector {
  ArrayObject* ours = nullptr;  // null: its elements are at hand
  bool is_vector = false;
  DType type = DType::kF64;
  int64_t count = 0, step = 0;
  const std::byte* data = nullptr;

  explicit Vector(PyObject* object) {
    if (is_array(object)) {
      ours = as_array(object);
      type = ours->type();
      is_vector = ours->view.rank() == 1;
      if (!is_vector) return;
      count = ours->view.shape[0];
      step = ours->view.strides[0];
      return;
    }
    auto* real_array = reinterpret_cast<PyArrayObject*>(object);
    if (!PyArray_CheckExact(object) || PyArray_NDIM(real_array) != 1 ||
        !PyArray_ISALIGNED(real_array) || !core_type(PyArray_DESCR(real_array), type) ||
        PyArray_STRIDE(real_array, 0) % lazy::item_size(type) != 0)
      return;
    is_vector = true;
    count = PyArray_DIM(real_array, 0);
    step = PyArray_STRIDE(real_array, 0) / lazy::item_size(type);
    data = reinterpret_cast<const std::byte*>(PyArray_DATA(real_array));
  }
  bool is_ready() const { return !ours || is_at_hand(ours); }
  const std::byte* first() const {
    const int size = lazy::item_size(type);
    return ours ? ours->base->current->data() + ours->view.offset * size : data;
  }
};

}  // namespace

PyObject* short_product(PyObject* a, PyObject* b) {
  if (!is_array(a) && !is_array(b)) return nullptr;
  const Vector left(a), right(b);
  const DType type = left.type;
  const int64_t n = left.count;
  const bool known = type == DType::kF64 || type == DType::kF32 || lazy::is_complex(type);
  if (!left.is_vector || !right.is_vector || !known || right.type != type || n != right.count ||
      current_trace() || is_recording())
    return nullptr;
  // Two long vectors are summed at once if that needs nothing that is pending.
  if (n > lazy::kFewElements && !(may_run_blas() && left.is_ready() && right.is_ready()))
    return nullptr;
  if (!force_both(left.ours, right.ours)) return nullptr;
  const int size = lazy::item_size(type);
  alignas(16) std::byte sum[16] = {};
  const NoFlags flags;
  if (n == 0) return PyArray_Scalar(sum, descr_of(type), nullptr);
  if (type == DType::kF64 && (n < kShortForBlas || left.step <= 0 || right.step <= 0)) {
    const double total = dot(reinterpret_cast<const double*>(left.first()), left.step,
                             reinterpret_cast<const double*>(right.first()), right.step, n);
    std::memcpy(sum, &total, sizeof total);
  } else {
    // As NumPy does it.
    PyDataType_GetArrFuncs(descr_of(type))
        ->dotfunc(const_cast<std::byte*>(left.first()), left.step * size,
                  const_cast<std::byte*>(right.first()), right.step * size, sum, n, nullptr);
  }
  if (!flags.hold()) return nullptr;
  return PyArray_Scalar(sum, descr_of(type), nullptr);
}

PyObject* small_product(PyObject* a, PyObject* b) {
  if (!is_array(a) || !is_array(b)) return nullptr;
  ArrayObject *left = as_array(a), *right = as_array(b);
  const DType type = left->type();
  if (left->view.rank() != 2 || right->view.rank() != 2 || right->type() != type ||
      (type != DType::kF64 && type != DType::kC128))
    return nullptr;
  const int64_t rows = left->view.shape[0], inner = left->view.shape[1];
  const int64_t columns = right->view.shape[1], work = rows * inner * columns;
  if (inner != right->view.shape[0] || work == 0 || work > lazy::kFewElements || current_trace() ||
      is_recording() || !force_both(left, right))
    return nullptr;
  Buffer* buffer = lazy::new_buffer(rows * columns * lazy::item_size(type));
  if (!buffer) return PyErr_NoMemory();
  const NoFlags flags;
  if (type == DType::kF64) {
    multiply(left, right, static_cast<double*>(buffer->data));
  } else {
    multiply(left, right, static_cast<Complex*>(buffer->data));
  }
  if (!flags.hold()) {
    buffer->drop();
    return nullptr;
  }
  Dims shape(2, rows);
  shape[1] = columns;
  return wrap_node(lazy::new_value(type, shape, buffer));
}

PyObject* record_product(PyObject* a, PyObject* b) {
  if (!is_array(a) || !is_array(b) || is_recording()) return nullptr;
  const ArrayObject *left = as_array(a), *right = as_array(b);
  const DType type = left->type();
  const int x = left->view.rank(), y = right->view.rank();
  const bool known = type == DType::kF32 || type == DType::kF64 || lazy::is_complex(type);
  if (!known || right->type() != type || x < 1 || x > 2 || y < 1 || y > 2 ||
      left->view.shape[x - 1] != right->view.shape[0])
    return nullptr;
  if (!flush_some()) return nullptr;
  Dims shape;
  if (x == 2) shape.push_back(left->view.shape[0]);
  if (y == 2) shape.push_back(right->view.shape[1]);
  Node* node = lazy::new_node(NodeKind::kProduct, type, shape, 2);
  node->compute_type = type;
  node->axes = (x == 2 ? 1U : 0U) | (y == 2 ? 2U : 0U);
  lazy::set_input(node, 0, left->base->current, left->view);
  lazy::set_input(node, 1, right->base->current, right->view);
  PyObject* made = wrap_node(node);
  if (!made) return nullptr;
  as_array(made)->is_scalar = shape.empty();
  if (!settle_if_exported(left->base) || !settle_if_exported(right->base)) Py_CLEAR(made);
  return made;
}

}  // namespace skald::python
