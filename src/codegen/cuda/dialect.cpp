// SPDX-License-Identifier: Apache-2.0
#include "codegen/cuda/dialect.h"

namespace skald::cuda {

// Atomic functions want pointers that are not volatile, and 64 bits to be `unsigned long long`.
const clike::Dialect kDialect = {"cuda", R"(
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

#define SK_KERNEL extern "C" __global__
#define SK_KERNEL_OF(threads) extern "C" __global__ __launch_bounds__(threads)
// Fewer groups where the registers of so many are too few (runtime/cuda/cuda_kernels.cpp).
#ifndef SK_MOST_GROUPS
#define SK_MOST_GROUPS 32
#endif
#define SK_KERNEL_AT_ONCE(threads, groups) \
  extern "C" __global__ __launch_bounds__(threads, groups < SK_MOST_GROUPS ? groups : SK_MOST_GROUPS)
#define SK_FN static __device__
#define SK_LARGE_FN static __device__ __noinline__
#define SK_GLOBAL
#define SK_LOCAL
#define SK_PRIVATE
#define SK_RESTRICT __restrict__
#define SK_UNROLL _Pragma("unroll")
#define SK_SHORT _Pragma("unroll 1")
// Through the cache: a launch that failed before this one did so long ago.
#define SK_FAILED_BEFORE(record, launch) sk_failed_before((const i64*)(record), launch)
#define SK_LOCAL_PARAM
#define SK_LOCAL_MEMORY extern __shared__ __align__(16) i64 sk_local[];
#define SK_SHARED(name, words) __shared__ __align__(16) i64 name[words]
// Words of this memory lie side by side for the threads of a warp: what they read together comes
// together.  Used if the launch brings no arena (runtime/cuda/find_device.cpp: own_heap).
#ifndef SK_OWN_HEAP_BYTES
#define SK_OWN_HEAP_BYTES 8192
#endif
#define SK_OWN_HEAP __align__(16) u8 sk_own_heap[SK_OWN_HEAP_BYTES];
#define SK_HEAP(arena) (sk_arena == (u8*)sk_record ? sk_own_heap : (arena))
// A float toward zero, or the nearest integer that there is: one instruction.
static __device__ __forceinline__ i32 sk_saturated_i32(f32 v) { return __float2int_rz(v); }
static __device__ __forceinline__ i32 sk_saturated_i32(f64 v) { return __double2int_rz(v); }
static __device__ __forceinline__ i64 sk_saturated_i64(f32 v) { return __float2ll_rz(v); }
static __device__ __forceinline__ i64 sk_saturated_i64(f64 v) { return __double2ll_rz(v); }
#define SK_SATURATED_i32(v) sk_saturated_i32(v)
#define SK_SATURATED_i64(v) sk_saturated_i64(v)
#define SK_GROUP ((i64)blockIdx.x)
#define SK_THREAD ((i64)threadIdx.x)
#define SK_THREADS ((i64)blockDim.x)
#define SK_BARRIER __syncthreads()
#define SK_WARP_MEET __syncwarp()
#define SK_MEET_AT_END
#define SK_SHUFFLE_ROOM(threads)
#define SK_SHUFFLE32(kind, got, bits, lane) u32 got = sk_##kind((u32)(bits), (i32)(lane))
#define SK_SHUFFLE64(kind, got, bits, lane) u64 got = sk_##kind((u64)(bits), (i32)(lane))
#define SK_BALLOT(got, condition) u32 got = __ballot_sync(0xffffffffu, condition)
#define SK_FENCE() __threadfence()
#define SK_GROUP_FENCE() __threadfence_block()
#define SK_ATOM32(op, p, v) sk_atom_##op(p, v)
#define SK_ATOM64(op, p, v) sk_atom_##op(p, v)
#define SK_ADD_FLOAT(p, v) sk_add_float(p, v)
#define SK_ADD_FOUR(p, a, b, c, d) sk_add_four(p, a, b, c, d)
#define SK_CAS32(p, seen, next) atomicCAS((u32*)(p), (u32)(seen), (u32)(next))
#define SK_CAS64(p, seen, next) atomicCAS((u64*)(p), (u64)(seen), (u64)(next))
#define SK_NEAR32(p) __ldca((const u32*)(p))
#define SK_NEAR64(p) __ldca((const u64*)(p))
// Compilers move loads to where values are used, and then few are under way at once.
#define SK_WIDE_LOAD(wide, from)                                               \
  uint4 wide;                                                                  \
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"                      \
               : "=r"(wide.x), "=r"(wide.y), "=r"(wide.z), "=r"(wide.w)        \
               : "l"(from))
#define SK_F32_OF(bits) __uint_as_float((u32)(bits))
#define SK_BITS_OF_F32(x) __float_as_uint((f32)(x))
#define SK_F64_OF(bits) __longlong_as_double((i64)(bits))
#define SK_BITS_OF_F64(x) ((u64)__double_as_longlong((f64)(x)))
#define SK_CLZ32(x) __clz((i32)(x))
#define SK_CLZ64(x) __clzll((i64)(x))
#define SK_POPC32(x) __popc(x)
#define SK_POPC64(x) __popcll(x)
#define SK_WARPS
#define SK_LANE (threadIdx.x & 31)
#define SK_ACTIVE __activemask()
#define SK_LANES_BELOW ((1u << SK_LANE) - 1)
#define SK_LANES_ABOVE (0xfffffffeu << SK_LANE)
#define SK_MATCH(lanes, x) __match_any_sync(lanes, x)
#define SK_WAIT(nanoseconds) __nanosleep(nanoseconds)
#define SK_ANY(lanes, c) __any_sync(lanes, c)
#define SK_LANES_WITH(lanes, c) __ballot_sync(lanes, c)
#define SK_FIRST_LANE(lanes) ((lanes) != 0 ? __ffs(lanes) - 1 : (i32)SK_LANE)
#define SK_FROM_LANE(lanes, x, lane) __shfl_sync(lanes, x, lane)
#define SK_MULHI_I64(a, b) __mul64hi(a, b)
#define SK_MULHI_U64(a, b) __umul64hi(a, b)

// Without the scaling that makes subnormal numbers right.
SK_FN f32 sk_rsqrt_normal(f32 x) {
  f32 y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#define SK_RSQRT_NORMAL(x) sk_rsqrt_normal(x)

// a / b, rounded as the operator rounds: its own instructions, but with the reciprocal as a value by
// itself.  What is very large or small takes the operator.
SK_FN __forceinline__ f64 sk_reciprocal(f64 b) {
  f64 guess;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(b));
  guess = __hiloint2double(__double2hiint(guess), 1);
  f64 rest = __fma_rn(-b, guess, 1.0);
  rest = __fma_rn(rest, rest, rest);
  f64 better = __fma_rn(guess, rest, guess);
  return __fma_rn(better, __fma_rn(-b, better, 1.0), better);
}
SK_FN __noinline__ f64 sk_unusual_quotient(f64 a, f64 b) {
  // Zeros are frequent.
  if (a == 0.0 && fabs(b) > 1e-290 && fabs(b) < 1e290) return __dmul_rn(a, b);
  return a / b;
}
SK_FN __forceinline__ f64 sk_quotient(f64 a, f64 b, f64 r) {
  f64 q = __dmul_rn(a, r);
  q = __fma_rn(r, __fma_rn(-b, q, a), q);
  f32 usual = __fmaf_rn(0.0f, __int_as_float(__double2hiint(b)), __int_as_float(__double2hiint(q)));
  bool fits = fabsf(__int_as_float(__double2hiint(a))) >= 6.5827683646048100446e-37f;
  if (__builtin_expect(!fits || !(fabsf(usual) > 1.469367938527859385e-39f), 0)) q = sk_unusual_quotient(a, b);
  return q;
}
// The same without a branch, if `usual` is true then.  What is asked of the divisor is asked once.
SK_FN __forceinline__ f64 sk_quick_quotient(f64 a, f64 b, f64 r, bool* usual) {
  f64 q = __dmul_rn(a, r);
  q = __fma_rn(r, __fma_rn(-b, q, a), q);
  bool fits = fabsf(__int_as_float(__double2hiint(a))) >= 6.5827683646048100446e-37f;
  bool normal = fabsf(__int_as_float(__double2hiint(q))) > 1.469367938527859385e-39f;
  *usual = fits & normal & (fabsf(__int_as_float(__double2hiint(b))) < __int_as_float(0x7f800000));
  return q;
}
#define SK_QUICK_QUOTIENT_F64(a, b, r, usual) sk_quick_quotient(a, b, r, &usual)
#define SK_SLOW_QUOTIENT_F64(a, b) sk_unusual_quotient(a, b)
#define SK_RECIPROCAL_F64(b) sk_reciprocal(b)
#define SK_QUOTIENT_F64(a, b, r) sk_quotient(a, b, r)

#define SK_MATRIX_SUM(c, a, b) sk_matrix_sum(c, a, b)
SK_FN __forceinline__ void sk_matrix_sum(f64* c, const f64* a, const f64* b) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
  int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    int h = k / 4, s = k % 4;
    f64 above = __shfl_sync(~0u, a[2 * h], 4 * g + s), below = __shfl_sync(~0u, a[2 * h + 1], 4 * g + s);
    f64 left = __shfl_sync(~0u, b[h], 8 * t + s), right = __shfl_sync(~0u, b[h], 8 * t + 4 + s);
    c[0] = fma(above, left, c[0]);
    c[1] = fma(above, right, c[1]);
    c[2] = fma(below, left, c[2]);
    c[3] = fma(below, right, c[3]);
  }
#endif
}

