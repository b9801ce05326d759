/* SPDX-License-Identifier: Apache-2.0 */
/* Lazy arrays for C, below include/skald/array.hpp, which is what people use.
 *
 * Operations are recorded; reading elements runs all that is pending as compiled programs, which
 * are kept by what they do, for all sizes.  A handle is a value: writing makes a new value of that
 * handle and changes no other one.  All lazy arrays of a process belong together, and calls from
 * several threads wait for each other.  Errors are those of skald.h.
 */
#ifndef SKALD_LAZY_H
#define SKALD_LAZY_H

#include "skald/skald.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct skald_lazy {
  uint64_t id;
} skald_lazy;

/* Where programs run: "cpu", "opencl", "cuda", "interp".  Without it: on the best back end that
 * needs no device.  Before anything is run. */
SKALD_API skald_status skald_lazy_backend(const char* name);

/* Copies elements in row-major order; SKALD_F16 is no type of lazy arrays here. */
SKALD_API skald_status skald_lazy_from_host(skald_type type, int rank, const int64_t* shape,
                                            const void* data, skald_lazy* out);
/* The same element everywhere. */
SKALD_API skald_status skald_lazy_full(skald_type type, int rank, const int64_t* shape,
                                       const void* element, skald_lazy* out);
/* 0, 1, 2 … count-1. */
SKALD_API skald_status skald_lazy_iota(skald_type type, int64_t count, skald_lazy* out);
/* Another handle of the same value. */
SKALD_API skald_status skald_lazy_copy(skald_lazy array, skald_lazy* out);
SKALD_API skald_status skald_lazy_free(skald_lazy array);

/* Element by element, by NumPy's name of the operation: "add", "sqrt", "less", "where" ….  Inputs
 * are of one type (the first of "where" is of bools) and are repeated to a common shape. */
SKALD_API skald_status skald_lazy_apply(const char* operation, const skald_lazy* inputs,
                                        size_t count, skald_lazy* out);
SKALD_API skald_status skald_lazy_cast(skald_lazy array, skald_type type, skald_lazy* out);
/* Combines all elements along the axes whose bits are set by "add", "multiply", "maximum",
 * "minimum"; of bools by "logical_and", "logical_or".  `keep`: these axes stay, with one element.
 */
SKALD_API skald_status skald_lazy_reduce(const char* operation, skald_lazy array, uint64_t axes,
                                         int keep, skald_lazy* out);
/* All partial results along one axis. */
SKALD_API skald_status skald_lazy_scan(const char* operation, skald_lazy array, int axis,
                                       skald_lazy* out);

/* Element (i, j, …) of the view is element offset + i * strides[0] + j * strides[1] … of the array
 * in row-major order.  Fails if that is not inside. */
SKALD_API skald_status skald_lazy_view(skald_lazy array, int rank, const int64_t* shape,
                                       const int64_t* strides, int64_t offset, skald_lazy* out);
/* Gives the array a new value: elements as in such a view are those of `value`, which is repeated
 * to the view's shape. */
SKALD_API skald_status skald_lazy_write(skald_lazy array, int rank, const int64_t* shape,
                                        const int64_t* strides, int64_t offset, skald_lazy value);

typedef struct skald_lazy_info {
  skald_type type;
  int rank;
  int64_t shape[16]; /* lazy arrays have at most 16 axes */
  int pending;       /* not computed yet */
} skald_lazy_info;

SKALD_API skald_status skald_lazy_describe(skald_lazy array, skald_lazy_info* info);
/* Copies all elements to the host, in row-major order; `bytes` must be their size. */
SKALD_API skald_status skald_lazy_read(skald_lazy array, void* to, size_t bytes);
/* Runs all that is pending. */
SKALD_API skald_status skald_lazy_flush(void);

#ifdef __cplusplus
}
#endif

#endif /* SKALD_LAZY_H */
