// SPDX-License-Identifier: Apache-2.0
// Members of a chunk of a partition.
//
// In pieces that stay in the first-level cache: their values and which of them are members are
// computed in vectors, then each class is packed into its buffer (imp::Pack).
//
// Elements of large arrays that are chosen by little code are not copied twice: they are counted
// first, and when it is known where they belong, packed straight from the array, of which this part
// is in the second-level cache by then, to the result, past the caches.
#include <bit>

#include "core/visit.h"
#include "imp/lower/kernel_lowering.h"

namespace skald::imp {

using core::Sink;

namespace {

// Points of a piece.
constexpr int64_t kPackPiece = 512;
// The same if they are written past the caches: so few that they stay in the first-level cache, so
// many that lines of which only a part is written do not matter.
constexpr int64_t kStreamedPiece = 2048;

// Is it cheaper to compute which points are chosen twice than to keep them?
bool is_cheap_choice(const core::Body& body) {
  constexpr size_t kMostStatements = 6;
  for (const core::Stmt& stmt : body.stmts) {
    const auto* unary = core::as<core::UnOp>(stmt.exp);
    const auto* binary = core::as<core::BinOp>(stmt.exp);
    if (unary != nullptr && unary->op >= UnOpKind::kSqrt) return false;
    if (binary == nullptr || binary->op < BinOpKind::kDiv) continue;
    // Bits are taken by remainders, too.
    const bool division = binary->op == BinOpKind::kMod || binary->op == BinOpKind::kDiv ||
                          binary->op == BinOpKind::kRem || binary->op == BinOpKind::kQuot;
    const core::Const* by = core::as_const(binary->rhs);
    if (division && (!is_int(binary->type) || by == nullptr ||
                     !std::has_single_bit(static_cast<uint64_t>(core::int_value(*by)))))
      return false;
    if (binary->op == BinOpKind::kPow || binary->op >= BinOpKind::kAtan2) return false;
  }
  return body.stmts.size() <= kMostStatements;
}

}  // namespace

// Can all that is done for a point be done in vectors, or later?
bool KernelLowering::can_pack(const std::vector<PartitionClass>& classes) const {
  if (!is_straight() || kernel_.domain.kind == core::Domain::kSeg) return false;
  for (const PartitionClass& each : classes)
    if (each.row_values == 0) return false;
  return true;
}

// Marks the members among the points begin … end-1, `size` at a time; then pack(code, class, places
// of the thunk's values, marks, count) moves those of each class together.
void KernelLowering::pack_pieces(Code& code, const Operand& begin, const Operand& end, int64_t size,
                                 const std::vector<PartitionClass>& classes,
                                 const PackPiece& pack) {
  // What the thunk gives, unless it is an element that lies in an array in the order of the points;
  // and the members of each class.
  std::vector<std::optional<size_t>> reads(kernel_.pull.results.size());
  std::vector<Name> staged(kernel_.pull.results.size()), members;
  for (const PartitionClass& each : classes) {
    members.push_back(code.alloc(Space::kScratch, const_i64(size), "chosen"));
    for (size_t v = each.info->values + 1; v <= each.info->values + each.row_values; ++v) {
      reads[v] = plain_read(code, v);
      if (reads[v] || staged[v]) continue;
      const int64_t bytes = prim_size(kernel_.pull.results[v].type.elem);
      staged[v] = code.alloc(Space::kScratch, const_i64(size * bytes), "stage");
    }
  }
  code.loop(
      begin, end,
      [&](Code& piece, const Operand& first) {
        const Operand count = piece.min_i64(const_i64(size), piece.sub_i64(end, first));
        piece.loop(
            const_i64(0), count,
            [&](Code& at, const Operand& j) {
              point(
                  at, {at.add_i64(first, j)},
                  [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
                    for (size_t v = 0; v < staged.size(); ++v)
                      if (staged[v])
                        here.add(Store{kernel_.pull.results[v].type.elem, staged[v], j, values[v]});
                    for (size_t c = 0; c < classes.size(); ++c)
                      here.add(Store{
                          Prim::kBool, members[c], j,
                          is_member(here, values[classes[c].info->values], classes[c].number)});
                  });
            },
            1, LoopHint::kSimd);
        PackSources from(staged.size());
        for (size_t v = 0; v < staged.size(); ++v) {
          if (reads[v])
            from[v] = read_place(piece, *reads[v], {first});
          else
            from[v] = {staged[v], const_i64(0)};
        }
        for (size_t c = 0; c < classes.size(); ++c) pack(piece, c, from, members[c], count);
      },
      size);
}

void KernelLowering::pack_members(Code& code, const Operand& begin, const Operand& end,
                                  const std::vector<PartitionClass>& classes,
                                  const std::vector<Name>& next,
                                  const std::vector<std::vector<Name>>& buffers) {
  pack_pieces(
      code, begin, end, kPackPiece, classes,
      [&](Code& piece, size_t c, const PackSources& from, Name members, const Operand& count) {
        const PartitionClass& each = classes[c];
        Name found;
        for (size_t v = 0; v < each.row_values; ++v) {
          found = piece.fresh("found");
          const auto& [block, start] = from[each.info->values + 1 + v];
          piece.add(Pack{found, result_place(each.first_result + v).type.elem, buffers[c][v],
                         next[c], block, start, members, count});
        }
        piece.add(Assign{next[c], piece.add_i64(next[c], found)});
      });
}

// ---- large results

// Elements of arrays in the order of the points, chosen by little code, need not be kept until it
// is known where they belong.
bool KernelLowering::should_count_first(Code& code,
                                        const std::vector<PartitionClass>& classes) const {
  if (classes.size() != 1 || !is_cheap_choice(kernel_.pull.body)) return false;
  for (size_t v = 0; v < classes[0].row_values; ++v)
    if (!plain_read(code, classes[0].info->values + 1 + v)) return false;
  return true;
}

void KernelLowering::count_members(Code& code, const Operand& begin, const Operand& end,
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
          point(at, {at.add_i64(first, lane)},
                [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
                  count(here, lane, values);
                });
        });
      },
      kLanes);
  code.short_loop(whole, end, [&](Code& at, const Operand& i) {
    point(at, {i},
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

void KernelLowering::stream_members(Code& code, const Operand& begin, const Operand& end,
                                    const PartitionClass& each, Name place,
                                    const std::vector<Name>& buffers) {
  pack_pieces(
      code, begin, end, kStreamedPiece, {each},
      [&](Code& piece, size_t, const PackSources& from, Name members, const Operand& count) {
        Name found;
        for (size_t v = 0; v < each.row_values; ++v) {
          const ArrayPlace& rows = result_place(each.first_result + v);
          const Operand to = piece.add_i64(rows.loc.offset, place);
          const auto& [block, start] = from[each.info->values + 1 + v];
          found = piece.fresh("found");
          piece.add(Pack{found, rows.type.elem, rows.loc.block, to, block, start, members, count,
                         buffers[v]});
        }
        piece.add(Assign{place, piece.add_i64(place, found)});
      });
}

}  // namespace skald::imp
