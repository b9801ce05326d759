// SPDX-License-Identifier: Apache-2.0
// Reductions, scans and partitions in code that a group runs: like those of chunks.h, with one
// chunk for each thread.  Totals of chunks are combined by shuffles (group_shuffles.cpp). Operators
// that may fail take two rounds: sixteen neighbours by one thread, then what these threads have.
#include "core/ir/visit.h"
#include "imp/lower/gpu/fold/chunks.h"
#include "imp/lower/gpu/group.h"

namespace skald::imp {

namespace {

// Neighbouring chunks that one thread combines in the first round.
constexpr int64_t kNeighbours = 16;

}  // namespace

// The points of chunk `number`.
void GpuChunks::walk_in_group(Code& code, const Operand& number,
                              const std::function<void(Code&, const GpuPoint&)>& body) {
  const bool one = segments_ == Operand{const_i64(1)};
  const Operand segment =
      one ? Operand{const_i64(0)} : code.binop(BinOpKind::kQuot, number, chunks_, "segment");
  const Operand chunk = code.sub_i64(number, code.mul_i64(segment, chunks_));
  const std::vector<Operand> outer =
      unflatten(code, segment,
                std::vector<Operand>(kernel_.facts.dims.begin(), kernel_.facts.dims.end() - 1));
  Code inner(code.program());
  const Name j = code.fresh("j");
  GpuPoint at;
  at.indices = outer;
  at.indices.push_back(j);
  at.place = at.indices;
  body(inner, at);
  if (can_stride() && !may_fail(kernel_)) {
    code.add(For{j, Prim::kI64, chunk, length_, chunks_, inner.finish()});
    return;
  }
  const Operand begin = code.mul_i64(chunk, chunk_length_);
  const Operand end = code.min_i64(length_, code.add_i64(begin, chunk_length_));
  code.add(For{j, Prim::kI64, begin, end, const_i64(1), inner.finish()});
}

void GpuChunks::plan_in_group(Code& code) {
  const Operand one = const_i64(1);
  const Operand threads = device_.group->threads;
  const Operand wanted = segments_ == one ? threads
                                          : code.binop(BinOpKind::kQuot, threads,
                                                       code.max_i64(segments_, one), "wanted");
  const Operand count = code.max_i64(code.min_i64(wanted, length_), one);
  chunk_length_ = code.max_i64(pieces(code, length_, count), one);
  chunks_ = code.max_i64(pieces(code, length_, chunk_length_), one);
  many_ = code.less_i64(one, chunks_);
  for (Monoid& monoid : monoids_.all())
    for (size_t k = 0; k < monoid.types.size(); ++k) {
      monoid.partials.push_back(group_slot(device_, code, gpu_.slots++));
      if (!monoid.is_scan && kernel_.facts.dims.size() == 1)
        monoid.totals.push_back(group_slot(device_, code, gpu_.slots++));
    }
}

void GpuChunks::write_in_group(Code& code) {
  plan_in_group(code);
  const Operand all = code.mul_i64(segments_, chunks_);
  bool only_scans = true;
  for (const Monoid& monoid : monoids_.all()) only_scans = only_scans && monoid.is_scan;
  const auto first_pass = [&](Code& at) { first_pass_in_group(at, all); };
  if (only_scans)
    code.branch(many_, first_pass);
  else
    first_pass(code);
  code.branch(many_, [&](Code& at) { combine_in_group(at, all); });
  monoids_.read_totals(code, false);
  if (rewalk_) later_pass_in_group(code, all);
}

void GpuChunks::first_pass_in_group(Code& code, const Operand& all) {
  in_group(device_, code, all, [&](Code& inner, const Operand& number) {
    const std::vector<Accumulators> accs = monoids_.start_all(inner);
    walk_in_group(inner, number, [&](Code& each, const GpuPoint& p) {
      kernel_.point(
          each, p.indices,
          [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
            for (size_t k = 0; k < monoids_.all().size(); ++k)
              monoids_.combine(here, monoids_.all()[k], accs[k],
                               monoids_.values_for(here, monoids_.all()[k], values));
            if (!rewalk_) gpu_.direct(here, p, values);
          });
    });
    inner.branch(
        many_,
        [&](Code& some) {
          for (size_t k = 0; k < monoids_.all().size(); ++k)
            monoids_.store_values(some, monoids_.all()[k], number, accs[k]);
        },
        [&](Code& whole) {
          for (size_t k = 0; k < monoids_.all().size(); ++k)
            monoids_.store_total(whole, monoids_.all()[k], number, accs[k]);
        });
  });
}

void GpuChunks::later_pass_in_group(Code& code, const Operand& all) {
  const Operand one = const_i64(1);
  in_group(device_, code, all, [&](Code& inner, const Operand& number) {
    const std::vector<Accumulators> accs = monoids_.start_all(inner);
    const Operand chunk =
        segments_ == one ? number : inner.binop(BinOpKind::kRem, number, chunks_, "chunk");
    inner.branch(inner.less_i64(const_i64(0), chunk), [&](Code& at) {
      const Operand before = at.sub_i64(number, one);
      for (size_t k = 0; k < monoids_.all().size(); ++k) {
        const std::vector<Operand> values = monoids_.load_values(at, monoids_.all()[k], before);
        for (size_t v = 0; v < values.size(); ++v) at.add(Assign{accs[k][v], values[v]});
      }
    });
    walk_in_group(inner, number, [&](Code& each, const GpuPoint& p) {
      kernel_.point(
          each, p.indices,
          [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
            write_scanned(here, p, values, accs, Pass::kThird);
          });
    });
  });
}

// One chunk for each thread: partials[c] becomes the total of the chunks 0 … c of its segment; if
// nothing is scanned, only partials[0], that of all chunks.
void GpuChunks::combine_in_group(Code& code, const Operand& all) {
  if (combine_by_shuffles(code, all)) return code.add(Barrier{});
  const Operand thread = device_.group->thread;
  const Operand active = code.less_i64(thread, all);
  const bool flat = segments_ == Operand{const_i64(1)};
  const Operand chunk = flat ? thread : code.binop(BinOpKind::kRem, thread, chunks_, "chunk");
  sync(code);
  const Operand low = code.binop(BinOpKind::kAnd, chunk, const_i64(kNeighbours - 1), "low");
  const Operand first =
      code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, low, const_i64(0)}, "first");
  combine_round(code, code.both(active, first, "takes"), Readers::kNone,
                [&](Code& at, const Accs& accs) { take_neighbours(at, thread, chunk, accs); });
  const Operand before = code.sub_i64(chunk, low);
  const Operand begins =
      code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, chunk, const_i64(0)}, "begins");
  const Operand takes = rewalk_ ? code.less_i64(const_i64(0), before) : begins;
  combine_round(code, code.both(active, takes, "takes"),
                rewalk_ ? Readers::kOthers : Readers::kNone,
                [&](Code& at, const Accs& accs) { take_rest(at, thread, chunk, before, accs); });
  totals_in_group(code, active, chunk,
                  rewalk_ ? code.sub_i64(chunks_, const_i64(1)) : const_i64(0));
  code.add(Barrier{});
}

