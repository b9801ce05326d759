// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/members/member_counts.h"

namespace skald::imp {

namespace {

constexpr int64_t kWarpsOfGroup = kGroupThreads / kWarpThreads;

Operand bits_const(int64_t bits) {
  return core::const_int(Prim::kU32, bits);
}

Operand bits_op(Code& code, BinOpKind op, const Operand& a, const Operand& b) {
  return code.let(Prim::kU32, core::BinOp{op, Prim::kU32, a, b}, "bits");
}

Operand low_bits(Code& code, const Operand& word, int64_t shift, int64_t bits) {
  const Operand low = shift == 0 ? word : bits_op(code, BinOpKind::kLshr, word, bits_const(shift));
  return bits + shift == 32
             ? low
             : bits_op(code, BinOpKind::kAnd, low, bits_const((int64_t{1} << bits) - 1));
}

Operand bits_set_in(Code& code, const Operand& mask) {
  const Operand number =
      code.let(Prim::kI32, core::UnOp{core::UnOpKind::kPopc, Prim::kU32, mask}, "bits");
  return code.let(Prim::kU32, core::Bitcast{Prim::kI32, Prim::kU32, number}, "bits");
}

Operand widened(Code& code, const Operand& bits) {
  return code.let(Prim::kI64, core::Convert{Prim::kU32, Prim::kI64, bits}, "wide");
}

Operand clamped(Code& code, const Operand& number, int64_t most) {
  return code.max_i64(const_i64(0), code.min_i64(number, const_i64(most)));
}

}  // namespace

MemberCounts::MemberCounts(GpuKernel& gpu, const MemberPoints& points, int64_t tiles)
    : gpu_(gpu),
      points_(points),
      tiles_(tiles),
      bits_(kWarpThreads * points.of_set() < 256 ? 8 : 16) {
  for (const MemberPart& part : points.parts()) {
    first_class_.push_back(static_cast<size_t>(classes_));
    classes_ += static_cast<int64_t>(part.counted());
  }
}

void MemberCounts::make_room(Code& code) {
  for (size_t p = 0; p < points_.parts().size(); ++p) {
    std::vector<Name>& packed = packed_.emplace_back();
    const auto values = static_cast<size_t>(points_.parts()[p].info->sink->count) - 1;
    for (size_t v = 0; v < values; ++v)
      packed.push_back(code.alloc(
          Space::kShared, const_i64(tiles_ * points_.points() * prim_size(points_.type(p, v))),
          "packed"));
  }
  for (int64_t w = 0; w < packed_words(classes_); ++w)
    of_warps_.push_back(code.alloc(Space::kShared, const_i64(8 * kWarpsOfGroup), "of_warps"));
}

Operand MemberCounts::set_field(Code& code, const std::vector<Operand>& words, int64_t set) const {
  const Operand& word = words[static_cast<size_t>(set / sets_of_word())];
  return low_bits(code, word, set % sets_of_word() * bits_, bits_);
}

void MemberCounts::count(Code& code, Name thread) {
  const Operand lane = lane_of(code, thread);
  lanes_.clear();
  PackedCounts of_warp(static_cast<size_t>(packed_words(classes_)), const_i64(0));
  for (size_t p = 0; p < points_.parts().size(); ++p)
    for (size_t c = 0; c < points_.parts()[p].counted(); ++c) {
      const Operand mask = points_.mask(p, c);
      Lanes& lanes = lanes_.emplace_back();
      for (int64_t set = 0; set < points_.sets(); ++set) {
        const Operand members = low_bits(code, mask, set * points_.of_set(), points_.of_set());
        const Operand number = bits_set_in(code, members);
        const int64_t shift = set % sets_of_word() * bits_;
        if (shift == 0)
          lanes.all.push_back(number);
        else
          lanes.all.back() = bits_op(code, BinOpKind::kAdd, lanes.all.back(),
                                     bits_op(code, BinOpKind::kShl, number, bits_const(shift)));
      }
      for (Operand& word : lanes.all) {
        const Name through = code.var(Prim::kU32, word, "through");
        doubling_steps(code, [&](Code& at, const Operand& step) {
          const Operand other = at.shuffle(ShuffleKind::kUp, Prim::kU32, through, step, "other");
          const Operand has = at.less_i64(at.sub_i64(step, const_i64(1)), lane);
          const Operand more = at.let(Prim::kU32, core::Select{has, other, bits_const(0)}, "more");
          at.add(Assign{through, bits_op(at, BinOpKind::kAdd, through, more)});
        });
        lanes.before.push_back(bits_op(code, BinOpKind::kSub, through, word));
        word = code.shuffle(ShuffleKind::kIndex, Prim::kU32, through, const_i64(kWarpThreads - 1),
                            "all");
      }
      Operand number = bits_const(0);
      for (int64_t set = 0; set < points_.sets(); ++set)
        number = bits_op(code, BinOpKind::kAdd, number, set_field(code, lanes.all, set));
      const auto k = static_cast<int64_t>(lanes_.size()) - 1;
      Operand& word = of_warp[static_cast<size_t>(k / kCountFields)];
      word = code.add_i64(
          word, shift_left(code, widened(code, number), k % kCountFields * kCountFieldBits));
    }
  const Operand warp = warp_of(code, thread);
  code.branch(equals_i64(code, lane, const_i64(0)), [&](Code& at) {
    for (size_t w = 0; w < of_warp.size(); ++w)
      at.add(Store{Prim::kI64, of_warps_[w], warp, of_warp[w]});
  });
}

PackedCounts MemberCounts::all(Code& code, Name thread) {
  const Operand warp = warp_of(code, thread);
  PackedCounts all;
  before_.clear();
  for (const Name of_warps : of_warps_) {
    Operand before = const_i64(0), sum = const_i64(0);
    for (int64_t other = 0; other < kWarpsOfGroup; ++other) {
      const Operand members = code.load(Prim::kI64, of_warps, const_i64(other), "members");
      const Operand is_before = code.less_i64(const_i64(other), warp);
      before = code.add_i64(
          before, code.let(Prim::kI64, core::Select{is_before, members, const_i64(0)}, "before"));
      sum = code.add_i64(sum, members);
    }
    before_.push_back(before);
    all.push_back(sum);
  }
  return all;
}

std::vector<Operand> MemberCounts::fields(Code& code, const PackedCounts& counts) const {
  std::vector<Operand> fields;
  for (int64_t c = 0; c < classes_; ++c) fields.push_back(count_field(code, counts, c));
  return fields;
}

Operand MemberCounts::of_class(Code& code, size_t part, size_t c,
                               const std::vector<Operand>& counted, const Operand& points) const {
  const MemberPart& of = points_.parts()[part];
  if (c < of.counted()) return counted[first_class_[part] + c];
  Operand rest = points;
  for (size_t k = 0; k < of.counted(); ++k)
    rest = code.sub_i64(rest, counted[first_class_[part] + k]);
  return rest;
}

void MemberCounts::pack(Code& code, Name thread, const PackedCounts& all, const Operand& count) {
  const Operand lane = lane_of(code, thread);
  const int64_t of_warp = kWarpThreads * points_.row();
  const Operand begin = code.mul_i64(warp_of(code, thread), const_i64(of_warp));
  const std::vector<Operand> own = fields(code, all), before = fields(code, before_);
  for (size_t p = 0; p < points_.parts().size(); ++p) {
    // Where the next member of each class goes.
    std::vector<Name> next;
    Operand first = base_;
    for (size_t c = 0; c < points_.parts()[p].monoids.size(); ++c) {
      const Operand skipped = of_class(code, p, c, before, code.min_i64(begin, count));
      next.push_back(code.var(
          Prim::kI32,
          code.let(Prim::kI32, core::Convert{Prim::kI64, Prim::kI32, code.add_i64(first, skipped)},
                   "next"),
          "next"));
      first = code.add_i64(first, of_class(code, p, c, own, count));
    }
    pack_part(code, p, next, lane, code.sub_i64(count, begin));
  }
}

// `left`: how many points of the tile come from the first one of this warp on.
void MemberCounts::pack_part(Code& code, size_t part, const std::vector<Name>& next,
                             const Operand& lane, const Operand& left) {
  const MemberPart& of = points_.parts()[part];
  const int64_t of_set = points_.of_set(), of_warp = kWarpThreads * of_set;
  const auto narrow = [](Code& at, const Operand& number) {
    return at.let(Prim::kI32, core::Convert{Prim::kI64, Prim::kI32, number}, "narrow");
  };
  const auto add = [](Code& at, const Operand& a, const Operand& b) {
    return at.let(Prim::kI32, core::BinOp{BinOpKind::kAdd, Prim::kI32, a, b}, "place");
  };
  for (int64_t set = 0; set < points_.sets(); ++set) {
    const Operand of_set_left = code.sub_i64(left, const_i64(set * of_warp));
    std::vector<Operand> before, all;
    for (size_t c = 0; c < of.counted(); ++c) {
      const Lanes& lanes = lanes_[first_class_[part] + c];
      before.push_back(widened(code, set_field(code, lanes.before, set)));
      all.push_back(widened(code, set_field(code, lanes.all, set)));
    }
    if (of.has_all) {
      const Operand there = clamped(code, of_set_left, of_warp);
      Operand rest = there;
      Operand under = code.min_i64(code.mul_i64(lane, const_i64(of_set)), there);
      for (size_t c = 0; c < of.counted(); ++c) {
        rest = code.sub_i64(rest, all[c]);
        under = code.sub_i64(under, before[c]);
      }
      before.push_back(under);
      all.push_back(rest);
    }
    std::vector<Name> to;
    for (size_t c = 0; c < of.monoids.size(); ++c) {
      to.push_back(code.var(Prim::kI32, add(code, next[c], narrow(code, before[c])), "to"));
      code.add(Assign{next[c], add(code, next[c], narrow(code, all[c]))});
    }
    for (int64_t k = set * of_set; k < (set + 1) * of_set; ++k)
      for (size_t c = 0; c < of.monoids.size(); ++c) {
        const Operand bit = low_bits(code, points_.mask(part, c), k, 1);
        const Operand member = code.let(
            Prim::kBool, core::CmpOp{CmpOpKind::kNe, Prim::kU32, bit, bits_const(0)}, "member");
        code.branch(member, [&](Code& at) {
          const Operand place =
              at.let(Prim::kI64, core::Convert{Prim::kI32, Prim::kI64, to[c]}, "place");
          for (size_t v = 0; v < packed_[part].size(); ++v)
            at.add(Store{points_.type(part, v), packed_[part][v], place,
                         points_.value(at, part, v, const_i64(k))});
          at.add(Assign{to[c], add(at, to[c], core::const_int(Prim::kI32, 1))});
        });
      }
  }
}

void MemberCounts::store(Code& code, Name thread, const std::vector<Operand>& before,
                         const std::vector<Operand>& own, const Operand& points_before,
                         const Operand& count) {
  for (size_t p = 0; p < points_.parts().size(); ++p) {
    Operand first = base_;
    for (size_t c = 0; c < points_.parts()[p].monoids.size(); ++c) {
      const Operand members = of_class(code, p, c, own, count);
      store_class(code, thread, p, c, first, of_class(code, p, c, before, points_before), members);
      first = code.add_i64(first, members);
    }
  }
}

void MemberCounts::store_class(Code& code, Name thread, size_t part, size_t c, const Operand& first,
                               const Operand& place, const Operand& count) {
  const MemberPart& of = points_.parts()[part];
  const size_t results = of.info->results + of.monoids.size() + c * packed_[part].size();
  code.loop(
      thread, count,
      [&](Code& at, const Operand& k) {
        for (size_t v = 0; v < packed_[part].size(); ++v) {
          const Operand member =
              at.load(points_.type(part, v), packed_[part][v], at.add_i64(first, k), "member");
          gpu_.kernel.fn.store(at, gpu_.kernel.result_place(results + v), {at.add_i64(place, k)},
                               member);
        }
      },
      kGroupThreads);
}

}  // namespace skald::imp
