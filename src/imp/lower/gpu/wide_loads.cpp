// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/wide_loads.h"

#include <algorithm>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "imp/lower/common/lane_code.h"

namespace skald::imp {

namespace {

// Of the registers of a thread, for what is under way.
constexpr int64_t kBytesUnderWay = 64;
constexpr int64_t kMostSets = 4;
// Larger thunks have no registers left.
constexpr size_t kMostWideStatements = 128;

}  // namespace

void each_set(Code& code, int64_t sets, const Code::LoopBody& body) {
  if (sets == 1) return body(code, const_i64(0));
  code.loop(const_i64(0), const_i64(sets), body, 1, LoopHint::kUnroll);
}

Operand is_whole(Code& code, Prim type, const Operand& elements) {
  const Operand after =
      code.binop(BinOpKind::kAnd, elements, const_i64(kWideBytes / prim_size(type) - 1), "after");
  return code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, after, const_i64(0)},
                  "aligned");
}

Operand is_aligned(Code& code, Prim type, Name block, const Operand& place) {
  const Name begin = code.fresh("begin");
  code.add(Misaligned{begin, type, block});
  return is_whole(code, type, code.add_i64(place, begin));
}

WideLoads::WideLoads(GpuKernel& gpu, size_t along, int64_t least)
    : kernel_(gpu.kernel), along_(along) {
  const core::Lambda& pull = kernel_.node.pull;
  // What comes after a scan may have checks.
  const bool simple =
      kernel_.facts.scalar_code || (!kernel_.node.guarded && is_straight_line(pull.body));
  if (!simple || core::statement_count(pull.body) > kMostWideStatements) return;
  Code elsewhere(kernel_.fn.prog);
  int64_t bytes = 0;
  points_ = least;
  for (const Access& access : kernel_.accesses(elsewhere)) {
    if (!is_step(access.steps[along_], 1)) continue;
    loads_.push_back({access.stmt, pull.body.stmts[access.stmt].pat[0].type.elem});
    points_ = std::max(points_, loads_.back().at_once());
    bytes += prim_size(loads_.back().type);
  }
  if (points_ * bytes > kBytesUnderWay) {
    loads_.clear();
    points_ = 1;
  }
}

int64_t WideLoads::sets() const {
  int64_t bytes = 0;
  for (const Wide& load : loads_) bytes += points_ * prim_size(load.type);
  return std::clamp<int64_t>(kBytesUnderWay / std::max<int64_t>(bytes, 1), 1, kMostSets);
}

Operand WideLoads::head(Code& code, const std::vector<Operand>& row, const Operand& length) {
  std::vector<Operand> first = row;
  first[along_] = const_i64(0);
  const auto low = [&](const Operand& number, int64_t size) {
    return code.binop(BinOpKind::kAnd, number, const_i64(size - 1), "low");
  };
  // How many elements each load lies after a multiple of what is loaded at once.
  std::vector<Operand> after;
  const Wide* narrowest = &loads_[0];
  Operand head = const_i64(0), agree = core::const_bool(true);
  for (const Wide& load : loads_) {
    const auto [block, place] = kernel_.read_place(code, load.stmt, first);
    const Name begin = code.fresh("begin");
    code.add(Misaligned{begin, load.type, block});
    after.push_back(code.add_i64(place, begin));
    if (load.at_once() >= narrowest->at_once()) narrowest = &load;
  }
  const auto number = static_cast<size_t>(narrowest - loads_.data());
  head = low(code.sub_i64(const_i64(0), after[number]), narrowest->at_once());
  for (size_t k = 0; k < loads_.size(); ++k) {
    if (k == number) continue;
    const Operand rest = low(code.add_i64(after[k], head), loads_[k].at_once());
    const Operand none = code.let(
        Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, rest, const_i64(0)}, "aligned");
    agree = code.both(agree, none, "agree");
  }
  const Operand most = code.min_i64(head, length);
  if (loads_.size() == 1) return most;
  return code.let(Prim::kI64, core::Select{agree, most, length}, "head");
}

Operand WideLoads::aligned(Code& code, const std::vector<Operand>& at) {
  Operand all = core::const_bool(true);
  for (const Wide& load : loads_) {
    const auto [block, place] = kernel_.read_place(code, load.stmt, at);
    all = code.both(all, is_aligned(code, load.type, block, place), "aligned");
  }
  return all;
}

Operand WideLoads::aligned_in_all_rows(Code& code) {
  Operand all = aligned(code, std::vector<Operand>(kernel_.facts.dims.size(), const_i64(0)));
  for (const Access& access : kernel_.accesses(code)) {
    const auto load = std::ranges::find(loads_, access.stmt, &Wide::stmt);
    if (load == loads_.end()) continue;
    for (size_t k = 0; k < access.steps.size(); ++k) {
      if (k == along_) continue;
      if (!access.steps[k]) return core::const_bool(false);
      all = code.both(all, is_whole(code, load->type, *access.steps[k]), "aligned");
    }
  }
  return all;
}

void WideLoads::make_room(Code& code, int64_t sets) {
  for (Wide& load : loads_)
    load.room =
        code.alloc(Space::kPrivate, const_i64(sets * points_ * prim_size(load.type)), "wide");
}

void WideLoads::load(Code& code, const Operand& set, const std::vector<Operand>& first) {
  for (const Wide& load : loads_) {
    const int64_t size = prim_size(load.type);
    const auto [block, place] = kernel_.read_place(code, load.stmt, first);
    const Operand to = code.mul_i64(set, const_i64(points_ * size));
    const Operand from = code.mul_i64(place, const_i64(size));
    for (int64_t k = 0; k < points_; k += load.at_once())
      code.add(CopyBytes{load.room, code.add_i64(to, const_i64(k * size)), block,
                         code.add_i64(from, const_i64(k * size)), const_i64(kWideBytes), false,
                         false, load.type});
  }
}

void WideLoads::load_singly(Code& code, const Operand& set, const std::vector<Operand>& first) {
  for (const Wide& load : loads_) {
    const auto [block, place] = kernel_.read_place(code, load.stmt, first);
    const Operand to = code.mul_i64(set, const_i64(points_));
    for (int64_t k = 0; k < points_; ++k) {
      const Operand one = code.load(load.type, block, code.add_i64(place, const_i64(k)), "single");
      code.add(Store{load.type, load.room, code.add_i64(to, const_i64(k)), one});
    }
  }
}

std::vector<Operand> WideLoads::values(Code& code, const Operand& set, const Operand& k,
                                       const std::vector<Operand>& indices) {
  const Operand place = code.add_i64(code.mul_i64(set, const_i64(points_)), k);
  return kernel_.values_with(code, indices, [&](size_t stmt) -> std::optional<Operand> {
    const auto load = std::ranges::find(loads_, stmt, &Wide::stmt);
    if (load == loads_.end()) return std::nullopt;
    return code.load(load->type, load->room, place, "wide");
  });
}

}  // namespace skald::imp
