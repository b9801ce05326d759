// SPDX-License-Identifier: Apache-2.0
// Lazy arrays for C++17 and later.
//
//   skald::array<double> a = {1, 2, 3}, b = skald::array<double>::full({3}, 0.5);
//   double s = sum((a - b) * 2).item();
//
// Operations are recorded; item(), to_vector() and copy_to() run all that is pending as one
// compiled program, so what lies between the operations is never stored.  An array is a value: a
// copy costs nothing, and writing into one array changes no other.  Errors are thrown as
// skald::Error. docs/array-hpp.md tells more.
#ifndef SKALD_ARRAY_HPP
#define SKALD_ARRAY_HPP

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "skald/lazy.h"
#include "skald/skald.hpp"

namespace skald {

using shape_type = std::vector<int64_t>;

// Positions of one axis: begin, begin + step … before end.  Negative begin and end count from the
// end of the axis, as in Python.
struct range {
  static constexpr int64_t open = INT64_MIN;  // as far as the axis goes
  int64_t begin = open, end = open, step = 1;
  range() = default;
  range(int64_t from, int64_t to = open, int64_t by = 1) : begin(from), end(to), step(by) {}
};
// All positions of an axis.
inline range all() {
  return {};
}
// Along which axes something is done: 0, -1, {0, 1}.  Negative ones count from the last.
struct axes {
  std::vector<int> numbers;
  axes(int axis) : numbers{axis} {}
  axes(std::initializer_list<int> several) : numbers(several) {}
};

namespace detail {

inline void check_lazy(skald_status status) {
  if (status != SKALD_OK) throw Error::last();
}
[[noreturn]] inline void bad_lazy(skald_status status, const std::string& text) {
  throw Error(status, text, "", "");
}

class LazyHandle {
 public:
  LazyHandle() = default;
  explicit LazyHandle(skald_lazy owned) : handle_(owned) {}
  LazyHandle(const LazyHandle& other) {
    if (other.handle_.id != 0) check_lazy(skald_lazy_copy(other.handle_, &handle_));
  }
  LazyHandle(LazyHandle&& other) noexcept : handle_(std::exchange(other.handle_, skald_lazy{0})) {}
  LazyHandle& operator=(LazyHandle other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~LazyHandle() {
    if (handle_.id != 0) skald_lazy_free(handle_);
  }
  skald_lazy get() const { return handle_; }

 private:
  skald_lazy handle_{0};
};

// An index of one axis: a position, or a range.
struct AxisIndex {
  bool is_position = false;
  range part;
  template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
  AxisIndex(Integer position) : is_position(true), part(static_cast<int64_t>(position)) {}
  AxisIndex(range positions) : part(positions) {}
};

struct View {
  shape_type shape, strides;
  int64_t offset = 0;
};

inline View dense_view(const shape_type& shape) {
  View view{shape, shape_type(shape.size()), 0};
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0; stride *= shape[i]) view.strides[i] = stride;
  return view;
}

inline int64_t clamped(int64_t at, int64_t low, int64_t high) {
  return at < low ? low : at > high ? high : at;
}

// Axes without an index are taken whole.
inline View indexed_view(const shape_type& shape, const std::vector<AxisIndex>& indices) {
  if (indices.size() > shape.size())
    bad_lazy(SKALD_BAD_SHAPE, "an array of " + std::to_string(shape.size()) + " axes has no " +
                                  std::to_string(indices.size()) + " indices");
  const View whole = dense_view(shape);
  View view;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t n = shape[i], stride = whole.strides[i];
    const AxisIndex index = i < indices.size() ? indices[i] : AxisIndex(range());
    if (index.is_position) {
      const int64_t at = index.part.begin < 0 ? index.part.begin + n : index.part.begin;
      if (at < 0 || at >= n)
        bad_lazy(SKALD_BAD_SHAPE, "position " + std::to_string(index.part.begin) +
                                      " of an axis of " + std::to_string(n) + " elements");
      view.offset += at * stride;
      continue;
    }
    const int64_t step = index.part.step;
    if (step == 0) bad_lazy(SKALD_BAD_ARGUMENT, "a range goes on by 0");
    const auto place = [&](int64_t at, int64_t if_open) {
      if (at == range::open) return if_open;
      at = at < 0 ? at + n : at;
      return step > 0 ? clamped(at, 0, n) : clamped(at, -1, n - 1);
    };
    const int64_t begin = place(index.part.begin, step > 0 ? 0 : n - 1);
    const int64_t end = place(index.part.end, step > 0 ? n : -1);
    const int64_t span = step > 0 ? end - begin : begin - end, by = step > 0 ? step : -step;
    view.shape.push_back(span > 0 ? (span + by - 1) / by : 0);
    view.strides.push_back(step * stride);
    if (span > 0) view.offset += begin * stride;
  }
  return view;
}

}  // namespace detail

