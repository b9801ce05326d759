// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/monoids.h"

#include <algorithm>

#include "core/ir/visit.h"

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

}  // namespace

bool operators_may_fail(const KernelWriter& kernel) {
  bool found = false;
  for (const SinkInfo& info : kernel.facts.sinks)
    for (const core::Operator& op : info.sink->op) found = found || has_checks(op.fn.body);
  return found;
}

bool may_fail(const KernelWriter& kernel) {
  return has_checks(kernel.node.pull.body) || operators_may_fail(kernel);
}

Monoid in_shared_memory(Code& code, const Monoid& monoid, int64_t threads) {
  Monoid shared = monoid;
  shared.partials.clear();
  for (const Prim type : monoid.types)
    shared.partials.push_back(
        code.alloc(Space::kShared, const_i64(threads * prim_size(type)), "shared"));
  return shared;
}

int64_t bytes_of(const Monoids& monoids) {
  int64_t bytes = 0;
  for (const Monoid& monoid : monoids.all())
    for (const Prim type : monoid.types) bytes += prim_size(type);
  return bytes;
}

Monoids::Monoids(GpuKernel& kernel)
    : gpu_(kernel), kernel_(kernel.kernel), monoids_(monoids_of(kernel.kernel.facts)) {}

void Monoids::make_totals(Code& code) {
  int64_t words = 0;
  for (Monoid& monoid : monoids_) {
    monoid.first_total = words;
    if (gives_scalars(monoid)) words += static_cast<int64_t>(monoid.types.size());
  }
  if (words == 0) return;
  totals_ = code.alloc(Space::kDevice, const_i64(words * kWord), "totals");
  for (Monoid& monoid : monoids_)
    if (gives_scalars(monoid)) monoid.totals.assign(monoid.types.size(), totals_);
}

void Monoids::free_totals(Code& code) {
  if (totals_) code.add(Free{totals_});
}

std::vector<Accumulators> Monoids::start_all(Code& code) {
  std::vector<Accumulators> accs;
  for (const Monoid& monoid : monoids_) accs.push_back(start(code, monoid));
  return accs;
}

Accumulators Monoids::start(Code& code, const Monoid& monoid) {
  if (monoid.op == nullptr) return {code.var(Prim::kI64, const_i64(0), "acc")};
  return kernel_.start(code, *monoid.op);
}

void Monoids::combine(Code& code, const Monoid& monoid, const Accumulators& acc,
                      const std::vector<Operand>& values) {
  if (monoid.op != nullptr) return kernel_.combine(code, *monoid.op, acc, values);
  code.add(Assign{acc[0], code.add_i64(acc[0], values[0])});
}

void Monoids::combine_all(Code& code, const std::vector<Accumulators>& accs,
                          const std::vector<Operand>& values, bool late) {
  for (size_t k = 0; k < monoids_.size(); ++k)
    if (monoids_[k].is_late() == late)
      combine(code, monoids_[k], accs[k], values_for(code, monoids_[k], values));
}

std::vector<Operand> Monoids::values_for(Code& code, const Monoid& monoid,
                                         const std::vector<Operand>& values) {
  if (monoid.op != nullptr) return kernel_.sink_values(*monoid.info, values);
  const Operand member = is_member(code, monoid, values);
  return {code.let(Prim::kI64, core::Convert{Prim::kBool, Prim::kI64, member}, "one")};
}

Operand Monoids::is_member(Code& code, const Monoid& monoid, const std::vector<Operand>& values) {
  return code.let(Prim::kBool,
                  core::CmpOp{CmpOpKind::kEq, Prim::kI64, values[monoid.info->values],
                              const_i64(static_cast<int64_t>(monoid.member_class))},
                  "member");
}

std::vector<Operand> Monoids::load_values(Code& code, const Monoid& monoid, const Operand& at) {
  std::vector<Operand> values;
  for (size_t k = 0; k < monoid.partials.size(); ++k)
    values.push_back(code.load(monoid.types[k], monoid.partials[k], at, "total"));
  return values;
}

std::vector<Operand> Monoids::load_fresh(Code& code, const Monoid& monoid, const Operand& at) {
  std::vector<Operand> values;
  for (size_t k = 0; k < monoid.partials.size(); ++k) {
    const Name value = code.fresh("total");
    code.add(Load{value, monoid.types[k], monoid.partials[k], at, LaneAccess::kScalar, true});
    values.push_back(value);
  }
  return values;
}

void Monoids::store_values(Code& code, const Monoid& monoid, const Operand& at,
                           const Accumulators& acc) {
  for (size_t k = 0; k < monoid.partials.size(); ++k)
    code.add(Store{monoid.types[k], monoid.partials[k], at, acc[k]});
}

Operand Monoids::total_place(const Monoid& monoid, size_t value) const {
  // In groups every total has a place of its own.
  if (!totals_) return const_i64(0);
  const int64_t word = monoid.first_total + static_cast<int64_t>(value);
  return const_i64(word * (kWord / prim_size(monoid.types[value])));
}

bool Monoids::gives_scalars(const Monoid& monoid) const {
  return !monoid.is_scan && !gpu_.is_seg() && kernel_.facts.dims.size() == 1;
}

void Monoids::store_total(Code& code, const Monoid& monoid, const Operand& segment,
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

bool Monoids::commutative() const {
  return std::ranges::all_of(monoids_, [](const Monoid& monoid) {
    return monoid.op == nullptr || monoid.op->commutative;
  });
}

bool Monoids::has_late() const {
  return std::ranges::any_of(monoids_, [](const Monoid& monoid) { return monoid.is_late(); });
}

void Monoids::read_totals(Code& code, bool late) {
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
