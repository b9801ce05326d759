// SPDX-License-Identifier: Apache-2.0
// Points of histograms that have the same bins, sorted by ranges of bins: what lies in the device's
// memory between the launch that sorts and the one that counts.
//
// A tile is kSortTile neighbouring points.  A point becomes its bin in its range, in 16 bits, and
// its word, unless that is a constant; where bins are no words, or there are several, its place in
// the tile, and what it gives is computed again.  The part of a range in a tile begins at a
// multiple of kSortUnit points, and what is between is filled up with a bin that does not exist,
// number `width`.
#pragma once

#include <optional>

#include "imp/lower/gpu/hist/own_bins.h"
#include "imp/lower/gpu/hist/plan.h"
#include "imp/lower/gpu/kernel.h"

namespace skald::imp {

// What is sorted beside the bins.
struct SortedPayload {
  enum Kind : uint8_t { kNothing, kWord, kPlace };
  Kind kind = kNothing;
  size_t hist = 0;  // kWord: of this histogram
  Prim type = Prim::kU16;
  int64_t bytes() const { return kind == kNothing ? 0 : prim_size(type); }
};
SortedPayload sorted_payload(const KernelWriter& kernel, const std::vector<OwnBins>& hists);

class SortedPoints {
 public:
  // Of these histograms, which outlive this.
  SortedPoints(GpuKernel& gpu, const std::vector<OwnBins>& hists, const SortedBinsPlan& plan);

  // Points are sorted and counted in rounds; what follows is about this one, an i64 of host code.
  void start_round(Code& host, const Operand& round);
  void make_room(Code& host);
  // What that takes.
  Operand bytes(Code& host) const;
  void free(Code& host) const;
  // The launch that sorts.
  void sort(Code& host);

  // ---- What the launch that counts reads.
  const SortedBinsPlan& plan() const { return plan_; }
  // Tiles of the round.
  const Operand& tiles() const { return tiles_; }
  // How many points range r has: an i64.
  Operand size(Code& code, const Operand& range) const;
  // Where the part of a range in a tile begins and ends, in units from the first one of all tiles.
  struct Part {
    Operand begin, end;
  };
  Part part(Code& code, const Operand& range, const Operand& tile) const;
  // The points of a unit in registers.
  struct Unit {
    Name bins, words;
    Operand tile;
  };
  Unit make_unit(Code& code, const Operand& tile) const;
  void load(Code& code, const Unit& unit, const Operand& number) const;
  // Point k of the unit: its bin, an i64; does it count?  What fills up has no value, unless that
  // is a constant; then it counts where nobody looks.
  struct Point {
    Operand k, counts, bin;
  };
  Point point(Code& code, const Unit& unit, const Operand& k) const;
  // The components of its value, for each histogram.
  using Values = std::vector<std::vector<Operand>>;
  void with_values(Code& code, const Unit& unit, const Point& point,
                   const std::function<void(Code&, const Values&)>& body) const;

 private:
  // Of a tile of the round.
  Operand first_point(Code& code, const Operand& tile) const;
  // What the threads of the group that sorts a tile share, and what each of them keeps.
  struct Tile {
    Name thread, counts, bins, words;  // of the group
    Name bin, word, rank;              // of a thread
    Operand number;
  };
  Tile make_tile(Code& code, const Launch& launch) const;
  void compute(Code& code, const Tile& tile, const Operand& begin, bool whole);
  // Stores what is no histogram, and keeps the rest for later.
  void keep(Code& code, const Tile& tile, const Operand& k, const std::vector<Operand>& point,
            const std::vector<Operand>& values);
  // What a histogram gets of the values of a point: where and what.
  std::vector<Operand> place_of(size_t hist, const std::vector<Operand>& values) const;
  std::vector<Operand> value_of(size_t hist, const std::vector<Operand>& values) const;
  Operand word_of(Code& code, const std::vector<Operand>& values) const;
  // The range of a bin, both i32.
  Operand range_of(Code& code, const Operand& bin) const;
  Operand counter(Code& code, const Tile& tile, const Operand& range) const;
  void each_kept(Code& code, const Tile& tile,
                 const std::function<void(Code&, const Operand& k, const Operand& bin)>& body);
  static Operand place_in_tile(Code& code, const Tile& tile, const Operand& k);
  // Puts points to their ranges, in the memory of the group.
  void place_points(Code& code, const Tile& tile, const Operand& begin);
  void compute_words(Code& code, const Tile& tile, const Operand& begin, const Operand& first);
  void place_point(Code& code, const Tile& tile, const Operand& k, const Operand& bin,
                   const Operand& what) const;
  Operand place_ranges(Code& code, const Tile& tile);
  void copy_out(Code& code, const Tile& tile, Name from, Name to, int64_t size,
                const Operand& points);

  GpuKernel& gpu_;
  const std::vector<OwnBins>& hists_;
  const SortedBinsPlan& plan_;
  std::vector<std::optional<std::vector<Operand>>> constants_;  // values of every point
  SortedPayload payload_;
  bool again_;  // are words computed again when points are placed?
  Operand first_tile_ = const_i64(0), tiles_ = const_i64(0);
  Operand part_ = {};  // of a range that a row of bins is, rounded up
  Name bins_ = {}, words_ = {}, table_ = {}, sizes_ = {};
};

// The value that all points of the kernel give to its histogram, if it is a constant.
std::optional<std::vector<Operand>> constant_value(const KernelWriter& kernel, size_t sink);

// Where a bin of a range lies in shared memory, and the other way round: bins that are a multiple
// of 32 apart are in different banks.
Operand mixed_bin(Code& code, const Operand& bin);

}  // namespace skald::imp
