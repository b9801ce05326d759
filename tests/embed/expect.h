/* SPDX-License-Identifier: Apache-2.0 */
/* Checks for the host programs of this folder. */
#ifndef EXPECT_H
#define EXPECT_H

#include <skald/skald.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The call must succeed. */
#define OK(call)                                                                                 \
  do {                                                                                           \
    if ((call) != SKALD_OK) {                                                                    \
      fprintf(stderr, "%s:%d: %s\n  %s\n", __FILE__, __LINE__, #call, skald_last_error()->text); \
      exit(1);                                                                                   \
    }                                                                                            \
  } while (0)

/* The call must fail like this, with words that contain `words`. */
#define FAILS(status_, words, call)                                                       \
  do {                                                                                    \
    const skald_status got_ = (call);                                                     \
    if (got_ != (status_) || skald_last_error()->status != got_ ||                        \
        strstr(skald_last_error()->text, (words)) == NULL) {                              \
      fprintf(stderr, "%s:%d: %s\n  gave %d: %s\n", __FILE__, __LINE__, #call, (int)got_, \
              got_ == SKALD_OK ? "no error" : skald_last_error()->text);                  \
      exit(1);                                                                            \
    }                                                                                     \
  } while (0)

#define TRUE(condition)                                                         \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                  \
    }                                                                           \
  } while (0)

/* A context of the back end that the first argument names. */
static inline skald_context_options options_of(int argc, char** argv) {
  skald_context_options options = skald_context_defaults();
  if (argc > 1) options.backend = argv[1];
  return options;
}

#endif