template <class T>
class part;

template <class T>
class array {
 public:
  using value_type = T;

  // No axes; the element is T().
  array() : array(T()) {}
  array(T element) {
    skald_lazy made;
    detail::check_lazy(skald_lazy_full(detail::TypeOf<T>::value, 0, nullptr, &element, &made));
    handle_ = detail::LazyHandle(made);
  }
  array(std::initializer_list<T> elements)
      : array(elements.begin(), {static_cast<int64_t>(elements.size())}) {}
  // Copies as many elements as the shape has, in row-major order.
  array(const T* elements, const shape_type& shape) {
    skald_lazy made;
    detail::check_lazy(skald_lazy_from_host(
        detail::TypeOf<T>::value, static_cast<int>(shape.size()), shape.data(), elements, &made));
    handle_ = detail::LazyHandle(made);
  }
  explicit array(const std::vector<T>& elements)
      : array(elements, {static_cast<int64_t>(elements.size())}) {}
  array(const std::vector<T>& elements, const shape_type& shape) {
    int64_t count = 1;
    for (const int64_t n : shape) count *= n;
    if (count != static_cast<int64_t>(elements.size()))
      detail::bad_lazy(SKALD_BAD_SHAPE,
                       std::to_string(elements.size()) + " elements do not fill the shape");
    if constexpr (std::is_same_v<T, bool>) {
      const std::unique_ptr<bool[]> plain(new bool[elements.size() + 1]);
      for (size_t i = 0; i < elements.size(); ++i) plain[i] = elements[i];
      *this = array(plain.get(), shape);
    } else {
      *this = array(elements.data(), shape);
    }
  }
  explicit array(skald_lazy owned) : handle_(owned) {}

  static array full(const shape_type& shape, T element) {
    skald_lazy made;
    detail::check_lazy(skald_lazy_full(detail::TypeOf<T>::value, static_cast<int>(shape.size()),
                                       shape.data(), &element, &made));
    return array(made);
  }
  static array zeros(const shape_type& shape) { return full(shape, T()); }
  // 0, 1, 2 …
  static array iota(int64_t count) {
    skald_lazy made;
    detail::check_lazy(skald_lazy_iota(detail::TypeOf<T>::value, count, &made));
    return array(made);
  }

  // ---- Looking
  shape_type shape() const {
    const skald_lazy_info info = describe();
    return shape_type(info.shape, info.shape + info.rank);
  }
  int rank() const { return describe().rank; }
  int64_t size() const {
    const skald_lazy_info info = describe();
    int64_t count = 1;
    for (int i = 0; i < info.rank; ++i) count *= info.shape[i];
    return count;
  }
  bool is_pending() const { return describe().pending != 0; }
  skald_lazy handle() const { return handle_.get(); }

  // ---- Elements: these run what is pending.
  // The only element.
  T item() const {
    if (size() != 1) detail::bad_lazy(SKALD_BAD_SHAPE, "item() is for arrays of one element");
    T element;
    copy_to(&element);
    return element;
  }
  explicit operator T() const { return item(); }
  // Room for size() elements, in row-major order.
  void copy_to(T* elements) const {
    detail::check_lazy(
        skald_lazy_read(handle(), elements, static_cast<size_t>(size()) * sizeof(T)));
  }
  std::vector<T> to_vector() const {
    const auto count = static_cast<size_t>(size());
    if constexpr (std::is_same_v<T, bool>) {
      const std::unique_ptr<bool[]> plain(new bool[count + 1]);
      copy_to(plain.get());
      return std::vector<bool>(plain.get(), plain.get() + count);
    } else {
      std::vector<T> elements(count);
      copy_to(elements.data());
      return elements;
    }
  }

