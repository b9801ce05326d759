// SPDX-License-Identifier: Apache-2.0
// Our own loops: the common operations on the common types, with exactly NumPy's results.
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "rows.h"
#include "ufunc.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

namespace skald::python {

namespace {

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
  constexpr int64_t kSize = sizeof(T);
  const auto is_row = [&](int k) { return strides[k] == kSize || strides[k] == 0; };
  if (strides[0] == 1 && is_row(1) && is_row(2)) {
    const auto* chosen = reinterpret_cast<const uint8_t*>(from[0]);
    const auto* x = reinterpret_cast<const T*>(from[1]);
    const auto* y = reinterpret_cast<const T*>(from[2]);
    if (strides[1] == 0 && strides[2] == 0) {
      const T a = *x, b = *y;
      for (int64_t i = 0; i < n; ++i) out[i] = chosen[i] != 0 ? a : b;
    } else if (strides[1] == 0) {
      const T a = *x;
      for (int64_t i = 0; i < n; ++i) out[i] = chosen[i] != 0 ? a : y[i];
    } else if (strides[2] == 0) {
      const T b = *y;
      for (int64_t i = 0; i < n; ++i) out[i] = chosen[i] != 0 ? x[i] : b;
    } else {
      for (int64_t i = 0; i < n; ++i) out[i] = chosen[i] != 0 ? x[i] : y[i];
    }
    return;
  }
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

}  // namespace

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

Kernel choosing(int size) {
  switch (size) {
    case 1: return where_row<uint8_t>;
    case 2: return where_row<uint16_t>;
    case 4: return where_row<uint32_t>;
    case 8: return where_row<uint64_t>;
    default: return where_row<Complex<double>>;
  }
}

template <class T>
static void copy_elements(const std::byte* from, int64_t from_step, std::byte* to, int64_t to_step,
                          int64_t n) {
  for (int64_t i = 0; i < n; ++i, from += from_step, to += to_step)
    std::memcpy(to, from, sizeof(T));
}

void copy_apart(int size, const std::byte* from, int64_t from_step, std::byte* to, int64_t to_step,
                int64_t n) {
  switch (size) {
    case 1: return copy_elements<uint8_t>(from, from_step, to, to_step, n);
    case 2: return copy_elements<uint16_t>(from, from_step, to, to_step, n);
    case 4: return copy_elements<uint32_t>(from, from_step, to, to_step, n);
    case 8: return copy_elements<uint64_t>(from, from_step, to, to_step, n);
    default: return copy_elements<Complex<double>>(from, from_step, to, to_step, n);
  }
}

}  // namespace skald::python
