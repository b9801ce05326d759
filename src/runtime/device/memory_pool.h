// SPDX-License-Identifier: Apache-2.0
// The memory of one device, as blocks.  What was given back is kept for the next request of about
// the same size, because drivers are slow at allocating: at most a share of the device's memory,
// and what was not used for longest goes first.  Commands run in the order they are given, so
// memory is used again while commands given before may still be at work on it.
//
// A device block is a SkaldBlock without an address (`data` is null).  Blocks keep the pool and the
// driver alive, so they may outlive the device.  May be used from several threads at once.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "runtime/abi.h"
#include "runtime/budget.h"
#include "runtime/device/driver.h"
#include "runtime/device/profile.h"

namespace skald::runtime {

class DeviceMemoryPool;

struct DeviceBlock : SkaldBlock {
  DeviceMemory memory = nullptr;
  int64_t capacity = 0;
  BudgetRef budget = {};        // that it is counted against
  SkaldBlock* whole = nullptr;  // the block that this is a part of
  std::shared_ptr<DeviceMemoryPool> pool;
  // How memory that somebody else allocated is given back; null: it is the pool's own.
  void (*release)(void* memory, void* argument) = nullptr;
  void* argument = nullptr;
};

// Is it a block of some device?
bool is_device_block(const SkaldBlock* block);
inline const DeviceBlock& as_device_block(const SkaldBlock* block) {
  return *static_cast<const DeviceBlock*>(block);
}

class DeviceMemoryPool : public std::enable_shared_from_this<DeviceMemoryPool> {
 public:
  // With $SKALD_EXACT_MEMORY nothing is rounded or kept, so that tools see who reads too far.
  DeviceMemoryPool(std::shared_ptr<DeviceDriver> driver, std::shared_ptr<Profile> profile);
  ~DeviceMemoryPool();
  DeviceMemoryPool(const DeviceMemoryPool&) = delete;
  DeviceMemoryPool& operator=(const DeviceMemoryPool&) = delete;

  // With one reference and undefined contents; null if there is no memory, or if that is more than
  // the limit, which `refused` says.
  SkaldBlock* allocate(int64_t bytes, bool* refused = nullptr);
  // The first bytes of another block, which is kept alive.
  SkaldBlock* first_part(SkaldBlock* whole, int64_t bytes);
  // Memory that somebody else allocated; `release` is called when the last reference goes, and may
  // be null.
  SkaldBlock* adopt(DeviceMemory memory, int64_t bytes,
                    void (*release)(void* memory, void* argument), void* argument);
  bool owns(const SkaldBlock* block) const;

  // All blocks together get no more than this; 0: no limit.  Those of others do not count.
  void set_limit(int64_t bytes);
  // Of that limit, for what else counts; null: there is none.
  MemoryBudget* budget() const { return budget_.get(); }
  struct Usage {
    int64_t live_bytes = 0, peak_bytes = 0, kept_bytes = 0;
  };
  Usage usage() const;
  // Gives back to the driver what is kept.
  void trim();

 private:
  static void destroy_block(SkaldBlock* block);
  friend bool is_device_block(const SkaldBlock* block);
  struct Kept {
    DeviceMemory memory = nullptr;
    int64_t since = 0;  // a number that grows
  };
  DeviceMemory take(int64_t& bytes);
  DeviceBlock* new_block(DeviceMemory memory, int64_t bytes);
  DeviceMemory make(int64_t bytes);
  void give_back(DeviceMemory memory, int64_t bytes);
  // Gives the oldest back to the driver, until no more than that is kept.
  void drop_until(int64_t kept_bytes);
  int64_t most_kept() const;

  std::shared_ptr<DeviceDriver> driver_;
  std::shared_ptr<Profile> profile_;
  bool exact_;
  mutable std::mutex mutex_;
  std::multimap<int64_t, Kept> kept_;  // by size
  int64_t clock_ = 0;
  Usage usage_;
  BudgetRef budget_;
};

}  // namespace skald::runtime
