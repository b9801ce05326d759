// SPDX-License-Identifier: Apache-2.0
// A tile: neighbouring points that a group of threads takes together, counted row by row.
#pragma once

#include <vector>

#include "imp/lower/common/function.h"

namespace skald::imp {

// Tiles have no more points than this.
inline constexpr int64_t kMostTilePoints = 1 << 14;

class TilePoints {
 public:
  // The tile begins at point `begin` of a grid of this shape.  Both outlive this.
  TilePoints(Code& code, const Operand& begin, const std::vector<Operand>& shape);
  // The same, by the indices of its first point.
  TilePoints(std::vector<Operand> first, const std::vector<Operand>& shape)
      : first_(std::move(first)), shape_(shape) {}

  // The indices of the point that lies `offset` points after the first one.  Divides numbers of 32
  // bits only, where dividing the number of the point would take 64.
  std::vector<Operand> at(Code& code, const Operand& offset) const;

 private:
  std::vector<Operand> first_;
  const std::vector<Operand>& shape_;
};

}  // namespace skald::imp
