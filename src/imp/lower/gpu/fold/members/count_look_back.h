// SPDX-License-Identifier: Apache-2.0
// How many members come before each tile, found while all tiles are under way, as in
// tiles/look_back.h.  Numbers of members can be added in any order, so this needs less:
//
//   tiles    0 1 2 … 31 │ 32 33 … 63 │ 64 …   what a tile has; marked when it is there
//   sums         A0     │     A1     │        every tile adds what it has, and one to the tiles
//   known        S0     │     S1     │        all up to here, by the last tile of the batch; marked
#pragma once

#include "imp/lower/gpu/fold/members/packed_counts.h"

namespace skald::imp {

class CountLookBack {
 public:
  // In host code: room for so many tiles.
  CountLookBack(Code& host, int64_t classes, const Operand& tiles);
  void free(Code& host) { host.add(Free{block_}); }

  // In the code of a group: asks for the number of its next tile, which is there after a barrier.
  Name ask_tile(Code& code, Name thread);
  static Operand asked_tile(Code& code, Name place);
  // What the tile has, if there is such a tile.
  void say(Code& code, Name thread, const Operand& tile, const PackedCounts& own);
  // All threads get what comes before the tile, which has been said, by class.  There is a barrier
  // inside.
  std::vector<Operand> before(Code& code, Name thread, const Operand& tile,
                              const PackedCounts& own);

 private:
  Operand fresh_word(Code& code, const Operand& at);
  void wait_for_tile(Code& code, const Operand& tile, const std::vector<Name>& counts);
  // The sum of all up to this batch, or, if that need not be so, of this batch.
  void wait_for_batch(Code& code, const Operand& batch, const Operand& must_know,
                      const std::vector<Name>& counts, Name knows);

  const int64_t classes_, words_;
  Operand tiles_, batches_;
  Operand sums_, known_, number_;  // where these begin
  Name block_ = {};
};

}  // namespace skald::imp
