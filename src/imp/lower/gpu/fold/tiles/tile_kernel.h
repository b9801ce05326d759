// SPDX-License-Identifier: Apache-2.0
// A kernel of scans on its way to tiles (tiles.h): its launches in tiles.cpp, the points of a tile
// in tile_rows.cpp, and what is stored of it in tile_results.cpp.
#pragma once

#include "imp/lower/gpu/fold/tiles/look_back.h"
#include "imp/lower/gpu/fold/tiles/staged_tile.h"
#include "imp/lower/gpu/fold/tiles/tile_members.h"
#include "imp/lower/gpu/fold/tiles/tile_walk.h"
#include "imp/lower/gpu/private_values.h"

namespace skald::imp {

class Tiles {
 public:
  explicit Tiles(GpuKernel& gpu);

  // How many tiles of a group are staged at once: one, or more if groups read ahead.
  static int64_t rooms_of(GpuKernel& gpu);
  // What the group keeps.
  static StagedTile stage(GpuKernel& gpu);

  void write(Code& code);

 private:
  // Groups with few registers for a thread.
  int64_t groups_at_once() const;
  void plan(Code& code);
  // With a look back, or for tiles of whole segments.
  Launch launch(Code& code, LookBack* look_back);
  // Several tiles for a group (see tiles.h).
  Launch launch_ahead(Code& code, LookBack& look_back);
  void make_room(Code& code);
  void begin_tile(Code& code, TileWalk& walk, Name thread, const Operand& tile,
                  bool whole_segments);
  // Cheap points go through registers.
  void load_points(Code& code, TileWalk& walk, int64_t from, int64_t to, const PrivateValues& kept);
  void stage_points(Code& code, int64_t from, int64_t to, const PrivateValues& kept);
  void compute(Code& code);
  // What threads and tile have; `meanwhile` runs before the threads meet.
  TileStates::Scanned reduce_tile(Code& code, Name thread,
                                  const std::function<void(Code&)>& meanwhile);
  void finish_said(Code& code, Name thread, Name said, const TileStates::Scanned& found,
                   LookBack& look_back, const Operand& room);
  // Scans and stores, when it is known what comes before the tile and the thread in it.
  void finish_tile(Code& code, Name thread, const Operand& tile, const TileState& before,
                   const TileStates::Scanned& found);
  // The points of this thread's row, one after the other, added to the state.
  using AfterPoint = std::function<void(Code&, const Operand& offset)>;
  void walk_row(Code& code, const TileState& state, const AfterPoint& then);
  // Has a new segment begun with this point?  `left` points of the last one, of `length` ones, were
  // left.
  void restart_segment(Code& code, const TileState& state, Name left, const Operand& length,
                       const Operand& offset);
  void replace(Code& code, const TileState& state, const Operand& offset);
  TileMembers::Values staged_members();
  void store_results(Code& code);
  void store_point(Code& code, const GpuPoint& at, const Operand& offset);
  void store_segment(Code& code, const GpuPoint& at, const std::vector<Operand>& values);
  void store_empty_segments(Code& code);
  // Of the last tile: the sizes of classes, and what reductions give.
  void store_totals(Code& code, Name thread, const Operand& tile, const TileState& before,
                    const TileState& own);

  GpuKernel& gpu_;
  KernelWriter& kernel_;
  Monoids monoids_;
  const bool segmented_;
  TileStates states_;
  const int64_t rooms_;
  StagedTile staged_;
  TileWalk walk_, ahead_;  // of this tile and the next one
  TileMembers members_;
  const bool unrolled_;  // are rows?
  Operand tile_points_ = const_i64(0), tile_segments_ = const_i64(0), tiles_ = const_i64(0);
};

}  // namespace skald::imp