// The first thread of some neighbours goes through them; for a scan it leaves what it has so far.
void GpuChunks::take_neighbours(Code& code, const Operand& thread, const Operand& chunk,
                                const Accs& accs) {
  Accs running;
  for (size_t m = 0; m < accs.size(); ++m) {
    const Monoid& monoid = monoids_.all()[m];
    const std::vector<Operand> own = monoids_.load_values(code, monoid, thread);
    for (size_t v = 0; v < own.size(); ++v) code.add(Assign{accs[m][v], own[v]});
    running.push_back(rewalk_ ? monoids_.start(code, monoid) : accs[m]);
    if (!rewalk_) continue;
    for (size_t v = 0; v < own.size(); ++v) code.add(Assign{running[m][v], own[v]});
  }
  Code each(code.program());
  const Name k = code.fresh("k");
  const Operand other = each.add_i64(thread, k);
  for (size_t m = 0; m < accs.size(); ++m) {
    const Monoid& monoid = monoids_.all()[m];
    monoids_.combine(each, monoid, running[m], monoids_.load_values(each, monoid, other));
    if (rewalk_) monoids_.store_values(each, monoid, other, running[m]);
  }
  const Operand end = code.min_i64(const_i64(kNeighbours), code.sub_i64(chunks_, chunk));
  code.add(For{k, Prim::kI64, const_i64(1), end, const_i64(1), each.finish()});
}

