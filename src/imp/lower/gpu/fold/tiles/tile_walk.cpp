// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/tiles/tile_walk.h"

#include "imp/lower/gpu/fold/tiles/tile_state.h"

namespace skald::imp {

void TileWalk::plan(Code& host) {
  if (!moves_in_grid()) return;
  std::vector<Operand> dims;
  for (const Operand& dim : gpu_.kernel.facts.dims) dims.push_back(host.max_i64(dim, const_i64(1)));
  step_digits_ = unflatten(host, const_i64(kWarpThreads), dims);
}

void TileWalk::begin(Code& code, Name thread, const Operand& first, const Operand& count,
                     const Operand* segment) {
  thread_ = thread;
  first_ = first;
  count_ = count;
  const Operand of_warp = code.mul_i64(warp_of(code, thread), const_i64(kWarpThreads * row_));
  own_ = code.add_i64(of_warp, lane_of(code, thread));
  const std::vector<Operand>& dims = gpu_.kernel.facts.dims;
  if (gpu_.is_seg()) return lengths_.find(code, thread, first, count);
  if (dims.size() == 1) return;
  if (segment == nullptr) {
    tile_indices_ = unflatten(code, first, dims);
    return;
  }
  tile_indices_ = unflatten(code, *segment, std::vector<Operand>(dims.begin(), dims.end() - 1));
  tile_indices_.push_back(const_i64(0));
}

// How many points come after the one at `offset`, in 32 bits; none or less if it is not there.
Operand TileWalk::left_from(Code& code, const Operand& offset) const {
  return code.let(Prim::kI32, core::Convert{Prim::kI64, Prim::kI32, code.sub_i64(count_, offset)},
                  "left");
}

Operand TileWalk::is_within(Code& code, const Operand& distance, const Operand& left) {
  const Operand narrow =
      code.let(Prim::kI32, core::Convert{Prim::kI64, Prim::kI32, distance}, "distance");
  return code.let(Prim::kBool, core::CmpOp{CmpOpKind::kLt, Prim::kI32, narrow, left}, "within");
}

Operand TileWalk::offset(Code& code, const Operand& k) {
  return code.add_i64(own_, code.mul_i64(k, const_i64(kWarpThreads)));
}

void TileWalk::start(Code& code) {
  indices_.clear();
  if (!moves_in_grid()) return;
  const TilePoints tile(tile_indices_, gpu_.kernel.facts.dims);
  for (const Operand& index : tile.at(code, own_))
    indices_.push_back(code.var(Prim::kI64, index, "index"));
}

// The next point of the thread: its indices and those of the step are added, with carries.
void TileWalk::advance_in_grid(Code& code) {
  Operand carry = const_i64(0);
  for (size_t k = indices_.size(); k-- > 0;) {
    const Operand sum = code.add_i64(code.add_i64(indices_[k], step_digits_[k]), carry);
    if (k == 0) {
      code.add(Assign{indices_[k], sum});
      break;
    }
    const Operand& dim = gpu_.kernel.facts.dims[k];
    const Operand fits = code.less_i64(sum, dim);
    carry = code.let(Prim::kI64, core::Select{fits, const_i64(0), const_i64(1)}, "carry");
    const Operand less = code.sub_i64(sum, dim);
    code.add(Assign{indices_[k], code.let(Prim::kI64, core::Select{fits, sum, less}, "index")});
  }
}

GpuPoint TileWalk::point(Code& code, const Operand& offset) {
  if (gpu_.is_seg()) return lengths_.point(code, offset);
  std::vector<Operand> indices;
  if (moves_in_grid()) {
    for (const Name index : indices_)
      indices.push_back(code.let(Prim::kI64, core::Value{index}, "at"));
  } else {
    indices.assign(gpu_.kernel.facts.dims.size() - 1, const_i64(0));
    indices.push_back(code.add_i64(first_, offset));
  }
  return {indices, indices, offset};
}

void TileWalk::each(Code& code, bool unrolled, int64_t from, int64_t to, const PointBody& body,
                    const Body& absent) {
  const auto loop = [&](Code& at, const Body& inside) {
    at.loop(
        const_i64(from), const_i64(to),
        [&](Code& here, const Operand& k) {
          inside(here, k, offset(here, k));
          if (moves_in_grid()) advance_in_grid(here);
        },
        1, unrolled ? LoopHint::kUnroll : LoopHint::kNone);
  };
  const auto inside = [&](Code& at, const Operand& k, const Operand& place) {
    body(at, k, point(at, place), place);
  };
  const auto guarded = [&](Code& at) {
    const Operand left = left_from(at, own_);
    loop(at, [&](Code& here, const Operand& k, const Operand& place) {
      here.branch(
          is_within(here, here.mul_i64(k, const_i64(kWarpThreads)), left),
          [&](Code& in) { inside(in, k, place); },
          [&](Code& out) {
            if (absent) absent(out, k, place);
          });
    });
  };
  if (!unrolled) return guarded(code);
  code.branch(code.less_i64(count_, const_i64(points())), guarded,
              [&](Code& whole) { loop(whole, inside); });
}

void TileWalk::each_offset(Code& code, int64_t from, int64_t to, const Body& body,
                           const Body& absent) {
  const auto loop = [&](Code& at, const Body& inside) {
    at.loop(
        const_i64(from), const_i64(to),
        [&](Code& here, const Operand& k) { inside(here, k, offset(here, k)); }, 1,
        LoopHint::kUnroll);
  };
  code.branch(
      code.less_i64(count_, const_i64(points())),
      [&](Code& some) {
        const Operand left = left_from(some, own_);
        loop(some, [&](Code& at, const Operand& k, const Operand& place) {
          at.branch(
              is_within(at, at.mul_i64(k, const_i64(kWarpThreads)), left),
              [&](Code& in) { body(in, k, place); }, [&](Code& out) { absent(out, k, place); });
        });
      },
      [&](Code& whole) { loop(whole, body); });
}

void TileWalk::each_of_row(Code& code, bool unrolled, const Body& body) {
  const Operand first = code.mul_i64(thread_, const_i64(row_));
  const auto loop = [&](Code& at, const Body& inside) {
    at.loop(
        const_i64(0), const_i64(row_),
        [&](Code& here, const Operand& k) { inside(here, k, here.add_i64(first, k)); }, 1,
        unrolled ? LoopHint::kUnroll : LoopHint::kNone);
  };
  const auto guarded = [&](Code& at) {
    const Operand left = left_from(at, first);
    loop(at, [&](Code& here, const Operand& k, const Operand& place) {
      here.branch(is_within(here, k, left), [&](Code& in) { body(in, k, place); });
    });
  };
  if (!unrolled) return guarded(code);
  code.branch(code.less_i64(count_, const_i64(points())), guarded,
              [&](Code& whole) { loop(whole, body); });
}

Operand TileWalk::left_of_segment(Code& code) {
  const std::vector<Operand> shape = {gpu_.segments, gpu_.length};
  const TilePoints tile({const_i64(0), tile_indices_.back()}, shape);
  const Operand within = tile.at(code, code.mul_i64(thread_, const_i64(row_)))[1];
  const Operand starts = code.less_i64(within, const_i64(1));
  const Operand left = code.sub_i64(gpu_.length, within);
  return narrow_length(code,
                       code.let(Prim::kI64, core::Select{starts, const_i64(0), left}, "left"));
}

Operand TileWalk::narrow_length(Code& code, const Operand& length) {
  const Operand least = code.min_i64(length, const_i64(2 * kMostTilePoints));
  return code.let(Prim::kI32, core::Convert{Prim::kI64, Prim::kI32, least}, "narrow");
}

}  // namespace skald::imp
