// SPDX-License-Identifier: Apache-2.0
// Arguments in, results out.
#include "imp/interp/interp.h"

#include <cstring>

#include "core/interp/code/array.h"
#include "core/ir/backtrace.h"
#include "imp/interp/machine.h"
#include "imp/text/print.h"
#include "support/bug.h"

namespace skald::imp {

namespace interp {

void Machine::pass_args(const FunctionCode& fn, const std::vector<core::ArrayValue>& args,
                        Thread& host) {
  const Frame& frame = host.frames.back();
  size_t next = 0;
  const auto take = [&](bool is_block) -> const Move& {
    SKALD_CHECK(next < fn.params.size() && fn.params[next].is_block == is_block,
                "\"{}\" does not take these arguments", fn.fn->name);
    return fn.params[next++];
  };
  const auto put = [&](uint64_t bits) {
    host.slots[frame.slots + static_cast<size_t>(take(false).to)] = bits;
  };
  for (const core::ArrayValue& arg : args) {
    if (arg.shape.empty()) {
      put(core::interp::load_bits(arg.data->data(), prim_size(arg.elem)));
      continue;
    }
    int64_t bytes = prim_size(arg.elem);
    for (const int64_t dim : arg.shape) bytes *= dim;
    const Move& param = take(true);
    const bool on_device = fn.fn->params[next - 1].type.space == Space::kDevice;
    Handle handle = memory_.allocate(bytes, on_device ? Where::kDevice : Where::kHost,
                                     Handle::Kind::kCounted, nullptr);
    if (handle.kind == Handle::Kind::kNone) {
      error_ = without_memory(bytes, {});
      return;
    }
    if (bytes > 0)
      std::memcpy(memory_.find(handle)->data(), arg.data->data(), static_cast<size_t>(bytes));
    host.blocks[frame.blocks + static_cast<size_t>(param.to)] = handle;
    for (const int64_t dim : arg.shape) put(static_cast<uint64_t>(dim));
  }
  SKALD_CHECK(next == fn.params.size(), "\"{}\" takes more arguments", fn.fn->name);
}

std::vector<core::ArrayValue> Machine::results_of(const FunctionCode& fn, Thread& host,
                                                  const std::vector<ResultType>& types) {
  std::vector<core::ArrayValue> values;
  size_t scalar = 0, block = 0;
  for (const ResultType& type : types) {
    core::ArrayValue& value = values.emplace_back();
    value.elem = type.elem;
    const int size = prim_size(type.elem);
    if (type.rank == 0) {
      value.data = std::make_shared<std::vector<std::byte>>(static_cast<size_t>(size));
      core::interp::store_bits(value.data->data(), size, host.slots.at(scalar++));
      continue;
    }
    Handle& handle = host.blocks.at(block++);
    int64_t bytes = size;
    for (int k = 0; k < type.rank; ++k) {
      value.shape.push_back(static_cast<int64_t>(host.slots.at(scalar++)));
      bytes *= value.shape.back();
    }
    const Block* from = memory_.find(handle);
    SKALD_CHECK(from != nullptr && bytes >= 0 && from->bytes >= bytes,
                "\"{}\" returns an array that is not in its block", fn.fn->name);
    value.data = std::make_shared<std::vector<std::byte>>(from->data(), from->data() + bytes);
    memory_.drop(handle);
  }
  return values;
}

void Machine::check_nothing_is_left() {
  for (auto& [fn, kept] : kept_)
    for (Handle& handle : kept.blocks) memory_.drop(handle);
  if (const Block* left = memory_.find_left())
    SKALD_BUG(
        "the interpreter of imp: a block of {} bytes is never given back; it was made by `{}`",
        left->bytes, left->made_by == nullptr ? "the caller" : print_head(*left->made_by, prog_));
}

Result<std::vector<core::ArrayValue>, core::RuntimeError> Machine::interpret(
    std::string_view entry, const std::vector<core::ArrayValue>& args,
    const std::vector<ResultType>& results) {
  const FunctionCode* fn = nullptr;
  for (const FunctionCode& code : functions_)
    if (code.fn->entry && *code.fn->entry == entry) fn = &code;
  SKALD_CHECK(fn != nullptr, "no code for entry point {}", entry);
  Thread host;
  push_frame(host, *fn, nullptr);
  pass_args(*fn, args, host);
  if (!error_) run(host);
  if (error_) {
    if (host.state == Thread::State::kFailed && host.frames.empty()) check_nothing_is_left();
    return Failure(core::RuntimeError{error_->message, core::backtrace(prog_.locs, error_->places),
                                      error_->gave_up, error_->code});
  }
  std::vector<core::ArrayValue> values = results_of(*fn, host, results);
  check_nothing_is_left();
  return values;
}

}  // namespace interp

Result<std::vector<core::ArrayValue>, core::RuntimeError> interpret(
    const Program& prog, std::string_view entry, const std::vector<core::ArrayValue>& args,
    const std::vector<ResultType>& results, const core::InterpOptions& options) {
  return interp::Machine(prog, options).interpret(entry, args, results);
}

}  // namespace skald::imp
