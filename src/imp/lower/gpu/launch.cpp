// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/ir/sinks.h"
#include "core/ir/visit.h"
#include "imp/ir/visit.h"
#include "imp/lower/gpu/gpu.h"

namespace skald::imp {

using core::Sink;

// ---- launches

namespace {

// What a thread gets if the size of its arrays is not known before.
constexpr int64_t kScratchGuess = 4096;
// A thread's memory has a header for each block.
constexpr int64_t kScratchHeader = 32;

// The blocks that come out of the threads' scratch memory.
void scratch_blocks(const Body& body, std::vector<const Alloc*>& out, bool& calls) {
  for (const Stmt& stmt : body.stmts) {
    if (const Alloc* alloc = as<Alloc>(stmt); alloc != nullptr && alloc->space != Space::kShared)
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

void FunctionLowering::add_launch(Code& code, Launch launch) {
  launch.scratch = scratch_need(code, launch);
  code.add(std::move(launch));
}

void FunctionLowering::launch_for(Code& code, const Operand& count, const Code::LoopBody& body) {
  Code inner(prog_);
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  ++parallel_depth_;
  const Operand i = inner.add_i64(inner.mul_i64(group, const_i64(kGroupThreads)), thread);
  inner.branch(inner.less_i64(i, count), [&](Code& at) {
    Code tried(prog_);
    body(tried, i);
    at.add(Attempt{i, tried.finish()});
  });
  --parallel_depth_;
  const Operand groups = pieces(code, count, const_i64(kGroupThreads));
  add_launch(code, {group, thread, groups, const_i64(kGroupThreads), const_i64(0), inner.finish()});
}

// ---- one kernel

GpuKernelLowering::GpuKernelLowering(FunctionLowering& fn, const core::Stmt& stmt,
                                     const core::Kernel& kernel)
    : KernelLowering(fn, stmt, kernel) {}

bool GpuKernelLowering::calls_recursive() const {
  if (fn_.recursive_ == nullptr) return false;
  std::vector<std::string> callees;
  add_callees(kernel_.pull.body, callees);
  for (const core::Lambda& post : kernel_.post) add_callees(post.body, callees);
  for (const SinkInfo& info : sinks_)
    for (const core::Operator& op : info.sink->op) add_callees(op.fn.body, callees);
  for (const std::string& callee : callees)
    if (fn_.recursive_->contains(callee)) return true;
  return false;
}

bool has_trace(const core::Body& body) {
  bool found = false;
  for (const core::Stmt& stmt : body.stmts) {
    found = found || stmt.hints.trace.wanted;
    core::for_each_body(stmt.exp,
                        [&](const core::Body& inner) { found = found || has_trace(inner); });
  }
  return found;
}

// Devices cannot print.
bool GpuKernelLowering::prints() const {
  bool found = has_trace(kernel_.pull.body);
  for (const core::Lambda& post : kernel_.post) found = found || has_trace(post.body);
  for (const SinkInfo& info : sinks_)
    for (const core::Operator& op : info.sink->op) found = found || has_trace(op.fn.body);
  return found;
}

void GpuKernelLowering::lower(Code& code) {
  const char* why = prints()            ? "it prints values (#[trace])"
                    : calls_recursive() ? "it calls a function that calls itself or prints"
                                        : nullptr;
  if (why != nullptr) {
    if (fn_.notes_ != nullptr) {
      // Where the user wrote it, not where the prelude did.
      core::Loc loc = stmt_.loc;
      while (fn_.prog_.locs[loc].caller.index != 0) loc = fn_.prog_.locs[loc].caller;
      const std::string& place = fn_.prog_.locs[loc].text;
      std::string note = (place.empty() ? std::string("a kernel") : "the kernel at " + place) +
                         " runs on the host, one iteration after the other: " + why;
      if (std::ranges::find(*fn_.notes_, note) == fn_.notes_->end())
        fn_.notes_->push_back(std::move(note));
    }
    fn_.kernels_on_host_ = true;
    KernelLowering(fn_, stmt_, kernel_).lower(code);
    fn_.kernels_on_host_ = false;
    return;
  }
  count_points(code);
  if (core::holds_kernels(kernel_)) return lower_groups(code);
  make_locks(code);
  if (has(Sink::kReduce) || has(Sink::kScan) || has(Sink::kPartition))
    chunks(code);
  else if (can_hist_in_groups())
    hist_in_groups(code);
  else
    map_points(code);
  free_locks(code);
}

void GpuKernelLowering::count_points(Code& code) {
  segments_ = const_i64(1);
  if (is_seg()) {
    segments_ = dims_[0];
    total_ = dims_[1];
    return;
  }
  for (size_t k = 0; k + 1 < dims_.size(); ++k) segments_ = code.mul_i64(segments_, dims_[k]);
  length_ = dims_.back();
  total_ = code.mul_i64(segments_, length_);
}

void GpuKernelLowering::map_points(Code& code) {
  fn_.launch_for(code, total_, [&](Code& inner, const Operand& i) {
    const Point at = point_at(inner, i);
    point(inner, at.indices,
          [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
            direct(here, at, values);
          });
  });
}

GpuKernelLowering::Point GpuKernelLowering::point_at(Code& code, const Operand& number) {
  if (!is_seg()) {
    const std::vector<Operand> indices = unflatten(code, number, dims_);
    return {indices, indices, number};
  }
  const Operand segment = find_segment(code, number);
  return {{segment, code.sub_i64(number, offset(code, segment)), number}, {number}, number};
}

Operand GpuKernelLowering::offset(Code& code, const Operand& segment) {
  return fn_.load(code, fn_.place(kernel_.domain.offsets[0]), {segment}, "offset");
}

// The last segment that begins at or before a point, by bisection.
Operand GpuKernelLowering::find_segment(Code& code, const Operand& flat) {
  const Name low = code.var(Prim::kI64, const_i64(0), "low");
  const Name high = code.var(Prim::kI64, segments_, "high");
  const auto far_apart = [&](Code& at) { return at.less_i64(at.add_i64(low, const_i64(1)), high); };
  const Name more = code.var(Prim::kBool, far_apart(code), "more");
  Code inner(code.program());
  const Operand middle =
      inner.binop(BinOpKind::kQuot, inner.add_i64(low, high), const_i64(2), "middle");
  inner.branch(
      inner.less_i64(flat, offset(inner, middle)), [&](Code& at) { at.add(Assign{high, middle}); },
      [&](Code& at) { at.add(Assign{low, middle}); });
  inner.add(Assign{more, far_apart(inner)});
  code.add(While{more, inner.finish()});
  return code.let(Prim::kI64, core::Value{low}, "segment");
}

void GpuKernelLowering::direct(Code& code, const Point& at, const std::vector<Operand>& values,
                               bool late) {
  for (size_t k = 0; k < sinks_.size(); ++k) {
    const SinkInfo& info = sinks_[k];
    if (info.sink->late != late) continue;
    if (info.sink->kind == Sink::kOut && kernel_.post.empty())
      out_sink(code, info, at.place, values);
    if (info.sink->kind == Sink::kScatter) scatter_sink(code, info, values);
    if (info.sink->kind == Sink::kHist) update_hist(code, k, values);
  }
}

}  // namespace skald::imp
