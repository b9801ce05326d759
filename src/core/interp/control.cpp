// SPDX-License-Identifier: Apache-2.0
// Branches, loops and calls.
#include <algorithm>

#include "core/interp/format.h"
#include "core/interp/machine.h"
#include "support/bug.h"

namespace skald::core::interp {

bool Machine::branch(const IfCode& code, bool cond, Frame& f) {
  const Code& taken = cond ? code.then_code : code.else_code;
  if (!run(taken, f)) return false;
  for (size_t k = 0; k < code.pat.size(); ++k)
    put(code.pat[k].kind, code.pat[k].slot, taken.results[k], f);
  return true;
}

namespace {

// The bound of a `for` loop: how many rounds.
int64_t rounds(const LoopCode& code, uint64_t bits) {
  if (!code.bound_is_signed) return static_cast<int64_t>(std::min<uint64_t>(bits, INT64_MAX));
  const int unused = 64 - code.bound_bits;
  return static_cast<int64_t>(bits << unused) >> unused;
}

}  // namespace

bool Machine::loop(const LoopCode& code, Frame& f) {
  const std::vector<Binding>& params = code.carry.to;
  for (size_t k = 0; k < params.size(); ++k) put(params[k].kind, params[k].slot, code.init[k], f);
  for (const Binding& param : params)
    if (param.place && !store_.bound(param, f)) return false;
  if (code.is_while) {
    while (f.scalars[code.cond] != 0)
      if (!run(code.body, f) || !store_.carry(code.carry, f)) return false;
  } else {
    const int64_t count = rounds(code, f.scalars[code.bound]);
    for (int64_t i = 0; i < count; ++i) {
      f.scalars[code.var] = static_cast<uint64_t>(i);
      if (!run(code.body, f) || !store_.carry(code.carry, f)) return false;
    }
  }
  for (size_t k = 0; k < code.pat.size(); ++k)
    put(code.pat[k].kind, code.pat[k].slot, {params[k].kind, params[k].slot, true}, f);
  return true;
}

LoadedFunction* Machine::load(std::string_view name) {
  const auto found = by_name_.find(name);
  SKALD_CHECK(found != by_name_.end(), "interpreter: there is no function {}", name);
  std::unique_ptr<LoadedFunction>& loaded = loaded_[found->second];
  if (!loaded) {
    loaded = std::make_unique<LoadedFunction>();
    const Function& fn = *found->second;
    compile_function(prog_, fn, options_.tuning, slots_, loaded->code);
    loaded->once = fn.params.empty() && fn.hints.once;
  }
  return loaded.get();
}

std::unique_ptr<Frame> Machine::new_frame(LoadedFunction& fn) {
  if (!fn.free_frames.empty()) {
    std::unique_ptr<Frame> frame = std::move(fn.free_frames.back());
    fn.free_frames.pop_back();
    return frame;
  }
  auto frame = std::make_unique<Frame>();
  frame->scalars.resize(fn.code.scalars);
  frame->arrays.resize(fn.code.arrays);
  for (const auto& [slot, bits] : fn.code.constants) frame->scalars[slot] = bits;
  return frame;
}

void Machine::free_frame(LoadedFunction& fn, std::unique_ptr<Frame> frame) {
  // Blocks of stage MEMORY, and what an unfinished statement left.
  for (Array& array : frame->arrays) array.block = {};
  fn.free_frames.push_back(std::move(frame));
}

bool Machine::enter() {
  // Not the address of a variable: AddressSanitizer keeps these outside of the stack.
  const char* here = static_cast<const char*>(__builtin_frame_address(0));
  if (static_cast<int64_t>(calls_.size()) < options_.max_call_depth && here > stack_end_)
    return true;
  if (has_stack_limit_ && here <= stack_end_)
    return store_.fail_at_limit(stack_limit_message(options_.stack_limit), "stack-limit");
  return store_.fail("Recursion too deep: the stack is used up.");
}

bool Machine::call(const CallCode& code, Frame& f) {
  if (code.callee == nullptr) code.callee = load(code.fn);
  LoadedFunction& callee = *code.callee;
  const std::vector<Use>& results = callee.code.code.results;
  if (!callee.kept) {
    if (!enter()) return false;
    std::unique_ptr<Frame> frame = new_frame(callee);
    const std::vector<Binding>& params = callee.code.params;
    SKALD_CHECK(params.size() == code.args.size() && results.size() == code.pat.size(),
                "interpreter: a call of {} with wrong arguments or results", code.fn);
    for (size_t k = 0; k < params.size(); ++k)
      put_across(params[k].kind, params[k].slot, *frame, code.args[k], f);
    calls_.push_back(code.loc);
    bool ok = true;
    for (const Binding& param : params)
      ok = ok && (param.kind != Kind::kArray || store_.bound(param, *frame));
    ok = ok && run(callee.code.code, *frame);
    calls_.pop_back();
    if (!ok) return false;
    if (!callee.once) {
      for (size_t k = 0; k < code.pat.size(); ++k)
        put_across(code.pat[k].kind, code.pat[k].slot, f, results[k], *frame);
      free_frame(callee, std::move(frame));
      return true;
    }
    callee.kept = std::move(frame);
    for (const Use& result : results)
      if (is_array_slot(result.kind) && callee.kept->arrays[result.slot].block)
        callee.kept->arrays[result.slot].block->constant = true;
  }
  for (size_t k = 0; k < code.pat.size(); ++k)
    put_across(code.pat[k].kind, code.pat[k].slot, f, {results[k].kind, results[k].slot},
               *callee.kept);
  return true;
}

}  // namespace skald::core::interp
