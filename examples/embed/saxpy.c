/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a Futhark program from C: a*x + y, on arrays that stay where the program runs.
 *
 *   saxpy [BACKEND]
 */
#include <skald/skald.h>
#include <stdio.h>
#include <stdlib.h>

static const char* const kProgram =
    "def main [n] (a: f32) (xs: [n]f32) (ys: [n]f32) : [n]f32 = map2 (\\x y -> a * x + y) xs ys\n";

/* Ends the process with the words of the error, if there is one. */
static void check(skald_status status) {
  if (status == SKALD_OK) return;
  fprintf(stderr, "%s\n", skald_last_error()->text);
  exit(2);
}

int main(int argc, char** argv) {
  enum { kCount = 1000, kRounds = 10 };
  skald_context_options options = skald_context_defaults();
  if (argc > 1) options.backend = argv[1];
  skald_context context;
  check(skald_context_new(&options, &context));
  skald_program program;
  check(skald_program_from_text(context, "futhark", "saxpy.fut", kProgram, &program));

  float a = 2, xs[kCount], ys[kCount];
  for (int k = 0; k < kCount; ++k) xs[k] = (float)k, ys[k] = 1;
  const int64_t shape[] = {kCount};
  skald_array inputs[3];
  check(skald_array_from_host(context, SKALD_F32, 0, NULL, &a, &inputs[0]));
  check(skald_array_from_host(context, SKALD_F32, 1, shape, xs, &inputs[1]));
  check(skald_array_from_host(context, SKALD_F32, 1, shape, ys, &inputs[2]));

  /* The result of one round is the ys of the next; nothing is copied to the host in between. */
  for (int round = 0; round < kRounds; ++round) {
    skald_array result;
    check(skald_call(program, "main", inputs, 3, &result, 1));
    check(skald_array_free(inputs[2]));
    inputs[2] = result;
  }

  check(skald_array_read(inputs[2], ys, sizeof ys));
  printf("%g %g %g\n", ys[0], ys[1], ys[kCount - 1]);
  check(skald_context_free(context));
  return 0;
}
