// SPDX-License-Identifier: Apache-2.0
// Which sorted points a group counts: those of one range, in some of its tiles.  Ranges have groups
// by their sizes, so that keys that are not spread evenly cost no more than others.
#pragma once

#include "imp/lower/gpu/hist/sorted/sorted_points.h"

namespace skald::imp {

class SortedShares {
 public:
  // The points outlive this.
  explicit SortedShares(const SortedPoints& points) : points_(points) {}

  // How many groups the launch that counts has; some may have nothing to do.
  Operand groups(Code& code) const;
  // The groups of range r are those from first()[r] to last()[r], both i64; none if last is less.
  // Only for those who ask for them.
  void make_room(Code& host);
  void free(Code& host) const;
  Name first() const { return first_; }
  Name last() const { return last_; }

  // ---- Inside the launch that counts.
  struct Share {
    Operand exists;
    Operand range;
    Operand number, of;  // among the groups of the range
  };
  Share find(Code& code, const Launch& launch) const;

 private:
  const SortedPoints& points_;
  Name first_ = {}, last_ = {};
};

}  // namespace skald::imp
