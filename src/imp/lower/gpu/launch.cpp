// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/launch.h"

#include "imp/ir/visit.h"
#include "imp/lower/gpu/target.h"

namespace skald::imp {

// ---- launches

namespace {

// What a thread gets if the size of its arrays is not known before.
constexpr int64_t kScratchGuess = 4096;
// A thread's memory has a header for each block.
constexpr int64_t kScratchHeader = 32;

// The blocks that come out of the threads' scratch memory.
void scratch_blocks(const Body& body, std::vector<const Alloc*>& out, bool& calls) {
  for (const Stmt& stmt : body.stmts) {
    if (const Alloc* alloc = as<Alloc>(stmt);
        alloc != nullptr && alloc->space != Space::kShared && alloc->space != Space::kPrivate)
      out.push_back(alloc);
    calls = calls || as<Call>(stmt) != nullptr;
    for_each_body(stmt, [&](const Body& inner) { scratch_blocks(inner, out, calls); });
  }
}

// How much scratch memory the body of a launch needs, as host code.
Operand scratch_need(Code& code, const Launch& launch) {
  HostValues values(code, launch);
  std::vector<const Alloc*> blocks;
  bool calls = false;
  scratch_blocks(launch.body, blocks, calls);
  Operand sum = const_i64(0);
  for (const Alloc* alloc : blocks) {
    Operand bytes = values.of(alloc->bytes).value_or(const_i64(kScratchGuess));
    // A block that is carried around a loop lives beside its successor.
    if (is_owning(alloc->space)) bytes = code.mul_i64(bytes, const_i64(2));
    sum = code.add_i64(sum, code.add_i64(bytes, const_i64(kScratchHeader)));
  }
  return calls ? code.add_i64(sum, const_i64(kScratchGuess)) : sum;
}

}  // namespace

HostValues::HostValues(Code& host, const Launch& launch) : host_(host) {
  inside_ = {launch.group, launch.thread};
  collect(launch.body);
}

void HostValues::collect(const Body& body) {
  for (const Stmt& stmt : body.stmts) {
    for_each_binder(stmt, [&](Name name, Type, BinderScope) { inside_.insert(name); });
    if (const Let* let = as<Let>(stmt)) lets_[let->name] = let;
    for_each_body(stmt, [&](const Body& inner) { collect(inner); });
  }
}

std::optional<Operand> HostValues::of(const Operand& operand) {
  const Name* name = core::as_name(operand);
  if (name == nullptr || !inside_.contains(*name)) return operand;
  if (const auto known = hoisted_.find(*name); known != hoisted_.end()) return known->second;
  const auto found = lets_.find(*name);
  if (found == lets_.end() || depth_ >= kMaxDepth) return std::nullopt;
  ++depth_;
  Exp exp = found->second->exp;
  bool possible = true;
  visit_exp(exp, [&](auto& node) {
    std::apply(
        [&](auto&... field) {
          const auto one = [&](auto& f) {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(f)>, Operand>) {
              const std::optional<Operand> outer = of(f);
              possible = possible && outer.has_value();
              if (outer) f = *outer;
            }
          };
          (one(field), ...);
        },
        std::remove_cvref_t<decltype(node)>::fields(node));
  });
  --depth_;
  if (!possible) return std::nullopt;
  return hoisted_[*name] = host_.let(found->second->type, std::move(exp), "scratch");
}

void add_launch(Code& code, Launch launch) {
  launch.scratch = scratch_need(code, launch);
  code.add(std::move(launch));
}

// Half of the threads that a multiprocessor has room for: more registers for each make the last
// groups of a short launch run alone.
constexpr int64_t kPointGroupsAtOnce = kMostThreads / kGroupThreads;

void launch_for(FunctionLowering& fn, Code& code, const Operand& count,
                const Code::LoopBody& body) {
  Code inner(fn.prog);
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  ++fn.parallel_depth;
  const Operand i = inner.add_i64(inner.mul_i64(group, const_i64(kGroupThreads)), thread);
  inner.branch(inner.less_i64(i, count), [&](Code& at) {
    Code tried(fn.prog);
    body(tried, i);
    at.add(Attempt{i, tried.finish()});
  });
  --fn.parallel_depth;
  const Operand groups = pieces(code, count, const_i64(kGroupThreads));
  Launch launch{group, thread, groups, const_i64(kGroupThreads), const_i64(0), inner.finish()};
  launch.at_once = kPointGroupsAtOnce;
  add_launch(code, std::move(launch));
}

}  // namespace skald::imp
