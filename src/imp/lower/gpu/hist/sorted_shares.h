// SPDX-License-Identifier: Apache-2.0
// Which sorted points a group counts.  All points, range after range, are shared out evenly: a
// group has the end of one range and the beginning of the next, say.  So keys that are not spread
// evenly cost no more than others, and no group waits for another.
//
// Which part of a range that is, is said in tiles that follow each other: what neighbouring threads
// read lies close together.
#pragma once

#include "imp/lower/gpu/hist/sorted_points.h"

namespace skald::imp {

class SortedShares {
 public:
  // The points outlive this.
  explicit SortedShares(const SortedPoints& points) : points_(points) {}

  // Only for those who ask for first() and last().
  void make_room(Code& host);
  void free(Code& host) const;
  // Group g gives its bins of range r a number: g + r.  Those of a range follow each other: from
  // first()[r] to last()[r], both i64, none if last is less.
  Name first() const { return first_; }
  Name last() const { return last_; }
  Operand numbers(Code& code) const;

  // ---- Inside the launch that counts, whose groups all run this.
  struct Share {
    Operand range, number;
    Operand begin, end;  // of tiles
  };
  void each_range(Code& code, const Launch& launch,
                  const std::function<void(Code&, const Share&)>& body) const;

 private:
  Name find_ends(Code& code, const Launch& launch) const;
  // Thread 0 notes the number of a share that begins or ends a range.
  void note(Code& code, const Launch& launch, const Share& share, const Operand& begins,
            const Operand& ends) const;

  const SortedPoints& points_;
  Name first_ = {}, last_ = {};
};

}  // namespace skald::imp
