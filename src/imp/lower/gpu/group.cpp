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
// Reductions, scans and partitions are like those of chunks.cpp with one chunk for each thread;
// what comes before each chunk is found by a scan in doubling steps.
#include <algorithm>

#include "core/ir/sinks.h"
#include "core/ir/visit.h"
#include "core/tuning/tuning.h"
#include "imp/ir/visit.h"
#include "imp/lower/gpu/gpu.h"

namespace skald::imp {

using core::Sink;

// ---- code of a group

namespace {

constexpr int64_t kFewestThreads = 32;
constexpr int64_t kLowerHalf = int64_t{1} << 32;
// Every device has more memory than this for each group.
constexpr int64_t kSurelyThere = 16 << 10;
// What compilers take of it for themselves.
constexpr int64_t kReserved = 1 << 10;

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

// Checks and calls, before they are lowered.
bool has_checks(const core::Body& body) {
  bool found = false;
  for (const core::Stmt& stmt : body.stmts) {
    found = found || core::as<core::Assert>(stmt.exp) != nullptr ||
            core::as<core::Call>(stmt.exp) != nullptr;
    core::for_each_body(stmt.exp,
                        [&](const core::Body& inner) { found = found || has_checks(inner); });
  }
  return found;
}

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

void FunctionLowering::sync(Code& code) {
  if (!code.is_synced()) code.add(Barrier{});
}

void FunctionLowering::try_in_group(Code& code, const GroupCode& group, const Operand& position,
                                    Body body) {
  const Name done = code.var(Prim::kBool, core::const_bool(false), "done");
  body.stmts.push_back(Stmt{Assign{done, core::const_bool(true)}});
  code.add(Attempt{position, std::move(body)});
  code.branch(
      done, [](Code&) {},
      [&](Code& at) {
        at.add(Store{Prim::kI32, group.failed, const_i64(0), core::const_int(Prim::kI32, 1)});
      });
}

void FunctionLowering::stop_if_failed(Code& code) {
  group_->may_fail = true;
  const Operand failed = code.load(Prim::kI32, group_->failed, const_i64(0), "failed");
  const Operand stop = code.let(
      Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI32, failed, core::const_int(Prim::kI32, 1)},
      "stop");
  code.branch(stop, [](Code& at) { at.add(Stop{}); });
}

void FunctionLowering::in_group(Code& code, const Operand& count, const Code::LoopBody& body) {
  sync(code);
  GroupCode* const group = std::exchange(group_, nullptr);
  const Name i = code.fresh("i");
  Code tried(prog_);
  body(tried, i);
  Body inside = tried.finish();
  const bool fails = may_leave(inside);
  if (fails) {
    Code loop(prog_);
    const Operand position =
        loop.add_i64(group->position, loop.min_i64(i, const_i64(kLowerHalf - 1)));
    try_in_group(loop, *group, position, std::move(inside));
    inside = loop.finish();
  }
  code.add(For{i, Prim::kI64, group->thread, count, group->threads, std::move(inside)});
  group_ = group;
  code.add(Barrier{});
  if (fails) stop_if_failed(code);
}

void FunctionLowering::once_in_group(Code& code, const std::function<void(Code&)>& body) {
  sync(code);
  GroupCode* const group = std::exchange(group_, nullptr);
  const Operand first = code.let(
      Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, group->thread, const_i64(0)}, "first");
  code.branch(first, body);
  group_ = group;
  code.add(Barrier{});
}

Name FunctionLowering::group_slot(Code& code, size_t number) {
  while (group_->slots.size() <= number) group_->slots.push_back(code.fresh("slot"));
  return group_->slots[number];
}

// ---- the outer kernel

