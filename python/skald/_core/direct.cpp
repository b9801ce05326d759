// SPDX-License-Identifier: Apache-2.0
// Computing small nodes without NumPy: the common operations on the common types, with exactly its
// results.  Whatever raises a floating-point flag is computed again by NumPy, which warns.
#include "direct.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "no_flags.h"
#include "plan_cache.h"
#include "recording.h"
#include "ufunc.h"

namespace skald::python {

namespace {

constexpr int kMostInputs = 3;

// One row: `n` results one after the other from elements that lie `strides` bytes apart.
using Kernel = void (*)(const std::byte* const* from, const int64_t* strides, std::byte* to,
                        int64_t n);

template <class T>
T element(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T, class R, class F>
void unary_row(const std::byte* const* from, const int64_t* strides, std::byte* to, int64_t n) {
  auto* out = reinterpret_cast<R*>(to);
  if (strides[0] == sizeof(T)) {
    const auto* a = reinterpret_cast<const T*>(from[0]);
    for (int64_t i = 0; i < n; ++i) out[i] = F()(a[i]);
    return;
  }
  const std::byte* a = from[0];
  for (int64_t i = 0; i < n; ++i, a += strides[0]) out[i] = F()(element<T>(a));
}

template <class T, class R, class F>
void binary_row(const std::byte* const* from, const int64_t* strides, std::byte* to, int64_t n) {
  auto* out = reinterpret_cast<R*>(to);
  const bool first_dense = strides[0] == sizeof(T), second_dense = strides[1] == sizeof(T);
  const auto* x = reinterpret_cast<const T*>(from[0]);
  const auto* y = reinterpret_cast<const T*>(from[1]);
  if (first_dense && second_dense) {
    for (int64_t i = 0; i < n; ++i) out[i] = F()(x[i], y[i]);
  } else if (first_dense && strides[1] == 0) {
    const T b = *y;
    for (int64_t i = 0; i < n; ++i) out[i] = F()(x[i], b);
  } else if (second_dense && strides[0] == 0) {
    const T a = *x;
    for (int64_t i = 0; i < n; ++i) out[i] = F()(a, y[i]);
  } else {
    const std::byte *a = from[0], *b = from[1];
    for (int64_t i = 0; i < n; ++i, a += strides[0], b += strides[1])
      out[i] = F()(element<T>(a), element<T>(b));
  }
}

template <class T>
void where_row(const std::byte* const* from, const int64_t* strides, std::byte* to, int64_t n) {
  auto* out = reinterpret_cast<T*>(to);
  const std::byte *c = from[0], *a = from[1], *b = from[2];
  for (int64_t i = 0; i < n; ++i, c += strides[0], a += strides[1], b += strides[2])
    out[i] = element<bool>(c) ? element<T>(a) : element<T>(b);
}

// ---- The operations.  Integers wrap around, as NumPy's do.
template <class T, template <class> class F>
struct Wrapped {
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(F<U>()(static_cast<U>(a), static_cast<U>(b)));
    } else {
      return F<T>()(a, b);
    }
  }
};
template <class T>
struct Larger {
  T operator()(T a, T b) const { return a > b || a != a ? a : b; }
};
template <class T>
struct Smaller {
  T operator()(T a, T b) const { return a < b || a != a ? a : b; }
};
template <class T>
struct Opposite {
  T operator()(T a) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
    } else {
      return -a;
    }
  }
};
template <class T>
struct Magnitude {
  T operator()(T a) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fabs(a);
    } else {
      return a < 0 ? Opposite<T>()(a) : a;
    }
  }
};
template <class T>
struct Square {
  T operator()(T a) const { return Wrapped<T, std::multiplies>()(a, a); }
};
template <class T>
struct Root {
  T operator()(T a) const { return std::sqrt(a); }
};
template <class T>
struct Same {
  T operator()(T a) const { return a; }
};
template <class From, class To>
struct Converted {
  To operator()(From a) const { return static_cast<To>(a); }
};

