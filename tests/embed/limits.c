/* SPDX-License-Identifier: Apache-2.0 */
/* Limits are kept, or refused by back ends that cannot keep them. */
#include "expect.h"

static const char* const kText =
    "entry forever (x: i64) : i64 = loop y = x while y != -1 do (y + 1) & 0xff\n"
    "entry large (n: i64) : [n]i64 = iota n\n";

static skald_status run(skald_context context, const char* entry, int64_t number) {
  skald_program program;
  skald_array in, out;
  OK(skald_program_from_text(context, "futhark", "limits.fut", kText, &program));
  OK(skald_array_from_host(context, SKALD_I64, 0, NULL, &number, &in));
  return skald_call(program, entry, &in, 1, &out, 1);
}

/* A context with these limits, or its refusal. */
static int refused(const skald_context_options* options, skald_context* context) {
  if (skald_context_new(options, context) == SKALD_OK) return 0;
  TRUE(skald_last_error()->status == SKALD_BAD_ARGUMENT);
  TRUE(strstr(skald_last_error()->text, "cannot limit") != NULL);
  return 1;
}

int main(int argc, char** argv) {
  skald_context context;
  skald_context_options options = options_of(argc, argv);
  options.time_limit = 0.5;
  if (!refused(&options, &context)) FAILS(SKALD_LIMIT, "", run(context, "forever", 1));

  options = options_of(argc, argv);
  options.memory_limit = 1 << 20;
  if (!refused(&options, &context)) {
    OK(run(context, "large", 1000));
    FAILS(SKALD_LIMIT, "", run(context, "large", 1 << 20));
  }
  options = options_of(argc, argv);
  options.stack_limit = 1 << 20;
  refused(&options, &context);
  printf("ok\n");
  return 0;
}
