// SPDX-License-Identifier: Apache-2.0
// Values between the host and a device.  Nothing else moves arrays: entry points of device programs
// take and give values whose buffers are blocks of their device (Executor::run).
//
// A value on a device has a block without an address: `data.data()` is null, and its elements
// cannot be looked at.  Scalars are always on the host.
#pragma once

#include "runtime/device/device.h"
#include "runtime/values/value.h"

namespace skald::runtime {

bool is_on_device(const Value& value);

// The same value on the device; a scalar stays as it is.  When this returns, the host's memory may
// be changed.
Result<Value> upload(Device& device, const Value& value);
// The same value on the host.  Waits for the device.
Result<Value> download(Device& device, const Value& value);
// Its elements to the host's memory.  Waits for the device.
Result<Unit> read_value(Device& device, const Value& value, void* to);
// With undefined elements.
Result<Value> allocate_on_device(Device& device, Prim type, std::vector<int64_t> shape);
// The elements from byte `offset` on, as an array of that shape: memory is shared if they are the
// first ones, and copied otherwise.
Result<Value> part_on_device(Device& device, const Value& value, int64_t offset,
                             std::vector<int64_t> shape);
// Another copy on the device, for those who keep an array that an entry point may update.
Result<Value> copy_on_device(Device& device, const Value& value);

// For unpack_slots: results may lie in larger blocks.
Result<Buffer> first_part_on_device(Device& device, const Buffer& whole, int64_t bytes);

}  // namespace skald::runtime
