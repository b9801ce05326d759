// SPDX-License-Identifier: Apache-2.0
// Members of a chunk of a partition: computed, chosen and moved together in vectors, in one loop
// (imp::Collect).
//
// Those of large results that are chosen by little code are not kept until it is known where they
// belong: they are counted first, and then packed from the arrays, of which this part is in the
// second-level cache by then, and written past the caches, a piece at a time.
#include <algorithm>
#include <bit>

#include "core/ir/visit.h"
#include "core/scalar/operator_class.h"
#include "imp/lower/cpu/partition/partition.h"

namespace skald::imp {

namespace {

// Points that are packed before they are written past the caches: so few that they stay in the
// first-level cache, so many that what is done for each piece does not matter.
constexpr int64_t kStreamedPiece = 2048;
constexpr int64_t kLine = 64;

}  // namespace

bool can_pack(const KernelFacts& facts, const std::vector<PartitionClass>& classes) {
  return !facts.is_seg && std::ranges::all_of(classes, [](const PartitionClass& each) {
    return each.row_values > 0;
  });
}

void pack_members(KernelWriter& kernel, Code& code, const Operand& begin, const Operand& end,
                  const std::vector<PartitionClass>& classes, const std::vector<Name>& next,
                  const std::vector<std::vector<Name>>& buffers, bool again) {
  kernel.points(
      code, begin, end,
      [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
        for (size_t c = 0; c < classes.size(); ++c) {
          const PartitionClass& each = classes[c];
          Collect collect{is_member(here, values[each.info->values], each.number), next[c], {}};
          collect.again = again;
          for (size_t v = 0; v < each.row_values; ++v)
            collect.members.push_back({kernel.result_place(each.first_result + v).type.elem,
                                       buffers[c][v], values[each.info->values + 1 + v]});
          here.add(std::move(collect));
        }
      },
      LoopHint::kSimd);
}

// ---- large results

// Is it cheaper to compute which points are chosen twice than to keep them?
bool is_cheap_choice(const core::Body& body) {
  constexpr size_t kMostStatements = 6;
  for (const core::Stmt& stmt : body.stmts) {
    if (!core::is_slow(stmt.exp)) continue;
    // Bits are taken by remainders, too.
    if (!core::divides_by_constant(stmt.exp)) return false;
    const core::Const* by = core::as_const(core::as<core::BinOp>(stmt.exp)->rhs);
    if (!std::has_single_bit(static_cast<uint64_t>(core::int_value(*by)))) return false;
  }
  return body.stmts.size() <= kMostStatements;
}

void count_members(KernelWriter& kernel, Code& code, const Operand& begin, const Operand& end,
                   const PartitionClass& each, Name next) {
  const Name lanes =
      code.alloc(Space::kScratch, const_i64(kLanes * prim_size(Prim::kI32)), "lanes");
  const auto each_lane = [&](Code& at, const auto& body) {
    at.loop(const_i64(0), const_i64(kLanes), body, 1, LoopHint::kSimd);
  };
  each_lane(code, [&](Code& at, const Operand& lane) {
    at.add(Store{Prim::kI32, lanes, lane, core::const_int(Prim::kI32, 0)});
  });
  const Operand length = code.sub_i64(end, begin);
  const Operand rest = code.binop(BinOpKind::kAnd, length, const_i64(kLanes - 1), "rest");
  const Operand whole = code.sub_i64(end, rest);
  const auto count = [&](Code& here, const Operand& lane, const std::vector<Operand>& values) {
    const Operand member = is_member(here, values[each.info->values], each.number);
    const Operand one = here.let(Prim::kI32, core::Convert{Prim::kBool, Prim::kI32, member}, "one");
    const Operand before = here.load(Prim::kI32, lanes, lane, "count");
    const Operand after =
        here.let(Prim::kI32, core::BinOp{BinOpKind::kAdd, Prim::kI32, before, one}, "count");
    here.add(Store{Prim::kI32, lanes, lane, after});
  };
  code.loop(
      begin, whole,
      [&](Code& group, const Operand& first) {
        each_lane(group, [&](Code& at, const Operand& lane) {
          kernel.point(at, {at.add_i64(first, lane)},
                       [&](Code& here, const std::vector<Operand>&,
                           const std::vector<Operand>& values) { count(here, lane, values); });
        });
      },
      kLanes);
  code.short_loop(whole, end, [&](Code& at, const Operand& i) {
    kernel.point(at, {i},
                 [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
                   count_member(here, values[each.info->values], each.number, next);
                 });
  });
  code.short_loop(const_i64(0), const_i64(kLanes), [&](Code& at, const Operand& lane) {
    const Operand found = at.load(Prim::kI32, lanes, lane, "count");
    const Operand more = at.let(Prim::kI64, core::Convert{Prim::kI32, Prim::kI64, found}, "more");
    at.add(Assign{next, at.add_i64(next, more)});
  });
}

void copy_members(KernelWriter& kernel, Code& code, const PartitionClass& each,
                  const Operand& place, const Operand& count, const std::vector<Name>& buffers,
                  bool stream) {
  for (size_t v = 0; v < each.row_values; ++v) {
    const ArrayPlace& rows = kernel.result_place(each.first_result + v);
    const Operand width = const_i64(prim_size(rows.type.elem));
    CopyBytes copy{rows.loc.block, code.mul_i64(code.add_i64(rows.loc.offset, place), width),
                   buffers[v], const_i64(0), code.mul_i64(count, width)};
    copy.stream = stream;
    code.add(copy);
  }
}

// Whole lines are written, and what is left of a piece waits in front of the next one.
void stream_members(KernelWriter& kernel, Code& code, const Operand& begin, const Operand& end,
                    const PartitionClass& each, Name place, const std::vector<Name>& buffers) {
  int64_t least = kLine;
  const auto place_of = [&](size_t v) { return kernel.result_place(each.first_result + v); };
  for (size_t v = 0; v < each.row_values; ++v)
    least = std::min<int64_t>(least, prim_size(place_of(v).type.elem));
  const int64_t line = kLine / least;
  const Name have = code.var(Prim::kI64, const_i64(0), "have");
  // The first `count` of what is there goes to its place.
  const auto write = [&](Code& at, const Operand& count, bool stream) {
    copy_members(kernel, at, each, place, count, buffers, stream);
  };
  code.loop(
      begin, end,
      [&](Code& piece, const Operand& first) {
        const Operand last = piece.min_i64(end, piece.add_i64(first, const_i64(kStreamedPiece)));
        pack_members(kernel, piece, first, last, {each}, {have}, {buffers}, true);
        const Operand from = piece.add_i64(place_of(0).loc.offset, place);
        const Operand filled = piece.add_i64(from, have);
        const Operand whole = piece.binop(BinOpKind::kAnd, filled, const_i64(-line), "whole");
        const Operand count =
            piece.binop(BinOpKind::kMax, piece.sub_i64(whole, from), const_i64(0), "count");
        write(piece, count, true);
        for (size_t v = 0; v < each.row_values; ++v) {
          const int64_t width = prim_size(place_of(v).type.elem);
          CopyBytes rest{buffers[v], const_i64(0), buffers[v],
                         piece.mul_i64(count, const_i64(width)), const_i64(line * width)};
          rest.overlap = true;
          piece.add(rest);
        }
        piece.add(Assign{place, piece.add_i64(place, count)});
        piece.add(Assign{have, piece.sub_i64(have, count)});
      },
      kStreamedPiece);
  write(code, have, false);
}

}  // namespace skald::imp
