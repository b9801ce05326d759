// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/nest/panels.h"

#include <algorithm>

#include "core/ir/visit.h"

namespace skald::imp {

Panels::Panels(NestWriter& nest, Side side, int64_t width)
    : nest_(nest),
      rows_(side == Side::kRows),
      width_(width),
      values_(rows_ ? nest.plan.row_values : nest.plan.column_values),
      stmts_(rows_ ? nest.plan.row_stmts : nest.plan.column_stmts) {}

void Panels::find_turned(Code& code) {
  // Rows of several dimensions have no step, and of a loop inside the thunk those along k are not
  // known.
  if (nest_.plan.accs[0].result || (rows_ && nest_.plan.rows_together)) return;
  for (const Access& access : nest_.kernel.accesses(code)) {
    const core::Stmt* stmt = &thunk(access.stmt);
    const std::optional<Operand>& across =
        access.steps[rows_ ? nest_.plan.row : nest_.outer_dims.size() + 1];
    if (std::ranges::find(stmts_, stmt) == stmts_.end() || !is_step(access.steps.back(), 1) ||
        !across || is_step(across, 0) || is_step(across, 1))
      continue;
    std::optional<size_t> value;
    for (size_t v = 0; v < values_.size(); ++v)
      if (values_[v].name == stmt->pat[0].name) value = v;
    turned_.push_back({access.stmt, *across, value});
  }
}

std::vector<Name> Panels::alloc(Code& code, const Operand& count) const {
  std::vector<Name> blocks;
  for (const TilePlan::Packed& value : values_)
    blocks.push_back(code.alloc(
        Space::kScratch,
        code.mul_i64(count, const_i64(kTileDepth * width_ * prim_size(value.type))), "panels"));
  return blocks;
}

void Panels::enter(Code& code, const Operand& first, const Operand& count) {
  first_ = first;
  count_ = count;
  number_ = code.binop(BinOpKind::kQuot, code.add_i64(count, const_i64(width_ - 1)),
                       const_i64(width_), "panels");
  memory_ = alloc(code, number_);
  for (Turned& turned : turned_) {
    const Prim type = thunk(turned.read).pat[0].type.elem;
    if (!turned.value)
      turned.buffer =
          code.alloc(Space::kScratch, const_i64(kTileDepth * width_ * prim_size(type)), "turned");
  }
  if (rows_ && turned_.empty()) return;
  // No numbers that happen to be there may make columns slow that nobody wants.
  code.branch(code.less_i64(count_, code.mul_i64(number_, const_i64(width_))), [&](Code& cut) {
    for (size_t v = 0; v < values_.size(); ++v)
      cut.add(Fill{values_[v].type, memory_[v], const_i64(0),
                   cut.mul_i64(number_, const_i64(kTileDepth * width_)),
                   Operand(core::Const{values_[v].type, 0})});
  });
}

Operand Panels::load(Code& code, size_t value, const Operand& place) const {
  return code.load(values_[value].type, memory_[value], place, rows_ ? "row" : "column");
}

void Panels::pack(Code& code, const Operand& first, const Operand& depth) {
  const auto outside = [&](Name array) -> const ArrayPlace& { return nest_.fn.place(array); };
  const bool is_along = count_accesses(stmts_, nest_.plan.k, outside).scattered == 0;
  const auto copied = static_cast<size_t>(
      std::ranges::count_if(turned_, [](const Turned& t) { return t.value.has_value(); }));
  nest_.enter_row(code, const_i64(0));
  code.loop(const_i64(0), number_, [&](Code& at, const Operand& panel) {
    const Piece piece{place(at, panel), at.mul_i64(panel, const_i64(width_)), first, depth};
    if (!turned_.empty()) {
      transpose(at, piece);
      if (copied < values_.size()) lanes(at, piece);
    } else if (is_along) {
      along(at, piece);
    } else if (rows_) {
      row_by_row(at, piece);
    } else {
      lanes(at, piece);
    }
  });
}

void Panels::transpose(Code& code, const Piece& piece) {
  const Operand line = code.add_i64(first_, piece.line);
  std::vector<Operand> start = nest_.point(rows_ ? line : const_i64(0));
  start.insert(start.end(), {rows_ ? const_i64(0) : line, piece.first});
  const Operand count = code.min_i64(const_i64(width_), code.sub_i64(count_, piece.line));
  for (const Turned& turned : turned_) {
    const auto [from, place] = nest_.kernel.read_place(code, turned.read, start);
    code.add(TransposeBlock{thunk(turned.read).pat[0].type.elem,
                            turned.value ? memory_[*turned.value] : turned.buffer,
                            turned.value ? piece.base : const_i64(0), const_i64(width_), from,
                            place, nest_.fn.value(turned.step), count, piece.depth});
  }
}

// The values at row or column `index`, which is number `lane` of its panel.
void Panels::one(Code& code, const Piece& piece, const Operand& index, const Operand& lane,
                 const Operand& k) {
  NestWriter::Loaded loaded;
  const Operand at = code.add_i64(code.mul_i64(k, const_i64(width_)), lane);
  const Operand place = code.add_i64(piece.base, at);
  std::vector<bool> done(values_.size(), false);
  for (const Turned& turned : turned_) {
    const core::Stmt& read = thunk(turned.read);
    if (turned.value) done[*turned.value] = true;
    loaded.emplace(&read, code.load(read.pat[0].type.elem,
                                    turned.value ? memory_[*turned.value] : turned.buffer,
                                    turned.value ? place : at, "turned"));
  }
  core::Substitution subst = nest_.indices(code, index, index, code.add_i64(piece.first, k));
  nest_.eval(code, stmts_, subst, loaded);
  for (size_t v = 0; v < values_.size(); ++v)
    if (!done[v])
      code.add(Store{values_[v].type, memory_[v], place, nest_.look_up(values_[v].name, subst)});
}

// What is beyond the last row or column has the values of the last one.
Operand Panels::index_of(Code& code, const Piece& piece, const Operand& lane) {
  const Operand last = code.sub_i64(count_, const_i64(1));
  const Operand in_block = code.min_i64(code.add_i64(piece.line, lane), last);
  const Operand index = code.add_i64(first_, in_block);
  return rows_ ? nest_.enter_row(code, index) : index;
}

// All k of one row or column, then the next.
void Panels::along(Code& code, const Piece& piece) {
  code.short_loop(const_i64(0), const_i64(width_), [&](Code& lines, const Operand& lane) {
    const Operand index = index_of(lines, piece, lane);
    lines.loop(const_i64(0), piece.depth,
               [&](Code& at, const Operand& k) { one(at, piece, index, lane, k); });
  });
}

void Panels::row_by_row(Code& code, const Piece& piece) {
  // The places of each row in all dimensions, before the loop.
  std::vector<std::vector<Operand>> outer;
  std::vector<Operand> places;
  for (int64_t r = 0; r < width_; ++r) {
    places.push_back(index_of(code, piece, const_i64(r)));
    outer.push_back(nest_.outer_indices);
  }
  code.loop(const_i64(0), piece.depth, [&](Code& at, const Operand& k) {
    for (size_t r = 0; r < places.size(); ++r) {
      nest_.outer_indices = outer[r];
      one(at, piece, places[r], const_i64(static_cast<int64_t>(r)), k);
    }
  });
}

// All lanes of one k, then the next.  What is beyond the last column stays as it was at first.
void Panels::lanes(Code& code, const Piece& piece) {
  const auto of_each_k = [&](const Operand& lane_count) {
    return [&, lane_count](Code& here) {
      here.loop(const_i64(0), piece.depth, [&](Code& ks, const Operand& k) {
        ks.loop(
            const_i64(0), lane_count,
            [&](Code& at, const Operand& lane) {
              one(at, piece, at.add_i64(first_, at.add_i64(piece.line, lane)), lane, k);
            },
            1, LoopHint::kSimd);
      });
    };
  };
  const Operand left = code.sub_i64(count_, piece.line);
  code.branch(code.less_i64(left, const_i64(width_)), of_each_k(left),
              of_each_k(const_i64(width_)));
}

}  // namespace skald::imp
