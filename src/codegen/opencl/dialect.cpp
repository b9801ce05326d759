// SPDX-License-Identifier: Apache-2.0
#include "codegen/opencl/dialect.h"

namespace skald::opencl {

const clike::Dialect kDialect = {"opencl", R"(
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#ifdef SKALD_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

typedef char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef uchar u8;
typedef ushort u16;
typedef uint u32;
typedef ulong u64;
typedef float f32;
#ifdef SKALD_F64
typedef double f64;
#endif

#define SK_KERNEL __kernel
#define SK_KERNEL_OF(threads) __kernel __attribute__((reqd_work_group_size(threads, 1, 1)))
#define SK_KERNEL_AT_ONCE(threads, groups) SK_KERNEL_OF(threads)
#define SK_FN static
#define SK_LARGE_FN static __attribute__((noinline))
#define SK_GLOBAL __global
#define SK_LOCAL __local
#define SK_PRIVATE __private
#define SK_RESTRICT restrict
#ifdef SKALD_PROCESSOR
// There are no registers to index, and long code takes long to compile.
#define SK_UNROLL _Pragma("unroll 1")
#else
#define SK_UNROLL _Pragma("unroll")
#endif
#define SK_SHORT _Pragma("unroll 1")
#define SK_FAILED_BEFORE(record, launch) ((record)[1] != 0 && (record)[1] < (launch))
#define SK_LOCAL_PARAM , __local uint4* sk_local
#define SK_LOCAL_MEMORY
#define SK_SHARED(name, words) __local i64 name[words] __attribute__((aligned(16)))
#define SK_OWN_HEAP
#define SK_HEAP(arena) (arena)
#define SK_GROUP ((i64)get_group_id(0))
#define SK_THREAD ((i64)get_local_id(0))
#define SK_THREADS ((i64)get_local_size(0))
#define SK_BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define SK_WARP_MEET
#ifdef __NV_CL_C_VERSION
#define SK_MEET_AT_END
#else
// PoCL 3.1 lets threads that have left a loop after the last barrier run it again, for x86-64.
#define SK_MEET_AT_END SK_BARRIER
#endif
#ifdef __NV_CL_C_VERSION
// mem_fence is for the threads of one group; locks are between groups.
#define SK_FENCE() __asm__ volatile("membar.gl;" : : : "memory")
#else
#define SK_FENCE() mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif
#define SK_NEAR32(p) (*(p))
#define SK_NEAR64(p) (*(p))
#define SK_GROUP_FENCE() mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
// OpenCL 1.2 has no shuffles: values go through the group's memory.
#define SK_SHUFFLE_ROOM(threads) __local u64 sk_lanes[threads] __attribute__((aligned(16)));
#define SK_SHUFFLE32(kind, got, bits, lane)                                                \
  sk_lanes[SK_THREAD] = (u64)(bits);                                                       \
  barrier(CLK_LOCAL_MEM_FENCE);                                                            \
  u32 got = (u32)sk_lanes[(SK_THREAD & ~(i64)31) + sk_##kind(SK_THREAD & 31, (i64)(lane))]; \
  barrier(CLK_LOCAL_MEM_FENCE)
#define SK_SHUFFLE64(kind, got, bits, lane)                                                \
  sk_lanes[SK_THREAD] = (u64)(bits);                                                       \
  barrier(CLK_LOCAL_MEM_FENCE);                                                            \
  u64 got = sk_lanes[(SK_THREAD & ~(i64)31) + sk_##kind(SK_THREAD & 31, (i64)(lane))];      \
  barrier(CLK_LOCAL_MEM_FENCE)
#define SK_BALLOT(got, condition)                                                        \
  sk_lanes[SK_THREAD] = (condition) ? 1 : 0;                                             \
  barrier(CLK_LOCAL_MEM_FENCE);                                                          \
  u32 got = sk_ballot(sk_lanes + (SK_THREAD & ~(i64)31));                                \
  barrier(CLK_LOCAL_MEM_FENCE)
#define SK_ATOM32(op, p, v) atomic_##op(p, v)
#define SK_ATOM64(op, p, v) atom_##op(p, v)
#define SK_CAS32(p, old, new) atomic_cmpxchg(p, old, new)
#define SK_CAS64(p, old, new) atom_cmpxchg(p, old, new)
#define SK_WIDE_LOAD(wide, from) uint4 wide = *(from)
#define SK_F32_OF(bits) as_float((u32)(bits))
#define SK_BITS_OF_F32(x) as_uint((f32)(x))
#define SK_F64_OF(bits) as_double((u64)(bits))
#define SK_BITS_OF_F64(x) as_ulong((f64)(x))
#define SK_RSQRT_NORMAL(x) rsqrt(x)
#define SK_RECIPROCAL_F64(b) (b)
#define SK_QUOTIENT_F64(a, b, r) ((a) / (b))
#define SK_SLOW_QUOTIENT_F64(a, b) ((a) / (b))
#ifdef SKALD_F64
#define SK_QUICK_QUOTIENT_F64(a, b, r, usual) sk_quick_quotient(a, b, &usual)
SK_FN f64 sk_quick_quotient(f64 a, f64 b, bool* usual) {
  f64 q = a / b;
  *usual = isnormal(q);
  return q;
}
#endif
#define SK_CLZ32(x) clz(x)
#define SK_CLZ64(x) clz(x)
#define SK_POPC32(x) popcount(x)
#define SK_POPC64(x) popcount(x)
#define SK_MULHI_I64(a, b) mul_hi(a, b)
#define SK_MULHI_U64(a, b) mul_hi(a, b)

SK_FN u32 sk_ballot(SK_LOCAL u64* lanes) {
  u32 mask = 0;
  for (i32 i = 0; i < 32; ++i) mask |= (u32)lanes[i] << i;
  return mask;
}
SK_FN i64 sk_shuffle_up(i64 own, i64 lane) { return own < lane ? own : own - lane; }
SK_FN i64 sk_shuffle_down(i64 own, i64 lane) { return own + lane < 32 ? own + lane : own; }
SK_FN i64 sk_shuffle_xor(i64 own, i64 lane) { return (own ^ lane) & 31; }
SK_FN i64 sk_shuffle_index(i64 own, i64 lane) { return lane & 31; }
)"};

}  // namespace skald::opencl
