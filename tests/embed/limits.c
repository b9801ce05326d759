/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that are not trusted end at their limits, with an error value; the context goes on. */
#include "expect.h"

static const char* const kText =
    "entry twice (x: i64) : i64 = x * 2\n"
    "entry forever (x: i64) : i64 = loop y = x while y != -1 do (y + 1) & 0xff\n"
    "entry forever_on_rows (n: i64) : i64 =\n"
    "  let xs = loop xs = iota n while xs[0] < n do map (\\x -> (x + 1) % n) xs\n"
    "  in xs[0]\n"
    "def fib (n: i64) : i64 = if n < 2 then n else fib (n - 1) + fib (n - 2)\n"
    "entry recursion (n: i64) : i64 = fib n\n"
    "def depth (n: i64) : i64 = if n == 0 then 0 else 1 + depth (n - 1) * 3 % 7\n"
    "entry deep (n: i64) : i64 = depth n\n"
    "entry large (n: i64) : [n]i64 = iota n\n"
    "entry growing (n: i64) : []i64 =\n"
    "  loop xs = [n] while length xs < n do xs ++ xs\n";

/* Of entry points that devices run as kernels, which nobody can stop. */
static const char* const kKernels =
    "entry in_reduce (n: i64) : i64 =\n"
    "  i64.sum (map (\\x -> loop y = x while y != -1 do (y + 1) & 0xff) (iota n))\n"
    "entry in_scan (n: i64) : []i64 =\n"
    "  scan (\\a b -> loop y = a while y != -1 do (y + b + 1) & 0xff) 0 (iota n)\n"
    "entry in_hist (n: i64) : []i64 =\n"
    "  reduce_by_index (replicate 10 0i64) (\\a b -> loop y = a while y != -1 do (y + b + 1) & "
    "0xff)\n"
    "    0 (map (% 10) (iota n)) (iota n)\n"
    "entry in_wide_hist (n: i64) : []i64 =\n"
    "  map (.1) (reduce_by_index (replicate (n * 10) (0f64, 0i64))\n"
    "    (\\(a, i) (b, j) -> (a + b, loop y = i while y != -1 do (y + j + 1) & 0xff)) (0, 0)\n"
    "    (map (\\i -> i * 77 % (n * 10)) (iota n)) (map (\\i -> (f64.i64 i, i)) (iota n)))\n"
    "entry in_filter (n: i64) : []i64 =\n"
    "  filter (\\x -> (loop y = x while y != -1 do (y + 1) & 0xff) < 3) (iota n)\n"
    "entry many_steps (n: i64) : i64 = i64.sum (map (\\x -> x ^ (x >> 3)) (iota (n << 40)))\n"
    "entry nested (n: i64) : i64 =\n"
    "  i64.sum (map (\\i -> i64.maximum (map (\\j -> loop y = i + j while y != -1 do (y + 1) & "
    "0xff)\n"
    "                                       (iota n))) (iota n))\n";

static skald_program compiled(skald_context context, const char* text) {
  skald_program program;
  OK(skald_program_from_text(context, "futhark", "limits.fut", text, &program));
  return program;
}

static skald_status call(skald_context context, skald_program program, const char* entry,
                         int64_t number) {
  skald_array in, out;
  OK(skald_array_from_host(context, SKALD_I64, 0, NULL, &number, &in));
  const skald_status status = skald_call(program, entry, &in, 1, &out, 1);
  skald_error error = *skald_last_error();
  if (status == SKALD_OK) OK(skald_array_free(out));
  OK(skald_array_free(in));
  TRUE(status == SKALD_OK || skald_last_error()->text == error.text);
  return status;
}

/* The call ends with this limit, says where, and leaves the context as it was. */
static void reaches(skald_context context, skald_program program, const char* entry, int64_t number,
                    const char* code, const char* words) {
  FAILS(SKALD_LIMIT, words, call(context, program, entry, number));
  if (strcmp(skald_last_error()->code, code) != 0 || skald_last_error()->place[0] == 0 ||
      strstr(skald_last_error()->text, "limits.fut:") == NULL) {
    fprintf(stderr, "%s: code `%s`, place `%s`\n%s\n", entry, skald_last_error()->code,
            skald_last_error()->place, skald_last_error()->text);
    exit(1);
  }
}