  // ---- Parts: positions and ranges for the first axes.  a(2), a(range(1, -1), 0), a(all(), 3).
  // What is assigned to a part of an array changes the array.
  template <class... Index>
  array operator()(Index... indices) const {
    return viewed(detail::indexed_view(shape(), {detail::AxisIndex(indices)...}));
  }
  template <class... Index>
  part<T> operator()(Index... indices) {
    detail::View view = detail::indexed_view(shape(), {detail::AxisIndex(indices)...});
    return part<T>(*this, std::move(view));
  }
  // The same elements in another shape; one size may be -1.
  array reshape(shape_type to) const {
    int64_t known = 1, open = -1;
    for (size_t i = 0; i < to.size(); ++i) {
      if (to[i] == -1 && open < 0) {
        open = static_cast<int64_t>(i);
      } else {
        known *= to[i];
      }
    }
    const int64_t count = size();
    if (open >= 0 && known > 0) to[static_cast<size_t>(open)] = count / known;
    int64_t total = 1;
    for (const int64_t n : to) total *= n;
    if (total != count) detail::bad_lazy(SKALD_BAD_SHAPE, "reshape to another number of elements");
    return viewed(detail::dense_view(to));
  }
  // Axis k of the result is axis order[k]; without an order all axes are turned round.
  array transpose(std::vector<int> order = {}) const {
    const shape_type from = shape();
    if (order.empty())
      for (size_t i = from.size(); i-- > 0;) order.push_back(static_cast<int>(i));
    const detail::View whole = detail::dense_view(from);
    detail::View view;
    std::vector<bool> used(from.size(), false);
    for (const int axis : order) {
      const auto k = static_cast<size_t>(axis);
      if (axis < 0 || k >= from.size() || used[k] || order.size() != from.size())
        detail::bad_lazy(SKALD_BAD_ARGUMENT, "transpose needs each axis once");
      used[k] = true;
      view.shape.push_back(from[k]);
      view.strides.push_back(whole.strides[k]);
    }
    return viewed(view);
  }
  // With a new axis of one element before axis `at`, which repeats as it must.
  array expand(int at) const {
    shape_type to = shape();
    if (at < 0 || static_cast<size_t>(at) > to.size())
      detail::bad_lazy(SKALD_BAD_ARGUMENT, "there is no place for this axis");
    to.insert(to.begin() + at, 1);
    return viewed(detail::dense_view(to));
  }
  // Repeated to a larger shape.
  array broadcast_to(const shape_type& to) const {
    const shape_type from = shape();
    const detail::View whole = detail::dense_view(from);
    detail::View view{to, shape_type(to.size(), 0), 0};
    if (from.size() > to.size()) detail::bad_lazy(SKALD_BAD_SHAPE, "broadcast to fewer axes");
    for (size_t i = 0; i < from.size(); ++i) {
      const size_t k = i + to.size() - from.size();
      if (from[i] != to[k] && from[i] != 1)
        detail::bad_lazy(SKALD_BAD_SHAPE, "the array cannot be repeated to this shape");
      if (from[i] == to[k]) view.strides[k] = whole.strides[i];
    }
    return viewed(view);
  }

  void write(const detail::View& view, const array& value) {
    detail::check_lazy(skald_lazy_write(handle(), static_cast<int>(view.shape.size()),
                                        view.shape.data(), view.strides.data(), view.offset,
                                        value.handle()));
  }
  array viewed(const detail::View& view) const {
    skald_lazy made;
    detail::check_lazy(skald_lazy_view(handle(), static_cast<int>(view.shape.size()),
                                       view.shape.data(), view.strides.data(), view.offset, &made));
    return array(made);
  }

  // ---- Operators.  Numbers are arrays without axes.
#define SKALD_ARRAY_BINARY(symbol, name)                         \
  friend array operator symbol(const array& a, const array& b) { \
    return array(apply(name, {a.handle(), b.handle()}));         \
  }                                                              \
  array& operator symbol##=(const array & b) { return *this = *this symbol b; }
  SKALD_ARRAY_BINARY(+, "add")
  SKALD_ARRAY_BINARY(-, "subtract")
  SKALD_ARRAY_BINARY(*, "multiply")
  SKALD_ARRAY_BINARY(&, "bitwise_and")
  SKALD_ARRAY_BINARY(|, "bitwise_or")
  SKALD_ARRAY_BINARY(^, "bitwise_xor")
#undef SKALD_ARRAY_BINARY
  // Of integers as C++ has them for positive numbers, and rounded down for others.
  friend array operator/(const array& a, const array& b) {
    return array(
        apply(std::is_integral_v<T> ? "floor_divide" : "divide", {a.handle(), b.handle()}));
  }
  array& operator/=(const array& b) { return *this = *this / b; }
  // With the sign of the divisor.
  friend array operator%(const array& a, const array& b) {
    return array(apply("remainder", {a.handle(), b.handle()}));
  }
  friend array operator-(const array& a) { return array(apply("negative", {a.handle()})); }
  friend array<bool> operator!(const array& a) {
    return array<bool>(apply("logical_not", {a.handle()}));
  }
#define SKALD_ARRAY_COMPARE(symbol, name)                                \
  friend array<bool> operator symbol(const array & a, const array & b) { \
    return array<bool>(apply(name, {a.handle(), b.handle()}));           \
  }
  SKALD_ARRAY_COMPARE(<, "less")
  SKALD_ARRAY_COMPARE(<=, "less_equal")
  SKALD_ARRAY_COMPARE(>, "greater")
  SKALD_ARRAY_COMPARE(>=, "greater_equal")
  SKALD_ARRAY_COMPARE(==, "equal")
  SKALD_ARRAY_COMPARE(!=, "not_equal")
#undef SKALD_ARRAY_COMPARE