template <class T>
Kernel comparison(const std::string& name) {
  if (name == "less") return binary_row<T, bool, std::less<T>>;
  if (name == "less_equal") return binary_row<T, bool, std::less_equal<T>>;
  if (name == "greater") return binary_row<T, bool, std::greater<T>>;
  if (name == "greater_equal") return binary_row<T, bool, std::greater_equal<T>>;
  if (name == "equal") return binary_row<T, bool, std::equal_to<T>>;
  if (name == "not_equal") return binary_row<T, bool, std::not_equal_to<T>>;
  return nullptr;
}

template <class T>
Kernel arithmetic(const std::string& name) {
  if (name == "add") return binary_row<T, T, Wrapped<T, std::plus>>;
  if (name == "subtract") return binary_row<T, T, Wrapped<T, std::minus>>;
  if (name == "multiply") return binary_row<T, T, Wrapped<T, std::multiplies>>;
  if (name == "maximum") return binary_row<T, T, Larger<T>>;
  if (name == "minimum") return binary_row<T, T, Smaller<T>>;
  if (name == "negative") return unary_row<T, T, Opposite<T>>;
  if (name == "absolute") return unary_row<T, T, Magnitude<T>>;
  if (name == "square") return unary_row<T, T, Square<T>>;
  if constexpr (std::is_floating_point_v<T>) {
    if (name == "divide") return binary_row<T, T, std::divides<T>>;
    if (name == "sqrt") return unary_row<T, T, Root<T>>;
  }
  return comparison<T>(name);
}

Kernel truth(const std::string& name) {
  if (name == "logical_and" || name == "bitwise_and" || name == "multiply")
    return binary_row<bool, bool, std::logical_and<bool>>;
  if (name == "logical_or" || name == "bitwise_or" || name == "add")
    return binary_row<bool, bool, std::logical_or<bool>>;
  if (name == "logical_not" || name == "invert")
    return unary_row<bool, bool, std::logical_not<bool>>;
  return comparison<bool>(name);
}

// Sums only: NumPy's products of complex numbers depend on what the processor has.
template <class T>
struct Complex {
  T real, imag;
  friend Complex operator+(Complex a, Complex b) { return {a.real + b.real, a.imag + b.imag}; }
  friend Complex operator-(Complex a, Complex b) { return {a.real - b.real, a.imag - b.imag}; }
};
template <class T>
Kernel complex_sum(const std::string& name) {
  using C = Complex<T>;
  if (name == "add") return binary_row<C, C, std::plus<C>>;
  if (name == "subtract") return binary_row<C, C, std::minus<C>>;
  return nullptr;
}

Kernel find_kernel(const std::string& name, DType type) {
  switch (type) {
    case DType::kC64: return complex_sum<float>(name);
    case DType::kC128: return complex_sum<double>(name);
    case DType::kBool: return truth(name);
    case DType::kI32: return arithmetic<int32_t>(name);
    case DType::kI64: return arithmetic<int64_t>(name);
    case DType::kF32: return arithmetic<float>(name);
    case DType::kF64: return arithmetic<double>(name);
    default: return nullptr;
  }
}

// Looked for once; null: there is none.
Kernel kernel_of(uint16_t op, DType type) {
  struct Known {
    Kernel kernel = nullptr;
    bool asked = false;
  };
  static std::vector<Known> all(ufuncs().size() * size_t{lazy::kDTypeCount});
  Known& known = all[op * size_t{lazy::kDTypeCount} + static_cast<size_t>(type)];
  if (!known.asked) known = {find_kernel(ufuncs()[op].name, type), true};
  return known.kernel;
}