static void limit_time(skald_context_options options) {
  skald_context context;
  options.time_limit = 0.2;
  OK(skald_context_new(&options, &context));
  skald_program program = compiled(context, kText);
  OK(call(context, program, "twice", 1));
  const char* words = "Time limit of 0.2 seconds reached";
  reaches(context, program, "forever", 1, "time-limit", words);
  reaches(context, program, "forever_on_rows", 1000, "time-limit", words);
  reaches(context, program, "recursion", 90, "time-limit", words);
  OK(call(context, program, "twice", 1));
  if (options.backend == NULL || strcmp(options.backend, "opencl") != 0) {
    skald_program kernels = compiled(context, kKernels);
    const char* const entries[] = {"in_reduce", "in_scan",    "in_hist", "in_wide_hist",
                                   "in_filter", "many_steps", "nested"};
    for (size_t k = 0; k < sizeof entries / sizeof *entries; ++k) {
      /* The interpreter keeps an array that nobody can have. */
      if (strcmp(entries[k], "many_steps") == 0 && options.backend != NULL &&
          strcmp(options.backend, "interp") == 0)
        continue;
      reaches(context, kernels, entries[k], 100000, "time-limit", words);
    }
  }
  OK(call(context, program, "twice", 1));
  OK(skald_context_free(context));
}

static void limit_memory(skald_context_options options) {
  skald_context context;
  options.memory_limit = 1 << 20;
  OK(skald_context_new(&options, &context));
  skald_program program = compiled(context, kText);
  const char* words = "Memory limit of 1048576 bytes reached";
  for (int k = 0; k < 20; ++k) {
    OK(call(context, program, "large", 60000));
    reaches(context, program, "large", 1 << 20, "memory-limit", words);
    reaches(context, program, "growing", 1 << 20, "memory-limit", words);
  }
  /* Arrays that the host holds count as well. */
  static int64_t elements[80000];
  const int64_t n = 80000;
  skald_array held, more;
  OK(skald_array_from_host(context, SKALD_I64, 1, &n, elements, &held));
  FAILS(SKALD_LIMIT, words, skald_array_from_host(context, SKALD_I64, 1, &n, elements, &more));
  TRUE(strcmp(skald_last_error()->code, "memory-limit") == 0);
  reaches(context, program, "large", 60000, "memory-limit", words);
  OK(skald_array_free(held));
  OK(call(context, program, "large", 60000));
  /* An array may outlive its context's limit, and its context. */
  OK(skald_context_free(context));
}

static void limit_stack(skald_context_options options) {
  skald_context context;
  options.stack_limit = 256 << 10;
  OK(skald_context_new(&options, &context));
  skald_program program = compiled(context, kText);
  OK(call(context, program, "deep", 10));
  reaches(context, program, "deep", 1 << 20, "stack-limit", "Stack limit of 262144 bytes reached");
  OK(call(context, program, "deep", 10));
  OK(skald_context_free(context));
}

/* Code that was compiled without a limit of time would never stop. */
static void images_are_refused(skald_context_options options) {
  skald_context free_context, limited;
  OK(skald_context_new(&options, &free_context));
  const void* image;
  size_t bytes;
  skald_program program = compiled(free_context, kText), loaded;
  const skald_status status = skald_program_image(program, &image, &bytes);
  options.time_limit = 1;
  OK(skald_context_new(&options, &limited));
  if (status == SKALD_OK)
    FAILS(SKALD_BAD_IMAGE, "", skald_program_from_image(limited, image, bytes, &loaded));
  OK(skald_context_free(free_context));
  OK(skald_context_free(limited));
}

int main(int argc, char** argv) {
  const skald_context_options options = options_of(argc, argv);
  limit_memory(options);
  limit_stack(options);
  limit_time(options);
  images_are_refused(options);
  printf("ok\n");
  return 0;
}
