// SPDX-License-Identifier: Apache-2.0
// Loops over rows of elements: our own for what is small, and the inner loops of NumPy's ufuncs,
// which are called on our memory as NumPy calls them, without arrays of Python (ADR 0088).
#pragma once

#include <algorithm>

#include "direct.h"
#include "no_flags.h"

namespace skald::python {

constexpr int kMostInputs = 3;
// Arrays of more are left to NumPy.
constexpr int kMostAxes = 8;

// `n` results one after the other, from elements that lie `strides` bytes apart.
using Kernel = void (*)(const std::byte* const* from, const int64_t* strides, std::byte* to,
                        int64_t n);
// Null: there is none.
Kernel kernel_of(uint16_t op, DType type);
Kernel copying(DType type);
// Conversions that lose nothing that NumPy would tell of.
Kernel converting(DType from, DType to);
// where(): by the size of an element.
Kernel choosing(int size);
// `n` elements of so many bytes, any number of bytes apart.
void copy_apart(int size, const std::byte* from, int64_t from_step, std::byte* to, int64_t to_step,
                int64_t n);

// The loop that NumPy runs for an operation with inputs and result of these types.
struct NumpyLoop {
  PyUFuncGenericFunction function = nullptr;  // null: there is none
  void* data = nullptr;

  // `at` and `steps`, in bytes: the inputs, then the result.
  void operator()(std::byte* const* at, const int64_t* steps, int64_t n) const {
    char* args[kMostInputs + 1];
    for (int i = 0; i <= kMostInputs; ++i) args[i] = reinterpret_cast<char*>(at[i]);
    const npy_intp count = n;
    function(args, &count, steps, data);
  }
};
NumpyLoop numpy_loop(uint16_t op, DType from, DType to);

// Operands of one shape, the result last: goes through them row by row.  Axes of one element are
// left out, and neighbours that go on evenly are one.
class Walk {
 public:
  explicit Walk(const Dims& shape) : shape_(&shape) {}
  // Null view: one element for all.
  void add(const std::byte* first, const View* view, int size) {
    at_[count_] = const_cast<std::byte*>(first);
    if (view) at_[count_] += view->offset * size;
    views_[count_] = view;
    sizes_[count_] = size;
    ++count_;
  }
  void add(const Input& input);
  // After all operands.  False: too many axes.
  bool begin();
  // Elements of a row, and their distance in operand `k`.
  int64_t length() const { return extents_[0]; }
  int64_t step(int k) const { return steps_[0][k]; }
  int result() const { return count_ - 1; }
  bool is_one_row() const { return rank_ <= 1; }
  // Are the elements of each row neighbours, in all operands?
  bool is_dense() const {
    for (int k = 0; k < count_; ++k) {
      if (steps_[0][k] != sizes_[k]) return false;
    }
    return true;
  }

  // Calls `row(at, steps, n)` for each row.
  template <class F>
  void rows(const F& row) {
    if (rank_ <= 1) return row(at_, steps_[0], extents_[0]);
    int64_t index[kMostAxes] = {};
    for (;;) {
      std::byte* at[kOperands];
      std::copy_n(at_, kOperands, at);
      for (int64_t i = extents_[1]; i > 0; --i) {
        row(at, steps_[0], extents_[0]);
        for (int k = 0; k < kOperands; ++k) at[k] += steps_[1][k];
      }
      int axis = 2;
      for (; axis < rank_; ++axis) {
        const bool again = ++index[axis] == extents_[axis];
        const int64_t way = again ? 1 - extents_[axis] : 1;
        for (int k = 0; k < kOperands; ++k) at_[k] += way * steps_[axis][k];
        if (!again) break;
        index[axis] = 0;
      }
      if (axis == rank_) return;
    }
  }

 private:
  static constexpr int kOperands = kMostInputs + 1;
  const Dims* shape_;
  int count_ = 0, rank_ = 0;
  std::byte* at_[kOperands] = {};
  const View* views_[kOperands] = {};
  int sizes_[kOperands] = {};
  uint64_t constants_[kMostInputs][2];
  // The innermost axis comes first.
  int64_t extents_[kMostAxes] = {1};
  int64_t steps_[kMostAxes][kOperands] = {};
};

// Other threads of Python may go on meanwhile; less is not worth the change.
constexpr int64_t kManyElements = int64_t{1} << 15;

// Runs it; a thread that ends with the process leaves at the last line, which a destructor must not
// do.
template <class F>
void while_others_go_on(bool may, const F& run) {
  PyThreadState* const state = may ? PyEval_SaveThread() : nullptr;
  run();
  if (state) PyEval_RestoreThread(state);
}
// What NumPy says of the flags that are raised now, in the name of this function.  `quietly`: it
// must have nothing to say.
Done tell_flags(const NoFlags& flags, const char* name, bool quietly);

}  // namespace skald::python