Kernel copying(DType type) {
  switch (lazy::item_size(type)) {
    case 1: return unary_row<uint8_t, uint8_t, Same<uint8_t>>;
    case 2: return unary_row<uint16_t, uint16_t, Same<uint16_t>>;
    case 4: return unary_row<uint32_t, uint32_t, Same<uint32_t>>;
    case 8: return unary_row<uint64_t, uint64_t, Same<uint64_t>>;
    case 16: return unary_row<Complex<double>, Complex<double>, Same<Complex<double>>>;
    default: return nullptr;
  }
}
// Conversions that lose nothing that NumPy would tell of.
Kernel converting(DType from, DType to) {
  if (from == to) return copying(from);
  if (to == DType::kF64) {
    if (from == DType::kBool) return unary_row<bool, double, Converted<bool, double>>;
    if (from == DType::kI32) return unary_row<int32_t, double, Converted<int32_t, double>>;
    if (from == DType::kI64) return unary_row<int64_t, double, Converted<int64_t, double>>;
    if (from == DType::kF32) return unary_row<float, double, Converted<float, double>>;
  }
  if (to == DType::kI64) {
    if (from == DType::kBool) return unary_row<bool, int64_t, Converted<bool, int64_t>>;
    if (from == DType::kI32) return unary_row<int32_t, int64_t, Converted<int32_t, int64_t>>;
  }
  return nullptr;
}

Kernel choosing(DType type) {
  switch (type) {
    case DType::kBool: return where_row<bool>;
    case DType::kI64: return where_row<int64_t>;
    case DType::kF32: return where_row<float>;
    case DType::kF64: return where_row<double>;
    default: return nullptr;
  }
}

// ---- Going through arrays
struct Operands {
  const std::byte* from[kMostInputs];
  const View* views[kMostInputs];  // null: a constant
  int sizes[kMostInputs];
  uint64_t constants[kMostInputs][2];
  int count = 0;

  void add(const Input& input) {
    views[count] = input.node ? &input.view : nullptr;
    sizes[count] = lazy::item_size(input.type);
    if (input.node) {
      from[count] = input.node->data() + input.view.offset * sizes[count];
    } else {
      if (input.type == DType::kC128) {
        std::memcpy(constants[count], input.scalar.c, sizeof constants[count]);
      } else if (input.type == DType::kC64) {
        const float parts[2] = {static_cast<float>(input.scalar.c[0]),
                                static_cast<float>(input.scalar.c[1])};
        std::memcpy(constants[count], parts, sizeof parts);
      } else {
        constants[count][0] = scalar_bits(input.type, input.scalar);
      }
      from[count] = reinterpret_cast<const std::byte*>(constants[count]);
    }
    ++count;
  }
  bool are_dense() const {
    for (int i = 0; i < count; ++i) {
      if (views[i] && !views[i]->is_dense()) return false;
    }
    return true;
  }
};

// Rows along the last axis; those of the result, whose elements have `row_size` bytes, are `to_row`
// bytes apart.
void go(const Operands& operands, Kernel kernel, const Dims& shape, std::byte* to, int64_t to_row,
        int row_size) {
  const int rank = shape.size();
  int64_t strides[kMostInputs];
  const bool flat = rank <= 1 || (operands.are_dense() && to_row == shape[rank - 1] * row_size);
  if (flat) {
    for (int k = 0; k < operands.count; ++k) {
      strides[k] = !operands.views[k] ? 0
                   : rank == 1        ? operands.views[k]->strides[0] * operands.sizes[k]
                                      : operands.sizes[k];
    }
    kernel(operands.from, strides, to, lazy::count_of(shape));
    return;
  }
  const int last = rank - 1;
  for (int k = 0; k < operands.count; ++k)
    strides[k] = operands.views[k] ? operands.views[k]->strides[last] * operands.sizes[k] : 0;
  const std::byte* from[kMostInputs];
  std::copy_n(operands.from, operands.count, from);
  Dims at(last);
  for (;;) {
    kernel(from, strides, to, shape[last]);
    to += to_row;
    int axis = last - 1;
    for (; axis >= 0; --axis) {
      const bool again = ++at[axis] == shape[axis];
      if (again) at[axis] = 0;
      for (int k = 0; k < operands.count; ++k) {
        if (!operands.views[k]) continue;
        const int64_t step = operands.views[k]->strides[axis] * operands.sizes[k];
        from[k] += again ? -step * (shape[axis] - 1) : step;
      }
      if (!again) break;
    }
    if (axis < 0) return;
  }
}

