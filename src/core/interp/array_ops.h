// SPDX-License-Identifier: Apache-2.0
// Instructions that make, slice and update arrays.
#pragma once

#include <vector>

#include "core/interp/store.h"

namespace skald::core::interp {

class ArrayOps {
 public:
  explicit ArrayOps(Store& store) : store_(store) {}

  [[nodiscard]] bool index_all(const SliceCode& code, Frame& f);
  [[nodiscard]] bool slice_of(const Array& array, const std::vector<DimCode>& dims, const Frame& f,
                              Array& out);
  [[nodiscard]] bool flat_slice_of(const Array& array, const FlatCode& code, const Frame& f,
                                   Array& out);
  [[nodiscard]] bool slice(const SliceCode& code, Frame& f);
  [[nodiscard]] bool update(const SliceCode& code, Frame& f);
  [[nodiscard]] bool store_into(const Array& part, const Use& value, Frame& f);
  // Stores a value at `bytes` bytes into `out`, whose first `outer` dimensions are indexed.
  [[nodiscard]] bool write_at(const Array& out, int64_t bytes, int outer, const Use& from,
                              Frame& f);
  [[nodiscard]] bool flat_index(const FlatCode& code, Frame& f);
  [[nodiscard]] bool flat_update(const FlatCode& code, Frame& f);
  [[nodiscard]] bool array_lit(const ArrayLitCode& code, Frame& f);
  [[nodiscard]] bool concat(const ConcatCode& code, Frame& f);
  [[nodiscard]] bool iota(const IotaCode& code, Frame& f);
  [[nodiscard]] bool replicate(const ShapeCode& code, Frame& f);
  [[nodiscard]] bool scratch(const ShapeCode& code, Frame& f);
  [[nodiscard]] bool reshape(const ShapeCode& code, Frame& f);
  [[nodiscard]] bool rearrange(const RearrangeCode& code, Frame& f);
  [[nodiscard]] bool copy(const CopyCode& code, Frame& f);
  [[nodiscard]] bool alloc(const AllocCode& code, Frame& f);
  [[nodiscard]] bool free_block(Slot slot, Frame& f);
  void trace(const TraceCode& code, const Frame& f);

 private:
  template <class Byte>
  bool find_element(const SliceCode& code, const Array& array, Byte*& at, Frame& f);

  Store& store_;
};

}  // namespace skald::core::interp
