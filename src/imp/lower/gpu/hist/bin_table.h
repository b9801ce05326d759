// SPDX-License-Identifier: Apache-2.0
// Bins in the memory of the device, on their way to the destination: for operators that
// are no instruction, and for bins of several components, which lie in several arrays there.
#pragma once

#include <functional>

#include "imp/lower/gpu/hist/own_bins.h"
#include "imp/lower/gpu/kernel.h"

namespace skald::imp {

class BinTable {
 public:
  // `count` bins like those of `bins`, which outlives this.
  BinTable(GpuKernel& gpu, const OwnBins& bins, const Operand& count)
      : gpu_(gpu), bins_(bins), columns_(bins.op()), count_(count) {}

  // Room for `copies` words of each bin, which hold nothing yet.
  void make(Code& host, const Operand& copies);
  // They hold the neutral element.
  void clear(Code& host) const;
  const std::vector<Name>& blocks() const { return blocks_; }
  void store(Code& code, const Operand& copy, const Operand& bin,
             const std::vector<Operand>& components) const;
  // Combines all copies of a bin with the destination, which nobody else updates, and frees the
  // room.
  void join(Code& host);
  // The same for `bins` bins in ranges of as many as a copy has.  Which copies has a range?
  struct Copies {
    Operand begin, end;
  };
  void join_ranges(Code& host, const Operand& bins,
                   const std::function<Copies(Code&, const Operand& range)>& copies_of);

 private:
  std::vector<Operand> load(Code& code, const Operand& copy, const Operand& bin) const;
  void free(Code& host) const;
  void to_destination(Code& code, const Operand& bin, const std::vector<Operand>& components) const;
  void combine_lanes(Code& code, Name thread, const Operand& lane, const Accumulators& sums) const;

  GpuKernel& gpu_;
  const OwnBins& bins_;
  BinColumns columns_;
  Operand count_, copies_ = const_i64(1);
  std::vector<Name> blocks_;
};

}  // namespace skald::imp