bool compute(Node* node, Kernel kernel) {
  if (!kernel || node->input_count > kMostInputs) return false;
  Operands operands;
  for (int i = 0; i < node->input_count; ++i) operands.add(node->inputs[i]);
  const int size = lazy::item_size(node->type);
  Buffer* buffer = lazy::new_buffer(node->count() * size);
  if (!buffer) return false;
  const int rank = node->shape.size();
  const NoFlags flags;
  go(operands, kernel, node->shape, static_cast<std::byte*>(buffer->data),
     rank > 0 ? node->shape[rank - 1] * size : 0, size);
  if (!flags.hold()) {
    buffer->drop();
    return false;
  }
  lazy::set_value(node, buffer);
  return true;
}

// Null: there is none for these types.
Kernel elementwise_kernel(const Node* node) {
  if (is_with_part(node->op)) return nullptr;
  const bool chooses = node->op == kWhereOp;
  if (!chooses && !node->is_plain) return nullptr;
  const DType type = chooses ? node->type : node->compute_type;
  for (int i = 0; i < node->input_count; ++i) {
    const DType wanted = chooses && i == 0 ? DType::kBool : type;
    if (node->inputs[i].type != wanted) return nullptr;
  }
  return chooses ? choosing(type) : kernel_of(node->op, type);
}


bool fill(Node* node) {
  if (lazy::is_complex(node->type)) return false;
  const Kernel kernel = copying(node->type);
  const int size = lazy::item_size(node->type);
  Buffer* buffer = lazy::new_buffer(node->count() * size);
  if (!buffer) return false;
  const uint64_t bits = scalar_bits(node->type, node->scalar);
  const auto* from = reinterpret_cast<const std::byte*>(&bits);
  const int64_t stride = 0;
  kernel(&from, &stride, static_cast<std::byte*>(buffer->data), node->count());
  lazy::set_value(node, buffer);
  return true;
}

// NumPy's sum of neighbours: eight running sums, halves of what is long.
template <class T>
T pairwise(const T* from, int64_t n) {
  if (n < 8) {
    T sum = n > 0 ? from[0] : T(0);
    for (int64_t i = 1; i < n; ++i) sum += from[i];
    return sum;
  }
  if (n <= 128) {
    T sums[8];
    std::copy_n(from, 8, sums);
    int64_t i = 8;
    for (; i + 8 <= n; i += 8) {
      for (int k = 0; k < 8; ++k) sums[k] += from[i + k];
    }
    T sum =
        ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    for (; i < n; ++i) sum += from[i];
    return sum;
  }
  const int64_t half = n / 2 - (n / 2) % 8;
  return pairwise(from, half) + pairwise(from + half, n - half);
}

template <class T>
T extreme(const T* from, int64_t n, bool largest) {
  T best = from[0];
  for (int64_t i = 1; i < n; ++i)
    best = largest ? Larger<T>()(best, from[i]) : Smaller<T>()(best, from[i]);
  return best;
}

// All elements of a dense array of floats.
bool reduce(Node* node) {
  const Input& input = node->inputs[0];
  const bool is_sum = node->op == ops.add;
  if (node->type != DType::kF64 || node->compute_type != DType::kF64 || !input.node ||
      input.type != DType::kF64 || node->count() != 1 || !input.view.is_dense())
    return false;
  if (!is_sum && node->op != ops.maximum && node->op != ops.minimum) return false;
  const int64_t n = input.view.count();
  if (n == 0 || n > lazy::kFewElements || node->axes != (uint64_t{1} << input.view.rank()) - 1)
    return false;
  const auto* from =
      reinterpret_cast<const double*>(input.node->data() + input.view.offset * int64_t{8});
  const NoFlags flags;
  const double value = is_sum ? pairwise(from, n) : extreme(from, n, node->op == ops.maximum);
  if (!flags.hold()) return false;
  Buffer* buffer = lazy::new_buffer(8);
  if (!buffer) return false;
  std::memcpy(buffer->data, &value, 8);
  lazy::set_value(node, buffer);
  return true;
}

}  // namespace

