// SPDX-License-Identifier: Apache-2.0
// Launches: groups of threads, barriers, attempts and what the threads of a group share.
#include <algorithm>

#include "imp/interp/handlers.h"
#include "imp/interp/machine.h"
#include "support/bug.h"

namespace skald::imp::interp {

void run_launch(Machine& m, const Instr& i) {
  m.launch(*static_cast<const LaunchCode*>(i.node));
}

void run_end_of_thread(Machine& m, const Instr&) {
  m.pause(Thread::State::kEnded);
}

void run_barrier(Machine& m, const Instr&) {
  m.pause(Thread::State::kWaits);
}

// A thread is at most one shuffle ahead of the others, so that two sets of values are enough.
void run_offer(Machine& m, const Instr& i) {
  Thread& thread = m.thread();
  SKALD_CHECK(thread.group->threads % kWarpThreads == 0, "threads of a warp meet in part of one");
  std::vector<uint64_t>& offered = thread.group->offered[thread.shuffles % 2];
  offered.resize(static_cast<size_t>(thread.group->threads));
  offered[thread.number] = m.slot(i.a);
  m.pause(Thread::State::kWaits);
}

void run_take(Machine& m, const Instr& i) {
  Thread& thread = m.thread();
  const auto own = static_cast<int64_t>(thread.number);
  const int64_t from =
      own / kWarpThreads * kWarpThreads +
      shuffle_source(static_cast<ShuffleKind>(i.number), own % kWarpThreads, m.number(i.a));
  m.slot(i.dst) = thread.group->offered[thread.shuffles++ % 2][static_cast<size_t>(from)];
}

void run_ballot(Machine& m, const Instr& i) {
  Thread& thread = m.thread();
  const size_t first = thread.number / kWarpThreads * kWarpThreads;
  const std::vector<uint64_t>& offered = thread.group->offered[thread.shuffles++ % 2];
  uint64_t mask = 0;
  for (size_t lane = 0; lane < kWarpThreads; ++lane)
    if (offered[first + lane] != 0) mask |= uint64_t{1} << lane;
  m.slot(i.dst) = mask;
}

void run_attempt(Machine& m, const Instr& i) {
  Thread& thread = m.thread();
  const Instr* after = thread.frames.back().fn->code.data() + i.number;
  thread.attempts.push_back({i.a, thread.frames.size(), i.b, after});
}

void run_end_of_attempt(Machine& m, const Instr&) {
  m.thread().attempts.pop_back();
}

void run_stop(Machine& m, const Instr&) {
  m.leave_attempt();
}

// A thread at the beginning of the body, which sees what is around the launch and owns nothing.
Thread Machine::thread_of(const LaunchCode& code, const Thread& host) const {
  const Frame& around = host.frames.back();
  Thread thread;
  push_frame(thread, *around.fn, nullptr);
  Frame& frame = thread.frames.back();
  std::copy_n(host.slots.begin() + static_cast<ptrdiff_t>(around.slots), code.slots,
              thread.slots.begin() + static_cast<ptrdiff_t>(frame.slots));
  std::copy_n(host.blocks.begin() + static_cast<ptrdiff_t>(around.blocks), code.blocks,
              thread.blocks.begin());
  for (Handle& handle : thread.blocks)
    if (handle.kind != Handle::Kind::kNone) handle.kind = Handle::Kind::kView;
  return thread;
}

void Machine::launch(const LaunchCode& code) {
  const int64_t groups = number(code.groups), threads = number(code.threads);
  if (threads < 1 || threads > kMostThreads)
    wrong(fmt::format("launches groups of {} threads", threads));
  // The body follows.
  const Instr* const body = next_;
  launch_error_.reset();
  Thread pattern = thread_of(code, *thread_);
  pattern.frames.back().next = body;
  const Frame frame = pattern.frames.back();
  for (int64_t k = 0; k < groups && !error_; ++k) {
    Group group;
    group.threads = threads;
    group.most_shared = number(code.shared);
    pattern.group = &group;
    pattern.slots[frame.slots + static_cast<size_t>(code.group)] = static_cast<uint64_t>(k);
    if (code.together) {
      run_together(code, pattern, group);
      continue;
    }
    for (int64_t t = 0; t < threads && !error_; ++t) {
      // A thread that failed has left its frame.
      if (pattern.frames.empty()) {
        pattern = thread_of(code, *thread_);
        pattern.group = &group;
        pattern.slots[frame.slots + static_cast<size_t>(code.group)] = static_cast<uint64_t>(k);
      }
      pattern.frames.back() = frame;
      pattern.slots[frame.slots + static_cast<size_t>(code.thread)] = static_cast<uint64_t>(t);
      run(pattern);
    }
  }
  if (error_) return pause(Thread::State::kFailed);
  if (launch_error_) return fail(std::exchange(launch_error_, std::nullopt)->second);
  jump(code.after);
}

// The threads of a group in turn, from barrier to barrier.
void Machine::run_together(const LaunchCode& code, const Thread& pattern, Group& group) {
  std::vector<Thread> threads(static_cast<size_t>(group.threads), pattern);
  for (size_t t = 0; t < threads.size(); ++t) {
    threads[t].number = t;
    threads[t].slots[pattern.frames[0].slots + static_cast<size_t>(code.thread)] = t;
  }
  bool goes_on = true;
  while (goes_on && !error_) {
    const Instr* barrier = nullptr;
    size_t waiting = 0;
    for (Thread& thread : threads) {
      if (thread.state == Thread::State::kEnded) continue;
      run(thread);
      if (error_) break;
      if (thread.state != Thread::State::kWaits) continue;
      const Instr* here = thread.frames.back().next;
      if (waiting > 0 && here != barrier) wrong("threads of a group wait at different barriers");
      barrier = here;
      ++waiting;
    }
    goes_on = waiting > 0;
    if (goes_on && waiting < threads.size() && !error_)
      wrong("threads of a group wait at a barrier that others do not come to");
  }
  for (auto& [instr, all] : group.blocks)
    for (Group::Shared& shared : all) {
      shared.handle.kind = Handle::Kind::kCounted;
      if (memory_.find(shared.handle) != nullptr) memory_.drop(shared.handle);
    }
}

// All threads get the same block.  The group holds a reference until they have it, and until all
// have come back to the same statement where the block is their own memory.
Handle Machine::shared_block(const Instr& instr, const AllocCode& code, int64_t bytes) {
  Thread& thread = *thread_;
  Group& group = *thread.group;
  std::vector<Group::Shared>& all = group.blocks[&instr];
  const size_t number = thread.allocations[&instr]++;
  if (number == all.size())
    all.push_back({memory_.allocate(bytes, Where::kGroup, Handle::Kind::kCounted, statement()), 0});
  Group::Shared& shared = all[number];
  if (shared.handle.kind == Handle::Kind::kNone) return {};
  const bool last = ++shared.arrived == group.threads;
  if (code.alloc->space == Space::kGroup) {
    const Handle own = memory_.retain(shared.handle);
    if (last) memory_.drop(shared.handle);
    return own;
  }
  if (last && number > 0) memory_.drop(all[number - 1].handle);
  const Block* block = memory_.find(shared.handle);
  if (block == nullptr || block->bytes != bytes)
    wrong("threads of a group ask for different sizes of one block");
  const bool is_constant = core::as_const(code.alloc->bytes) != nullptr;
  if (is_constant) return {shared.handle.index, shared.handle.generation, Handle::Kind::kView};
  thread.shared += (bytes + kSharedAlignment - 1) & ~(kSharedAlignment - 1);
  if (thread.shared > group.most_shared)
    wrong(fmt::format("needs {} bytes of the group's memory; the launch has {}", thread.shared,
                      group.most_shared));
  return {shared.handle.index, shared.handle.generation, Handle::Kind::kShared};
}

}  // namespace skald::imp::interp
