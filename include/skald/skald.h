/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface of libskald: compile data-parallel array programs and call them.
 *
 *   context   a back end with its device and its memory; as many as you like, each on its own
 *   program   compiled for one context, from a file, a text or an image
 *   array     elements in row-major order in the memory of its context, or in the host's; rank 0 is
 *             a scalar
 *
 * Handles are numbers, not addresses: a handle that was freed, or whose context has ended, is
 * answered with SKALD_BAD_HANDLE.  Every function may be called from any thread.  Each returns
 * SKALD_OK or says what is wrong; skald_last_error has the words.  Results are written only with
 * SKALD_OK.
 *
 * Arrays do not change once they exist, with one exception: skald_array_give lets the next call
 * that takes an array overwrite it, where the program consumes that argument.  Nothing moves
 * between the host and a device unless skald_array_copy, skald_array_read or skald_array_from_host
 * says so.
 *
 * docs/library.md tells more; examples/embed has whole programs.
 */
#ifndef SKALD_SKALD_H
#define SKALD_SKALD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SKALD_API __attribute__((visibility("default")))

/* "0.1.0" */
SKALD_API const char* skald_version(void);

/* ---- Errors ------------------------------------------------------------------------------------
 */

typedef enum skald_status {
  SKALD_OK = 0,
  SKALD_BAD_HANDLE = 1,     /* freed, of an ended context, or never valid */
  SKALD_BAD_ARGUMENT = 2,   /* a null pointer, a negative size, an unknown name, ... */
  SKALD_BAD_TYPE = 3,       /* the type or rank of an argument does not fit the entry point */
  SKALD_BAD_SHAPE = 4,      /* the sizes of arguments contradict each other */
  SKALD_BAD_SPACE = 5,      /* an array in another memory than the call needs */
  SKALD_BAD_CONTEXT = 6,    /* things of different contexts in one call */
  SKALD_BAD_IMAGE = 7,      /* not an image, or one of another version or machine */
  SKALD_NO_BACKEND = 8,     /* no such back end or device here */
  SKALD_COMPILE_ERROR = 9,  /* the program is wrong; place and code say more */
  SKALD_RUN_ERROR = 10,     /* a check of the program failed while it ran */
  SKALD_LIMIT = 11,         /* a limit of memory, time or recursion was reached */
  SKALD_DEVICE_ERROR = 12,  /* the device or its driver failed */
  SKALD_INTERNAL_ERROR = 13 /* a bug of ours; please report it */
} skald_status;

typedef struct skald_error {
  skald_status status;
  const char* code;  /* of a diagnostic or a limit: "size-mismatch"; `skald explain CODE` says more.
                        Or "" */
  const char* text;  /* as `skald` would print it */
  const char* place; /* "prog.fut:3:5-9", or "" */
} skald_error;

/* Of the last call in this thread that failed.  Valid until the next call in this thread. */
SKALD_API const skald_error* skald_last_error(void);

/* ---- Contexts ----------------------------------------------------------------------------------
 */

typedef struct skald_context {
  uint64_t id;
} skald_context;

/* Begin with skald_context_defaults, then change what you need. */
typedef struct skald_context_options {
  const char* backend; /* "cpu", "opencl", "interp"; NULL: the best one that needs no device */
  const char* device;  /* a part of a device's name; NULL: the best one */
  int threads;         /* of the cpu back end; 0: all cores */
  int use_cache;       /* keep compiled programs on disk, and use them (default: 1) */
  int profile;         /* record events, see skald_profile_read (default: 0) */
  /* Limits for programs that are not trusted; 0: none.  One that cannot be kept is refused.  A call
   * that reaches one fails with SKALD_LIMIT and a code: "memory-limit", "time-limit",
   * "stack-limit". */
  int64_t memory_limit; /* bytes of all arrays of this context together, and of what calls need;
                           memory that was adopted does not count */
  double time_limit;    /* seconds for one call; a kernel on a device that goes on makes its context
                           useless */
  int64_t stack_limit;  /* bytes that recursive functions may use, on each thread */
} skald_context_options;