// `n` elements of so many bytes, any number of bytes apart.
template <size_t size>
static void copy_apart(const std::byte* from, int64_t from_step, std::byte* to, int64_t to_step,
                       int64_t n) {
  for (int64_t i = 0; i < n; ++i, from += from_step, to += to_step) std::memcpy(to, from, size);
}

bool copy_directly(std::byte* to, DType type, const View& target, const Input& value) {
  if (value.type != type || target.count() > lazy::kFewElements || target.rank() > 2) return false;
  const int64_t size = lazy::item_size(type);
  const int rank = target.rank();
  Operands operands;
  operands.add(value);
  const View* from_view = operands.views[0];
  const int last = rank - 1;
  const int64_t rows = rank == 2 ? target.shape[0] : 1, n = rank == 0 ? 1 : target.shape[last];
  const int64_t to_step = rank == 0 ? 0 : target.strides[last] * size;
  const int64_t from_step = rank == 0 || !from_view ? 0 : from_view->strides[last] * size;
  to += target.offset * size;
  for (int64_t i = 0; i < rows; ++i) {
    const std::byte* from = operands.from[0];
    std::byte* row = to;
    if (rank == 2) {
      row += i * target.strides[0] * size;
      if (from_view) from += i * from_view->strides[0] * size;
    }
    if (to_step == size || n == 1) {
      copying(type)(&from, &from_step, row, n);
      continue;
    }
    switch (size) {
      case 1: copy_apart<1>(from, from_step, row, to_step, n); break;
      case 2: copy_apart<2>(from, from_step, row, to_step, n); break;
      case 4: copy_apart<4>(from, from_step, row, to_step, n); break;
      case 8: copy_apart<8>(from, from_step, row, to_step, n); break;
      default: copy_apart<16>(from, from_step, row, to_step, n); break;
    }
  }
  return true;
}

bool compute_directly_into(const Node* node, std::byte* to, const View& target) {
  const int rank = target.rank(), size = lazy::item_size(node->type);
  const int64_t count = node->count();
  if (count > lazy::kFewElements || count == 0 || rank == 0 || rank > 2) return false;
  const Kernel kernel = elementwise_kernel(node);
  const int64_t width = target.shape[rank - 1];
  if (!kernel || node->input_count > kMostInputs || (width > 1 && target.strides[rank - 1] != 1))
    return false;
  Operands operands;
  for (int i = 0; i < node->input_count; ++i) operands.add(node->inputs[i]);
  to += target.offset * size;
  const int64_t rows = rank == 2 ? target.shape[0] : 1;
  const int64_t apart = rank == 2 ? target.strides[0] * size : width * size;
  // What was there is needed again if NumPy has something to tell.
  alignas(16) std::byte kept[lazy::kFewElements * 16];
  const auto row_bytes = static_cast<size_t>(width * size);
  for (int64_t i = 0; i < rows; ++i)
    std::memcpy(kept + static_cast<size_t>(i) * row_bytes, to + i * apart, row_bytes);
  const NoFlags flags;
  go(operands, kernel, target.shape, to, apart, size);
  if (flags.hold()) return true;
  for (int64_t i = 0; i < rows; ++i)
    std::memcpy(to + i * apart, kept + static_cast<size_t>(i) * row_bytes, row_bytes);
  return false;
}

bool evaluate_directly(Node* node) {
  if (node->count() > lazy::kFewElements || node->count() == 0) return false;
  switch (node->kind) {
    case NodeKind::kElementwise: return compute(node, elementwise_kernel(node));
    case NodeKind::kCast:
      return node->op == 0 && compute(node, converting(node->inputs[0].type, node->type));
    case NodeKind::kFill: return fill(node);
    case NodeKind::kReduce: return reduce(node);
    default: return false;
  }
}

}  // namespace skald::python
