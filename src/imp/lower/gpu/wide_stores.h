// SPDX-License-Identifier: Apache-2.0
// What a thread gives for some neighbouring points of a row: sixteen bytes at a time.
#pragma once

#include <vector>

#include "imp/lower/gpu/kernel.h"

namespace skald::imp {

class WideStores {
 public:
  // `points`: of a set, as those of WideLoads.
  WideStores(GpuKernel& gpu, int64_t points);

  // How many results are stored at once, of the narrowest type.
  static int64_t at_once(const GpuKernel& gpu);
  // Lie all results side by side along the last index, and sets of them in whole multiples of what
  // is stored at once?
  bool fit() const { return fit_; }
  // Bytes of a point.
  int64_t bytes() const;
  Operand aligned_in_all_rows(Code& code);
  void make_room(Code& code, int64_t sets);
  // Keeps what the thunk gave at point k of a set.
  void keep(Code& code, const Operand& set, const Operand& k, const std::vector<Operand>& values);
  // Stores a set, which begins at this point.
  void store(Code& code, const Operand& set, const std::vector<Operand>& first);

 private:
  struct Wide {
    size_t value, result;
    Prim type;
    Name room = {};
    int64_t at_once() const { return kWideBytes / prim_size(type); }
  };

  KernelWriter& kernel_;
  const int64_t points_;
  std::vector<Wide> stores_;
  bool fit_ = true;
};

}  // namespace skald::imp
