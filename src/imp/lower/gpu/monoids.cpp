// SPDX-License-Identifier: Apache-2.0
// What is combined along the chunks.
#include <algorithm>

#include "core/ir/visit.h"
#include "imp/lower/gpu/chunks.h"

namespace skald::imp {

using core::Sink;

namespace {

// Totals that go to the host lie side by side, so that all are read at once.
constexpr int64_t kWord = 8;

std::vector<Monoid> monoids_of(const KernelFacts& facts) {
  std::vector<Monoid> found;
  for (const SinkInfo& info : facts.sinks) {
    const Sink& sink = *info.sink;
    if (sink.kind == Sink::kReduce || sink.kind == Sink::kScan) {
      Monoid monoid{&sink.op[0], &info, 0, sink.kind == Sink::kScan, {}};
      for (size_t k = 0; k < sink.op[0].neutral.size(); ++k)
        monoid.types.push_back(sink.op[0].fn.params[k].type.elem);
      found.push_back(std::move(monoid));
    } else if (sink.kind == Sink::kPartition) {
      for (size_t c = 0; c < static_cast<size_t>(sink.classes); ++c)
        found.push_back({nullptr, &info, c, false, {Prim::kI64}});
    }
  }
  return found;
}

}  // namespace

GpuChunks::GpuChunks(GpuKernel& kernel)
    : gpu_(kernel),
      kernel_(kernel.kernel),
      device_(kernel.device),
      segments_(kernel.segments),
      length_(kernel.length),
      monoids_(monoids_of(kernel.kernel.facts)),
      rewalk_(kernel_.facts.has(Sink::kScan) || kernel_.facts.has(Sink::kPartition)) {}

std::vector<Accumulators> GpuChunks::start_all(Code& code) {
  std::vector<Accumulators> accs;
  for (const Monoid& monoid : monoids_) accs.push_back(start(code, monoid));
  return accs;
}

Accumulators GpuChunks::start(Code& code, const Monoid& monoid) {
  if (monoid.op == nullptr) return {code.var(Prim::kI64, const_i64(0), "acc")};
  return kernel_.start(code, *monoid.op);
}

void GpuChunks::combine(Code& code, const Monoid& monoid, const Accumulators& acc,
                        const std::vector<Operand>& values) {
  if (monoid.op != nullptr) return kernel_.combine(code, *monoid.op, acc, values);
  code.add(Assign{acc[0], code.add_i64(acc[0], values[0])});
}

void GpuChunks::combine_all(Code& code, const std::vector<Accumulators>& accs,
                            const std::vector<Operand>& values, bool late) {
  for (size_t k = 0; k < monoids_.size(); ++k)
    if (monoids_[k].is_late() == late)
      combine(code, monoids_[k], accs[k], values_for(code, monoids_[k], values));
}

std::vector<Operand> GpuChunks::values_for(Code& code, const Monoid& monoid,
                                           const std::vector<Operand>& values) {
  if (monoid.op != nullptr) return kernel_.sink_values(*monoid.info, values);
  const Operand member =
      code.let(Prim::kBool,
               core::CmpOp{CmpOpKind::kEq, Prim::kI64, values[monoid.info->values],
                           const_i64(static_cast<int64_t>(monoid.member_class))},
               "member");
  return {code.let(Prim::kI64, core::Convert{Prim::kBool, Prim::kI64, member}, "one")};
}

std::vector<Operand> GpuChunks::load_values(Code& code, const Monoid& monoid,
                                            const Operand& at) const {
  std::vector<Operand> values;
  for (size_t k = 0; k < monoid.partials.size(); ++k)
    values.push_back(code.load(monoid.types[k], monoid.partials[k], at, "total"));
  return values;
}

void GpuChunks::store_values(Code& code, const Monoid& monoid, const Operand& at,
                             const Accumulators& acc) const {
  for (size_t k = 0; k < monoid.partials.size(); ++k)
    code.add(Store{monoid.types[k], monoid.partials[k], at, acc[k]});
}

Operand GpuChunks::total_place(const Monoid& monoid, size_t value) const {
  // In groups every total has a place of its own.
  if (!totals_) return const_i64(0);
  const int64_t word = monoid.first_total + static_cast<int64_t>(value);
  return const_i64(word * (kWord / prim_size(monoid.types[value])));
}

bool GpuChunks::gives_scalars(const Monoid& monoid) const {
  return !monoid.is_scan && !gpu_.is_seg() && kernel_.facts.dims.size() == 1;
}

void GpuChunks::store_total(Code& code, const Monoid& monoid, const Operand& segment,
                            const Accumulators& acc) {
  const std::vector<Operand> values(acc.begin(), acc.end());
  if (monoid.is_scan) return;
  for (size_t k = 0; k < monoid.totals.size(); ++k)
    code.add(Store{monoid.types[k], monoid.totals[k], total_place(monoid, k), values[k]});
  if (!monoid.totals.empty()) return;
  std::vector<Operand> place = {segment};
  if (!gpu_.is_seg())
    place =
        unflatten(code, segment,
                  std::vector<Operand>(kernel_.facts.dims.begin(), kernel_.facts.dims.end() - 1));
  for (size_t k = 0; k < values.size(); ++k)
    kernel_.fn.store(code, kernel_.result_place(monoid.info->results + k), place, values[k]);
}

bool GpuChunks::can_stride() const {
  if (rewalk_ || gpu_.is_seg()) return false;
  for (const Monoid& monoid : monoids_)
    if (!monoid.op->commutative) return false;
  return true;
}

bool GpuChunks::has_late() const {
  return std::ranges::any_of(monoids_, [](const Monoid& monoid) { return monoid.is_late(); });
}

void GpuChunks::read_totals(Code& code, bool late) {
  int64_t begin = INT64_MAX, end = 0, values = 0;
  for (const Monoid& monoid : monoids_) {
    if (monoid.is_late() != late || monoid.totals.empty()) continue;
    const auto count = static_cast<int64_t>(monoid.totals.size());
    begin = std::min(begin, monoid.first_total);
    end = std::max(end, monoid.first_total + count);
    values += count;
  }
  Name here = {};
  if (totals_ && values > 1) {
    here = code.alloc(Space::kHeap, const_i64((end - begin) * kWord), "totals");
    code.add(CopyBytes{here, const_i64(0), totals_, const_i64(begin * kWord),
                       const_i64((end - begin) * kWord)});
  }
  for (const Monoid& monoid : monoids_) {
    if (monoid.is_late() != late) continue;
    for (size_t k = 0; k < monoid.totals.size(); ++k) {
      const size_t result = monoid.info->results + (monoid.op == nullptr ? monoid.member_class : k);
      Monoid from = monoid;
      if (here) from.first_total -= begin;
      code.add(Load{kernel_.stmt.pat[result].name, monoid.types[k], here ? here : monoid.totals[k],
                    total_place(from, k)});
    }
  }
  if (here) code.add(Free{here});
}

}  // namespace skald::imp
