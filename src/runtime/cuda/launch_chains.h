// SPDX-License-Identifier: Apache-2.0
// Launches that are given to the device many at a time, as a graph: a kernel that depends on the
// one before then starts in less than a microsecond, and not in several.
//
// A chain is a graph of kernels one after the other.  It is made once and used again: as it is, if
// the next launches are the same ones (a loop that swaps two arrays), or with other kernels and
// arguments in some of its nodes.  So that equal launches are equal, the number of a launch is its
// place in the chain; the first node of a chain sees to it that failures before it still come
// first (helper_kernels.h).
//
// One thread at a time.  docs/adr/0028 says why it is made this way.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/cuda/api.h"
#include "runtime/device/driver.h"

namespace skald::runtime::cuda {

struct KernelLaunch {
  Function function = nullptr;
  unsigned groups = 1, threads = 1, shared = 0;
  bool operator==(const KernelLaunch&) const = default;
};

// The 8 bytes that a kernel gets for an argument that is not shared memory.
uint64_t argument_bits(const KernelArg& arg);
// Arguments as the driver takes them: where each is.  Shared memory is none.
void point_at(std::span<const KernelArg> args, std::vector<void*>& pointers);
Status launch_now(const Api& api, const KernelLaunch& launch, std::vector<void*>& pointers,
                  Stream stream);

class LaunchChains {
 public:
  // `seal` is the kernel skald_seal.
  LaunchChains(const Api& api, Function seal) : api_(api), seal_(seal) {}
  ~LaunchChains();
  LaunchChains(const LaunchChains&) = delete;
  LaunchChains& operator=(const LaunchChains&) = delete;

  // Is it known where failures are recorded?  An argument says it (KernelArg::kOrder); launches
  // before the first such one cannot be chained.
  bool can_take(std::span<const KernelArg> args) const;
  // Keeps a launch for later; gives all to the stream when they are enough for a chain.
  Status add(const KernelLaunch& launch, std::span<const KernelArg> args, Stream stream);
  // Gives all to the stream, in chains as far as there are enough.
  Status flush(Stream stream);
  bool is_empty() const { return waiting_.empty(); }
  // A kernel will be gone: no chain may hold it any more.
  void forget(Function function);
  // For tests: how many chains there are, and how many of their nodes were changed so far.
  size_t chain_count() const { return chains_.size(); }
  int64_t changed_nodes() const { return changed_nodes_; }

  static constexpr size_t kLong = 64, kShort = 16;

 private:
  static constexpr size_t kNoOrder = SIZE_MAX;
  struct Waiting {
    KernelLaunch launch;
    size_t first = 0;         // of its values
    size_t order = kNoOrder;  // which of them is its number
    bool operator==(const Waiting&) const = default;
  };
  // Launches with the values of their arguments.
  struct Sequence {
    Address record = 0;
    std::vector<Waiting> launches;
    std::vector<uint64_t> values;
    bool operator==(const Sequence&) const = default;
    std::span<uint64_t> values_of(size_t k);
  };
  struct Chain {
    Graph graph = nullptr;
    GraphExec exec = nullptr;
    GraphNode seal = nullptr;
    std::vector<GraphNode> nodes;
    Sequence now;
    int64_t used = 0;  // when
  };

  Status run_chain(size_t first, size_t count, Stream stream);
  // The waiting launches as the content of a chain.
  void want(size_t first, size_t count);
  Chain* find_equal();
  // The one to be changed into what is wanted; null: make another.
  Chain* find_oldest();
  Status make(Chain& chain);
  Status change(Chain& chain);
  KernelNode node_of(Sequence& sequence, size_t k);
  KernelNode seal_node(Sequence& sequence);
  void destroy(const Chain& chain);
  std::span<uint64_t> waiting_values(size_t k);

  const Api& api_;
  Function seal_;
  std::vector<Waiting> waiting_;
  std::vector<uint64_t> values_;
  // Numbers of launches, for those that go without a chain; 0 where there is none.
  std::vector<int64_t> numbers_;
  Address record_ = 0;
  Sequence wanted_;
  std::vector<Chain> chains_;
  std::vector<void*> pointers_;
  int64_t clock_ = 0, changed_nodes_ = 0;
};

}  // namespace skald::runtime::cuda
