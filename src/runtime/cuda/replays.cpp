// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/replays.h"

#include <algorithm>

#include "support/hash.h"

namespace skald::runtime::cuda {

namespace {

constexpr size_t kMostKept = 32;
// Making a graph takes as long as some ten calls.
constexpr int64_t kOftenEnough = 3;

}  // namespace

Status fill_now(const Api& api, const Fill& fill, Stream stream) {
  if (fill.width == 1)
    return api.fill8(fill.to, static_cast<unsigned char>(fill.bits), fill.count, stream);
  if (fill.width == 2)
    return api.fill16(fill.to, static_cast<unsigned short>(fill.bits), fill.count, stream);
  return api.fill32(fill.to, fill.bits, fill.count, stream);
}

Replays::~Replays() {
  for (Kept& kept : kept_) drop(kept);
}

void Replays::drop(Kept& kept) {
  if (kept.exec != nullptr) api_.destroy_graph_exec(kept.exec);
  if (kept.graph != nullptr) api_.destroy_graph(kept.graph);
  kept.exec = nullptr;
  kept.graph = nullptr;
}

void Replays::forget(Function function) {
  std::erase_if(kept_, [&](Kept& kept) {
    const bool holds = std::ranges::any_of(
        kept.steps.steps, [&](const Step& step) { return step.launch.function == function; });
    if (holds) drop(kept);
    return holds;
  });
}

// ---- commands that wait

void Replays::add(const KernelLaunch& launch, std::span<const KernelArg> args) {
  Step step;
  step.launch = launch;
  step.first = waiting_.values.size();
  for (const KernelArg& arg : args)
    if (arg.kind != KernelArg::Kind::kShared) waiting_.values.push_back(argument_bits(arg));
  step.count = waiting_.values.size() - step.first;
  waiting_.steps.push_back(step);
}

void Replays::add(const Fill& fill) {
  Step step;
  step.fill = fill;
  waiting_.steps.push_back(step);
}

uint64_t Replays::hash() const {
  uint64_t sum = waiting_.steps.size();
  for (const Step& step : waiting_.steps) {
    sum = hash_combine(sum, reinterpret_cast<uint64_t>(step.launch.function));
    sum = hash_combine(sum, step.launch.groups);
    sum = hash_combine(sum, step.fill.to);
  }
  for (const uint64_t value : waiting_.values) sum = hash_combine(sum, value);
  return sum;
}

Replays::Kept& Replays::find_or_keep() {
  const uint64_t wanted = hash();
  for (Kept& kept : kept_)
    if (kept.hash == wanted && kept.steps == waiting_) return kept;
  if (kept_.size() < kMostKept) kept_.emplace_back();
  Kept& kept =
      kept_.back().times == 0 ? kept_.back() : *std::ranges::min_element(kept_, {}, &Kept::used);
  drop(kept);
  kept = {.steps = waiting_, .hash = wanted};
  return kept;
}

void** Replays::point_at(const Step& step, Steps& steps) {
  pointers_.clear();
  for (size_t k = 0; k < step.count; ++k) pointers_.push_back(&steps.values[step.first + k]);
  return pointers_.data();
}

Status Replays::run_steps(Stream stream) {
  Status code = kSuccess;
  for (const Step& step : waiting_.steps) {
    if (code != kSuccess) break;
    if (step.launch.function == nullptr) {
      code = fill_now(api_, step.fill, stream);
    } else {
      point_at(step, waiting_);
      code = launch_now(api_, step.launch, pointers_, stream);
    }
  }
  return code;
}

Status Replays::flush(Stream stream) {
  if (is_empty()) return kSuccess;
  Status code = kSuccess;
  if (waiting_.steps.size() == 1) {
    code = run_steps(stream);
  } else {
    Kept& kept = find_or_keep();
    kept.used = ++clock_;
    if (++kept.times == kOftenEnough && make(kept) != kSuccess) drop(kept);
    if (kept.exec != nullptr) {
      code = api_.launch_graph(kept.exec, stream);
      ++replayed_;
    } else {
      code = run_steps(stream);
    }
  }
  waiting_.steps.clear();
  waiting_.values.clear();
  return code;
}

// ---- graphs

Status Replays::make(Kept& kept) {
  Status code = api_.create_graph(&kept.graph, 0);
  GraphNode before = nullptr;
  for (const Step& step : kept.steps.steps) {
    if (code != kSuccess) break;
    const size_t needs = before == nullptr ? 0 : 1;
    GraphNode made = nullptr;
    if (step.launch.function == nullptr) {
      const MemsetNode node{.to = step.fill.to,
                            .value = step.fill.bits,
                            .width = step.fill.width,
                            .count = step.fill.count};
      code = api_.add_memset_node(&made, kept.graph, &before, needs, &node, context_);
    } else {
      const KernelNode node{.function = step.launch.function,
                            .groups = step.launch.groups,
                            .threads = step.launch.threads,
                            .shared = step.launch.shared,
                            .args = point_at(step, kept.steps)};
      code = api_.add_kernel_node(&made, kept.graph, &before, needs, &node);
    }
    before = made;
  }
  return code == kSuccess ? api_.instantiate_graph(&kept.exec, kept.graph, 0) : code;
}

}  // namespace skald::runtime::cuda
