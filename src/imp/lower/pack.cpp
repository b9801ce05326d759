// SPDX-License-Identifier: Apache-2.0
// The members of a chunk of a partition, in pieces that stay in the first-level cache: their values
// and which of them are members are computed in vectors, then each class is packed into its buffer
// (imp::Pack).
#include "imp/lower/kernel_lowering.h"

namespace skald::imp {

using core::Sink;

namespace {

// Points of a piece.
constexpr int64_t kPackPiece = 512;

}  // namespace

// Can all that is done for a point be done in vectors, or later?
bool KernelLowering::can_pack(const std::vector<PartitionClass>& classes) const {
  if (!is_straight() || kernel_.domain.kind == core::Domain::kSeg) return false;
  for (const PartitionClass& each : classes)
    if (each.row_values == 0) return false;
  return true;
}

void KernelLowering::pack_members(Code& code, const Operand& begin, const Operand& end,
                                  const std::vector<PartitionClass>& classes,
                                  const std::vector<Name>& next,
                                  const std::vector<std::vector<Name>>& buffers) {
  // What the thunk gives, of each partition; and the members of each class.
  std::vector<Name> staged(kernel_.pull.results.size()), members;
  for (const PartitionClass& each : classes) {
    members.push_back(code.alloc(Space::kScratch, const_i64(kPackPiece), "chosen"));
    for (size_t v = 0; v < each.row_values; ++v) {
      Name& buffer = staged[each.info->values + 1 + v];
      const int64_t size = prim_size(result_place(each.first_result + v).type.elem);
      if (!buffer) buffer = code.alloc(Space::kScratch, const_i64(kPackPiece * size), "stage");
    }
  }
  code.loop(
      begin, end,
      [&](Code& piece, const Operand& first) {
        const Operand count = piece.min_i64(const_i64(kPackPiece), piece.sub_i64(end, first));
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
        for (size_t c = 0; c < classes.size(); ++c) {
          const PartitionClass& each = classes[c];
          Name found;
          for (size_t v = 0; v < each.row_values; ++v) {
            found = piece.fresh("found");
            piece.add(Pack{found, result_place(each.first_result + v).type.elem, buffers[c][v],
                           next[c], staged[each.info->values + 1 + v], members[c], count});
          }
          piece.add(Assign{next[c], piece.add_i64(next[c], found)});
        }
      },
      kPackPiece);
}

}  // namespace skald::imp
