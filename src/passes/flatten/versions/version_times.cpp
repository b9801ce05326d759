// SPDX-License-Identifier: Apache-2.0
#include "passes/flatten/versions/version_times.h"

#include <algorithm>

#include "core/ir/visit.h"
#include "core/tuning/tuning.h"
#include "passes/flatten/host_kernels.h"
#include "passes/kernels/nest.h"

namespace skald::passes {

using namespace core;

namespace {

// What a compute unit of a gpu holds at once, and the threads of a group.
constexpr int64_t kThreadsOfUnit = 2048, kGroupsOfUnit = 32;
// The bytes that memory gives at once.
constexpr int64_t kPieceOfMemory = 32;
constexpr int64_t kMostThreads = 256, kFewestThreads = kThreadsOfUnit / kGroupsOfUnit;

void bind_all(const Body& body, std::unordered_set<Name>& bound) {
  for (const Stmt& stmt : body.stmts) {
    for (const Param& p : stmt.pat) bound.insert(p.name);
    for_each_param(stmt.exp, [&](const Param& p) { bound.insert(p.name); });
    for_each_body(stmt.exp, [&](const Body& inner) { bind_all(inner, bound); });
  }
}

}  // namespace

// ---- arithmetic of the host

bool VersionTimes::is_known(const Operand& size) const {
  const Name* name = as_name(size);
  return name == nullptr || !inside_.contains(*name);
}

Operand VersionTimes::size(const Operand& size) {
  if (is_known(size)) return size;
  known_ = false;
  return const_i64(1);
}

Operand VersionTimes::product(const std::vector<Operand>& dims) {
  Operand all = const_i64(1);
  for (const Operand& dim : dims) all = out_.size_mul(all, size(dim));
  return all;
}

Operand VersionTimes::most(const Operand& a, const Operand& b) {
  return out_.binop(BinOpKind::kMax, Prim::kI64, a, b, "most");
}

Operand VersionTimes::quotient(const Operand& a, const Operand& b, bool up) {
  if (as_const(b) != nullptr && int_value(*as_const(b)) == 1) return a;
  const Operand dividend = up ? out_.size_add(a, out_.size_sub(b, const_i64(1))) : a;
  return out_.binop(BinOpKind::kQuot, Prim::kI64, dividend, b, "part");
}

Operand VersionTimes::threads_at_once() {
  const Name units = out_.let1(scalar_type(Prim::kI64),
                               Tunable{std::string(kComputeUnitsParam),
                                       std::string(kComputeUnitsClass), const_i64(kComputeUnits)},
                               "compute_units");
  return out_.size_mul(most(units, const_i64(1)), const_i64(kThreadsOfUnit));
}

// ---- what there is to do

Operand VersionTimes::rounds_of(const Loop& loop) {
  if (loop.form != Loop::kFor || !is_known(loop.bound)) return const_i64(1);
  return out_.convert(loop.var.type.elem, Prim::kI64, loop.bound);
}

// How many elements a thread goes through that does all of it.
Operand VersionTimes::elements(const Body& body) {
  Operand all = const_i64(0);
  const auto at_least_one = [&](const Operand& count) {
    const Const* known = as_const(count);
    return known != nullptr && int_value(*known) == 0 ? const_i64(1) : count;
  };
  for (const Stmt& stmt : body.stmts) {
    if (const Lambda* fn = function_of(stmt.exp)) {
      const Operand each = at_least_one(elements(fn->body));
      all = out_.size_add(all, out_.size_mul(size(width_of(stmt.exp)), each));
    } else if (const auto* loop = as<Loop>(stmt.exp)) {
      const Operand each = at_least_one(elements(loop->body));
      all = out_.size_add(all, out_.size_mul(rounds_of(*loop), each));
    } else if (const auto* branch = as<If>(stmt.exp)) {
      const Operand then = elements(branch->then_body), otherwise = elements(branch->else_body);
      all = out_.size_add(all, most(then, otherwise));
    }
  }
  return all;
}

// The kernels of a body whose parallelism is exposed.
void VersionTimes::collect(const Body& body, const Operand& rounds) {
  for (const Stmt& stmt : body.stmts) {
    const Lambda* fn = function_of(stmt.exp);
    if (const auto* soac = as<Soac>(stmt.exp)) {
      const NestShape shape = nest_shape(*soac);
      const bool folds = !shape.leaf->scans.empty() || !shape.leaf->reduces.empty();
      work_.push_back({.points = product(shape.dims),
                       .row = folds ? size(shape.dims.back()) : const_i64(1),
                       .each = most(elements(shape.leaf->fn.body), const_i64(1)),
                       .rounds = rounds,
                       .folds = folds});
    } else if (fn != nullptr) {
      work_.push_back({.points = size(width_of(stmt.exp)),
                       .row = const_i64(1),
                       .each = most(elements(fn->body), const_i64(1)),
                       .rounds = rounds});
    } else if (const auto* loop = as<Loop>(stmt.exp)) {
      collect(loop->body, out_.size_mul(rounds, rounds_of(*loop)));
    } else if (const auto* branch = as<If>(stmt.exp)) {
      collect(branch->then_body, rounds);
      collect(branch->else_body, rounds);
    }
  }
}

// The bytes of what is stored by one kernel for another one.
void VersionTimes::collect_arrays(const Body& body, const Operand& rounds, bool in_loop) {
  Operand bytes = const_i64(0);
  for (const Stmt& stmt : body.stmts) {
    if (const auto* loop = as<Loop>(stmt.exp))
      collect_arrays(loop->body, out_.size_mul(rounds, rounds_of(*loop)), true);
    if (function_of(stmt.exp) == nullptr) continue;
    for (const Param& p : stmt.pat) {
      const bool is_result = std::ranges::find(body.result, Operand{p.name}) != body.result.end();
      const auto is_size = [&](const Operand& dim) { return is_known(dim); };
      if (!p.type.is_array() || (is_result && !in_loop) ||
          !std::ranges::all_of(p.type.shape, is_size))
        continue;
      Operand array = const_i64(prim_size(p.type.elem));
      for (const Operand& dim : p.type.shape) array = out_.size_mul(array, dim);
      bytes = out_.size_add(bytes, array);
    }
  }
  stored_ = out_.size_add(stored_, out_.size_mul(bytes, rounds));
}

void VersionTimes::start(const Body& body) {
  inside_.clear();
  work_.clear();
  stored_ = const_i64(0);
  known_ = true;
  bind_all(body, inside_);
}

// ---- versions

std::optional<Operand> VersionTimes::as_written(const Exp& exp) {
  const Lambda* fn = function_of(exp);
  std::vector<Operand> dims = {width_of(exp)};
  if (const auto* soac = as<Soac>(exp)) {
    NestShape shape = nest_shape(*soac);
    fn = &shape.leaf->fn;
    dims = std::move(shape.dims);
  }
  start(fn->body);
  for (const Param& p : fn->params) inside_.insert(p.name);
  const Operand row = most(elements(fn->body), const_i64(1));
  const Operand waves = most(quotient(product(dims), threads_at_once(), true), const_i64(1));
  if (!known_) return std::nullopt;
  const Operand each = out_.size_mul(row, const_i64(device_.far_element_ns));
  return out_.size_add(const_i64(device_.launch_ns), out_.size_mul(waves, each));
}

std::optional<Operand> VersionTimes::flat(const Body& body) {
  start(body);
  collect(body, const_i64(1));
  collect_arrays(body, const_i64(1), false);
  Operand all =
      quotient(out_.size_mul(stored_, const_i64(2000)), const_i64(device_.bytes_per_us), false);
  const Operand threads = threads_at_once();
  for (const Work& work : work_) {
    const Operand shared = quotient(work.points, threads, true);
    const Operand row = quotient(work.row, const_i64(kMostThreads), true);
    const Operand times = out_.size_mul(most(shared, row), work.each);
    const Operand busy = out_.size_mul(times, const_i64(device_.element_ns));
    const Operand once = out_.size_add(const_i64(device_.launch_ns), busy);
    all = out_.size_add(all, out_.size_mul(work.rounds, once));
  }
  if (!known_) return std::nullopt;
  return all;
}

std::optional<Operand> VersionTimes::in_groups(const Body& inside, const Operand& groups,
                                               const Operand& bytes) {
  start(inside);
  collect(inside, const_i64(1));
  Operand threads = const_i64(kFewestThreads);
  for (const Work& work : work_) threads = most(threads, work.points);
  threads = out_.binop(BinOpKind::kMin, Prim::kI64, threads, const_i64(kMostThreads), "threads");
  Operand all = const_i64(0);
  for (const Work& work : work_) {
    const Operand times = out_.size_mul(quotient(work.points, threads, true), work.each);
    const Operand busy = out_.size_mul(times, const_i64(device_.element_ns));
    const int64_t barriers = work.folds ? 2 : 1;
    const Operand once = out_.size_add(const_i64(barriers * device_.barrier_ns), busy);
    all = out_.size_add(all, out_.size_mul(work.rounds, once));
  }
  if (!known_) return std::nullopt;
  // The groups that there is room for, by threads and by memory.
  const Operand all_threads = threads_at_once();
  const Name memory = out_.let1(scalar_type(Prim::kI64),
                                Tunable{std::string(kLocalMemoryParam),
                                        std::string(kLocalMemoryClass), const_i64(kLocalMemory)},
                                "local_memory");
  const Operand by_memory = most(quotient(memory, most(bytes, const_i64(1)), false), const_i64(1));
  const Operand units = quotient(all_threads, const_i64(kThreadsOfUnit), false);
  const Operand room =
      out_.binop(BinOpKind::kMin, Prim::kI64, quotient(all_threads, threads, false),
                 out_.size_mul(units, by_memory), "room");
  const Operand waves = most(quotient(groups, room, true), const_i64(1));
  return out_.size_add(const_i64(device_.launch_ns), out_.size_mul(waves, all));
}

}  // namespace skald::passes
