// SPDX-License-Identifier: Apache-2.0
// Kernels that hold kernels: one group of threads for each point of the outer one.
//
//   kernel(flat(n), \{i} ->                       launch (g < n; t < threads) {
//     let s = kernel(flat(m), …, reduce)            totals of threads; barrier; combined; barrier
//     let t = sqrt s                        ──►     every thread computes t
//     let ys = kernel(flat(m), … t …)               for (j = t; j < m; j += threads) …; barrier
//     in {ys})                                    }
//
// The threads run the thunk together: each computes all scalars for itself, so that loops and
// branches take the same way in all of them.  What writes memory is shared out, with a barrier
// before (others may still read what is there) and after.  Arrays lie in the group's own memory
// where they can (place.cpp); if there is not enough of it, another launch with all of them in
// the device's memory takes its place.
//
// Failures   A thread that fails says so in a shared word, and all leave after the next barrier.
//            The position is the number of the group in the upper half, of the point in the lower.
//
// Reductions, scans and partitions are like those of chunks.h with one chunk for each thread;
// what comes before each chunk is found by a scan in doubling steps.
#include "imp/lower/gpu/group.h"

#include <algorithm>

#include "core/ir/sinks.h"
#include "core/ir/visit.h"
#include "core/tuning/tuning.h"
#include "imp/ir/visit.h"
#include "imp/lower/gpu/launch.h"

namespace skald::imp {

// ---- code of a group

namespace {

constexpr int64_t kFewestThreads = 32, kMostInGroup = 256;
constexpr int64_t kLowerHalf = int64_t{1} << 32;
// Every device has more memory than this for each group.
constexpr int64_t kSurelyThere = 16 << 10;
// What compilers take of it for themselves.
constexpr int64_t kReserved = 1 << 10;

void bound_inside(const core::Body& body, std::unordered_set<Name>& out) {
  for (const core::Stmt& stmt : body.stmts) {
    for (const core::Param& p : stmt.pat) out.insert(p.name);
    core::for_each_param(stmt.exp, [&](const core::Param& p) { out.insert(p.name); });
    core::for_each_body(stmt.exp, [&](const core::Body& inner) { bound_inside(inner, out); });
  }
}

void domains_inside(const core::Body& body, std::vector<const core::Domain*>& out) {
  for (const core::Stmt& stmt : body.stmts) {
    if (const auto* kernel = core::as<core::Kernel>(stmt.exp)) {
      out.push_back(&kernel->domain);
      continue;
    }
    core::for_each_body(stmt.exp, [&](const core::Body& inner) { domains_inside(inner, out); });
  }
}

}  // namespace

bool may_leave(const Body& body) {
  bool found = false;
  for (const Stmt& stmt : body.stmts) {
    const Alloc* alloc = as<Alloc>(stmt);
    found = found || as<Check>(stmt) != nullptr || as<Call>(stmt) != nullptr ||
            (alloc != nullptr && alloc->space != Space::kShared);
    for_each_body(stmt, [&](const Body& inner) { found = found || may_leave(inner); });
  }
  return found;
}

void sync(Code& code) {
  if (!code.is_synced()) code.add(Barrier{});
}

void try_in_group(Code& code, const GroupCode& group, const Operand& position, Body body) {
  const Name done = code.var(Prim::kBool, core::const_bool(false), "done");
  body.stmts.push_back(Stmt{Assign{done, core::const_bool(true)}});
  code.add(Attempt{position, std::move(body)});
  code.branch(
      done, [](Code&) {},
      [&](Code& at) {
        at.add(Store{Prim::kI32, group.failed, const_i64(0), core::const_int(Prim::kI32, 1)});
      });
}

void stop_if_failed(DeviceTarget& device, Code& code) {
  device.group->may_fail = true;
  const Operand failed = code.load(Prim::kI32, device.group->failed, const_i64(0), "failed");
  const Operand stop = code.let(
      Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI32, failed, core::const_int(Prim::kI32, 1)},
      "stop");
  code.branch(stop, [](Code& at) { at.add(Stop{}); });
}

void in_group(DeviceTarget& device, Code& code, const Operand& count, const Code::LoopBody& body) {
  sync(code);
  GroupCode* const group = std::exchange(device.group, nullptr);
  const Name i = code.fresh("i");
  Code tried(code.program());
  body(tried, i);
  Body inside = tried.finish();
  const bool fails = may_leave(inside);
  if (fails) {
    Code loop(code.program());
    const Operand position =
        loop.add_i64(group->position, loop.min_i64(i, const_i64(kLowerHalf - 1)));
    try_in_group(loop, *group, position, std::move(inside));
    inside = loop.finish();
  }
  code.add(For{i, Prim::kI64, group->thread, count, group->threads, std::move(inside)});
  device.group = group;
  code.add(Barrier{});
  if (fails) stop_if_failed(device, code);
}

