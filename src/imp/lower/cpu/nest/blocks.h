// SPDX-License-Identifier: Apache-2.0
// Maps that read some arrays across their rows.
//
// The points of a grid are usually taken row by row, because the results lie that way.  An array
// that is contiguous along another dimension is then read in steps as long as its rows: every
// element comes from a cache line of its own, and no vector load can fetch several.  So the two
// dimensions are cut into blocks, in which such arrays are transposed into a buffer that fits into
// the first cache, by vector registers (imp::TransposeBlock):
//
//              along                        last dimension
//          +---+---+---+                +---+---+---+
//    last  |   | # |   |   transposed   |   |   |   |
//          +---+---+---+  -----------→  +---+---+---+  along
//          |   |   |   |      (#)       | # |   |   |
//          +---+---+---+                +---+---+---+
//          the array read               the points; # is one block
//
// The points of a block are then taken row by row, and read the buffer instead.
//
// Large results are not read back soon.  Their blocks are half as wide, so that the prefetcher can
// follow all the rows that are read, and are taken along these rows; each row of results is
// collected in another buffer and written past the caches.
#pragma once

#include "imp/lower/kernel/strategy.h"

namespace skald::imp {

WhyNot why_no_blocks(KernelWriter& kernel);
// `otherwise` is for dimensions that turn out too small.
void write_blocks(KernelWriter& kernel, Code& code, const Otherwise& otherwise);

}  // namespace skald::imp
