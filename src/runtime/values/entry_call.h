// SPDX-License-Identifier: Apache-2.0
// Values as the slots that compiled entry points take and give (SkaldEntry in abi.h).  No data is
// copied: slots hold references to the values' blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/values/value.h"

namespace skald::runtime {

struct ValueType {
  Prim type = Prim::kI32;
  int rank = 0;
};

// The number of slots for values of these types.
int64_t slot_count(std::span<const ValueType> types);

// The slots borrow the values' blocks: the values must stay alive during the call.
std::vector<int64_t> pack_slots(std::span<const Value> values);

// A buffer of the first bytes of a larger one, which it keeps alive.
using FirstPart = std::function<Result<Buffer>(const Buffer& whole, int64_t bytes)>;
Result<Buffer> first_part_on_host(const Buffer& whole, int64_t bytes);

// Takes over the references in `slots`.  Arrays that are a part of a larger block keep all of it
// alive, but have exactly their own elements.
Result<std::vector<Value>> unpack_slots(std::span<const ValueType> types,
                                        std::span<const int64_t> slots,
                                        const FirstPart& first_part = first_part_on_host);

}  // namespace skald::runtime