  // ---- Functions, found by the type of their argument: sqrt(a), max(a, 0).
#define SKALD_ARRAY_UNARY(function, name) \
  friend array function(const array& a) { return array(apply(name, {a.handle()})); }
  SKALD_ARRAY_UNARY(abs, "absolute")
  SKALD_ARRAY_UNARY(sqrt, "sqrt")
  SKALD_ARRAY_UNARY(cbrt, "cbrt")
  SKALD_ARRAY_UNARY(exp, "exp")
  SKALD_ARRAY_UNARY(log, "log")
  SKALD_ARRAY_UNARY(log2, "log2")
  SKALD_ARRAY_UNARY(log10, "log10")
  SKALD_ARRAY_UNARY(log1p, "log1p")
  SKALD_ARRAY_UNARY(sin, "sin")
  SKALD_ARRAY_UNARY(cos, "cos")
  SKALD_ARRAY_UNARY(tan, "tan")
  SKALD_ARRAY_UNARY(asin, "arcsin")
  SKALD_ARRAY_UNARY(acos, "arccos")
  SKALD_ARRAY_UNARY(atan, "arctan")
  SKALD_ARRAY_UNARY(sinh, "sinh")
  SKALD_ARRAY_UNARY(cosh, "cosh")
  SKALD_ARRAY_UNARY(tanh, "tanh")
  SKALD_ARRAY_UNARY(floor, "floor")
  SKALD_ARRAY_UNARY(ceil, "ceil")
  SKALD_ARRAY_UNARY(trunc, "trunc")
  SKALD_ARRAY_UNARY(rint, "rint")
  SKALD_ARRAY_UNARY(square, "square")
  SKALD_ARRAY_UNARY(sign, "sign")
#undef SKALD_ARRAY_UNARY
#define SKALD_ARRAY_BINARY(function, name)                \
  friend array function(const array& a, const array& b) { \
    return array(apply(name, {a.handle(), b.handle()}));  \
  }
  SKALD_ARRAY_BINARY(pow, "power")
  SKALD_ARRAY_BINARY(atan2, "arctan2")
  SKALD_ARRAY_BINARY(hypot, "hypot")
  SKALD_ARRAY_BINARY(copysign, "copysign")
  SKALD_ARRAY_BINARY(max, "maximum")
  SKALD_ARRAY_BINARY(min, "minimum")
#undef SKALD_ARRAY_BINARY
  friend array<bool> isnan(const array& a) { return array<bool>(apply("isnan", {a.handle()})); }
  friend array<bool> isfinite(const array& a) {
    return array<bool>(apply("isfinite", {a.handle()}));
  }
  // `a` where the condition holds, else `b`.
  friend array where(const array<bool>& condition, const array& a, const array& b) {
    return array(apply("where", {condition.handle(), a.handle(), b.handle()}));
  }

