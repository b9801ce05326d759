// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/tiles/tile_members.h"

namespace skald::imp {

using core::Sink;

namespace {

constexpr int64_t kWarps = kGroupThreads / kWarpThreads;

Operand zero() {
  return core::const_int(Prim::kI32, 0);
}

Operand add_i32(Code& code, const Operand& a, const Operand& b) {
  return code.let(Prim::kI32, core::BinOp{BinOpKind::kAdd, Prim::kI32, a, b}, "count");
}

Operand as_i64(Code& code, const Operand& narrow) {
  return code.let(Prim::kI64, core::Convert{Prim::kI32, Prim::kI64, narrow}, "wide");
}

Operand bits_set(Code& code, const Operand& mask) {
  return code.let(Prim::kI32, core::UnOp{core::UnOpKind::kPopc, Prim::kU32, mask}, "bits");
}

// The bits of the lanes before this one.
Operand lanes_before(Code& code, Name thread) {
  const Operand bit = code.binop(BinOpKind::kShl, const_i64(1), lane_of(code, thread), "bit");
  return code.let(Prim::kU32,
                  core::Convert{Prim::kI64, Prim::kU32, code.sub_i64(bit, const_i64(1))}, "lower");
}

}  // namespace

TileMembers::TileMembers(GpuKernel& gpu, const Monoids& monoids, int64_t row, int64_t tiles)
    : gpu_(gpu), monoids_(monoids), row_(row), tiles_(tiles), counts_(monoids.all().size()) {
  for (const SinkInfo& info : gpu.kernel.facts.sinks) {
    if (info.sink->kind != Sink::kPartition) continue;
    Part& part = parts_.emplace_back(Part{&info, {}, {}});
    for (size_t k = 0; k < monoids.all().size(); ++k)
      if (monoids.all()[k].info == &info) part.monoids.push_back(k);
  }
}

int64_t TileMembers::bytes_of(const KernelWriter& kernel) {
  int64_t bytes = 0;
  for (const SinkInfo& info : kernel.facts.sinks)
    if (info.sink->kind == Sink::kPartition)
      for (int64_t v = 1; v < info.sink->count; ++v)
        bytes +=
            prim_size(kernel.node.pull.results[info.values + static_cast<size_t>(v)].type.elem);
  return bytes;
}

int64_t TileMembers::classes_of(const KernelWriter& kernel) {
  int64_t classes = 0;
  for (const SinkInfo& info : kernel.facts.sinks)
    if (info.sink->kind == Sink::kPartition) classes += info.sink->classes;
  return classes;
}

void TileMembers::make_room(Code& code) {
  for (Part& part : parts_)
    for (int64_t v = 1; v < part.info->sink->count; ++v) {
      const Prim type =
          gpu_.kernel.node.pull.results[part.info->values + static_cast<size_t>(v)].type.elem;
      part.packed.push_back(code.alloc(
          Space::kShared, const_i64(tiles_ * row_ * kGroupThreads * prim_size(type)), "packed"));
    }
}

void TileMembers::count(Code& code, Name thread, const Values& values) {
  for (const Part& part : parts_)
    for (const size_t k : part.monoids) counts_[k].total = code.var(Prim::kI32, zero(), "members");
  code.loop(
      const_i64(0), const_i64(row_),
      [&](Code& at, const Operand& k) {
        const std::vector<Operand> point = values(at, k);
        for (const Part& part : parts_)
          for (const size_t m : part.monoids) {
            const Operand member = Monoids::is_member(at, monoids_.all()[m], point);
            const Operand one =
                at.let(Prim::kI32, core::Convert{Prim::kBool, Prim::kI32, member}, "one");
            at.add(Assign{counts_[m].total, add_i32(at, counts_[m].total, one)});
          }
      },
      1, LoopHint::kUnroll);
  doubling_steps(code, [&](Code& at, const Operand& step) {
    for (const Part& part : parts_)
      for (const size_t m : part.monoids) {
        const Operand other =
            at.shuffle(ShuffleKind::kXor, Prim::kI32, counts_[m].total, step, "other");
        at.add(Assign{counts_[m].total, add_i32(at, counts_[m].total, other)});
      }
  });
  const Operand warp = warp_of(code, thread);
  const Operand is_first = equals_i64(code, lane_of(code, thread), const_i64(0));
  std::vector<Name> of_warps(counts_.size());
  for (const Part& part : parts_)
    for (const size_t m : part.monoids) {
      of_warps[m] = code.alloc(Space::kShared, const_i64(4 * kWarps), "of_warps");
      code.branch(is_first, [&](Code& at) {
        at.add(Store{Prim::kI32, of_warps[m], warp, counts_[m].total});
      });
    }
  code.add(Barrier{});
  for (const Part& part : parts_)
    for (const size_t m : part.monoids) {
      code.add(Assign{counts_[m].total, zero()});
      counts_[m].before = code.var(Prim::kI32, zero(), "before");
      code.loop(
          const_i64(0), const_i64(kWarps),
          [&](Code& at, const Operand& other) {
            const Operand is_mine = equals_i64(at, other, warp);
            at.branch(is_mine,
                      [&](Code& here) { here.add(Assign{counts_[m].before, counts_[m].total}); });
            at.add(Assign{
                counts_[m].total,
                add_i32(at, counts_[m].total, at.load(Prim::kI32, of_warps[m], other, "members"))});
          },
          1, LoopHint::kUnroll);
    }
}

Operand TileMembers::total(Code& code, size_t k) const {
  return as_i64(code, counts_[k].total);
}

void TileMembers::pack(Code& code, Name thread, const Values& values) {
  const Operand lower = lanes_before(code, thread);
  // Where the next member of each class goes.
  for (const Part& part : parts_) {
    Operand first = zero();
    for (const size_t m : part.monoids) {
      code.add(Assign{counts_[m].before, add_i32(code, first, counts_[m].before)});
      first = add_i32(code, first, counts_[m].total);
    }
  }
  code.loop(
      const_i64(0), const_i64(row_),
      [&](Code& at, const Operand& k) {
        const std::vector<Operand> point = values(at, k);
        for (const Part& part : parts_) {
          const Name to = at.var(Prim::kI32, core::const_int(Prim::kI32, -1), "to");
          for (const size_t m : part.monoids) {
            const Operand member = Monoids::is_member(at, monoids_.all()[m], point);
            const Operand mask = at.ballot(member);
            const Operand under =
                at.let(Prim::kU32, core::BinOp{BinOpKind::kAnd, Prim::kU32, mask, lower}, "under");
            const Operand place = add_i32(at, counts_[m].before, bits_set(at, under));
            at.add(Assign{to, at.let(Prim::kI32, core::Select{member, place, to}, "to")});
            at.add(Assign{counts_[m].before, add_i32(at, counts_[m].before, bits_set(at, mask))});
          }
          const Operand rank = as_i64(at, to);
          at.branch(at.less_i64(const_i64(-1), rank), [&](Code& here) {
            const Operand place = here.add_i64(base_, rank);
            for (size_t v = 0; v < part.packed.size(); ++v) {
              const size_t value = part.info->values + 1 + v;
              here.add(Store{gpu_.kernel.node.pull.results[value].type.elem, part.packed[v], place,
                             point[value]});
            }
          });
        }
      },
      1, LoopHint::kUnroll);
}

void TileMembers::store(Code& code, Name thread, const TileState& before, const TileState& own) {
  for (const Part& part : parts_) store_part(code, thread, part, before, own);
}

void TileMembers::store_part(Code& code, Name thread, const Part& part, const TileState& before,
                             const TileState& own) {
  const size_t results = part.info->results + part.monoids.size();
  Operand first = base_;
  for (size_t c = 0; c < part.monoids.size(); ++c) {
    const size_t m = part.monoids[c];
    const Operand count = own.accs[m][0], place = before.accs[m][0], begin = first;
    code.loop(
        thread, count,
        [&](Code& at, const Operand& k) {
          for (size_t v = 0; v < part.packed.size(); ++v) {
            const Prim type = gpu_.kernel.node.pull.results[part.info->values + 1 + v].type.elem;
            const Operand member = at.load(type, part.packed[v], at.add_i64(begin, k), "member");
            gpu_.kernel.fn.store(at, gpu_.kernel.result_place(results + c * part.packed.size() + v),
                                 {at.add_i64(place, k)}, member);
          }
        },
        kGroupThreads);
    first = code.add_i64(first, count);
  }
}

}  // namespace skald::imp
