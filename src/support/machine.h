// SPDX-License-Identifier: Apache-2.0
// What of the machine this process may use: what the kernel says, and the limits that a container
// (its control groups, version 1 or 2) sets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace skald {

// How many threads can run at the same time: cores of the process's affinity mask, unless a
// container grants the time of fewer.
int usable_cores();

// `root` is put before the names of the kernel's files, so that tests can have their own.

// Bytes that could be had now without others being pushed out; nothing if nobody says so.
std::optional<int64_t> available_memory(const std::string& root = "");

// May so much be asked for?  Linux promises more memory than there is, and kills the process that
// believes it.  Looks only where it is 1 GiB and more: that takes some microseconds.
bool may_allocate(int64_t bytes);

// Cores whose time a container grants, a started one counts; nothing if there is no limit.
std::optional<int> granted_cores(const std::string& root = "");

}  // namespace skald