  // ---- Reductions: of all elements, or along some axes.
#define SKALD_ARRAY_REDUCE(function, name)                                               \
  friend array function(const array& a) { return a.reduced(name, a.all_axes(), false); } \
  friend array function(const array& a, const axes& along, bool keep = false) {          \
    return a.reduced(name, a.bits_of(along), keep);                                      \
  }
  SKALD_ARRAY_REDUCE(sum, "add")
  SKALD_ARRAY_REDUCE(prod, "multiply")
  SKALD_ARRAY_REDUCE(maximum, "maximum")
  SKALD_ARRAY_REDUCE(minimum, "minimum")
  SKALD_ARRAY_REDUCE(any, "logical_or")
  SKALD_ARRAY_REDUCE(every, "logical_and")
#undef SKALD_ARRAY_REDUCE
  friend array mean(const array& a) { return sum(a) / static_cast<T>(a.size()); }
  friend array mean(const array& a, const axes& along, bool keep = false) {
    const array total = sum(a, along, keep);
    const int64_t count = total.size();
    return total / static_cast<T>(count == 0 ? 1 : a.size() / count);
  }
  friend array cumsum(const array& a, int axis = 0) { return a.scanned("add", axis); }
  friend array cumprod(const array& a, int axis = 0) { return a.scanned("multiply", axis); }
  // The product of matrices and vectors, as sums.
  friend array dot(const array& a, const array& b) {
    if (a.rank() == 1 && b.rank() == 1) return sum(a * b);
    if (b.rank() == 1) return sum(a * b, -1);
    if (a.rank() == 1) return sum(a.expand(1) * b, 0);
    return sum(a.expand(2) * b.expand(0), 1);
  }

 private:
  static skald_lazy apply(const char* name, std::initializer_list<skald_lazy> inputs) {
    skald_lazy made;
    detail::check_lazy(skald_lazy_apply(name, inputs.begin(), inputs.size(), &made));
    return made;
  }
  skald_lazy_info describe() const {
    skald_lazy_info info;
    detail::check_lazy(skald_lazy_describe(handle(), &info));
    return info;
  }
  uint64_t all_axes() const { return (uint64_t{1} << rank()) - 1; }
  int axis_of(int axis) const {
    const int axes = rank(), at = axis < 0 ? axis + axes : axis;
    if (at < 0 || at >= axes)
      detail::bad_lazy(SKALD_BAD_ARGUMENT, "an array of " + std::to_string(axes) +
                                               " axes has no axis " + std::to_string(axis));
    return at;
  }
  uint64_t bits_of(const axes& along) const {
    uint64_t bits = 0;
    for (const int axis : along.numbers) bits |= uint64_t{1} << axis_of(axis);
    return bits;
  }
  array reduced(const char* name, uint64_t axes, bool keep) const {
    skald_lazy made;
    detail::check_lazy(skald_lazy_reduce(name, handle(), axes, keep ? 1 : 0, &made));
    return array(made);
  }
  array scanned(const char* name, int axis) const {
    skald_lazy made;
    detail::check_lazy(skald_lazy_scan(name, handle(), axis_of(axis), &made));
    return array(made);
  }

  detail::LazyHandle handle_;
};

// A part of an array: reads as the elements it had when it was made; what is assigned to it is
// written into the array, which must still exist.  `array<T> b = a(0);` keeps only the elements.
template <class T>
class part : public array<T> {
 public:
  part(array<T>& whole, detail::View view)
      : array<T>(whole.viewed(view)), whole_(whole), view_(std::move(view)) {}
  part(const part&) = default;
  const part& operator=(const array<T>& value) const {
    whole_.write(view_, value);
    return *this;
  }
  const part& operator=(const part& value) const {
    return *this = static_cast<const array<T>&>(value);
  }
  const part& operator+=(const array<T>& b) const { return *this = now() + b; }
  const part& operator-=(const array<T>& b) const { return *this = now() - b; }
  const part& operator*=(const array<T>& b) const { return *this = now() * b; }
  const part& operator/=(const array<T>& b) const { return *this = now() / b; }

 private:
  array<T> now() const { return whole_.viewed(view_); }

  array<T>& whole_;
  detail::View view_;
};

// The elements as another type, rounded towards zero where they are integers then.
template <class To, class From>
array<To> cast(const array<From>& a) {
  skald_lazy made;
  detail::check_lazy(skald_lazy_cast(a.handle(), detail::TypeOf<To>::value, &made));
  return array<To>(made);
}

// How many elements are true.
inline array<int64_t> count(const array<bool>& a) {
  return sum(cast<int64_t>(a));
}

// Runs all that is pending.
inline void flush() {
  detail::check_lazy(skald_lazy_flush());
}
// Where programs run: "cpu", "opencl", "cuda".  Before anything is run.
inline void use_backend(const std::string& name) {
  detail::check_lazy(skald_lazy_backend(name.c_str()));
}

}  // namespace skald

#endif  // SKALD_ARRAY_HPP
