// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/staging.h"

#include <algorithm>
#include <cstring>

#include "runtime/cuda/helper_kernels.h"

namespace skald::runtime::cuda {

namespace {

Status allocate_pinned(const Api& api, size_t bytes, char*& memory) {
  void* made = nullptr;
  const Status code = api.allocate_host(&made, bytes, 0);
  if (code == kSuccess) memory = static_cast<char*>(made);
  return code;
}

}  // namespace

Staging::~Staging() {
  if (small_ != nullptr) api_.free_host(small_);
  for (const Piece& piece : pieces_) {
    if (piece.memory != nullptr) api_.free_host(piece.memory);
    if (piece.done != nullptr) api_.destroy_event(piece.done);
  }
}

Status Staging::open() {
  const Status code = allocate_pinned(api_, kSmallBytes + kReportSize, small_);
  if (code == kSuccess) std::memset(report(), 0, kReportSize);
  return code;
}

Status Staging::open_pieces() {
  Status code = kSuccess;
  for (Piece& piece : pieces_) {
    if (code == kSuccess && piece.memory == nullptr)
      code = allocate_pinned(api_, kPieceBytes, piece.memory);
    if (code == kSuccess && piece.done == nullptr)
      code = api_.create_event(&piece.done, kWithoutTimes);
  }
  return code;
}

Status Staging::wait_for(Piece& piece) {
  if (!piece.in_use) return kSuccess;
  piece.in_use = false;
  return api_.wait_for_event(piece.done);
}

Status Staging::write(Address to, const char* from, size_t bytes, Stream stream) {
  Status code = open_pieces();
  for (size_t at = 0, k = 0; code == kSuccess && at < bytes; at += kPieceBytes, k ^= 1) {
    Piece& piece = pieces_[k];
    const size_t n = std::min(kPieceBytes, bytes - at);
    code = wait_for(piece);
    if (code != kSuccess) break;
    std::memcpy(piece.memory, from + at, n);
    code = api_.write(to + at, piece.memory, n, stream);
    if (code == kSuccess) code = api_.record_event(piece.done, stream);
    piece.in_use = code == kSuccess;
  }
  return code;
}

Status Staging::read(char* to, Address from, size_t bytes, Stream stream) {
  Status code = open_pieces();
  const size_t count = (bytes + kPieceBytes - 1) / kPieceBytes;
  const auto size = [&](size_t k) { return std::min(kPieceBytes, bytes - k * kPieceBytes); };
  // Piece k is on its way while piece k - 1 is copied.
  for (size_t k = 0; code == kSuccess && k <= count; ++k) {
    if (k < count) {
      Piece& piece = pieces_[k % 2];
      code = wait_for(piece);
      if (code == kSuccess) code = api_.read(piece.memory, from + k * kPieceBytes, size(k), stream);
      if (code == kSuccess) code = api_.record_event(piece.done, stream);
      piece.in_use = code == kSuccess;
    }
    if (k == 0 || code != kSuccess) continue;
    Piece& before = pieces_[(k - 1) % 2];
    code = wait_for(before);
    if (code == kSuccess) std::memcpy(to + (k - 1) * kPieceBytes, before.memory, size(k - 1));
  }
  return code;
}

}  // namespace skald::runtime::cuda
