// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/launch_chains.h"

#include <algorithm>

namespace skald::runtime::cuda {

namespace {

// Of each length.  Enough that one can be changed while others run, and for loops whose launches
// repeat after several chains only.
constexpr size_t kMostChains = 8;
// The number of the first launch in a chain; failures before it have 1.
constexpr uint64_t kFirstNumber = 2;

const void* place_of(const KernelArg& arg) {
  return arg.kind == KernelArg::Kind::kMemory ? static_cast<const void*>(&arg.memory)
                                              : static_cast<const void*>(&arg.number);
}

}  // namespace

uint64_t argument_bits(const KernelArg& arg) {
  return arg.kind == KernelArg::Kind::kMemory ? reinterpret_cast<uint64_t>(arg.memory)
                                              : static_cast<uint64_t>(arg.number);
}

void point_at(std::span<const KernelArg> args, std::vector<void*>& pointers) {
  pointers.clear();
  for (const KernelArg& arg : args)
    if (arg.kind != KernelArg::Kind::kShared) pointers.push_back(const_cast<void*>(place_of(arg)));
}

Status launch_now(const Api& api, const KernelLaunch& launch, std::vector<void*>& pointers,
                  Stream stream) {
  return api.launch(launch.function, launch.groups, 1, 1, launch.threads, 1, 1, launch.shared,
                    stream, pointers.data(), nullptr);
}

LaunchChains::~LaunchChains() {
  for (const Chain& chain : chains_) destroy(chain);
}

void LaunchChains::destroy(const Chain& chain) {
  if (chain.exec != nullptr) api_.destroy_graph_exec(chain.exec);
  if (chain.graph != nullptr) api_.destroy_graph(chain.graph);
}

void LaunchChains::forget(Function function) {
  std::erase_if(chains_, [&](const Chain& chain) {
    const bool holds = std::ranges::any_of(
        chain.now.launches, [&](const Waiting& each) { return each.launch.function == function; });
    if (holds) destroy(chain);
    return holds;
  });
}

// ---- launches that wait

bool LaunchChains::can_take(std::span<const KernelArg> args) const {
  return record_ != 0 || std::ranges::any_of(args, [](const KernelArg& arg) {
           return arg.kind == KernelArg::Kind::kOrder;
         });
}

Status LaunchChains::add(const KernelLaunch& launch, std::span<const KernelArg> args,
                         Stream stream) {
  Waiting waiting{launch, values_.size()};
  numbers_.push_back(0);
  for (const KernelArg& arg : args) {
    if (arg.kind == KernelArg::Kind::kShared) continue;
    if (arg.kind == KernelArg::Kind::kOrder) {
      waiting.order = values_.size() - waiting.first;
      numbers_.back() = arg.number;
      record_ = reinterpret_cast<Address>(arg.memory);
    }
    values_.push_back(argument_bits(arg));
  }
  waiting_.push_back(waiting);
  return waiting_.size() < kLong ? kSuccess : flush(stream);
}

std::span<uint64_t> LaunchChains::waiting_values(size_t k) {
  const size_t end = k + 1 < waiting_.size() ? waiting_[k + 1].first : values_.size();
  return std::span(values_).subspan(waiting_[k].first, end - waiting_[k].first);
}

std::span<uint64_t> LaunchChains::Sequence::values_of(size_t k) {
  const size_t end = k + 1 < launches.size() ? launches[k + 1].first : values.size();
  return std::span(values).subspan(launches[k].first, end - launches[k].first);
}

Status LaunchChains::flush(Stream stream) {
  Status code = kSuccess;
  size_t at = 0;
  while (code == kSuccess && waiting_.size() - at >= kShort) {
    const size_t count = waiting_.size() - at >= kLong ? kLong : kShort;
    code = run_chain(at, count, stream);
    at += count;
  }
  for (; code == kSuccess && at < waiting_.size(); ++at) {
    const std::span<uint64_t> values = waiting_values(at);
    if (waiting_[at].order != kNoOrder)
      values[waiting_[at].order] = static_cast<uint64_t>(numbers_[at]);
    pointers_.clear();
    for (uint64_t& value : values) pointers_.push_back(&value);
    code = launch_now(api_, waiting_[at].launch, pointers_, stream);
  }
  waiting_.clear();
  values_.clear();
  numbers_.clear();
  return code;
}

// ---- chains

void LaunchChains::want(size_t first, size_t count) {
  wanted_.record = record_;
  wanted_.launches.assign(waiting_.begin() + static_cast<ptrdiff_t>(first),
                          waiting_.begin() + static_cast<ptrdiff_t>(first + count));
  const size_t before = waiting_[first].first;
  const std::span<uint64_t> last = waiting_values(first + count - 1);
  wanted_.values.assign(values_.data() + before, last.data() + last.size());
  for (size_t k = 0; k < count; ++k) {
    Waiting& each = wanted_.launches[k];
    each.first -= before;
    if (each.order != kNoOrder) wanted_.values[each.first + each.order] = kFirstNumber + k;
  }
}

LaunchChains::Chain* LaunchChains::find_equal() {
  const auto found = std::ranges::find(chains_, wanted_, &Chain::now);
  return found == chains_.end() ? nullptr : &*found;
}

LaunchChains::Chain* LaunchChains::find_oldest() {
  Chain* oldest = nullptr;
  size_t count = 0;
  for (Chain& chain : chains_) {
    if (chain.nodes.size() != wanted_.launches.size()) continue;
    ++count;
    if (oldest == nullptr || chain.used < oldest->used) oldest = &chain;
  }
  return count < kMostChains ? nullptr : oldest;
}

KernelNode LaunchChains::node_of(Sequence& sequence, size_t k) {
  const KernelLaunch& launch = sequence.launches[k].launch;
  pointers_.clear();
  for (uint64_t& value : sequence.values_of(k)) pointers_.push_back(&value);
  return {.function = launch.function,
          .groups = launch.groups,
          .threads = launch.threads,
          .shared = launch.shared,
          .args = pointers_.data()};
}

KernelNode LaunchChains::seal_node(Sequence& sequence) {
  pointers_.assign(1, &sequence.record);
  return {.function = seal_, .args = pointers_.data()};
}

Status LaunchChains::make(Chain& chain) {
  Status code = api_.create_graph(&chain.graph, 0);
  if (code != kSuccess) return code;
  KernelNode node = seal_node(wanted_);
  code = api_.add_kernel_node(&chain.seal, chain.graph, nullptr, 0, &node);
  GraphNode before = chain.seal;
  for (size_t k = 0; code == kSuccess && k < wanted_.launches.size(); ++k) {
    node = node_of(wanted_, k);
    GraphNode made = nullptr;
    code = api_.add_kernel_node(&made, chain.graph, &before, 1, &node);
    chain.nodes.push_back(made);
    before = made;
  }
  if (code == kSuccess) code = api_.instantiate_graph(&chain.exec, chain.graph, 0);
  chain.now = wanted_;
  return code;
}

Status LaunchChains::change(Chain& chain) {
  Status code = kSuccess;
  if (chain.now.record != wanted_.record) {
    const KernelNode node = seal_node(wanted_);
    code = api_.set_kernel_node(chain.exec, chain.seal, &node);
  }
  for (size_t k = 0; code == kSuccess && k < chain.nodes.size(); ++k) {
    if (chain.now.launches[k].launch == wanted_.launches[k].launch &&
        std::ranges::equal(chain.now.values_of(k), wanted_.values_of(k)))
      continue;
    const KernelNode node = node_of(wanted_, k);
    code = api_.set_kernel_node(chain.exec, chain.nodes[k], &node);
    ++changed_nodes_;
  }
  std::swap(chain.now, wanted_);
  return code;
}

Status LaunchChains::run_chain(size_t first, size_t count, Stream stream) {
  want(first, count);
  Status code = kSuccess;
  Chain* chain = find_equal();
  if (chain == nullptr) {
    chain = find_oldest();
    if (chain != nullptr) {
      code = change(*chain);
    } else {
      chains_.emplace_back();
      chain = &chains_.back();
      code = make(*chain);
    }
  }
  if (code == kSuccess) code = api_.launch_graph(chain->exec, stream);
  chain->used = ++clock_;
  if (code == kSuccess) return code;
  // Half changed: of no use.
  destroy(*chain);
  chains_.erase(chains_.begin() + (chain - chains_.data()));
  return code;
}

}  // namespace skald::runtime::cuda
