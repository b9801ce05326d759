// SPDX-License-Identifier: Apache-2.0
// What comes before each tile of a scan, found while all tiles are under way: every tile says what
// it has as soon as it knows, and looks later what those before it have said.
//
//   tiles    0 1 2 … 31 │ 32 33 … 63 │ 64 …   what a tile has
//   batches      A0     │     A1     │        what 32 tiles have together, by a tree
//                S0     │     S1     │        what all tiles up to here have, in the same place
//
// A is said by the tile of the batch that says last what it has, S by the last tile of the batch.
// A tile needs the tiles of its batch that come before it, by a tree, and the last S that is there,
// followed by the A of the batches since, from left to right: results do not depend on who came
// first.  One warp looks at the tiles and another one at 32 batches, all at once.  A tile waits for
// earlier ones only, and those have started before it: numbers are given out in the order in which
// groups ask for them.
//
// Groups that take several tiles say what one has a round or two before they look what came before
// it, and load the next one in between: then nobody waits.
#pragma once

#include "imp/lower/gpu/fold/tiles/state_words.h"

namespace skald::imp {

// So many groups of a processor wait or load while others compute.
inline constexpr int64_t kGroupsAtOnce = 6;
// Groups that take several tiles: as many as a large device runs at once, four or five on each of
// its processors.
inline constexpr int64_t kMostGroups = 640;
// How many tiles such a group holds, so that each has enough points.
inline int64_t rooms_for(int64_t bytes_of_point) {
  return bytes_of_point <= 4 ? 3 : 2;
}

class LookBack {
 public:
  // In host code: room for so many tiles.
  LookBack(Code& host, TileStates& states, const Operand& tiles);
  void free(Code& host) { words_.free(host); }

  // In the code of a group, between barriers: the number of its tile.
  Operand take_tile(Code& code, Name thread);
  // What the tile has, if there is such a tile; all threads come here.
  void say(Code& code, Name thread, const Operand& tile, const TileState& own);
  // All threads get what comes before the tile, which has been said.  There is a barrier inside.
  TileState before(Code& code, Name thread, const Operand& tile);

 private:
  void look_at_tiles(Code& code, Name thread, const Operand& batch, const Operand& within,
                     const TileState& found);
  // Gives the distance of the nearest batch that knows all before it.
  Operand look_at_batches(Code& code, Name thread, const Operand& batch, const TileState& found);
  Operand batch_place(Code& code, const Operand& batch) { return code.add_i64(tiles_, batch); }

  TileStates& states_;
  Operand tiles_, batches_, places_;  // the last: of both
  StateWords words_;  // tiles, then batches; numbers: the next tile, then how many of a batch came
};

}  // namespace skald::imp
