// SPDX-License-Identifier: Apache-2.0
// The loop, calls and failures.
#include "imp/interp/machine.h"

#include <algorithm>
#include <cstring>

#include "core/interp/code/block.h"
#include "core/interp/format.h"
#include "imp/interp/compile.h"
#include "imp/text/print.h"
#include "support/bug.h"

namespace skald::imp::interp {

namespace {

// Jumps back between two looks at the clock.
constexpr int64_t kJumpsPerLook = 1 << 14;
// Of deep recursions the innermost calls are enough in a back trace.
constexpr size_t kMaxCalls = 64;

int64_t memory_limit(const core::InterpOptions& options) {
  const int64_t all = core::interp::MemoryBudget::of_this_machine().limit;
  // Who has little time cannot fill much memory either.
  constexpr double kBytesPerSecond = 1e9;
  const int64_t most =
      options.time_limit > 0
          ? std::min(all, static_cast<int64_t>(options.time_limit * kBytesPerSecond))
          : all;
  return options.memory_limit > 0
             ? std::clamp<int64_t>(options.memory_limit - options.memory_used, 0, most)
             : most;
}

}  // namespace

Machine::Machine(const Program& prog, const core::InterpOptions& options)
    : prog_(prog),
      options_(options),
      functions_(compile(prog, options.tuning)),
      memory_(memory_limit(options)),
      until_clock_(kJumpsPerLook),
      start_(std::chrono::steady_clock::now()) {}

// ---- the loop

void Machine::run(Thread& thread) {
  Thread* const outer = std::exchange(thread_, &thread);
  const Instr* const outer_next = next_;
  thread.state = Thread::State::kRuns;
  set_frame();
  next_ = thread.frames.back().next;
  while (next_ != nullptr) {
    const Instr& instr = *next_++;
    instr.run(*this, instr);
  }
  thread_ = outer;
  next_ = outer_next;
  if (outer != nullptr) set_frame();
}

void Machine::pause(Thread::State state) {
  if (!thread_->frames.empty()) thread_->frames.back().next = next_;
  thread_->state = state;
  next_ = nullptr;
}

void Machine::set_frame() {
  const Frame& frame = thread_->frames.back();
  slots_ = thread_->slots.data() + frame.slots;
  handles_ = thread_->blocks.data() + frame.blocks;
}

void Machine::look_at_clock() {
  if (--until_clock_ > 0) return;
  until_clock_ = kJumpsPerLook;
  if (options_.time_limit <= 0) return;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
  if (passed.count() < options_.time_limit) return;
  // Nobody goes on after that.
  error_ = {core::interp::time_limit_message(options_.time_limit), places(), true, "time-limit"};
  pause(Thread::State::kFailed);
}

// Those of the calls that led here.
std::vector<Loc> Machine::places() const {
  std::vector<Loc> found = {Loc{}};
  for (size_t k = thread_->frames.size(); k-- > 0;)
    if (thread_->frames[k].call != nullptr && found.size() <= kMaxCalls)
      found.push_back(thread_->frames[k].call->loc);
  return found;
}

RunError Machine::without_memory(int64_t bytes, Loc loc) const {
  const bool limited = options_.memory_limit > 0 && bytes >= 0;
  return {limited ? core::interp::memory_limit_message(options_.memory_limit, bytes)
                  : core::interp::out_of_memory_message(bytes),
          {loc},
          bytes >= 0,
          limited ? "memory-limit" : ""};
}

// ---- memory

const Stmt* Machine::statement() const {
  if (thread_ == nullptr || next_ == nullptr) return nullptr;
  const FunctionCode& fn = *thread_->frames.back().fn;
  return fn.sources[static_cast<size_t>(next_ - fn.code.data() - 1)];
}

void Machine::wrong(const std::string& what) const {
  const Stmt* stmt = statement();
  const std::string fn = thread_ == nullptr ? "" : thread_->frames.back().fn->fn->name;
  SKALD_BUG("the interpreter of imp, in \"{}\", at `{}`: {}", fn,
            stmt == nullptr ? "return" : print_head(*stmt, prog_), what);
}

bool Machine::is_on_device() const {
  return thread_ != nullptr && thread_->group != nullptr;
}

Block& Machine::block(int32_t k) {
  const Handle& handle = handles_[k];
  if (handle.kind == Handle::Kind::kNone) wrong("uses a name that holds no block");
  Block* block = memory_.find(handle);
  if (block == nullptr) wrong("uses a block that is gone");
  if (block->where == Where::kHost && thread_->group != nullptr)
    wrong("uses a block of the host on the device");
  return *block;
}

std::byte* Machine::element(int32_t block_slot, int64_t index, int size) {
  const Block& place = block(block_slot);
  if (index < 0 || index >= place.bytes / size)
    wrong(fmt::format("element {} of {} bytes is not in a block of {} bytes", index, size,
                      place.bytes));
  return place.data() + index * size;
}

std::byte* Machine::elements(int32_t block_slot, int64_t first, int64_t count, int size) {
  if (count <= 0) return nullptr;
  const Block& place = block(block_slot);
  const int64_t room = place.bytes / size;
  if (first < 0 || first > room || count > room - first)
    wrong(fmt::format("elements {} to {} of {} bytes are not in a block of {} bytes", first,
                      first + count - 1, size, place.bytes));
  return place.data() + first * size;
}

void Machine::drop(int32_t from, int32_t to) {
  for (int32_t k = to; k-- > from;) {
    Handle& handle = handles_[k];
    if (handle.kind == Handle::Kind::kNone) continue;
    if (handle.kind == Handle::Kind::kCounted || handle.kind == Handle::Kind::kScratch) {
      if (memory_.find(handle) == nullptr) wrong("gives back a block that is gone");
    } else if (handle.kind == Handle::Kind::kShared) {
      if (const Block* shared = memory_.find(handle))
        thread_->shared -= (shared->bytes + kSharedAlignment - 1) & ~(kSharedAlignment - 1);
    }
    memory_.drop(handle);
  }
}

// ---- calls

void Machine::push_frame(Thread& thread, const FunctionCode& fn, const CallCode* call) const {
  Frame frame{&fn, fn.code.data(), thread.slots.size() + fn.constants.size(), thread.blocks.size(),
              call};
  thread.slots.insert(thread.slots.end(), fn.constants.begin(), fn.constants.end());
  thread.slots.resize(thread.slots.size() + static_cast<size_t>(fn.slots));
  thread.blocks.resize(thread.blocks.size() + static_cast<size_t>(fn.blocks));
  thread.frames.push_back(frame);
}

// Gives back what the innermost function holds and leaves it.
void Machine::pop_frame() {
  set_frame();
  const Frame frame = thread_->frames.back();
  drop(0, frame.fn->blocks);
  thread_->slots.resize(frame.slots - frame.fn->constants.size());
  thread_->blocks.resize(frame.blocks);
  thread_->frames.pop_back();
}

void Machine::call(const CallCode& code) {
  if (const auto kept = kept_.find(code.callee); kept != kept_.end())
    return take_results(code, kept->second);
  Thread& thread = *thread_;
  if (static_cast<int64_t>(thread.frames.size()) >= options_.max_call_depth)
    return fail("Recursion too deep: the stack is used up.", code.loc);
  const auto stack_bytes = static_cast<int64_t>(thread.slots.size() * sizeof(uint64_t));
  if (options_.stack_limit > 0 && stack_bytes > options_.stack_limit)
    return fail(RunError{
        core::interp::stack_limit_message(options_.stack_limit), {code.loc}, true, "stack-limit"});
  thread.frames.back().next = next_;
  const Frame caller = thread.frames.back();
  push_frame(thread, *code.callee, &code);
  const Frame& frame = thread.frames.back();
  for (size_t k = 0; k < code.args.size(); ++k) {
    const Move& arg = code.args[k];
    const int32_t to = code.callee->params[k].to;
    if (!arg.is_block) {
      thread.slots[frame.slots + static_cast<size_t>(to)] =
          thread.slots[static_cast<size_t>(static_cast<int64_t>(caller.slots) + arg.from)];
      continue;
    }
    // Parameters borrow.
    Handle handle = thread.blocks[caller.blocks + static_cast<size_t>(arg.from)];
    if (handle.kind != Handle::Kind::kNone) handle.kind = Handle::Kind::kView;
    thread.blocks[frame.blocks + static_cast<size_t>(to)] = handle;
  }
  set_frame();
  next_ = frame.next;
}

void Machine::leave_function() {
  const Frame frame = thread_->frames.back();
  // Results carry a reference of their own.
  Kept results;
  for (const Move& result : frame.fn->results) {
    if (!result.is_block) {
      results.scalars.push_back(slot(result.from));
      continue;
    }
    results.blocks.push_back(memory_.retain(handle(result.from)));
    if (results.blocks.back().kind == Handle::Kind::kNone) wrong("returns a block that is gone");
  }
  pop_frame();
  if (frame.call == nullptr) {
    // The run is over; its results lie in a frame without a function.
    thread_->slots = std::move(results.scalars);
    thread_->blocks = std::move(results.blocks);
    thread_->state = Thread::State::kEnded;
    next_ = nullptr;
    return;
  }
  set_frame();
  next_ = thread_->frames.back().next;
  take_results(*frame.call, results);
  if (frame.fn->fn->once && !is_on_device())
    kept_.emplace(frame.fn, std::move(results));
  else
    for (Handle& block : results.blocks) memory_.drop(block);
}

void Machine::take_results(const CallCode& code, const Kept& kept) {
  size_t scalar = 0, block = 0;
  for (const Move& result : code.results) {
    if (result.is_block)
      handle(result.to) = memory_.retain(kept.blocks[block++]);
    else
      slot(result.to) = kept.scalars[scalar++];
  }
}

// ---- failures

void Machine::fail(std::string message, Loc loc, bool gave_up) {
  fail(RunError{std::move(message), {loc}, gave_up});
}

void Machine::fail(RunError error) {
  Thread& thread = *thread_;
  if (held_lock_ != nullptr) std::memset(held_lock_, 0, sizeof(int32_t));
  held_lock_ = nullptr;
  // The first frame of a thread of a launch is that of the function around it.
  const size_t calls = thread.attempts.empty() ? 0 : thread.attempts.back().frames;
  for (size_t k = thread.frames.size(); k-- > std::max(calls, is_on_device() ? size_t{1} : 0);)
    if (thread.frames[k].call != nullptr && error.places.size() <= kMaxCalls)
      error.places.push_back(thread.frames[k].call->loc);
  if (!thread.attempts.empty()) {
    const Attempted& attempt = thread.attempts.back();
    const auto first = static_cast<ptrdiff_t>(thread.frames[attempt.frames - 1].slots);
    record(static_cast<int64_t>(thread.slots.begin()[first + attempt.position]), std::move(error));
    return leave_attempt();
  }
  if (is_on_device()) {
    record(0, std::move(error));
  } else {
    error_ = std::move(error);
  }
  while (!thread.frames.empty()) pop_frame();
  thread.state = is_on_device() ? Thread::State::kEnded : Thread::State::kFailed;
  next_ = nullptr;
}

void Machine::record(int64_t position, RunError error) {
  if (!launch_error_ || position < launch_error_->first)
    launch_error_.emplace(position, std::move(error));
}

void Machine::leave_attempt() {
  const Attempted attempt = thread_->attempts.back();
  thread_->attempts.pop_back();
  while (thread_->frames.size() > attempt.frames) pop_frame();
  set_frame();
  drop(attempt.blocks, thread_->frames.back().fn->blocks);
  next_ = attempt.after;
}

}  // namespace skald::imp::interp
