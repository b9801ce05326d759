// SPDX-License-Identifier: Apache-2.0
#include "rows.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "plan_cache.h"
#include "ufunc.h"

namespace skald::python {

void Walk::add(const Input& input) {
  const int size = lazy::item_size(input.type);
  if (input.node) {
    add(input.node->data(), &input.view, size);
    return;
  }
  uint64_t(&constant)[2] = constants_[count_];
  if (input.type == DType::kC128) {
    std::memcpy(constant, input.scalar.c, sizeof constant);
  } else if (input.type == DType::kC64) {
    const float parts[2] = {static_cast<float>(input.scalar.c[0]),
                            static_cast<float>(input.scalar.c[1])};
    std::memcpy(constant, parts, sizeof parts);
  } else {
    constant[0] = scalar_bits(input.type, input.scalar);
  }
  // It lies in here, wherever that will be.
  add(nullptr, nullptr, size);
}

bool Walk::begin() {
  for (int k = 0; k < count_; ++k) {
    if (!at_[k]) at_[k] = reinterpret_cast<std::byte*>(constants_[k]);
  }
  for (int axis = shape_->size() - 1; axis >= 0; --axis) {
    const int64_t n = (*shape_)[axis];
    if (n == 1) continue;
    int64_t steps[kOperands] = {};
    for (int k = 0; k < count_; ++k)
      steps[k] = views_[k] ? views_[k]->strides[axis] * sizes_[k] : 0;
    const auto goes_on = [&](int inner) {
      for (int k = 0; k < count_; ++k) {
        if (steps[k] != steps_[inner][k] * extents_[inner]) return false;
      }
      return true;
    };
    if (rank_ > 0 && goes_on(rank_ - 1)) {
      extents_[rank_ - 1] *= n;
      continue;
    }
    if (rank_ == kMostAxes) return false;
    extents_[rank_] = n;
    std::copy_n(steps, kOperands, steps_[rank_]);
    ++rank_;
  }
  return true;
}

static NumpyLoop find_numpy_loop(const UfuncInfo& info, DType from, DType to) {
  const auto* ufunc = reinterpret_cast<const PyUFuncObject*>(info.real);
  if (!PyObject_TypeCheck(info.real, &PyUFunc_Type) || info.outputs != 1 || info.is_generalised ||
      info.inputs > kMostInputs)
    return {};
  const int input = numpy_type(from), output = numpy_type(to);
  for (int i = 0; i < ufunc->ntypes; ++i) {
    const char* types = ufunc->types + i * ufunc->nargs;
    const bool fits = types[info.inputs] == output &&
                      std::all_of(types, types + info.inputs, [&](char t) { return t == input; });
    if (fits) return {ufunc->functions[i], ufunc->data ? ufunc->data[i] : nullptr};
  }
  return {};
}

NumpyLoop numpy_loop(uint16_t op, DType from, DType to) {
  struct Known {
    NumpyLoop loop;
    DType to = DType::kBool;
    bool asked = false;
  };
  static std::vector<Known> all(ufuncs().size() * size_t{lazy::kDTypeCount});
  Known& known = all[op * size_t{lazy::kDTypeCount} + static_cast<size_t>(from)];
  if (!known.asked || known.to != to) known = {find_numpy_loop(ufuncs()[op], from, to), to, true};
  return known.loop;
}

}  // namespace skald::python
