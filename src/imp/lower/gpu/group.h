// SPDX-License-Identifier: Apache-2.0
// Code that all threads of a group run.
#pragma once

#include <functional>

#include "imp/lower/gpu/target.h"
#include "imp/lower/kernel/writer.h"

namespace skald::imp {

// Runs `body` for 0 … count-1, shared out among the threads, or once.  Whoever comes after sees
// what was written.
void in_group(DeviceTarget& device, Code& code, const Operand& count, const Code::LoopBody& body);
void once_in_group(DeviceTarget& device, Code& code, const std::function<void(Code&)>& body);
// A barrier, if memory has been touched since the last one.
void sync(Code& code);
// Adds statements that may fail: the threads find out after the next barrier.
void try_in_group(Code& code, const GroupCode& group, const Operand& position, Body body);
void stop_if_failed(DeviceTarget& device, Code& code);
// Room for one value of each thread; the same place for the same number.
Name group_slot(DeviceTarget& device, Code& code, size_t number);
// True if the code may fail or take memory of the device.
bool may_leave(const Body& body);

// A kernel that holds kernels: a launch of `points` groups.
void write_groups(KernelWriter& kernel, DeviceTarget& device, Code& code, const Operand& points);

}  // namespace skald::imp
