// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/hist/bin_table.h"

#include "imp/lower/gpu/hist/plan.h"
#include "imp/lower/gpu/launch.h"

namespace skald::imp {

namespace {

// A group combines the copies of so many neighbouring bins; as many threads share a bin.
constexpr int64_t kJoinedBins = 32, kJoiningLanes = kBinThreads / kJoinedBins;

}  // namespace

void BinTable::make(Code& host, const Operand& copies) {
  copies_ = copies;
  blocks_ = columns_.make_room(host, Space::kDevice, host.mul_i64(copies, count_));
}

void BinTable::clear(Code& host) const {
  launch_for(gpu_.kernel.fn, host, host.mul_i64(copies_, count_),
             [&](Code& at, const Operand& k) { columns_.store(at, blocks_, k, bins_.neutral()); });
}

void BinTable::free(Code& host) const {
  for (const Name block : blocks_) host.add(Free{block});
}

void BinTable::store(Code& code, const Operand& copy, const Operand& bin,
                     const std::vector<Operand>& components) const {
  columns_.store(code, blocks_, code.add_i64(code.mul_i64(copy, count_), bin), components);
}

std::vector<Operand> BinTable::load(Code& code, const Operand& copy, const Operand& bin) const {
  return columns_.load(code, blocks_, code.add_i64(code.mul_i64(copy, count_), bin));
}

void BinTable::to_destination(Code& code, const Operand& bin,
                              const std::vector<Operand>& components) const {
  KernelWriter& kernel = gpu_.kernel;
  const SinkInfo& info = kernel.facts.sinks[bins_.sink()];
  const std::vector<Operand> at = bins_.indices(code, bin);
  std::vector<Operand> args;
  for (size_t k = 0; k < components.size(); ++k)
    args.push_back(imp::load(code, kernel.result_place(info.results + k), at, "old"));
  args.insert(args.end(), components.begin(), components.end());
  const std::vector<Operand> next = kernel.fn.apply(code, bins_.op().fn, args);
  for (size_t k = 0; k < components.size(); ++k)
    kernel.fn.store(code, kernel.result_place(info.results + k), at, next[k]);
}

// Threads of one bin lie kJoinedBins apart.
void BinTable::combine_lanes(Code& code, Name thread, const Operand& lane,
                             const Accumulators& sums) const {
  const std::vector<Name> joined = columns_.make_room(code, Space::kShared, const_i64(kBinThreads));
  const auto put = [&](Code& at) {
    columns_.store(at, joined, thread, {sums.begin(), sums.end()});
  };
  put(code);
  code.add(Barrier{});
  for (int64_t half = kJoiningLanes / 2; half > 0; half /= 2) {
    code.branch(code.less_i64(lane, const_i64(half)), [&](Code& at) {
      const Operand other = at.add_i64(thread, const_i64(half * kJoinedBins));
      gpu_.kernel.combine(at, bins_.op(), sums, columns_.load(at, joined, other));
      put(at);
    });
    code.add(Barrier{});
  }
}

void BinTable::join(Code& host) {
  KernelWriter& kernel = gpu_.kernel;
  Launch launch{
      host.fresh("group"),    host.fresh("thread"), pieces(host, count_, const_i64(kJoinedBins)),
      const_i64(kBinThreads), const_i64(0),         {}};
  {
    const InKernel inside(kernel.fn);
    Code inner(host.program());
    const Operand among =
        inner.binop(BinOpKind::kAnd, launch.thread, const_i64(kJoinedBins - 1), "among");
    const Operand lane =
        inner.binop(BinOpKind::kQuot, launch.thread, const_i64(kJoinedBins), "lane");
    const Operand bin = inner.add_i64(inner.mul_i64(launch.group, const_i64(kJoinedBins)), among);
    const Operand exists = inner.less_i64(bin, count_);
    const Accumulators sums = kernel.start(inner, bins_.op());
    inner.branch(exists, [&](Code& at) {
      at.loop(
          lane, copies_,
          [&](Code& in, const Operand& copy) {
            kernel.combine(in, bins_.op(), sums, load(in, copy, bin));
          },
          kJoiningLanes);
    });
    combine_lanes(inner, launch.thread, lane, sums);
    const Operand first = inner.less_i64(lane, const_i64(1));
    inner.branch(inner.both(first, exists, "joins"),
                 [&](Code& at) { to_destination(at, bin, {sums.begin(), sums.end()}); });
    launch.body = inner.finish();
  }
  add_launch(host, std::move(launch));
  free(host);
}

void BinTable::join_ranges(Code& host, const Operand& bins,
                           const std::function<Copies(Code&, const Operand& range)>& copies_of) {
  KernelWriter& kernel = gpu_.kernel;
  launch_for(kernel.fn, host, bins, [&](Code& at, const Operand& bin) {
    const Operand range = at.binop(BinOpKind::kQuot, bin, count_, "range");
    const Copies copies = copies_of(at, range);
    const Operand among = at.sub_i64(bin, at.mul_i64(range, count_));
    at.branch(at.less_i64(copies.begin, copies.end), [&](Code& some) {
      const Accumulators sums = kernel.start(some, bins_.op());
      some.loop(copies.begin, copies.end, [&](Code& in, const Operand& copy) {
        kernel.combine(in, bins_.op(), sums, load(in, copy, among));
      });
      to_destination(some, bin, {sums.begin(), sums.end()});
    });
  });
  free(host);
}

}  // namespace skald::imp