SK_FN bool sk_failed_before(const i64* record, i64 launch) {
  i64 failed = __ldg(record + 1);
  return failed != 0 && failed < launch;
}

#define SK_SHUFFLE(kind, function)                                                      \
  SK_FN u32 sk_##kind(u32 bits, i32 lane) { return function(0xffffffffu, bits, lane); } \
  SK_FN u64 sk_##kind(u64 bits, i32 lane) { return function(0xffffffffu, bits, lane); }
SK_SHUFFLE(shuffle_up, __shfl_up_sync)
SK_SHUFFLE(shuffle_down, __shfl_down_sync)
SK_SHUFFLE(shuffle_xor, __shfl_xor_sync)
SK_SHUFFLE(shuffle_index, __shfl_sync)

#define SK_ATOM_SAME(op, function, word, type)               \
  SK_FN type sk_atom_##op(volatile type* p, type v) {        \
    return (type)function((word*)p, (word)v);                \
  }
#define SK_ATOM_BITS(op, function)         \
  SK_ATOM_SAME(op, function, u32, i32)     \
  SK_ATOM_SAME(op, function, u32, u32)     \
  SK_ATOM_SAME(op, function, u64, i64)     \
  SK_ATOM_SAME(op, function, u64, u64)
#define SK_ATOM_ORDER(op, function)        \
  SK_ATOM_SAME(op, function, i32, i32)     \
  SK_ATOM_SAME(op, function, u32, u32)     \
  SK_ATOM_SAME(op, function, i64, i64)     \
  SK_ATOM_SAME(op, function, u64, u64)
