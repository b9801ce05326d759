// SPDX-License-Identifier: Apache-2.0
// `new` and `delete` of the program skald.  A compiler makes and drops millions of small objects —
// statements, types, nodes of hash tables — and a third of its time went to a general allocator
// that also has to serve threads which race for memory.
//
//   reserved addresses   │ page: 48 bytes │ page: 32 bytes │ page: 48 bytes │ … not used yet …
//   per thread           free lists, one for each size class of 16 bytes, and the rest of the
//   newest page of each class
//
// A page holds objects of one class, so the address alone tells the size.  Lists are a thread's
// own; an object joins the list of the thread that deletes it.  The lists of a thread that ends
// wait for the next thread that starts.  Large objects, and everything if addresses cannot be
// reserved, come from malloc.  Not part of a build with sanitizers, nor of the libraries (ADR
// 0018).
#include <pthread.h>
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace skald::driver {

namespace {

constexpr std::size_t kStep = 16;
constexpr std::size_t kLargestSmall = 512;
constexpr std::size_t kClasses = kLargestSmall / kStep;
constexpr std::size_t kPageBytes = std::size_t{64} << 10;
constexpr std::size_t kPages = std::size_t{1} << 19;
constexpr std::size_t kReserved = kPages * kPageBytes;

struct Free {
  Free* next;
};

struct Lists {
  std::array<Free*, kClasses> free;
  std::array<char*, kClasses> fresh;  // the rest of the newest page
  std::array<char*, kClasses> end;
  Lists* next_waiting;
};

std::atomic<char*> reserved{nullptr};
std::atomic<bool> reserving_failed{false};
std::atomic<std::size_t> pages_used{0};
std::atomic_flag waiting_lock = ATOMIC_FLAG_INIT;
Lists* waiting = nullptr;  // lists of threads that ended
std::uint8_t* class_of_page = nullptr;

thread_local Lists* own = nullptr;
thread_local bool ended = false;

void lock() {
  while (waiting_lock.test_and_set(std::memory_order_acquire)) {
  }
}
void unlock() {
  waiting_lock.clear(std::memory_order_release);
}

// Gives the lists of a thread back when it ends.
struct Keeper {
  ~Keeper() {
    ended = true;
    if (own == nullptr) return;
    lock();
    own->next_waiting = waiting;
    waiting = own;
    unlock();
    own = nullptr;
  }
};

char* reserve() {
  if (char* base = reserved.load(std::memory_order_acquire)) return base;
  if (reserving_failed.load(std::memory_order_relaxed)) return nullptr;
  lock();
  char* base = reserved.load(std::memory_order_relaxed);
  if (base == nullptr && !reserving_failed.load(std::memory_order_relaxed)) {
    void* got = mmap(nullptr, kReserved + kPages, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) {
      reserving_failed.store(true, std::memory_order_relaxed);
    } else {
      static_cast<void>(pthread_atfork(lock, unlock, unlock));
      base = static_cast<char*>(got);
      class_of_page = reinterpret_cast<std::uint8_t*>(base + kReserved);
      reserved.store(base, std::memory_order_release);
    }
  }
  unlock();
  return base;
}

Lists* own_lists() {
  if (own != nullptr || ended) return own;
  thread_local Keeper keeper;
  static_cast<void>(keeper);
  lock();
  Lists* lists = waiting;
  if (lists != nullptr) waiting = lists->next_waiting;
  unlock();
  if (lists == nullptr) lists = static_cast<Lists*>(std::calloc(1, sizeof(Lists)));
  own = lists;
  return lists;
}

void* small_slow(std::size_t index) {
  char* base = reserve();
  Lists* lists = base == nullptr ? nullptr : own_lists();
  if (lists == nullptr) return nullptr;
  if (Free* head = lists->free[index]) {
    lists->free[index] = head->next;
    return head;
  }
  const std::size_t bytes = (index + 1) * kStep;
  if (static_cast<std::size_t>(lists->end[index] - lists->fresh[index]) < bytes) {
    const std::size_t page = pages_used.fetch_add(1, std::memory_order_relaxed);
    if (page >= kPages) {
      pages_used.store(kPages, std::memory_order_relaxed);
      return nullptr;
    }
    class_of_page[page] = static_cast<std::uint8_t>(index);
    lists->fresh[index] = base + page * kPageBytes;
    lists->end[index] = lists->fresh[index] + kPageBytes;
  }
  char* object = lists->fresh[index];
  lists->fresh[index] += bytes;
  return object;
}

void* get(std::size_t bytes) {
  if (bytes <= kLargestSmall) {
    const std::size_t index = bytes == 0 ? 0 : (bytes - 1) / kStep;
    if (own != nullptr) {
      if (Free* head = own->free[index]) {
        own->free[index] = head->next;
        return head;
      }
    }
    if (void* object = small_slow(index)) return object;
  }
  return std::malloc(bytes == 0 ? 1 : bytes);
}

void give_back(void* object) {
  char* base = reserved.load(std::memory_order_relaxed);
  const auto offset = static_cast<std::size_t>(static_cast<char*>(object) - base);
  if (base == nullptr || offset >= kReserved) {
    std::free(object);
    return;
  }
  Lists* lists = own != nullptr ? own : own_lists();
  if (lists == nullptr) return;  // a thread that is ending leaves it
  Free* head = static_cast<Free*>(object);
  const std::size_t index = class_of_page[offset / kPageBytes];
  head->next = lists->free[index];
  lists->free[index] = head;
}

void* get_or_throw(std::size_t bytes) {
  while (true) {
    if (void* object = get(bytes)) return object;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

}  // namespace skald::driver

void* operator new(std::size_t bytes) {
  return skald::driver::get_or_throw(bytes);
}
void* operator new[](std::size_t bytes) {
  return skald::driver::get_or_throw(bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return skald::driver::get(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return skald::driver::get(bytes);
}
void operator delete(void* object) noexcept {
  skald::driver::give_back(object);
}
void operator delete[](void* object) noexcept {
  skald::driver::give_back(object);
}
void operator delete(void* object, std::size_t) noexcept {
  skald::driver::give_back(object);
}
void operator delete[](void* object, std::size_t) noexcept {
  skald::driver::give_back(object);
}
void operator delete(void* object, const std::nothrow_t&) noexcept {
  skald::driver::give_back(object);
}
void operator delete[](void* object, const std::nothrow_t&) noexcept {
  skald::driver::give_back(object);
}

#endif
