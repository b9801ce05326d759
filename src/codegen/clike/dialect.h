// SPDX-License-Identifier: Apache-2.0
// What differs between the C dialects of devices.  Kernels are written in words that a dialect's
// prelude defines, mostly as macros:
//
//   SK_KERNEL, SK_FN                     before kernels and functions
//   SK_LARGE_FN                          before functions that are not to be written out at calls
//   SK_KERNEL_OF(threads)                before kernels whose groups have so many threads
//   SK_KERNEL_AT_ONCE(threads, groups)   … and so many groups should fit a processor
//   SK_GLOBAL, SK_LOCAL, SK_PRIVATE      address spaces of pointers
//   SK_RESTRICT                          of a pointer: nobody else writes what it leads to
//   SK_UNROLL, SK_SHORT                  before a loop: written out, or not at all
//   SK_FAILED_BEFORE(record, launch)     has an earlier launch failed?
//   SK_SHARED(name, words)               shared memory of a group, at the top of a kernel
//   SK_LOCAL_PARAM                       the last parameter of a kernel, if its launch says how
//                                        much shared memory there is
//   SK_LOCAL_MEMORY                      declares i64* sk_local, which leads to that
//   SK_OWN_HEAP, SK_HEAP(arena)          a heap of the thread's own, and which of both it takes
//   SK_SATURATED_i32(x), SK_SATURATED_i64  defined if one instruction converts floats toward zero,
//                                        and what is out of range to the nearest integer
//   SK_GROUP, SK_THREAD                  where a thread is
//   SK_THREADS                           how many threads a group has
//   SK_BARRIER, SK_FENCE, SK_GROUP_FENCE for all threads, or those of the group
//   SK_WARP_MEET                         for the threads of a warp, which have parted
//   SK_MEET_AT_END                       at the end of a kernel with barriers, if all come there
//   SK_MATRIX_SUM(c, a, b)               CUDA only: imp::MatrixSum
//   SK_SHUFFLE_ROOM(threads)             what shuffles need, at the top of a kernel
//   SK_SHUFFLE32(kind, got, bits, lane)  declares `got`, the bits of another thread
//   SK_SHUFFLE64(kind, got, bits, lane)
//   SK_BALLOT(got, condition)            declares `got`, a u32: for which lanes it holds
//   SK_ATOM32(op, p, v), SK_ATOM64       op is add, min, max, and, or, xor, xchg
//   SK_ADD_FLOAT(p, v)                   defined if the device has an instruction for sums of
//                                        floats in its memory
//   SK_ADD_FOUR(p, a, b, c, d)           defined if it may have one for four neighbours of f32
//   SK_CAS32(p, old, new), SK_CAS64      on unsigned words
//   SK_NEAR32(p), SK_NEAR64(p)           a word of the device's memory as the nearest cache has it
//   SK_WIDE_LOAD(wide, from)             declares four words, loaded from the device's memory
//   SK_WARPS                             defined if threads go in warps that can talk:
//     SK_ACTIVE                          lanes that are here together
//     SK_LANES_BELOW, SK_LANES_ABOVE     those before and after this one
//     SK_MATCH(lanes, x)                 those with the same x
//     SK_ANY(lanes, c), SK_LANES_WITH    does c hold in one, in which does it
//     SK_FIRST_LANE(lanes)               the number of the first, or this one's if there is none
//     SK_FROM_LANE(lanes, x, lane)       the x of another
//   SK_F32_OF(bits), SK_BITS_OF_F32(x), SK_F64_OF, SK_BITS_OF_F64
//   SK_RSQRT_NORMAL(x)                   1 / sqrt(x) of an f32 that is not subnormal
//   SK_RECIPROCAL_F64(b)                 what quotients by an f64 share
//   SK_QUOTIENT_F64(a, b, r)             a / b, rounded once; r is SK_RECIPROCAL_F64(b)
//   SK_QUICK_QUOTIENT_F64(a, b, r, usual)  the same without branches, if it sets `usual`
//   SK_SLOW_QUOTIENT_F64(a, b)           the same in little code
//   SK_CLZ32, SK_CLZ64, SK_POPC32, SK_POPC64, SK_MULHI_I64, SK_MULHI_U64
//   i8 … u64, f32, f64                   types
//
// and OpenCL's names of mathematical functions, overloaded on f32 and f64.  SKALD_F64 is defined
// where the device has f64.
#pragma once

#include <cstdint>
#include <string_view>

namespace skald::clike {

// Does the text say where in the source its parts are, and does it have the names of imp?  Texts
// for compilers do not.
enum class Places : uint8_t { kHidden, kShown };

struct Dialect {
  std::string_view name;
  std::string_view prelude;
};

}  // namespace skald::clike
