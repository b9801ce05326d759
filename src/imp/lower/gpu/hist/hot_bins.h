// SPDX-License-Identifier: Apache-2.0
// Some bins of a histogram in the memory of a group, those that the group meets first: mostly those
// that come often, which all threads of the device would wait for elsewhere.
#pragma once

#include <functional>

#include "imp/lower/gpu/hist/own_bins.h"

namespace skald::imp {

class HotBins {
 public:
  HotBins(KernelWriter& kernel, size_t sink) : kernel_(kernel), bins_(kernel, sink) {
    bins_.often_equal = true;
  }

  size_t sink() const { return bins_.sink(); }
  // What `places` of them take in the memory of a group.
  Operand bytes_of(Code& code, const Operand& places) const;
  bool is_locked() const { return bin_update(bins_.op()) == BinUpdate::kLock; }
  int64_t bin_bytes() const { return bins_.bytes(); }
  // How many bins the histogram has.
  Operand count(Code& code) const { return bins_.count(code); }
  // `places` is a power of two, and at least kLeastPlaces.
  void make_room(Code& code, const Operand& places);
  void clear(Code& code, const Operand& place) const;
  // The bin at these indices becomes op(bin, given): here, if there is a place for it, else as
  // `elsewhere` does it.
  void update(Code& code, const std::vector<Operand>& at, const std::vector<Operand>& given,
              const std::function<void(Code&)>& elsewhere) const;
  // What was counted at a place, for whoever knows the bins elsewhere; nobody updates it now.
  using Give = std::function<void(Code&, const std::vector<Operand>& at,
                                  const std::vector<Operand>& components)>;
  void give(Code& code, const Operand& place, const Give& to) const;

  static constexpr int64_t kLeastPlaces = 64;

 private:
  // The place of a bin, an i64; negative: it has none.
  Operand find(Code& code, const Operand& number) const;

  KernelWriter& kernel_;
  OwnBins bins_;
  Name tags_ = {};  // numbers of bins, i32; negative: none yet
  Operand places_;
};

}  // namespace skald::imp