void once_in_group(DeviceTarget& device, Code& code, const std::function<void(Code&)>& body) {
  sync(code);
  GroupCode* const group = std::exchange(device.group, nullptr);
  const Operand first = code.let(
      Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, group->thread, const_i64(0)}, "first");
  code.branch(first, body);
  device.group = group;
  code.add(Barrier{});
}

Name group_slot(DeviceTarget& device, Code& code, size_t number) {
  while (device.group->slots.size() <= number) device.group->slots.push_back(code.fresh("slot"));
  return device.group->slots[number];
}

// ---- the outer kernel

namespace {

// As many threads as the largest kernel inside has points, in powers of two.
Operand group_threads(KernelWriter& kernel, Code& code) {
  std::unordered_set<Name> inside;
  for (const core::Param& p : kernel.node.pull.params) inside.insert(p.name);
  bound_inside(kernel.node.pull.body, inside);
  std::vector<const core::Domain*> domains;
  domains_inside(kernel.node.pull.body, domains);
  Operand most = const_i64(1);
  for (const core::Domain* domain : domains) {
    Operand points = const_i64(1);
    for (const Operand& dim : domain->dims) {
      const Name* name = core::as_name(dim);
      if (name != nullptr && inside.contains(*name)) return const_i64(kMostInGroup);
      points = code.mul_i64(points, kernel.fn.value(dim));
    }
    most = code.max_i64(most, points);
  }
  Operand threads = const_i64(kFewestThreads);
  for (int64_t next = 2 * kFewestThreads; next <= kMostInGroup; next *= 2) {
    const Operand more = code.less_i64(const_i64(next / 2), most);
    threads = code.let(Prim::kI64, core::Select{more, const_i64(next), threads}, "threads");
  }
  return threads;
}

Launch group_launch(KernelWriter& kernel, DeviceTarget& device, Code& code, const Operand& points,
                    const Operand& threads, bool own_memory) {
  Launch launch{code.fresh("group"), code.fresh("thread"), points, threads, const_i64(0), {}};
  GroupCode group{launch.thread, threads, {}, code.fresh("failed"), false, {}};
  Code front(code.program()), tried(code.program());
  ++kernel.fn.parallel_depth;
  group.position = front.mul_i64(launch.group, const_i64(kLowerHalf));
  device.group = &group;
  const std::vector<Operand> values =
      kernel.fn.apply(tried, kernel.node.pull, unflatten(tried, launch.group, kernel.facts.dims));
  const std::vector<Operand> place = unflatten(tried, launch.group, kernel.facts.dims);
  for (const SinkInfo& info : kernel.facts.sinks) kernel.out_sink(tried, info, place, values);
  device.group = nullptr;
  --kernel.fn.parallel_depth;
  // A few of them fit in any case.
  const bool fit = group.slots.size() <= kSurelyThere / (8 * kMostInGroup);
  const Operand bytes =
      !own_memory && fit ? const_i64(8 * kMostInGroup) : front.mul_i64(threads, const_i64(8));
  for (const Name slot : group.slots) front.add(Alloc{slot, Space::kShared, bytes});
  if (group.may_fail) {
    front.add(Alloc{group.failed, Space::kShared, const_i64(8)});
    const Operand first = front.let(
        Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, launch.thread, const_i64(0)}, "first");
    front.branch(first, [&](Code& at) {
      at.add(Store{Prim::kI32, group.failed, const_i64(0), core::const_int(Prim::kI32, 0)});
    });
    front.add(Barrier{});
  }
  front.add(Attempt{group.position, tried.finish()});
  launch.body = front.finish();
  return launch;
}

}  // namespace

void write_groups(KernelWriter& kernel, DeviceTarget& device, Code& code, const Operand& points) {
  const Operand threads = group_threads(kernel, code);
  Launch shared = group_launch(kernel, device, code, points, threads, true);
  shared.shared = place_group_blocks(code, shared, true);
  const core::Const* known = core::as_const(shared.shared);
  if (known != nullptr && core::int_value(*known) <= kSurelyThere)
    return add_launch(code, std::move(shared));
  const Name limit = code.fresh("local_memory");
  code.add(Tunable{limit, std::string(core::kLocalMemoryParam),
                   std::string(core::kLocalMemoryClass), const_i64(core::kLocalMemory)});
  const Operand fits = code.less_i64(code.add_i64(shared.shared, const_i64(kReserved)), limit);
  code.branch(
      fits, [&](Code& at) { add_launch(at, std::move(shared)); },
      [&](Code& at) {
        Launch other = group_launch(kernel, device, at, points, threads, false);
        other.shared = place_group_blocks(at, other, false);
        add_launch(at, std::move(other));
      });
}

}  // namespace skald::imp
