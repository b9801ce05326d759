// SPDX-License-Identifier: Apache-2.0
// What is combined along the points of a tile, and along tiles.
#pragma once

#include <vector>

#include "imp/lower/gpu/fold/monoids.h"
#include "imp/lower/gpu/fold/warps.h"

namespace skald::imp {

// One set of accumulators for each monoid, and, where segments begin in the middle of tiles,
// whether one has begun.
struct TileState {
  std::vector<Accumulators> accs;
  Name cut = {};
};

// States in the memory of a group or of the device.
struct StatePlaces {
  std::vector<Monoid> monoids;
  Name cuts = {};
};

// States, and how they are combined.
class TileStates {
 public:
  TileStates(Monoids& monoids, bool segmented) : monoids_(monoids), segmented_(segmented) {}

  TileState start(Code& code);
  TileState copy(Code& code, const TileState& state);
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
  // Fresh: another group may have stored it in this launch.
  TileState load(Code& code, const StatePlaces& places, const Operand& at, bool fresh = false);
  void store(Code& code, const StatePlaces& places, const Operand& at, const TileState& state);

  // All threads of a group come to these.
  TileState shuffle(Code& code, ShuffleKind kind, const TileState& state, const Operand& lane);
  // The first lane of each warp gets what its lanes have, one after the other.
  void combine_warp(Code& code, const TileState& state);
  // What the threads before this one have, and what all have.
  struct Scanned {
    TileState before, all;
  };
  Scanned scan_threads(Code& code, Name thread, const TileState& own);

  const Monoids& monoids() const { return monoids_; }
  bool segmented() const { return segmented_; }
  // In registers.
  int64_t bytes() const { return bytes_of(monoids_) + (segmented_ ? 4 : 0); }

 private:
  Monoids& monoids_;
  bool segmented_;
};

}  // namespace skald::imp
