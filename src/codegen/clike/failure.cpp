// SPDX-License-Identifier: Apache-2.0
#include "codegen/clike/failure.h"

#include "core/interp/format.h"
#include "core/ir/backtrace.h"
#include "runtime/abi.h"
#include "support/bug.h"

namespace skald::clike {

namespace {

std::string backtrace(const core::LocTable& locs, core::Loc failing,
                      std::span<const int32_t> frames) {
  std::vector<core::Loc> places = {failing};
  for (const int32_t frame : frames) places.push_back({static_cast<uint32_t>(frame)});
  return core::backtrace(locs, places);
}

FailureText user_limit(int64_t id, std::span<const int64_t> values, std::string places) {
  const auto value = [&](size_t k) { return k < values.size() ? values[k] : 0; };
  if (id == SKALD_RT_MEMORY_LIMIT)
    return {core::interp::memory_limit_message(value(1), value(0)), std::move(places),
            "memory-limit"};
  if (id == SKALD_RT_TIME_LIMIT)
    return {core::interp::time_limit_message(static_cast<double>(value(0)) / 1e6),
            std::move(places), "time-limit"};
  SKALD_CHECK(id == SKALD_RT_STACK_LIMIT, "no words for failure {}", id);
  return {core::interp::stack_limit_message(value(0)), std::move(places), "stack-limit"};
}

}  // namespace

FailureMessage failure_message(const imp::Check& check,
                               const std::function<Prim(const core::Operand&)>& type_of,
                               std::vector<core::Operand>& values) {
  FailureMessage message{.parts = {}, .loc = check.loc};
  for (const imp::MessagePart& part : check.message) {
    if (const auto* words = std::get_if<std::string>(&part)) {
      message.parts.emplace_back(*words);
      continue;
    }
    const core::Operand& operand = std::get<core::Operand>(part);
    message.parts.emplace_back(type_of(operand));
    if (values.size() < SKALD_RT_MAX_FAIL_VALUES) values.push_back(operand);
  }
  return message;
}

FailureText describe_failure(const std::vector<FailureMessage>& messages,
                             const core::LocTable& locs, int64_t id,
                             std::span<const int64_t> values, std::span<const int32_t> frames) {
  if (id == SKALD_RT_OUT_OF_MEMORY)
    return {fmt::format("Out of memory: the program asked for {} bytes.",
                        values.empty() ? 0 : values[0]),
            backtrace(locs, {}, frames)};
  if (id == SKALD_RT_STACK_OVERFLOW)
    return {"Recursion too deep: the stack is used up.", backtrace(locs, {}, frames)};
  if (id < 0) return user_limit(id, values, backtrace(locs, {}, frames));
  const FailureMessage& failure = messages.at(static_cast<size_t>(id));
  FailureText text;
  size_t next = 0;
  for (const auto& part : failure.parts) {
    if (const auto* words = std::get_if<std::string>(&part)) {
      text.message += *words;
    } else if (next < values.size()) {
      const auto bits = static_cast<uint64_t>(values[next++]);
      text.message += core::interp::format_scalar(std::get<Prim>(part), bits);
    } else {
      // More values than the runtime keeps.
      text.message += "…";
    }
  }
  text.backtrace = backtrace(locs, failure.loc, frames);
  return text;
}

}  // namespace skald::clike
