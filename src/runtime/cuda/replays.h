// SPDX-License-Identifier: Apache-2.0
// The few commands between two waits, given to the device together: one by one the first times, and
// as one graph when the same ones come again and again, as in programs that are called many times
// with the same arrays.  A graph costs the host one call of the driver, whatever is in it.
//
// One thread at a time.  Longer stretches are chains (launch_chains.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/cuda/api.h"
#include "runtime/cuda/launch_chains.h"
#include "runtime/device/driver.h"

namespace skald::runtime::cuda {

// `count` elements of `width` bytes, 1, 2 or 4.
struct Fill {
  Address to = 0;
  uint64_t count = 0;
  unsigned bits = 0, width = 0;
  bool operator==(const Fill&) const = default;
};
Status fill_now(const Api& api, const Fill& fill, Stream stream);

class Replays {
 public:
  Replays(const Api& api, Context context) : api_(api), context_(context) {}
  ~Replays();
  Replays(const Replays&) = delete;
  Replays& operator=(const Replays&) = delete;

  bool is_empty() const { return waiting_.steps.empty(); }
  bool has_room() const { return waiting_.steps.size() < kMost; }
  // Keep a command for later.
  void add(const KernelLaunch& launch, std::span<const KernelArg> args);
  void add(const Fill& fill);
  // Gives all to the stream.
  Status flush(Stream stream);
  // A kernel will be gone: no graph may hold it any more.
  void forget(Function function);
  // For tests: how many graphs were launched.
  int64_t replayed() const { return replayed_; }

  static constexpr size_t kMost = 8;

 private:
  // A launch, or a fill if it has no function.
  struct Step {
    KernelLaunch launch;
    size_t first = 0, count = 0;  // its values
    Fill fill;
    bool operator==(const Step&) const = default;
  };
  struct Steps {
    std::vector<Step> steps;
    std::vector<uint64_t> values;
    bool operator==(const Steps&) const = default;
  };
  struct Kept {
    Steps steps;
    uint64_t hash = 0;
    int64_t times = 0, used = 0;  // how often they came, and when
    Graph graph = nullptr;
    GraphExec exec = nullptr;
  };

  uint64_t hash() const;
  Kept& find_or_keep();
  Status run_steps(Stream stream);
  Status make(Kept& kept);
  void drop(Kept& kept);
  void** point_at(const Step& step, Steps& steps);

  const Api& api_;
  Context context_;
  Steps waiting_;
  std::vector<Kept> kept_;
  std::vector<void*> pointers_;
  int64_t clock_ = 0, replayed_ = 0;
};

}  // namespace skald::runtime::cuda