SKALD_API skald_context_options skald_context_defaults(void);
/* The names of the back ends of this library: 0 <= number < skald_backend_count(). */
SKALD_API size_t skald_backend_count(void);
SKALD_API const char* skald_backend_name(size_t number);

/* `options` may be NULL. */
SKALD_API skald_status skald_context_new(const skald_context_options* options, skald_context* out);
/* Chooses a tuning parameter for programs that the context makes from now on, as `--param` does:
 * docs/flattening.md and docs/machine.md have lists.  Names that a program does not have mean
 * nothing; 0 stands for "as it is". */
SKALD_API skald_status skald_context_choose(skald_context context, const char* param,
                                            int64_t number);
/* Ends everything that belongs to it. */
SKALD_API skald_status skald_context_free(skald_context context);
/* Waits until all that was asked for has happened. */
SKALD_API skald_status skald_context_finish(skald_context context);

/* ---- Programs ----------------------------------------------------------------------------------
 */

typedef struct skald_program {
  uint64_t id;
} skald_program;

/* The language follows from the end of the name: .fut, .core. */
SKALD_API skald_status skald_program_from_file(skald_context context, const char* path,
                                               skald_program* out);
/* `language` is "futhark" or "core"; `name` is what messages call it, and imports are relative to
 * it. */
SKALD_API skald_status skald_program_from_text(skald_context context, const char* language,
                                               const char* name, const char* text,
                                               skald_program* out);
/* What skald_program_image gave, in a context of the same kind. */
SKALD_API skald_status skald_program_from_image(skald_context context, const void* image,
                                                size_t bytes, skald_program* out);
/* The compiled program as bytes, which belong to the program and are valid until it is freed. Fails
 * for back ends that have no images. */
SKALD_API skald_status skald_program_image(skald_program program, const void** image,
                                           size_t* bytes);
/* What the compiler warned about, drawn; "" if nothing.  Valid until the program is freed. */
SKALD_API skald_status skald_program_warnings(skald_program program, const char** text);
SKALD_API skald_status skald_program_free(skald_program program);

typedef enum skald_type {
  SKALD_BOOL, /* one byte, 0 or 1 */
  SKALD_I8,
  SKALD_I16,
  SKALD_I32,
  SKALD_I64,
  SKALD_U8,
  SKALD_U16,
  SKALD_U32,
  SKALD_U64,
  SKALD_F16, /* IEEE half, two bytes */
  SKALD_F32,
  SKALD_F64
} skald_type;

SKALD_API size_t skald_type_size(skald_type type);      /* in bytes; 0 for what is no type */
SKALD_API const char* skald_type_name(skald_type type); /* "f32" */

/* Strings belong to the program. */
typedef struct skald_entry_info {
  const char* name;
  size_t inputs, outputs;
} skald_entry_info;

/* One array or scalar that an entry point takes or gives.  A value of a structured type is several
 * of these, one after the other, with the same `source_type`. */
typedef struct skald_value_info {
  skald_type type;
  int rank;
  int consumed;            /* the program may overwrite this argument */
  const char* name;        /* of the parameter, or "" */
  const char* source_type; /* as the program has it: "[n]f32", "(i32, bool)" */
} skald_value_info;

SKALD_API skald_status skald_program_entry_count(skald_program program, size_t* count);
SKALD_API skald_status skald_program_entry(skald_program program, size_t number,
                                           skald_entry_info* info);
SKALD_API skald_status skald_program_input(skald_program program, const char* entry, size_t number,
                                           skald_value_info* info);
SKALD_API skald_status skald_program_output(skald_program program, const char* entry, size_t number,
                                            skald_value_info* info);

/* ---- Arrays ------------------------------------------------------------------------------------
 */

typedef struct skald_array {
  uint64_t id;
} skald_array;

typedef enum skald_space { SKALD_HOST, SKALD_DEVICE } skald_space;

/* Where the calls of this context want arrays: SKALD_HOST for cpu and interp. */
SKALD_API skald_status skald_context_space(skald_context context, skald_space* space);

/* Copies elements from the host's memory to where the context wants them. */
SKALD_API skald_status skald_array_from_host(skald_context context, skald_type type, int rank,
                                             const int64_t* shape, const void* data,
                                             skald_array* out);
