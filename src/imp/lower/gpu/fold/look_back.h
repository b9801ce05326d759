// SPDX-License-Identifier: Apache-2.0
// What comes before each tile of a scan, found while all tiles are under way: every tile says what
// it has as soon as it knows, and looks what those before it have said.
//
//   tiles    0 1 2 … 255 │ 256 257 … 511 │ 512 …   what a tile has
//   batches      A0      │      A1       │         what 256 tiles have together
//                S0      │      S1       │         what all tiles up to here have
//
// A tile needs the tiles of its batch that come before it, by a tree, and the last S that is there,
// followed by the A of the batches since, from left to right: results do not depend on who came
// first.  A tile waits for earlier ones only, and those have started before it: numbers are given
// out in the order in which groups begin.
#pragma once

#include <vector>

#include "imp/lower/gpu/fold/monoids.h"

namespace skald::imp {

// What is combined along tiles: one set of accumulators for each monoid, and, where segments begin
// in the middle of tiles, whether one has begun.
struct TileState {
  std::vector<Accumulators> accs;
  Name cut = {};
};

// States in memory.
struct StatePlaces {
  std::vector<Monoid> monoids;
  Name cuts = {};
};

// States, and how they are combined.
class TileStates {
 public:
  TileStates(Monoids& monoids, bool segmented) : monoids_(monoids), segmented_(segmented) {}

  TileState start(Code& code);
  // Nothing has been seen, of a segment that has just begun.
  void restart(Code& code, const TileState& state);
  // left = left, then right
  void append(Code& code, const TileState& left, const TileState& right);
  // One more point, whose thunk gave these values.
  void add_point(Code& code, const TileState& state, const std::vector<Operand>& values);
  void assign(Code& code, const TileState& to, const TileState& from);

  StatePlaces in_shared(Code& code, int64_t count);
  StatePlaces on_device(Code& host, const Operand& count);
  void free(Code& host, const StatePlaces& places);
  TileState load(Code& code, const StatePlaces& places, const Operand& at, bool fresh = false);
  void store(Code& code, const StatePlaces& places, const Operand& at, const TileState& state);
  // State t of the group's memory becomes what the states 0 … t have, for all t < count; a thread
  // for each.  Begins and ends at a barrier.
  void scan(Code& code, Name thread, const StatePlaces& places, const Operand& count);
  int64_t bytes() const { return bytes_of(monoids_) + (segmented_ ? 4 : 0); }

 private:
  Monoids& monoids_;
  bool segmented_;
};

class LookBack {
 public:
  // In host code: room for so many tiles.
  LookBack(Code& host, TileStates& states, const Operand& tiles);
  void free(Code& host);

  // In the code of a group, between barriers: the number of its tile.
  Operand take_tile(Code& code, Name thread);
  // All threads get what comes before the tile, whose own state is at `own` of `places`, in the
  // group's memory.
  TileState before(Code& code, Name thread, const Operand& tile, const StatePlaces& places,
                   const Operand& own);

 private:
  Operand flag_of_tile(Code& code, const Operand& tile);
  Operand flag_of_batch(Code& code, const Operand& batch);
  void say(Code& code, const Operand& place, const TileState& state, const Operand& flag,
           int64_t value);
  // Waits until there is something, and gives it.
  Operand wait(Code& code, const Operand& flag);
  void gather_tiles(Code& code, const Operand& thread, const Operand& batch, const Operand& within);
  void gather_batches(Code& code, const Operand& thread, const Operand& batch);
  TileState with_own(Code& code, const TileState& in_batch, const StatePlaces& places,
                     const Operand& own);
  Operand find_sum(Code& code, Name thread, const Operand& batch);

  TileStates& states_;
  Operand tiles_, batches_;
  Name flags_;          // the next tile, tiles, batches
  StatePlaces said_;    // tiles, A of batches, S of batches
  StatePlaces window_;  // of tiles or batches, in the group's memory
  Name kinds_ = {};     // of the batches in the window: 1 is A, 2 is S
  Name shared_word_ = {};
};

}  // namespace skald::imp
