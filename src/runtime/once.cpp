// SPDX-License-Identifier: Apache-2.0
#include <new>
#include <utility>

#include "runtime/context.h"

namespace skald::runtime {

OnceCells::~OnceCells() {
  for (Cell* cell = first_.load(std::memory_order_acquire); cell != nullptr;) {
    for (size_t k = 0; k < cell->slots.size(); ++k)
      if (((cell->blocks >> k) & 1) != 0)
        skald_rt_release(reinterpret_cast<SkaldBlock*>(cell->slots[k]));
    delete std::exchange(cell, cell->next);
  }
}

const int64_t* OnceCells::get(int32_t cell) const noexcept {
  for (const Cell* c = first_.load(std::memory_order_acquire); c != nullptr; c = c->next)
    if (c->number == cell) return c->slots.data();
  return nullptr;
}

// Two threads may both add the cell; everybody then finds the one that was added last, and the
// values are equal.  Without memory nothing is kept, and the value is computed again.
void OnceCells::put(int32_t cell, const int64_t* slots, int32_t n, uint64_t blocks) noexcept {
  try {
    auto* added = new Cell{nullptr, cell, blocks, {slots, slots + n}};
    for (int32_t k = 0; k < n; ++k)
      if (((blocks >> k) & 1) != 0) skald_rt_retain(reinterpret_cast<SkaldBlock*>(slots[k]));
    added->next = first_.load(std::memory_order_relaxed);
    while (!first_.compare_exchange_weak(added->next, added, std::memory_order_release,
                                         std::memory_order_relaxed)) {
    }
  } catch (const std::bad_alloc&) {
    return;
  }
}

}  // namespace skald::runtime

const int64_t* skald_rt_once_get(SkaldContext* ctx, int32_t cell) {
  return ctx->once.get(cell);
}

void skald_rt_once_put(SkaldContext* ctx, int32_t cell, const int64_t* slots, int32_t n,
                       uint64_t blocks) {
  ctx->once.put(cell, slots, n, blocks);
}