SK_ATOM_BITS(add, atomicAdd)
SK_ATOM_BITS(and, atomicAnd)
SK_ATOM_BITS(or, atomicOr)
SK_ATOM_BITS(xor, atomicXor)
SK_ATOM_BITS(xchg, atomicExch)
SK_ATOM_ORDER(min, atomicMin)
SK_ATOM_ORDER(max, atomicMax)
SK_FN void sk_add_float(volatile f32* p, f32 v) { atomicAdd((f32*)p, v); }
SK_FN void sk_add_float(volatile f64* p, f64 v) { atomicAdd((f64*)p, v); }
SK_FN void sk_add_four(volatile f32* p, f32 a, f32 b, f32 c, f32 d) {
#if __CUDA_ARCH__ >= 900 && (__CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 1))
  if (((u64)p & 15) == 0) {
    asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global((const void*)p)),
                 "f"(a), "f"(b), "f"(c), "f"(d) : "memory");
    return;
  }
#endif
  atomicAdd((f32*)p, a);
  atomicAdd((f32*)p + 1, b);
  atomicAdd((f32*)p + 2, c);
  atomicAdd((f32*)p + 3, d);
}

#define SK_PI 3.14159265358979323846
SK_FN f32 tanpi(f32 x) { return sinpif(x) / cospif(x); }
SK_FN f64 tanpi(f64 x) { return sinpi(x) / cospi(x); }
SK_FN f32 asinpi(f32 x) { return asinf(x) / (f32)SK_PI; }
SK_FN f64 asinpi(f64 x) { return asin(x) / SK_PI; }
SK_FN f32 acospi(f32 x) { return acosf(x) / (f32)SK_PI; }
SK_FN f64 acospi(f64 x) { return acos(x) / SK_PI; }
SK_FN f32 atanpi(f32 x) { return atanf(x) / (f32)SK_PI; }
SK_FN f64 atanpi(f64 x) { return atan(x) / SK_PI; }
SK_FN f32 atan2pi(f32 y, f32 x) { return atan2f(y, x) / (f32)SK_PI; }
SK_FN f64 atan2pi(f64 y, f64 x) { return atan2(y, x) / SK_PI; }
)"};

}  // namespace skald::cuda
