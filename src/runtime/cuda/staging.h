// SPDX-License-Identifier: Apache-2.0
// Memory of the host that the device reads and writes by itself, on the way from and to other
// memory of the host.
#pragma once

#include <array>

#include "runtime/cuda/api.h"

namespace skald::runtime::cuda {

class Staging {
 public:
  explicit Staging(const Api& api) : api_(api) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // For small reads.
  Status open();
  char* small() const { return small_; }
  // Where the device writes its reports (helper_kernels.h); zero at the beginning.
  char* report() const { return small_ + kSmallBytes; }
  static constexpr size_t kSmallBytes = size_t{128} << 10;

  // Large copies in pieces, one of which is copied by the host while the device copies another.
  // What comes back is complete.  When data goes there, the host's memory may be changed.
  Status write(Address to, const char* from, size_t bytes, Stream stream);
  Status read(char* to, Address from, size_t bytes, Stream stream);

 private:
  static constexpr size_t kPieceBytes = size_t{4} << 20;
  struct Piece {
    char* memory = nullptr;
    Event done = nullptr;
    bool in_use = false;  // `done` was recorded
  };
  Status open_pieces();
  Status wait_for(Piece& piece);

  const Api& api_;
  char* small_ = nullptr;
  std::array<Piece, 2> pieces_;
};

}  // namespace skald::runtime::cuda
