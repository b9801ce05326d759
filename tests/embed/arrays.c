/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays live where they are used: made in every way, looked at in parts, and not copied by calls.
 */
#include "expect.h"

static const char* const kText =
    "entry twice [n] (xs: [n]i32) : [n]i32 = map (* 2) xs\n"
    "entry fill [n] (xs: *[n]i32) (x: i32) : *[n]i32 = xs with [0] = x\n"
    "entry pair [n] (p: (i32, [n]f64)) : (bool, [n]f64) = (p.0 > 0, p.1)\n"
    "entry total [n][m] (xss: [n][m]i32) : i32 = reduce (+) 0 (flatten xss)\n";

static int released = 0;
static void count_release(void* data, void* argument) {
  free(data);
  ++*(int*)argument;
}

static void signatures(skald_program program) {
  size_t count;
  OK(skald_program_entry_count(program, &count));
  TRUE(count == 4);
  for (size_t k = 0; k < count; ++k) {
    skald_entry_info info;
    OK(skald_program_entry(program, k, &info));
    if (strcmp(info.name, "pair") != 0) continue;
    TRUE(info.inputs == 2 && info.outputs == 2);
  }
  skald_value_info info;
  OK(skald_program_input(program, "fill", 0, &info));
  TRUE(info.type == SKALD_I32 && info.rank == 1 && info.consumed == 1);
  TRUE(strcmp(info.name, "xs") == 0);
  OK(skald_program_input(program, "pair", 1, &info));
  TRUE(info.type == SKALD_F64 && info.rank == 1 && info.consumed == 0);
  OK(skald_program_output(program, "pair", 0, &info));
  TRUE(info.type == SKALD_BOOL && info.rank == 0);
}

static void ways_to_make_arrays(skald_context context, skald_program program) {
  const int64_t six[] = {6}, two_by_three[] = {2, 3};
  int32_t* data = malloc(6 * sizeof *data);
  for (int k = 0; k < 6; ++k) data[k] = k + 1;
  skald_space space;
  OK(skald_context_space(context, &space));

  skald_array adopted, there, row, table, out;
  OK(skald_array_adopt_host(context, SKALD_I32, 1, six, data, count_release, &released, &adopted));
  void* address;
  OK(skald_array_data(adopted, &address));
  TRUE(address == data);
  OK(skald_array_copy(adopted, space, &there));
  OK(skald_array_free(adopted));
  TRUE(released == 1);

  OK(skald_array_reshape(there, 2, two_by_three, &table));
  OK(skald_array_rows(table, 1, 1, &row));
  skald_array_info info;
  OK(skald_array_describe(row, &info));
  TRUE(info.rank == 2 && info.shape[0] == 1 && info.shape[1] == 3 && info.bytes == 12);
  TRUE(info.space == space);
  int32_t total, back[6];
  OK(skald_call(program, "total", &row, 1, &out, 1));
  OK(skald_array_read(out, &total, sizeof total));
  TRUE(total == 4 + 5 + 6);
  OK(skald_array_free(out));
  /* A part keeps alive what it is a part of. */
  OK(skald_array_free(there));
  OK(skald_array_free(table));
  OK(skald_call(program, "total", &row, 1, &out, 1));
  OK(skald_array_read(out, &total, sizeof total));
  TRUE(total == 15);

  skald_array raw;
  OK(skald_array_new(context, SKALD_I32, 1, six, &raw));
  if (space == SKALD_HOST) {
    OK(skald_array_data(raw, &address));
    for (int k = 0; k < 6; ++k) ((int32_t*)address)[k] = 10 * k;
    OK(skald_call(program, "twice", &raw, 1, &out, 1));
    OK(skald_array_read(out, back, sizeof back));
    TRUE(back[5] == 100);
  } else {
    FAILS(SKALD_BAD_SPACE, "device", skald_array_data(raw, &address));
    OK(skald_array_native(raw, &address));
    TRUE(address != NULL);
  }
}

static void consumed_arguments(skald_context context, skald_program program) {
  const int64_t three[] = {3};
  const int32_t data[] = {1, 2, 3};
  int32_t nine = 9;
  int32_t back[3];
  skald_array inputs[2], out;
  OK(skald_array_from_host(context, SKALD_I32, 1, three, data, &inputs[0]));
  OK(skald_array_from_host(context, SKALD_I32, 0, NULL, &nine, &inputs[1]));
  nine = 0; /* it was copied */
  OK(skald_call(program, "fill", inputs, 2, &out, 1));
  OK(skald_array_read(out, back, sizeof back));
  TRUE(back[0] == 9 && back[2] == 3);
  /* It was not given away, so it is as it was. */
  OK(skald_array_read(inputs[0], back, sizeof back));
  TRUE(back[0] == 1);
  OK(skald_array_free(out));
  OK(skald_array_give(inputs[0]));
  OK(skald_call(program, "fill", inputs, 2, &out, 1));
  OK(skald_array_read(out, back, sizeof back));
  TRUE(back[0] == 9 && back[1] == 2);
}

/* Ten calls on arrays that are there already move none of them over the bus. */
static void calls_move_nothing(skald_context_options options) {
  enum { kCount = 100000, kCalls = 10, kMany = 1000 };
  options.profile = 1;
  skald_context context;
  OK(skald_context_new(&options, &context));
  skald_program program;
  OK(skald_program_from_text(context, "futhark", "arrays.fut", kText, &program));
  static int32_t data[kCount];
  const int64_t shape[] = {kCount};
  skald_array xs, out;
  OK(skald_array_from_host(context, SKALD_I32, 1, shape, data, &xs));
  static skald_event events[kMany];
  size_t count;
  do OK(skald_profile_read(context, events, kMany, &count));
  while (count == kMany);
  for (int k = 0; k < kCalls; ++k) {
    OK(skald_call(program, "twice", &xs, 1, &out, 1));
    OK(skald_array_free(out));
  }
  OK(skald_context_finish(context));
  OK(skald_profile_read(context, events, kMany, &count));
  int calls = 0;
  for (size_t k = 0; k < count; ++k) {
    if (events[k].kind == SKALD_EVENT_CALL) ++calls;
    if (events[k].kind == SKALD_EVENT_TO_DEVICE || events[k].kind == SKALD_EVENT_FROM_DEVICE)
      TRUE(events[k].bytes < 4096);
  }
  TRUE(calls == kCalls);
  OK(skald_context_free(context));
}

int main(int argc, char** argv) {
  const skald_context_options options = options_of(argc, argv);
  skald_context context;
  OK(skald_context_new(&options, &context));
  skald_program program;
  OK(skald_program_from_text(context, "futhark", "arrays.fut", kText, &program));
  signatures(program);
  ways_to_make_arrays(context, program);
  consumed_arguments(context, program);
  calls_move_nothing(options);
  OK(skald_context_free(context));
  printf("ok\n");
  return 0;
}
