// SPDX-License-Identifier: Apache-2.0
#include "runtime/scratch.h"

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "runtime/budget.h"
#include "runtime/context.h"
#include "support/machine.h"

namespace skald::runtime {

namespace {

constexpr int64_t kFirstPiece = 64 << 10;
// Larger pieces go back to the system as soon as they are not in use.
constexpr int64_t kKeptPiece = 8 << 20;
constexpr int kOffsetBits = 44;

thread_local ScratchStack own;
thread_local constinit ScratchStack* lent = nullptr;

ScratchStack& scratch() {
  return lent == nullptr ? own : *lent;
}

}  // namespace

ScratchStack::~ScratchStack() {
  reset(0);
  for (const Piece& piece : pieces_) std::free(piece.memory);
}

int64_t ScratchStack::mark() const {
  return (static_cast<int64_t>(current_) << kOffsetBits) | used_;
}

void ScratchStack::reset(int64_t mark) noexcept {
  current_ = static_cast<size_t>(mark >> kOffsetBits);
  used_ = mark & ((int64_t{1} << kOffsetBits) - 1);
  while (pieces_.size() > current_ + 1 && pieces_.back().size > kKeptPiece) {
    std::free(pieces_.back().memory);
    pieces_.pop_back();
  }
  if (counted_ != 0) give_back_counted();
}

void ScratchStack::give_back_counted() noexcept {
  const int64_t left = std::min(counted_, used_in_all());
  budget_->give_back(counted_ - left);
  counted_ = left;
}

void* ScratchStack::allocate(int64_t bytes, MemoryBudget& budget, bool& refused) noexcept {
  // A run that lies inside another one, of another budget, is not counted.
  if (counted_ != 0 && budget_ != &budget) return allocate(bytes);
  budget_ = &budget;
  const int64_t size = std::max<int64_t>(0, bytes);
  refused = !budget.take(size);
  if (refused) return nullptr;
  void* memory = allocate(bytes);
  if (memory != nullptr)
    counted_ += size;
  else
    budget.give_back(size);
  return memory;
}

void* ScratchStack::allocate(int64_t bytes) noexcept {
  if (bytes < 0 || bytes > (int64_t{1} << (kOffsetBits - 1))) return nullptr;
  const int64_t size = (bytes + SKALD_RT_ALIGNMENT - 1) / SKALD_RT_ALIGNMENT * SKALD_RT_ALIGNMENT;
  while (current_ >= pieces_.size() || pieces_[current_].size - used_ < size)
    if (!advance(size)) return nullptr;
  void* result = pieces_[current_].memory + used_;
  used_ += size;
  return result;
}

int64_t ScratchStack::bytes() const {
  int64_t sum = used_;
  for (size_t k = 0; k < current_; ++k) sum += pieces_[k].size;
  return sum;
}

// Makes the next piece the current one, or the first one if there is none.
bool ScratchStack::advance(int64_t size) noexcept {
  const int64_t before = used_in_all();
  if (current_ < pieces_.size()) ++current_;
  used_ = 0;
  if (current_ < pieces_.size()) {
    pieces_[current_].before = before;
    return true;
  }
  const int64_t last = pieces_.empty() ? kFirstPiece / 2 : pieces_.back().size;
  const int64_t total = std::max(size, std::min(2 * last, kKeptPiece));
  if (!skald::may_allocate(total)) return false;
  auto* memory =
      static_cast<char*>(std::aligned_alloc(SKALD_RT_ALIGNMENT, static_cast<size_t>(total)));
  if (memory == nullptr) return false;
  try {
    pieces_.push_back({memory, total, before});
  } catch (const std::bad_alloc&) {
    std::free(memory);
    return false;
  }
  return true;
}

LentScratch::LentScratch(ScratchStack& stack) : before_(lent) {
  lent = &stack;
}

LentScratch::~LentScratch() {
  lent = before_;
}

}  // namespace skald::runtime

namespace {

// The lowest address that generated code may still use of this thread's stack.
uintptr_t stack_limit() {
  // Enough for the deepest chain of calls that does not come back to a check: generated code, the
  // scheduler, the C library.
  constexpr size_t kReserve = 256 << 10;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* lowest = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<uintptr_t>(lowest) + std::min(kReserve, size / 2);
}

uintptr_t own_stack_limit() {
  thread_local const uintptr_t limit = stack_limit();
  return limit;
}

// Where recursions of this run begin on this thread: where the run does, or the outermost piece of
// a loop that another thread has brought here.  0 if neither is here.
uintptr_t first_frame_of(const SkaldContext& ctx) {
  using skald::runtime::LoopPiece;
  if (ctx.first_thread == &skald::runtime::own) return ctx.first_frame;
  const LoopPiece* piece = LoopPiece::outermost(&ctx);
  return reinterpret_cast<uintptr_t>(piece);
}

bool uses_too_much_stack(const SkaldContext& ctx, uintptr_t here) {
  const uintptr_t first = first_frame_of(ctx);
  return first > here && first - here > static_cast<uintptr_t>(ctx.stack_bytes);
}

}  // namespace

int64_t skald_rt_scratch_mark(void) {
  return skald::runtime::scratch().mark();
}

void* skald_rt_scratch_alloc(SkaldContext* ctx, int64_t bytes) {
  skald::runtime::ScratchStack& stack = skald::runtime::scratch();
  bool refused = false;
  void* memory =
      ctx->budget == nullptr ? stack.allocate(bytes) : stack.allocate(bytes, *ctx->budget, refused);
  if (memory == nullptr) skald::runtime::fail_for_memory(ctx, bytes, refused);
  return memory;
}

void skald_rt_scratch_reset(int64_t mark) {
  skald::runtime::scratch().reset(mark);
}

void skald::runtime::mark_first_frame(SkaldContext& ctx) noexcept {
  ctx.first_frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  ctx.first_thread = &own;
}

int64_t skald_rt_stack_end(SkaldContext* ctx) {
  uintptr_t end = own_stack_limit();
  const auto allowed = static_cast<uintptr_t>(ctx->stack_bytes);
  if (const uintptr_t first = allowed > 0 ? first_frame_of(*ctx) : 0; first > allowed)
    end = std::max(end, first - allowed);
  return static_cast<int64_t>(end);
}

int32_t skald_rt_stack_low(SkaldContext* ctx) {
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (here <= own_stack_limit()) {
    skald_rt_fail(ctx, SKALD_RT_STACK_OVERFLOW, nullptr, 0);
    return 1;
  }
  if (ctx->stack_bytes > 0 && uses_too_much_stack(*ctx, here)) {
    skald_rt_fail(ctx, SKALD_RT_STACK_LIMIT, &ctx->stack_bytes, 1);
    return 1;
  }
  if (ctx->stop.load(std::memory_order_relaxed) == 0) return 0;
  skald_rt_stop(ctx);
  return 1;
}