// A scan: what all neighbours before those of the thread have, and then its own.  Totals alone:
// what all first threads have, taken by the first one of the segment.
void GpuChunks::take_rest(Code& code, const Operand& thread, const Operand& chunk,
                          const Operand& before, const Accs& accs) {
  const Operand base = code.sub_i64(thread, chunk);
  const Operand first = rewalk_ ? code.add_i64(base, const_i64(kNeighbours - 1)) : Operand{thread};
  for (size_t m = 0; m < accs.size(); ++m) {
    const std::vector<Operand> values = monoids_.load_values(code, monoids_.all()[m], first);
    for (size_t v = 0; v < values.size(); ++v) code.add(Assign{accs[m][v], values[v]});
  }
  Code each(code.program());
  const Name k = code.fresh("k");
  const Operand other = each.add_i64(first, k);
  for (size_t m = 0; m < accs.size(); ++m) {
    const Monoid& monoid = monoids_.all()[m];
    monoids_.combine(each, monoid, accs[m], monoids_.load_values(each, monoid, other));
  }
  const Operand end = rewalk_ ? code.sub_i64(before, const_i64(kNeighbours - 1)) : chunks_;
  code.add(For{k, Prim::kI64, const_i64(kNeighbours), end, const_i64(kNeighbours), each.finish()});
  if (!rewalk_) return;
  for (size_t m = 0; m < accs.size(); ++m) {
    const Monoid& monoid = monoids_.all()[m];
    monoids_.combine(code, monoid, accs[m], monoids_.load_values(code, monoid, thread));
  }
}

// What the thread takes; it stores what it has in the end, when others have read it if they do.
void GpuChunks::combine_round(Code& code, const Operand& takes, Readers readers,
                              const std::function<void(Code&, const Accs&)>& take) {
  GroupCode* const group = std::exchange(device_.group, nullptr);
  const Operand thread = group->thread;
  const Accs accs = monoids_.start_all(code);
  Code taking(code.program());
  taking.branch(takes, [&](Code& at) { take(at, accs); });
  Body body = taking.finish();
  const bool fails = may_leave(body);
  if (fails) {
    try_in_group(code, *group, code.add_i64(group->position, thread), std::move(body));
  } else {
    for (Stmt& stmt : body.stmts) code.add(std::move(stmt.node));
  }
  if (fails || readers == Readers::kOthers) code.add(Barrier{});
  code.branch(takes, [&](Code& at) {
    for (size_t k = 0; k < monoids_.all().size(); ++k)
      monoids_.store_values(at, monoids_.all()[k], thread, accs[k]);
  });
  code.add(Barrier{});
  device_.group = group;
  if (fails) stop_if_failed(device_, code);
  if (fails) code.add(Barrier{});
}

void GpuChunks::totals_in_group(Code& code, const Operand& active, const Operand& chunk,
                                const Operand& place) {
  GroupCode* const group = std::exchange(device_.group, nullptr);
  const Operand thread = group->thread;
  const bool flat = segments_ == Operand{const_i64(1)};
  const Operand has_total =
      code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, chunk, place}, "has_total");
  code.branch(code.both(active, has_total, "gives"), [&](Code& at) {
    const Operand segment =
        flat ? Operand{const_i64(0)} : at.binop(BinOpKind::kQuot, thread, chunks_, "segment");
    for (const Monoid& monoid : monoids_.all()) {
      if (monoid.is_scan) continue;
      const Accumulators acc = monoids_.start(at, monoid);
      const std::vector<Operand> values = monoids_.load_values(at, monoid, thread);
      for (size_t v = 0; v < values.size(); ++v) at.add(Assign{acc[v], values[v]});
      monoids_.store_total(at, monoid, segment, acc);
    }
  });
  device_.group = group;
}

void write_chunks_in_group(GpuKernel& kernel, Code& code) {
  GpuChunks(kernel).write_in_group(code);
}

}  // namespace skald::imp
