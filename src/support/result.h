// SPDX-License-Identifier: Apache-2.0
// Result<T, E>: a value or the reason why there is none.  (std::expected is C++23.)
//
//   Result<int> parse(std::string_view text) {
//     if (text.empty()) return Failure("nothing to parse");
//     return 3;
//   }
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "support/bug.h"

namespace skald {

template <class E = std::string>
struct Failure {
  E error;
  explicit Failure(E e) : error(std::move(e)) {}
};
Failure(const char*) -> Failure<std::string>;

struct Unit {};

template <class T, class E = std::string>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by design
  template <class F>
  Result(Failure<F> failure)  // NOLINT: implicit by design
      : state_(std::in_place_index<1>, std::move(failure.error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() { return get(); }
  const T& operator*() const { return const_cast<Result*>(this)->get(); }
  T* operator->() { return &get(); }
  const T* operator->() const { return &const_cast<Result*>(this)->get(); }
  const E& error() const {
    SKALD_CHECK(state_.index() == 1, "error() of a Result that holds a value");
    return *std::get_if<1>(&state_);
  }
  // The failure, ready to be returned from a function with another value type.
  Failure<E> failure() const { return Failure<E>(error()); }

 private:
  T& get() {
    SKALD_CHECK(state_.index() == 0, "value of a failed Result");
    return *std::get_if<0>(&state_);
  }
  std::variant<T, E> state_;
};

}  // namespace skald
