// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/nest/panel.h"

#include <algorithm>
#include <bit>

#include "imp/lower/gpu/target.h"

namespace skald::imp {

namespace {

// What a thread loads from the memory of a group at once.
constexpr int64_t kVectorBytes = 16;

Operand high_bits(Code& code, const Operand& number, int64_t size) {
  const int log = std::countr_zero(static_cast<uint64_t>(size));
  return code.binop(BinOpKind::kLshr, number, const_i64(log), "high");
}
Operand low_bits(Code& code, const Operand& number, int64_t size) {
  return code.binop(BinOpKind::kAnd, number, const_i64(size - 1), "low");
}

}  // namespace

Panel::Panel(NestWriter& nest, bool is_rows, const TileShape& shape)
    : nest_(nest), is_rows_(is_rows), shape_(shape) {
  int64_t widest = 1;
  for (const TilePlan::Packed& value : values())
    widest = std::max<int64_t>(widest, prim_size(value.type));
  at_once_ = std::min(shape.each, kVectorBytes / widest);
  const auto outside = [&](Name array) -> const ArrayPlace& { return nest_.fn.place(array); };
  const TilePlan::Stmts& stmts = is_rows ? nest.plan.row_stmts : nest.plan.column_stmts;
  along_ = count_accesses(stmts, nest.plan.k, outside).scattered == 0;
}

const std::vector<TilePlan::Packed>& Panel::values() const {
  return is_rows_ ? nest_.plan.row_values : nest_.plan.column_values;
}

// A few elements more than lines, so that those of one line lie in different banks.
int64_t Panel::row_of(size_t value) const {
  return shape_.side + shape_.apart / prim_size(values()[value].type);
}

Operand Panel::at(Code& code, const Operand& copy, const Operand& k, const Operand& line) const {
  return code.load(values()[0].type, shared_[0], code.add_i64(place(code, 0, copy, k), line),
                   is_rows_ ? "row" : "column");
}

int64_t Panel::bytes() const {
  int64_t sum = 0;
  for (size_t v = 0; v < values().size(); ++v)
    sum += 2 * shape_.tiles * shape_.depth * row_of(v) * prim_size(values()[v].type);
  return sum;
}

void Panel::make_room(Code& code) {
  const int64_t brought = shape_.side * shape_.depth / shape_.threads_of_tile();
  for (size_t v = 0; v < values().size(); ++v) {
    const int64_t size = prim_size(values()[v].type);
    shared_.push_back(code.alloc(Space::kShared,
                                 const_i64(2 * shape_.tiles * shape_.depth * row_of(v) * size),
                                 is_rows_ ? "rows" : "columns"));
    fetched_.push_back(code.alloc(Space::kPrivate, const_i64(brought * size), "fetched"));
    taken_.push_back(code.alloc(Space::kPrivate, const_i64(shape_.each * size), "taken"));
  }
}

void Panel::start(Code& code, const Operand& tile, const Operand& thread, const Operand& coordinate,
                  const Operand& first_line) {
  tile_ = tile;
  first_line_ = first_line;
  first_own_ = code.mul_i64(coordinate, const_i64(at_once_));
  const int64_t fast = along_ ? shape_.depth : shape_.side;
  const Operand low = low_bits(code, thread, fast), high = high_bits(code, thread, fast);
  line_ = along_ ? high : low;
  k_ = along_ ? low : high;
}

void Panel::fetch(Code& code, const Operand& first) {
  const int64_t threads = shape_.threads_of_tile();
  const int64_t brought = shape_.side * shape_.depth / threads;
  // What lies outside is the last line, or the last k, once more; nobody looks at it.
  const Operand last = code.sub_i64(is_rows_ ? nest_.n : nest_.m, const_i64(1));
  const Operand last_k = code.sub_i64(nest_.q, const_i64(1));
  code.loop(
      const_i64(0), const_i64(brought),
      [&](Code& at, const Operand& e) {
        const Operand apart =
            at.mul_i64(e, const_i64(threads / (along_ ? shape_.depth : shape_.side)));
        const Operand line = along_ ? at.add_i64(line_, apart) : line_;
        const Operand k = along_ ? k_ : at.add_i64(k_, apart);
        const bool whole = outside_ == Outside::kNone;
        const Operand wanted = at.add_i64(first_line_, line), number = at.add_i64(first, k);
        const Operand index = whole ? wanted : at.min_i64(wanted, last);
        core::Substitution subst =
            nest_.indices(at, index, index, whole ? number : at.min_i64(number, last_k));
        nest_.eval(at, is_rows_ ? nest_.plan.row_stmts : nest_.plan.column_stmts, subst);
        for (size_t v = 0; v < values().size(); ++v) {
          const Prim type = values()[v].type;
          Operand value = nest_.look_up(values()[v].name, subst);
          if (outside_ == Outside::kZeros)
            value = at.let(type, core::Select{at.less_i64(number, nest_.q), value, Const{type, 0}},
                           "value");
          at.add(Store{type, fetched_[v], e, value});
        }
      },
      1, LoopHint::kUnroll);
}

Operand Panel::place(Code& code, size_t value, const Operand& copy, const Operand& k) const {
  const Operand piece = code.add_i64(code.mul_i64(copy, const_i64(shape_.tiles)),
                                     shape_.tiles == 1 ? const_i64(0) : tile_);
  const Operand row = code.add_i64(code.mul_i64(piece, const_i64(shape_.depth)), k);
  return code.mul_i64(row, const_i64(row_of(value)));
}

void Panel::put(Code& code, const Operand& copy) {
  const int64_t threads = shape_.threads_of_tile();
  const int64_t brought = shape_.side * shape_.depth / threads;
  for (size_t v = 0; v < values().size(); ++v) {
    const Prim type = values()[v].type;
    const Operand first = code.add_i64(place(code, v, copy, k_), line_);
    const int64_t apart = along_ ? threads / shape_.depth : threads / shape_.side * row_of(v);
    code.loop(
        const_i64(0), const_i64(brought),
        [&](Code& at, const Operand& e) {
          const Operand to = at.add_i64(first, at.mul_i64(e, const_i64(apart)));
          at.add(Store{type, shared_[v], to, at.load(type, fetched_[v], e, "brought")});
        },
        1, LoopHint::kUnroll);
  }
}

// The lines of a thread: so many side by side, then as many after those of all other threads, …
Operand Panel::line_of(Code& code, const Operand& r) const {
  const Operand part =
      code.mul_i64(high_bits(code, r, at_once_), const_i64(at_once_ * shape_.threads_of_side()));
  return code.add_i64(first_own_, code.add_i64(part, low_bits(code, r, at_once_)));
}

void Panel::take(Code& code, const Operand& copy, const Operand& k) {
  for (size_t v = 0; v < values().size(); ++v) {
    const Prim type = values()[v].type;
    const Operand first = place(code, v, copy, k);
    code.loop(
        const_i64(0), const_i64(shape_.each),
        [&](Code& at, const Operand& r) {
          const Operand from = at.add_i64(first, line_of(at, r));
          at.add(Store{type, taken_[v], r, at.load(type, shared_[v], from, "value")});
        },
        1, LoopHint::kUnroll);
  }
}

void Panel::give(Code& code, const Operand& r, core::Substitution& subst) {
  for (size_t v = 0; v < values().size(); ++v)
    subst[values()[v].name] =
        code.load(values()[v].type, taken_[v], r, is_rows_ ? "row" : "column");
}

}  // namespace skald::imp