// As many threads as the largest kernel inside has points, in powers of two.
Operand GpuKernelLowering::group_threads(Code& code) {
  std::unordered_set<Name> inside;
  for (const core::Param& p : kernel_.pull.params) inside.insert(p.name);
  bound_inside(kernel_.pull.body, inside);
  std::vector<const core::Domain*> domains;
  domains_inside(kernel_.pull.body, domains);
  Operand most = const_i64(1);
  for (const core::Domain* domain : domains) {
    Operand points = const_i64(1);
    for (const Operand& dim : domain->dims) {
      const Name* name = core::as_name(dim);
      if (name != nullptr && inside.contains(*name)) return const_i64(kMostThreads);
      points = code.mul_i64(points, fn_.value(dim));
    }
    most = code.max_i64(most, points);
  }
  Operand threads = const_i64(kFewestThreads);
  for (int64_t next = 2 * kFewestThreads; next <= kMostThreads; next *= 2) {
    const Operand more = code.less_i64(const_i64(next / 2), most);
    threads = code.let(Prim::kI64, core::Select{more, const_i64(next), threads}, "threads");
  }
  return threads;
}

Launch GpuKernelLowering::group_launch(Code& code, const Operand& threads, bool own_memory) {
  Launch launch{code.fresh("group"), code.fresh("thread"), total_, threads, const_i64(0), {}};
  GroupCode group{launch.thread, threads, {}, code.fresh("failed"), false, {}};
  Code front(code.program()), tried(code.program());
  ++fn_.parallel_depth_;
  group.position = front.mul_i64(launch.group, const_i64(kLowerHalf));
  fn_.group_ = &group;
  const std::vector<Operand> values =
      fn_.apply(tried, kernel_.pull, unflatten(tried, launch.group, dims_));
  const std::vector<Operand> place = unflatten(tried, launch.group, dims_);
  for (const SinkInfo& info : sinks_) out_sink(tried, info, place, values);
  fn_.group_ = nullptr;
  --fn_.parallel_depth_;
  // A few of them fit in any case.
  const bool fit = group.slots.size() <= kSurelyThere / (8 * kMostThreads);
  const Operand bytes =
      !own_memory && fit ? const_i64(8 * kMostThreads) : front.mul_i64(threads, const_i64(8));
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

void GpuKernelLowering::lower_groups(Code& code) {
  const Operand threads = group_threads(code);
  Launch shared = group_launch(code, threads, true);
  shared.shared = place_group_blocks(code, shared, true);
  const core::Const* known = core::as_const(shared.shared);
  if (known != nullptr && core::int_value(*known) <= kSurelyThere)
    return fn_.add_launch(code, std::move(shared));
  const Name limit = code.fresh("local_memory");
  code.add(Tunable{limit, std::string(core::kLocalMemoryParam),
                   std::string(core::kLocalMemoryClass), const_i64(core::kLocalMemory)});
  const Operand fits = code.less_i64(code.add_i64(shared.shared, const_i64(kReserved)), limit);
  code.branch(
      fits, [&](Code& at) { fn_.add_launch(at, std::move(shared)); },
      [&](Code& at) {
        Launch other = group_launch(at, threads, false);
        other.shared = place_group_blocks(at, other, false);
        fn_.add_launch(at, std::move(other));
      });
}

// ---- kernels inside

bool GpuKernelLowering::may_fail() const {
  bool found = has_checks(kernel_.pull.body);
  for (const SinkInfo& info : sinks_)
    for (const core::Operator& op : info.sink->op) found = found || has_checks(op.fn.body);
  return found;
}

void GpuKernelLowering::lower_in_group(Code& code) {
  count_points(code);
  make_locks(code);
  if (has(Sink::kReduce) || has(Sink::kScan) || has(Sink::kPartition)) return chunks_in_group(code);
  fn_.in_group(code, total_, [&](Code& inner, const Operand& i) {
    const Point at = point_at(inner, i);
    point(inner, at.indices,
          [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
            direct(here, at, values);
          });
  });
}

// The points of chunk `number`.
void GpuKernelLowering::walk_in_group(Code& code, const Operand& number,
                                      const std::function<void(Code&, const Point&)>& body) {
  const bool one = segments_ == Operand{const_i64(1)};
  const Operand segment =
      one ? Operand{const_i64(0)} : code.binop(BinOpKind::kQuot, number, chunks_, "segment");
  const Operand chunk = code.sub_i64(number, code.mul_i64(segment, chunks_));
  const std::vector<Operand> outer =
      unflatten(code, segment, std::vector<Operand>(dims_.begin(), dims_.end() - 1));
  Code inner(code.program());
  const Name j = code.fresh("j");
  Point at;
  at.indices = outer;
  at.indices.push_back(j);
  at.place = at.indices;
  body(inner, at);
  if (can_stride() && !may_fail()) {
    code.add(For{j, Prim::kI64, chunk, length_, chunks_, inner.finish()});
    return;
  }
  const Operand begin = code.mul_i64(chunk, chunk_length_);
  const Operand end = code.min_i64(length_, code.add_i64(begin, chunk_length_));
  code.add(For{j, Prim::kI64, begin, end, const_i64(1), inner.finish()});
}

void GpuKernelLowering::chunks_in_group(Code& code) {
  find_monoids();
  const Operand one = const_i64(1);
  const bool flat = segments_ == one;
  const Operand wanted = flat ? fn_.group_->threads
                              : code.binop(BinOpKind::kQuot, fn_.group_->threads,
                                           code.max_i64(segments_, one), "wanted");
  const Operand count = code.max_i64(code.min_i64(wanted, length_), one);
  chunk_length_ = code.max_i64(pieces(code, length_, count), one);
  chunks_ = code.max_i64(pieces(code, length_, chunk_length_), one);
  many_ = code.less_i64(one, chunks_);
  const Operand all = code.mul_i64(segments_, chunks_);
  bool only_scans = true;
  for (Monoid& monoid : monoids_) {
    only_scans = only_scans && monoid.is_scan;
    for (size_t k = 0; k < monoid.types.size(); ++k) {
      monoid.partials.push_back(fn_.group_slot(code, slots_++));
      if (!monoid.is_scan && dims_.size() == 1)
        monoid.totals.push_back(fn_.group_slot(code, slots_++));
    }
  }
  const auto first_pass = [&](Code& at) {
    fn_.in_group(at, all, [&](Code& inner, const Operand& number) {
      std::vector<Accumulators> accs;
      for (const Monoid& monoid : monoids_) accs.push_back(start_monoid(inner, monoid));
      walk_in_group(inner, number, [&](Code& each, const Point& p) {
        point(each, p.indices,
              [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
                for (size_t k = 0; k < monoids_.size(); ++k)
                  combine_monoid(here, monoids_[k], accs[k], values_for(here, monoids_[k], values));
                if (!rewalk_) direct(here, p, values);
              });
      });
      inner.branch(
          many_,
          [&](Code& some) {
            for (size_t k = 0; k < monoids_.size(); ++k)
              store_values(some, monoids_[k], monoids_[k].partials, number,
                           {accs[k].begin(), accs[k].end()});
          },
          [&](Code& whole) {
            for (size_t k = 0; k < monoids_.size(); ++k)
              store_total(whole, monoids_[k], number, accs[k]);
          });
    });
  };
  if (only_scans)
    code.branch(many_, first_pass);
  else
    first_pass(code);
  code.branch(many_, [&](Code& at) { combine_in_group(at, all); });
  read_totals(code, false);
  if (!rewalk_) return;
  fn_.in_group(code, all, [&](Code& inner, const Operand& number) {
    std::vector<Accumulators> accs;
    for (const Monoid& monoid : monoids_) accs.push_back(start_monoid(inner, monoid));
    const Operand chunk = flat ? number : inner.binop(BinOpKind::kRem, number, chunks_, "chunk");
    inner.branch(inner.less_i64(const_i64(0), chunk), [&](Code& at) {
      const Operand before = at.sub_i64(number, one);
      for (size_t k = 0; k < monoids_.size(); ++k) {
        const std::vector<Operand> values =
            load_values(at, monoids_[k], monoids_[k].partials, before);
        for (size_t v = 0; v < values.size(); ++v) at.add(Assign{accs[k][v], values[v]});
      }
    });
    walk_in_group(inner, number, [&](Code& each, const Point& p) {
      point(each, p.indices,
            [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
              write_scanned(here, p, values, accs, Pass::kThird);
            });
    });
  });
}

// partials[c] becomes the total of the chunks 0 … c of its segment, one chunk for each thread.
void GpuKernelLowering::combine_in_group(Code& code, const Operand& all) {
  GroupCode* const group = fn_.group_;
  const Operand thread = group->thread;
  const Operand active = code.less_i64(thread, all);
  const bool flat = segments_ == Operand{const_i64(1)};
  const Operand chunk = flat ? thread : code.binop(BinOpKind::kRem, thread, chunks_, "chunk");
  const Name step = code.var(Prim::kI64, const_i64(1), "step");
  const Name more = code.var(Prim::kBool, many_, "more");
  Code round(code.program());
  fn_.group_ = nullptr;
  const Operand far = round.less_i64(round.sub_i64(step, const_i64(1)), chunk);
  const Operand takes = round.both(active, far, "takes");
  std::vector<Accumulators> accs;
  for (const Monoid& monoid : monoids_) accs.push_back(start_monoid(round, monoid));
  Code taking(code.program());
  taking.branch(takes, [&](Code& at) {
    const Operand before = at.sub_i64(thread, step);
    for (size_t k = 0; k < monoids_.size(); ++k) {
      const std::vector<Operand> left = load_values(at, monoids_[k], monoids_[k].partials, before);
      const std::vector<Operand> right = load_values(at, monoids_[k], monoids_[k].partials, thread);
      for (size_t v = 0; v < left.size(); ++v) at.add(Assign{accs[k][v], left[v]});
      combine_monoid(at, monoids_[k], accs[k], right);
    }
  });
  Body body = taking.finish();
  const bool fails = may_leave(body);
  if (fails) {
    fn_.try_in_group(round, *group, round.add_i64(group->position, thread), std::move(body));
  } else {
    for (Stmt& stmt : body.stmts) round.add(std::move(stmt.node));
  }
  round.add(Barrier{});
  round.branch(takes, [&](Code& at) {
    for (size_t k = 0; k < monoids_.size(); ++k)
      store_values(at, monoids_[k], monoids_[k].partials, thread, {accs[k].begin(), accs[k].end()});
  });
  round.add(Assign{step, round.add_i64(step, step)});
  round.add(Assign{more, round.less_i64(step, chunks_)});
  round.add(Barrier{});
  fn_.group_ = group;
  if (fails) fn_.stop_if_failed(round);
  if (fails) round.add(Barrier{});
  FunctionLowering::sync(code);
  code.add(While{more, round.finish()});
  // The last chunk of a segment has its total.
  fn_.group_ = nullptr;
  const Operand is_last = code.let(
      Prim::kBool,
      core::CmpOp{CmpOpKind::kEq, Prim::kI64, chunk, code.sub_i64(chunks_, const_i64(1))}, "last");
  const Operand gives = code.both(active, is_last, "gives");
  code.branch(gives, [&](Code& at) {
    const Operand segment =
        flat ? Operand{const_i64(0)} : at.binop(BinOpKind::kQuot, thread, chunks_, "segment");
    for (const Monoid& monoid : monoids_) {
      if (monoid.is_scan) continue;
      const Accumulators acc = start_monoid(at, monoid);
      const std::vector<Operand> values = load_values(at, monoid, monoid.partials, thread);
      for (size_t v = 0; v < values.size(); ++v) at.add(Assign{acc[v], values[v]});
      store_total(at, monoid, segment, acc);
    }
  });
  fn_.group_ = group;
  code.add(Barrier{});
}

}  // namespace skald::imp
