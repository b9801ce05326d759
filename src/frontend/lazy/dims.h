// SPDX-License-Identifier: Apache-2.0
// Dims: a short list of sizes or strides without an allocation for the usual ranks.
// View: which elements of a base an array shows.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <utility>

namespace skald::lazy {

class Dims {
 public:
  // So many need no memory of their own; a node has several lists.
  static constexpr int kInline = 5;
  Dims() = default;
  explicit Dims(int count, int64_t value = 0) {
    resize(count);
    for (int i = 0; i < count; ++i) data()[i] = value;
  }
  Dims(const Dims& other) { assign(other); }
  Dims(Dims&& other) noexcept { steal(other); }
  Dims& operator=(const Dims& other) {
    if (this != &other) assign(other);
    return *this;
  }
  Dims& operator=(Dims&& other) noexcept {
    if (this != &other) {
      free_heap();
      steal(other);
    }
    return *this;
  }
  ~Dims() { free_heap(); }

  int size() const { return count_; }
  bool empty() const { return count_ == 0; }
  int64_t* data() { return is_inline() ? few_ : many_; }
  const int64_t* data() const { return is_inline() ? few_ : many_; }
  int64_t& operator[](int i) { return data()[i]; }
  int64_t operator[](int i) const { return data()[i]; }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + count_; }
  void push_back(int64_t value) {
    resize(count_ + 1);
    data()[count_ - 1] = value;
  }
  // Keeps the first values.
  void resize(int count) {
    if (count > capacity_) {
      auto* larger = new int64_t[static_cast<size_t>(count) * 2];
      std::memcpy(larger, data(), sizeof(int64_t) * static_cast<size_t>(count_));
      free_heap();
      many_ = larger;
      capacity_ = count * 2;
    }
    count_ = count;
  }
  void insert(int at, int64_t value) {
    push_back(value);
    for (int i = count_ - 1; i > at; --i) data()[i] = data()[i - 1];
    data()[at] = value;
  }
  void erase(int at) {
    for (int i = at; i + 1 < count_; ++i) data()[i] = data()[i + 1];
    --count_;
  }
  friend bool operator==(const Dims& a, const Dims& b) {
    if (a.count_ != b.count_) return false;
    const int64_t *x = a.data(), *y = b.data();
    for (int i = 0; i < a.count_; ++i) {
      if (x[i] != y[i]) return false;
    }
    return true;
  }

 private:
  bool is_inline() const { return capacity_ == kInline; }
  void free_heap() {
    if (!is_inline()) delete[] many_;
  }
  // Few values are copied without asking how many.
  void assign(const Dims& other) {
    if (is_inline() && other.is_inline()) {
      std::memcpy(few_, other.few_, sizeof few_);
      count_ = other.count_;
      return;
    }
    resize(other.count_);
    std::memcpy(data(), other.data(), sizeof(int64_t) * static_cast<size_t>(count_));
  }
  void steal(Dims& other) {
    std::memcpy(few_, other.few_, sizeof few_);
    capacity_ = std::exchange(other.capacity_, kInline);
    count_ = std::exchange(other.count_, 0);
  }

  union {
    int64_t few_[kInline] = {};
    int64_t* many_;
  };
  int count_ = 0;
  int capacity_ = kInline;
};

inline int64_t count_of(const Dims& shape) {
  int64_t count = 1;
  for (const int64_t n : shape) count *= n;
  return count;
}

// Offsets and strides are in elements of the base.
struct View {
  Dims shape, strides;
  int64_t offset = 0;

  int rank() const { return shape.size(); }
  int64_t count() const { return count_of(shape); }
  // Row-major and without gaps, wherever it begins.
  bool is_dense() const {
    int64_t expected = 1;
    for (int i = rank() - 1; i >= 0; --i) {
      if (shape[i] == 0) return true;
      if (shape[i] != 1 && strides[i] != expected) return false;
      expected *= shape[i];
    }
    return true;
  }
  static View dense(const Dims& shape) {
    View view;
    view.shape = shape;
    view.strides.resize(shape.size());
    int64_t stride = 1;
    for (int i = shape.size() - 1; i >= 0; --i) {
      view.strides[i] = stride;
      stride *= shape[i];
    }
    return view;
  }
  // As an array of a larger shape: new axes and axes of one element get stride 0.
  View broadcast(const Dims& to) const {
    if (shape == to) return *this;
    View view;
    view.offset = offset;
    view.shape = to;
    view.strides.resize(to.size());
    const int first = to.size() - rank();
    for (int i = 0; i < to.size(); ++i) {
      const bool repeats = i < first || (shape[i - first] == 1 && to[i] != 1);
      view.strides[i] = repeats ? 0 : strides[i - first];
    }
    return view;
  }
  friend bool operator==(const View& a, const View& b) {
    return a.offset == b.offset && a.shape == b.shape && a.strides == b.strides;
  }
};

}  // namespace skald::lazy
