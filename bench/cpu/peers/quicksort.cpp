// SPDX-License-Identifier: Apache-2.0
#include "quicksort.h"

int main(int argc, char** argv) {
  return quicksort_peer<int32_t>(argc, argv);
}
