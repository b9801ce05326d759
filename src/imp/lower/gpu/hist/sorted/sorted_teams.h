// SPDX-License-Identifier: Apache-2.0
// Which sorted points a thread counts: threads are teams, and a team takes the part that a range
// has of a tile.
//
// Keys that are spread evenly make short parts, for which eight threads do.  Where parts are long,
// because keys are sorted or few ranges have most of them, there would be fewer parts than teams:
// so more threads take a part together.  If keys are sorted, which is so if all points of a range
// lie in neighbouring tiles, each of them takes units that follow each other: what it keeps in
// registers (runs.h) saves most updates, and others count elsewhere meanwhile.  Else neighbours
// take neighbouring units, which are quicker to read.
#pragma once

#include "imp/lower/gpu/hist/sorted/sorted_shares.h"

namespace skald::imp {

class SortedTeams {
 public:
  // The points outlive this.
  explicit SortedTeams(const SortedPoints& points) : points_(points) {}

  // Looks at how long the parts of the group's range are; all threads of the group, which has no
  // more barrier to wait for afterwards.
  void measure(Code& code, const Launch& launch, const SortedShares::Share& share);
  // What this thread counts, if all parts are short: tiles, and the numbers of units in each.
  using Body = std::function<void(Code&, const Operand& tile, const Operand& unit)>;
  void each_unit(Code& code, const Launch& launch, const SortedShares::Share& share,
                 const Body& body) const;
  // The same for parts that were measured, in as many rounds for all threads of the group, which
  // come to all of them, whether there is a unit for them or not.
  using Round =
      std::function<void(Code&, const Operand& tile, const Operand& unit, const Operand& exists)>;
  void each_round(Code& code, const Launch& launch, const SortedShares::Share& share,
                  const Round& body) const;

  // The first unit of each thread, if parts are short.
  static void first_unit(Code& code, const Launch& launch, const SortedPoints& points,
                         const SortedShares::Share& share, const Body& body);

 private:
  // Which tiles may have points of the range: a run of them, which is short if keys are sorted.
  struct Tiles {
    Operand first, end;
    Operand longest;  // units of a part
  };
  Tiles find_tiles(Code& code, const Launch& launch, const SortedShares::Share& share) const;

  const SortedPoints& points_;
  Tiles tiles_ = {const_i64(0), const_i64(0), const_i64(0)};
  Operand shift_ = const_i64(0);                // the logarithm of the number of threads of a team
  Operand in_order_ = core::const_bool(false);  // are keys sorted?
};

}  // namespace skald::imp
