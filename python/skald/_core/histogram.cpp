// SPDX-License-Identifier: Apache-2.0
// numpy.histogram with bins of one width: one pass instead of some fifteen, the same results.
#include <algorithm>
#include <vector>

#include "common.h"

namespace skald::python {

namespace {

// NumPy adds up the weights of so many values at a time.
constexpr int64_t kBlock = 65536;

struct Bins {
  const double* edges;
  int64_t count;
  double first, last, width_of_all;

  Bins(const double* all, int64_t bins)
      : edges(all),
        count(bins),
        first(all[0]),
        last(all[bins]),
        width_of_all(all[bins] - all[0]) {}
  // -1: in none of them.  Rounding may miss by one.
  int64_t place_of(double value) const {
    if (!(value >= first && value <= last)) return -1;
    const double place = (value - first) / width_of_all * static_cast<double>(count);
    auto index = static_cast<int64_t>(place);
    index -= index == count ? 1 : 0;
    index -= value < edges[index] ? 1 : 0;
    // What was moved down may be so often enough: the last bin has its upper edge.
    index += index != count - 1 && value >= edges[index + 1] ? 1 : 0;
    return index;
  }
};

void count_values(const Bins& bins, const double* values, int64_t n, int64_t* counts) {
  for (int64_t i = 0; i < n; ++i) {
    const int64_t place = bins.place_of(values[i]);
    if (place >= 0) ++counts[place];
  }
}

void add_weights(const Bins& bins, const double* values, const double* weights, int64_t n,
                 double* sums) {
  std::vector<double> block(static_cast<size_t>(bins.count));
  for (int64_t from = 0; from < n; from += kBlock) {
    std::fill(block.begin(), block.end(), 0.0);
    const int64_t end = std::min(n, from + kBlock);
    for (int64_t i = from; i < end; ++i) {
      const int64_t place = bins.place_of(values[i]);
      if (place >= 0) block[static_cast<size_t>(place)] += weights[i];
    }
    for (size_t k = 0; k < block.size(); ++k) sums[k] += block[k];
  }
}

Ref doubles(PyObject* object) {
  return Ref(PyArray_FROMANY(object, NPY_DOUBLE, 1, 1, NPY_ARRAY_CARRAY_RO));
}
const double* elements(const Ref& array) {
  return static_cast<const double*>(
      PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.get())));
}
int64_t length(const Ref& array) {
  return PyArray_DIM(reinterpret_cast<PyArrayObject*>(array.get()), 0);
}

}  // namespace

PyObject* count_in_bins(PyObject*, PyObject* args) {
  PyObject *values_object = nullptr, *edges_object = nullptr, *weights_object = nullptr;
  if (!PyArg_ParseTuple(args, "OOO", &values_object, &edges_object, &weights_object))
    return nullptr;
  const bool is_weighted = weights_object != Py_None;
  const Ref values = doubles(values_object), edges = values ? doubles(edges_object) : Ref();
  const Ref weights = edges && is_weighted ? doubles(weights_object) : Ref();
  if (!edges || (is_weighted && !weights)) return nullptr;
  if (length(edges) < 2 || (is_weighted && length(weights) != length(values))) {
    PyErr_SetString(PyExc_ValueError, "edges of at least one bin, and a weight for each value");
    return nullptr;
  }
  npy_intp count = length(edges) - 1;
  Ref result(PyArray_ZEROS(1, &count, is_weighted ? NPY_DOUBLE : NPY_INT64, 0));
  if (!result) return nullptr;
  void* const to = PyArray_DATA(reinterpret_cast<PyArrayObject*>(result.get()));
  const Bins bins(elements(edges), count);
  Py_BEGIN_ALLOW_THREADS;
  if (is_weighted) {
    add_weights(bins, elements(values), elements(weights), length(values),
                static_cast<double*>(to));
  } else {
    count_values(bins, elements(values), length(values), static_cast<int64_t*>(to));
  }
  Py_END_ALLOW_THREADS;
  return result.release();
}

}  // namespace skald::python
