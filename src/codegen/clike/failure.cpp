// SPDX-License-Identifier: Apache-2.0
#include "codegen/clike/failure.h"

#include <algorithm>

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
  const auto say = [&](std::string_view words) {
    std::string* last =
        message.parts.empty() ? nullptr : std::get_if<std::string>(&message.parts.back());
    if (last != nullptr)
      *last += words;
    else
      message.parts.emplace_back(std::string(words));
  };
  for (const imp::MessagePart& part : check.message) {
    if (const auto* words = std::get_if<std::string>(&part)) {
      say(*words);
      continue;
    }
    const core::Operand& operand = std::get<core::Operand>(part);
    if (const core::Const* known = core::as_const(operand)) {
      say(core::interp::format_scalar(known->type, known->bits));
      continue;
    }
    const auto at = std::ranges::find(values, operand);
    const auto number = static_cast<uint32_t>(at - values.begin());
    message.parts.emplace_back(FailureValue{type_of(operand), number});
    if (at == values.end() && values.size() < SKALD_RT_MAX_FAIL_VALUES) values.push_back(operand);
  }
  return message;
}

FailureText describe_failure(const std::vector<FailureMessage>& messages,
                             const core::LocTable& locs, int64_t id,
                             std::span<const int64_t> values, std::span<const int32_t> frames) {
  if (id == SKALD_RT_OUT_OF_MEMORY)
    return {core::interp::out_of_memory_message(values.empty() ? 0 : values[0]),
            backtrace(locs, {}, frames)};
  if (id == SKALD_RT_STACK_OVERFLOW)
    return {"Recursion too deep: the stack is used up.", backtrace(locs, {}, frames)};
  if (id < 0) return user_limit(id, values, backtrace(locs, {}, frames));
  const FailureMessage& failure = messages.at(static_cast<size_t>(id));
  FailureText text;
  for (const auto& part : failure.parts) {
    if (const auto* words = std::get_if<std::string>(&part)) {
      text.message += *words;
    } else if (const auto& value = std::get<FailureValue>(part); value.number < values.size()) {
      const auto bits = static_cast<uint64_t>(values[value.number]);
      text.message += core::interp::format_scalar(value.type, bits);
    } else {
      // More values than the runtime keeps.
      text.message += "…";
    }
  }
  text.backtrace = backtrace(locs, failure.loc, frames);
  return text;
}

}  // namespace skald::clike
