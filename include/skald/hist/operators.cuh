// SPDX-License-Identifier: Apache-2.0
// What an operator needs, so that many threads can update a bin at once.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace skald {

// Operators that a GPU has instructions for, on integers of 32 and 64 bits. Any
// other function of two values that is associative and commutative will do as
// well.
struct Plus {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct Minimum {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Maximum {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct BitAnd {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a & b;
  }
};
struct BitOr {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a | b;
  }
};
struct BitXor {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a ^ b;
  }
};

enum class BinUpdate { kInstruction, kSwap, kLock };

namespace hist_detail {

using u16 = uint16_t;
using u32 = uint32_t;
using u64 = unsigned long long;

template <class Op, class T>
__host__ __device__ constexpr BinUpdate bin_update() {
  constexpr bool known = std::is_same_v<Op, Plus> || std::is_same_v<Op, Minimum> ||
                         std::is_same_v<Op, Maximum> || std::is_same_v<Op, BitAnd> ||
                         std::is_same_v<Op, BitOr> || std::is_same_v<Op, BitXor>;
  if (known && std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8))
    return BinUpdate::kInstruction;
  return sizeof(T) <= 8 ? BinUpdate::kSwap : BinUpdate::kLock;
}

// Does the operator say that its result is mostly its first argument?
template <class Op, class = void>
struct Chooses : std::false_type {};
template <class Op>
struct Chooses<Op, std::enable_if_t<Op::kChooses>> : std::true_type {};

// ---- bins as words
template <class T>
using Word = std::conditional_t<(sizeof(T) > 4), u64, u32>;

template <class T>
__device__ Word<T> to_word(const T& value) {
  Word<T> word = 0;
  memcpy(&word, &value, sizeof(T));
  return word;
}
template <class T>
__device__ T from_word(Word<T> word) {
  T value;
  memcpy(&value, &word, sizeof(T));
  return value;
}

template <class W>
__device__ W load_now(const W* place) {
  return *const_cast<const volatile W*>(place);
}

// One instruction.
template <class T, class Op>
__device__ void update_by_instruction(Word<T>* place, T value, Op) {
  using Signed = std::conditional_t<sizeof(T) == 4, int, long long>;
  using Number = std::conditional_t<std::is_signed_v<T>, Signed, Word<T>>;
  if constexpr (std::is_same_v<Op, Plus>) atomicAdd(place, static_cast<Word<T>>(value));
  if constexpr (std::is_same_v<Op, BitAnd>) atomicAnd(place, static_cast<Word<T>>(value));
  if constexpr (std::is_same_v<Op, BitOr>) atomicOr(place, static_cast<Word<T>>(value));
  if constexpr (std::is_same_v<Op, BitXor>) atomicXor(place, static_cast<Word<T>>(value));
  if constexpr (std::is_same_v<Op, Minimum>)
    atomicMin(reinterpret_cast<Number*>(place), static_cast<Number>(value));
  if constexpr (std::is_same_v<Op, Maximum>)
    atomicMax(reinterpret_cast<Number*>(place), static_cast<Number>(value));
}

// Compare and swap, unless nothing changes.  If others were faster: takes what
// is there, leaving nothing, and puts the combination back, until nobody has
// put something there meanwhile.
template <class T, class Op>
__device__ void update_by_swap(Word<T>* place, T value, Op op, T identity) {
  const Word<T> seen = load_now(place), none = to_word(identity);
  const Word<T> next = to_word(op(from_word<T>(seen), value));
  if (next == seen || atomicCAS(place, seen, next) == seen) return;
  while (true) {
    value = op(value, from_word<T>(atomicExch(place, none)));
    const Word<T> got = atomicExch(place, to_word(value));
    if (got == none) return;
    value = from_word<T>(got);
  }
}

template <class T, class Op>
__device__ void update_word(Word<T>* place, T value, Op op, T identity) {
  if constexpr (bin_update<Op, T>() == BinUpdate::kInstruction)
    update_by_instruction(place, value, op);
  else
    update_by_swap(place, value, op, identity);
}

// Where updates are loops, the threads of a warp part, and nothing brings them together again before
// the kernel ends.  All of them come here, in the same round of the loop around.
template <class T, class Op>
__device__ void come_together() {
  if constexpr (bin_update<Op, T>() != BinUpdate::kInstruction) __syncwarp();
}

}  // namespace hist_detail
}  // namespace skald
