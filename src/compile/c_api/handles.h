// SPDX-License-Identifier: Apache-2.0
// Handles: numbers that stand for objects, so that a stale one is an error and not a crash.
//
// A handle holds the kind of the object, the place in a table and how often that place was used
// before.  Looking one up gives a shared pointer: an object that is freed by one thread while
// another one uses it ends when the last of them is done.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace skald::c_api {

enum class HandleKind : uint8_t { kContext = 1, kProgram = 2, kArray = 3, kLazy = 4 };

template <class Object, HandleKind kKind>
class HandleTable {
 public:
  uint64_t add(std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    uint32_t place = 0;
    if (free_.empty()) {
      place = static_cast<uint32_t>(slots_.size());
      slots_.emplace_back();
    } else {
      place = free_.back();
      free_.pop_back();
    }
    Slot& slot = slots_[place];
    slot.object = std::move(object);
    return handle(place, slot.uses);
  }

  // Null if there is no such object any more.
  std::shared_ptr<Object> find(uint64_t id) const {
    const std::lock_guard lock(mutex_);
    const Slot* slot = slot_of(id);
    return slot == nullptr ? nullptr : slot->object;
  }

  // The object, which the table no longer holds; null as above.
  std::shared_ptr<Object> remove(uint64_t id) {
    const std::lock_guard lock(mutex_);
    if (slot_of(id) == nullptr) return nullptr;
    const auto place = static_cast<uint32_t>(id);
    Slot& slot = slots_[place];
    std::shared_ptr<Object> object = std::move(slot.object);
    slot.object = nullptr;
    // After so many uses a place is left alone, so that no handle ever comes back.
    if (++slot.uses < kMostUses) free_.push_back(place);
    return object;
  }

 private:
  static constexpr uint32_t kMostUses = (1U << 24) - 1;
  struct Slot {
    std::shared_ptr<Object> object;
    uint32_t uses = 0;
  };

  static uint64_t handle(uint32_t place, uint32_t uses) {
    return static_cast<uint64_t>(kKind) << 56 | static_cast<uint64_t>(uses) << 32 | place;
  }
  const Slot* slot_of(uint64_t id) const {
    const auto place = static_cast<uint32_t>(id);
    if (place >= slots_.size()) return nullptr;
    const Slot& slot = slots_[place];
    return slot.object != nullptr && handle(place, slot.uses) == id ? &slot : nullptr;
  }

  mutable std::mutex mutex_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
};

}  // namespace skald::c_api
