/* SPDX-License-Identifier: Apache-2.0 */
/* Everything a host program can do wrong is an error value, never a crash. */
#include "expect.h"

static const char* const kText =
    "entry twice [n] (xs: [n]i32) : [n]i32 = map (* 2) xs\n"
    "entry dot [n] (xs: [n]i32) (ys: [n]i32) : i32 = reduce (+) 0 (map2 (*) xs ys)\n"
    "entry at (xs: []i32) (i: i64) : i32 = xs[i]\n";

static void contexts(void) {
  skald_context context = {0};
  FAILS(SKALD_BAD_ARGUMENT, "null", skald_context_new(NULL, NULL));
  skald_context_options options = skald_context_defaults();
  options.backend = "abacus";
  FAILS(SKALD_NO_BACKEND, "there is no back end `abacus`", skald_context_new(&options, &context));
  options = skald_context_defaults();
  options.threads = -1;
  FAILS(SKALD_BAD_ARGUMENT, "negative", skald_context_new(&options, &context));
  FAILS(SKALD_BAD_HANDLE, "no such context", skald_context_free(context));
  context.id = 0xdeadbeefdeadbeefULL;
  FAILS(SKALD_BAD_HANDLE, "no such context", skald_context_finish(context));
  TRUE(skald_backend_count() >= 3);
  TRUE(skald_backend_name(skald_backend_count()) == NULL);
}

static void programs(skald_context context) {
  skald_program program = {0};
  FAILS(SKALD_COMPILE_ERROR, "no file", skald_program_from_file(context, "no/such.fut", &program));
  FAILS(SKALD_BAD_ARGUMENT, "no front end",
        skald_program_from_text(context, "apl", "x", "+/", &program));
  FAILS(SKALD_BAD_ARGUMENT, "null",
        skald_program_from_text(context, "futhark", "x", NULL, &program));
  FAILS(SKALD_COMPILE_ERROR, "",
        skald_program_from_text(context, "futhark", "bad.fut", "def main (x: i32) : f32 = x\n",
                                &program));
  TRUE(strcmp(skald_last_error()->code, "") != 0);
  TRUE(strncmp(skald_last_error()->place, "bad.fut:1:", 10) == 0);
  FAILS(SKALD_COMPILE_ERROR, "",
        skald_program_from_text(context, "core", "bad.core", "fun main", &program));
  FAILS(SKALD_BAD_IMAGE, "not an image",
        skald_program_from_image(context, "hello, image", 12, &program));
  FAILS(SKALD_BAD_IMAGE, "", skald_program_from_image(context, "", 0, &program));
  FAILS(SKALD_BAD_HANDLE, "no such program", skald_program_free(program));
}

static void arrays(skald_context context) {
  const int64_t shape[] = {2, 3}, negative[] = {-1}, huge[] = {INT64_MAX, INT64_MAX}, other[] = {4};
  const int32_t data[] = {1, 2, 3, 4, 5, 6};
  int32_t back[6];
  skald_array array, part;
  FAILS(SKALD_BAD_ARGUMENT, "no type",
        skald_array_from_host(context, (skald_type)99, 1, shape, data, &array));
  FAILS(SKALD_BAD_ARGUMENT, "dimensions",
        skald_array_from_host(context, SKALD_I32, -1, shape, data, &array));
  FAILS(SKALD_BAD_ARGUMENT, "dimensions",
        skald_array_from_host(context, SKALD_I32, 1000, shape, data, &array));
  FAILS(SKALD_BAD_ARGUMENT, "negative",
        skald_array_from_host(context, SKALD_I32, 1, negative, data, &array));
  FAILS(SKALD_BAD_ARGUMENT, "too large",
        skald_array_from_host(context, SKALD_I32, 2, huge, data, &array));
  FAILS(SKALD_BAD_ARGUMENT, "null",
        skald_array_from_host(context, SKALD_I32, 2, NULL, data, &array));
  FAILS(SKALD_BAD_ARGUMENT, "null",
        skald_array_from_host(context, SKALD_I32, 2, shape, NULL, &array));
  FAILS(SKALD_BAD_ARGUMENT, "null",
        skald_array_from_host(context, SKALD_I32, 2, shape, data, NULL));
  OK(skald_array_from_host(context, SKALD_I32, 2, shape, data, &array));
  FAILS(SKALD_BAD_ARGUMENT, "bytes", skald_array_read(array, back, 5));
  FAILS(SKALD_BAD_ARGUMENT, "null", skald_array_read(array, NULL, sizeof back));
  FAILS(SKALD_BAD_ARGUMENT, "rows", skald_array_rows(array, 1, 2, &part));
  FAILS(SKALD_BAD_ARGUMENT, "rows", skald_array_rows(array, -1, 1, &part));
  FAILS(SKALD_BAD_ARGUMENT, "rows", skald_array_rows(array, 1, INT64_MAX, &part));
  FAILS(SKALD_BAD_SHAPE, "same number", skald_array_reshape(array, 1, other, &part));
  FAILS(SKALD_BAD_ARGUMENT, "no space", skald_array_copy(array, (skald_space)7, &part));
  OK(skald_array_free(array));
  FAILS(SKALD_BAD_HANDLE, "freed", skald_array_free(array));
  FAILS(SKALD_BAD_HANDLE, "freed", skald_array_read(array, back, sizeof back));
}

