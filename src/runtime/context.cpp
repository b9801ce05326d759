// SPDX-License-Identifier: Apache-2.0
#include "runtime/context.h"

#include <algorithm>

#include "runtime/budget.h"

namespace skald::runtime {

namespace {

thread_local LoopPiece* innermost_piece = nullptr;

}  // namespace

void ErrorSlot::record(int64_t position, const RunError& error) noexcept {
  std::lock_guard lock(mutex_);
  if (position >= lowest_.load(std::memory_order_relaxed)) return;
  error_ = error;
  lowest_.store(position, std::memory_order_relaxed);
}

void ErrorSlot::add_frame(int64_t position, int32_t loc) noexcept {
  std::lock_guard lock(mutex_);
  if (position != lowest() || error_.frame_count >= RunError::kMaxFrames) return;
  error_.frames[static_cast<size_t>(error_.frame_count++)] = loc;
}

std::optional<RunError> ErrorSlot::error() const noexcept {
  std::lock_guard lock(mutex_);
  if (lowest() == std::numeric_limits<int64_t>::max()) return std::nullopt;
  return error_;
}

LoopPiece::LoopPiece(SkaldContext* ctx, ErrorSlot& slot, int64_t position, int fork_depth) noexcept
    : ctx_(ctx),
      slot_(slot),
      position_(position),
      fork_depth_(fork_depth),
      outer_(innermost_piece) {
  innermost_piece = this;
}

LoopPiece::~LoopPiece() {
  innermost_piece = outer_;
}

// A thread that waits for one run's loop may execute pieces of another run, so pieces of several
// runs can lie on one stack.
LoopPiece* LoopPiece::current(const SkaldContext* ctx) noexcept {
  LoopPiece* piece = innermost_piece;
  while (piece != nullptr && piece->ctx_ != ctx) piece = piece->outer_;
  return piece;
}

const LoopPiece* LoopPiece::outermost(const SkaldContext* ctx) noexcept {
  const LoopPiece* found = nullptr;
  for (const LoopPiece* piece = innermost_piece; piece != nullptr; piece = piece->outer_)
    if (piece->ctx_ == ctx) found = piece;
  return found;
}

void fail_for_memory(SkaldContext* ctx, int64_t bytes, bool by_budget) noexcept {
  const int64_t values[] = {bytes, by_budget ? ctx->budget->limit() : 0};
  skald_rt_fail(ctx, by_budget ? SKALD_RT_MEMORY_LIMIT : SKALD_RT_OUT_OF_MEMORY, values,
                by_budget ? 2 : 1);
}

}  // namespace skald::runtime

using skald::runtime::LoopPiece;
using skald::runtime::RunError;

void skald_rt_fail(SkaldContext* ctx, int64_t error_id, const int64_t* values, int32_t n) {
  RunError error;
  error.id = error_id;
  error.value_count = std::clamp<int32_t>(n, 0, SKALD_RT_MAX_FAIL_VALUES);
  std::copy_n(values, error.value_count, error.values.begin());
  if (LoopPiece* piece = LoopPiece::current(ctx))
    piece->slot().record(piece->position(), error);
  else
    ctx->errors.record(0, error);
}

int32_t skald_rt_failed(SkaldContext* ctx) {
  if (LoopPiece* piece = LoopPiece::current(ctx))
    return piece->slot().lowest() <= piece->position() ? 1 : 0;
  return ctx->errors.lowest() == 0 ? 1 : 0;
}

void skald_rt_stop(SkaldContext* ctx) {
  const auto microseconds = static_cast<int64_t>(ctx->seconds * 1e6);
  skald_rt_fail(ctx, SKALD_RT_TIME_LIMIT, &microseconds, 1);
}

void skald_rt_add_frame(SkaldContext* ctx, int32_t loc) {
  if (LoopPiece* piece = LoopPiece::current(ctx))
    piece->slot().add_frame(piece->position(), loc);
  else
    ctx->errors.add_frame(0, loc);
}