/* Uses memory of the host as it is, in space SKALD_HOST; `release(data, argument)` is called when
 * nobody needs it any more (it may be NULL).  Until then the elements must stay as they are. */
SKALD_API skald_status skald_array_adopt_host(skald_context context, skald_type type, int rank,
                                              const int64_t* shape, void* data,
                                              void (*release)(void* data, void* argument),
                                              void* argument, skald_array* out);
/* The same for memory of the context's device: a cl_mem. */
SKALD_API skald_status skald_array_adopt_device(skald_context context, skald_type type, int rank,
                                                const int64_t* shape, void* memory,
                                                void (*release)(void* memory, void* argument),
                                                void* argument, skald_array* out);
/* With undefined elements, where the context wants them; fill it through skald_array_data or
 * skald_array_native. */
SKALD_API skald_status skald_array_new(skald_context context, skald_type type, int rank,
                                       const int64_t* shape, skald_array* out);
/* Rows first .. first+count-1 of the outermost dimension.  Shares memory where the device can do
 * that, otherwise it is a copy on the device. */
SKALD_API skald_status skald_array_rows(skald_array array, int64_t first, int64_t count,
                                        skald_array* out);
/* The same elements in another shape with as many of them.  Shares memory. */
SKALD_API skald_status skald_array_reshape(skald_array array, int rank, const int64_t* shape,
                                           skald_array* out);
/* Another array with the same elements in that space. */
SKALD_API skald_status skald_array_copy(skald_array array, skald_space space, skald_array* out);
/* Copies all elements to the host; `bytes` must be their size. */
SKALD_API skald_status skald_array_read(skald_array array, void* to, size_t bytes);
/* The elements of an array in space SKALD_HOST, valid until it is freed. */
SKALD_API skald_status skald_array_data(skald_array array, void** data);
/* The memory of an array in space SKALD_DEVICE, as the driver knows it (a cl_mem). */
SKALD_API skald_status skald_array_native(skald_array array, void** memory);

typedef struct skald_array_info {
  skald_type type;
  int rank;
  const int64_t* shape; /* valid until the array is freed */
  skald_space space;
  int64_t bytes;
} skald_array_info;

SKALD_API skald_status skald_array_describe(skald_array array, skald_array_info* info);
/* The next call that takes this array frees it, and may overwrite it where the program consumes the
 * argument.  Without it the call makes a copy of such an argument first. */
SKALD_API skald_status skald_array_give(skald_array array);
SKALD_API skald_status skald_array_free(skald_array array);

/* ---- Calls -------------------------------------------------------------------------------------
 */

/* Arguments must lie where the context wants them (scalars may lie anywhere), and so do results.
 * After SKALD_OK the caller owns the results. */
SKALD_API skald_status skald_call(skald_program program, const char* entry,
                                  const skald_array* inputs, size_t input_count,
                                  skald_array* outputs, size_t output_count);

/* ---- Profiles ----------------------------------------------------------------------------------
 */

typedef enum skald_event_kind {
  SKALD_EVENT_CALL,        /* of an entry point */
  SKALD_EVENT_KERNEL,      /* one launch on a device */
  SKALD_EVENT_TO_DEVICE,   /* a copy, with its bytes */
  SKALD_EVENT_FROM_DEVICE, /* likewise */
  SKALD_EVENT_ON_DEVICE,   /* likewise */
  SKALD_EVENT_COMPILE      /* of a program or a kernel */
} skald_event_kind;

typedef struct skald_event {
  skald_event_kind kind;
  char name[64];    /* of the entry point, kernel or program; cut off if longer */
  int64_t bytes;    /* of a copy, else 0 */
  int64_t start_ns; /* since the context began */
  int64_t duration_ns;
} skald_event;

/* Takes the oldest events away, at most `capacity` of them; `*count` gets how many. */
SKALD_API skald_status skald_profile_read(skald_context context, skald_event* events,
                                          size_t capacity, size_t* count);

#ifdef __cplusplus
}
#endif

#endif /* SKALD_SKALD_H */