static void calls(skald_context context, skald_context other) {
  skald_program program;
  OK(skald_program_from_text(context, "futhark", "kinds.fut", kText, &program));
  const int64_t three[] = {3}, two[] = {2};
  const int32_t data[] = {1, 2, 3};
  const int64_t index = 7;
  skald_array xs, shorter, floats, foreign, at, out;
  OK(skald_array_from_host(context, SKALD_I32, 1, three, data, &xs));
  OK(skald_array_from_host(context, SKALD_I32, 1, two, data, &shorter));
  OK(skald_array_from_host(context, SKALD_F32, 1, three, data, &floats));
  OK(skald_array_from_host(other, SKALD_I32, 1, three, data, &foreign));
  OK(skald_array_from_host(context, SKALD_I64, 0, NULL, &index, &at));
  FAILS(SKALD_BAD_ARGUMENT, "no entry point", skald_call(program, "thrice", &xs, 1, &out, 1));
  FAILS(SKALD_BAD_ARGUMENT, "null", skald_call(program, NULL, &xs, 1, &out, 1));
  FAILS(SKALD_BAD_TYPE, "takes 1 values", skald_call(program, "twice", NULL, 0, &out, 1));
  FAILS(SKALD_BAD_TYPE, "gives 1 values", skald_call(program, "twice", &xs, 1, NULL, 0));
  FAILS(SKALD_BAD_TYPE, "must be of type []i32, not []f32",
        skald_call(program, "twice", &floats, 1, &out, 1));
  FAILS(SKALD_BAD_TYPE, "must be of type []i32, not i64",
        skald_call(program, "twice", &at, 1, &out, 1));
  FAILS(SKALD_BAD_CONTEXT, "another context", skald_call(program, "twice", &foreign, 1, &out, 1));
  const skald_array pair[] = {xs, shorter};
  FAILS(SKALD_BAD_SHAPE, "invalid sizes", skald_call(program, "dot", pair, 2, &out, 1));
  const skald_array far[] = {xs, at};
  FAILS(SKALD_RUN_ERROR, "out of bounds", skald_call(program, "at", far, 2, &out, 1));
  TRUE(strncmp(skald_last_error()->place, "kinds.fut:3:", 12) == 0);

  skald_value_info info;
  FAILS(SKALD_BAD_ARGUMENT, "has 1 inputs", skald_program_input(program, "twice", 1, &info));
  FAILS(SKALD_BAD_ARGUMENT, "no entry point", skald_program_input(program, "thrice", 0, &info));

  /* What was given to a call belongs to the call. */
  OK(skald_array_give(shorter));
  OK(skald_call(program, "twice", &shorter, 1, &out, 1));
  FAILS(SKALD_BAD_HANDLE, "given to a call", skald_array_free(shorter));
  OK(skald_program_free(program));
  FAILS(SKALD_BAD_HANDLE, "no such program", skald_call(program, "twice", &xs, 1, &out, 1));
  FAILS(SKALD_BAD_HANDLE, "no such program", skald_program_free(program));
}

static void images(skald_context context) {
  skald_program program, again;
  const void* image;
  size_t bytes;
  OK(skald_program_from_text(context, "futhark", "kinds.fut", kText, &program));
  if (skald_program_image(program, &image, &bytes) != SKALD_OK) {
    TRUE(strstr(skald_last_error()->text, "no images") != NULL);
    return;
  }
  char* copy = malloc(bytes);
  memcpy(copy, image, bytes);
  OK(skald_program_from_image(context, copy, bytes, &again));
  for (size_t cut = 0; cut < bytes; cut += 1 + cut / 3)
    FAILS(SKALD_BAD_IMAGE, "", skald_program_from_image(context, copy, cut, &again));
  /* The version is written near the beginning. */
  copy[20] ^= 1;
  FAILS(SKALD_BAD_IMAGE, "another version", skald_program_from_image(context, copy, bytes, &again));
  free(copy);
}

static void after_the_end(skald_context_options options) {
  skald_context context;
  OK(skald_context_new(&options, &context));
  skald_program program;
  OK(skald_program_from_text(context, "futhark", "kinds.fut", kText, &program));
  const int64_t three[] = {3};
  const int32_t data[] = {1, 2, 3};
  skald_array xs, out;
  OK(skald_array_from_host(context, SKALD_I32, 1, three, data, &xs));
  OK(skald_context_free(context));
  FAILS(SKALD_BAD_HANDLE, "no such context", skald_context_free(context));
  FAILS(SKALD_BAD_HANDLE, "context has ended", skald_call(program, "twice", &xs, 1, &out, 1));
  FAILS(SKALD_BAD_HANDLE, "context has ended", skald_array_free(xs));
  FAILS(SKALD_BAD_HANDLE, "no such program", skald_program_free(program));
  FAILS(SKALD_BAD_HANDLE, "no such context", skald_array_new(context, SKALD_I32, 1, three, &xs));
}

int main(int argc, char** argv) {
  const skald_context_options options = options_of(argc, argv);
  contexts();
  skald_context context, other;
  OK(skald_context_new(&options, &context));
  OK(skald_context_new(&options, &other));
  programs(context);
  arrays(context);
  calls(context, other);
  images(context);
  after_the_end(options);
  OK(skald_context_free(other));
  OK(skald_context_free(context));
  printf("ok\n");
  return 0;
}
