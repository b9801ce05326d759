// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/stencil/step_kernel.h"

#include "imp/lower/gpu/launch.h"

namespace skald::imp {

namespace {

// Rows that are in registers, and values of each.
constexpr int64_t kRowsOfStep = 3, kRowValues = StepKernel::kColumns + 2;
// Rows that pass from the first one that is fetched to the last one that is stored, about.
constexpr int64_t kRowsOfGroup = 108;

}  // namespace

// With what steps need before and after it is a multiple of three.
int64_t StepKernel::rows() const {
  return kRowsOfGroup - 3 * steps_ - 1;
}

Operand StepKernel::count_groups(Code& code, const Operand& n, const Operand& m) {
  n_ = n;
  m_ = m;
  strips_ = pieces(code, m, const_i64(kOfStrip));
  return code.mul_i64(strips_, pieces(code, n, const_i64(rows())));
}

void StepKernel::make_room(Code& code) {
  const int64_t size = prim_size(stencil_.type);
  for (int64_t t = 0; t < steps_; ++t) {
    rows_.push_back(
        code.alloc(Space::kPrivate, const_i64(kRowsOfStep * kRowValues * size), "rows"));
    ends_.push_back(t == 0 ? Name{}
                           : code.alloc(Space::kShared, const_i64(4 * kThreads * size), "ends"));
  }
  fetched_ = code.alloc(Space::kPrivate, const_i64(kColumns * size), "fetched");
  made_ = code.alloc(Space::kPrivate, const_i64(kColumns * size), "made");
  brought_ = code.alloc(Space::kShared, const_i64(2 * kWidth * size), "brought");
  results_ = code.alloc(Space::kShared, const_i64(2 * kWidth * size), "results");
}

void StepKernel::find_place(Code& code, Name group, Name thread) {
  thread_ = thread;
  left_ = code.max_i64(code.sub_i64(thread, const_i64(1)), const_i64(0));
  right_ = code.min_i64(code.add_i64(thread, const_i64(1)), const_i64(kThreads - 1));
  const std::vector<Operand> at =
      unflatten(code, group, {pieces(code, n_, const_i64(rows())), strips_});
  first_row_ = code.mul_i64(at[0], const_i64(rows()));
  first_column_ = code.sub_i64(code.mul_i64(at[1], const_i64(kOfStrip)), const_i64(kHalo));
  own_column_ = code.add_i64(first_column_, code.mul_i64(thread, const_i64(kColumns)));
}

void StepKernel::fetch(Code& code, const Operand& row) {
  const auto inside = [&](const Operand& index, const Operand& size) {
    const Operand last = code.sub_i64(size, const_i64(1));
    return code.min_i64(code.max_i64(index, const_i64(0)), last);
  };
  const Operand at = inside(row, n_);
  for (int64_t k = 0; k < kColumns; ++k) {
    const Operand apart = code.add_i64(thread_, const_i64(k * kThreads));
    const Operand column = inside(code.add_i64(first_column_, apart), m_);
    code.add(
        Store{stencil_.type, fetched_, const_i64(k), load(code, *from_, {at, column}, "fetched")});
  }
}

void StepKernel::bring(Code& code, const Operand& copy) {
  const Operand first = code.add_i64(code.mul_i64(copy, const_i64(kWidth)), thread_);
  for (int64_t k = 0; k < kColumns; ++k)
    code.add(Store{stencil_.type, brought_, code.add_i64(first, const_i64(k * kThreads)),
                   code.load(stencil_.type, fetched_, const_i64(k), "value")});
}

Operand StepKernel::row_place(Code& code, int64_t before) const {
  const auto slot = static_cast<size_t>(((-before) % kRowsOfStep + kRowsOfStep) % kRowsOfStep);
  return code.mul_i64(slots_[slot], const_i64(kRowValues));
}

void StepKernel::store_last(Code& code, const Operand& row, const Operand& copy) {
  const Operand end = code.min_i64(code.add_i64(first_row_, const_i64(rows())), n_);
  const Operand begun = code.less_i64(code.sub_i64(first_row_, const_i64(1)), row);
  const Operand inside = code.both(begun, code.less_i64(row, end), "inside");
  const Operand first = code.add_i64(code.mul_i64(copy, const_i64(kWidth)), thread_);
  code.branch(inside, [&](Code& at) {
    for (int64_t k = 0; k < kColumns; ++k) {
      const Operand apart = at.add_i64(thread_, const_i64(k * kThreads));
      const Operand column = at.add_i64(first_column_, apart);
      const Operand begun = at.less_i64(const_i64(kHalo - 1), apart);
      const Operand in_strip =
          at.both(begun, at.less_i64(apart, const_i64(kWidth - kHalo)), "in_strip");
      const Operand stored = at.both(in_strip, at.less_i64(column, m_), "stored");
      at.branch(stored, [&](Code& here) {
        const Operand value = here.load(stencil_.type, results_,
                                        here.add_i64(first, const_i64(k * kThreads)), "result");
        fn_.store(here, *to_, {row, column}, value);
      });
    }
  });
}

// The newest rows of steps were made in the round before.
void StepKernel::ask_neighbours(Code& code, const Operand& copy) {
  for (int64_t t = 1; t < steps_; ++t) {
    const Operand place = row_place(code, 2 * t + 1);
    const Operand first = code.mul_i64(copy, const_i64(2 * kThreads));
    const Name ends = ends_[static_cast<size_t>(t)];
    const auto put = [&](int64_t column, const Operand& from) {
      code.add(Store{stencil_.type, rows_[static_cast<size_t>(t)],
                     code.add_i64(place, const_i64(column)),
                     code.load(stencil_.type, ends, code.add_i64(first, from), "end")});
    };
    put(0, code.add_i64(left_, const_i64(kThreads)));
    put(kColumns + 1, right_);
  }
}

void StepKernel::step(Code& code, int64_t t, const Operand& row, const Operand& copy) {
  const Name before = rows_[static_cast<size_t>(t - 1)];
  for (int64_t c = 0; c < kColumns; ++c) {
    const ReadAt read = [&](Code& at, const Offset& offset) {
      // Row q-2t of step t-1, whose newest row is q-2(t-1).
      const Operand place = row_place(at, 2 * t - offset[0]);
      return at.load(stencil_.type, before, at.add_i64(place, const_i64(c + 1 + offset[1])),
                     "near");
    };
    const Operand column = code.add_i64(own_column_, const_i64(c));
    const Operand value = stencil_point(fn_, code, kernel_, stencil_.array, {row, column}, read);
    code.add(Store{stencil_.type, made_, const_i64(c), value});
  }
  const auto made = [&](int64_t c) {
    return code.load(stencil_.type, made_, const_i64(c), "made");
  };
  if (t == steps_) {
    const Operand begin = code.mul_i64(copy, const_i64(kWidth));
    const Operand first = code.add_i64(begin, code.mul_i64(thread_, const_i64(kColumns)));
    for (int64_t c = 0; c < kColumns; ++c)
      code.add(Store{stencil_.type, results_, code.add_i64(first, const_i64(c)), made(c)});
    return;
  }
  const auto at = static_cast<size_t>(t);
  const Operand place = row_place(code, 2 * t);
  for (int64_t c = 0; c < kColumns; ++c)
    code.add(Store{stencil_.type, rows_[at], code.add_i64(place, const_i64(c + 1)), made(c)});
  const Operand first = code.add_i64(code.mul_i64(copy, const_i64(2 * kThreads)), thread_);
  code.add(Store{stencil_.type, ends_[at], first, made(0)});
  code.add(Store{stencil_.type, ends_[at], code.add_i64(first, const_i64(kThreads)),
                 made(kColumns - 1)});
}

void StepKernel::take_row(Code& code, const Operand& copy) {
  const Operand first = code.mul_i64(copy, const_i64(kWidth));
  const Operand own = code.mul_i64(thread_, const_i64(kColumns));
  const Operand place = row_place(code, 0);
  for (int64_t c = -1; c <= kColumns; ++c) {
    Operand from = code.add_i64(own, const_i64(c));
    if (c < 0) from = code.max_i64(from, const_i64(0));
    if (c == kColumns) from = code.min_i64(from, const_i64(kWidth - 1));
    code.add(Store{stencil_.type, rows_[0], code.add_i64(place, const_i64(c + 1)),
                   code.load(stencil_.type, brought_, code.add_i64(first, from), "value")});
  }
}

void StepKernel::round(Code& code, const Operand& number, const Operand& phase) {
  const Operand copy = code.binop(BinOpKind::kAnd, number, const_i64(1), "copy");
  const Operand other = code.sub_i64(const_i64(1), copy);
  const Operand row = code.add_i64(code.sub_i64(first_row_, const_i64(steps_)), number);  // q
  slots_ = {phase};
  for (int64_t k = 1; k < kRowsOfStep; ++k)
    slots_.push_back(code.binop(BinOpKind::kRem, code.add_i64(phase, const_i64(k)),
                                const_i64(kRowsOfStep), "slot"));
  store_last(code, code.sub_i64(row, const_i64(2 * steps_ + 1)), other);
  ask_neighbours(code, other);
  for (int64_t t = steps_; t >= 1; --t) step(code, t, code.sub_i64(row, const_i64(2 * t)), copy);
  take_row(code, copy);
  bring(code, other);
  fetch(code, code.add_i64(row, const_i64(2)));
  code.add(Barrier{});
}

void StepKernel::body(Code& code, Name group, Name thread) {
  make_room(code);
  find_place(code, group, thread);
  const Operand first = code.sub_i64(first_row_, const_i64(steps_));
  fetch(code, first);
  bring(code, const_i64(0));
  fetch(code, code.add_i64(first, const_i64(1)));
  // Registers have some value before they get theirs.
  for (const Name row : rows_)
    for (int64_t k = 0; k < kRowsOfStep * kRowValues; ++k)
      code.add(Store{stencil_.type, row, const_i64(k), Const{stencil_.type, 0}});
  code.add(Barrier{});
  code.loop(
      const_i64(0), const_i64(rows() + 3 * steps_ + 1),
      [&](Code& at, const Operand& begin) {
        at.loop(
            const_i64(0), const_i64(kRowsOfStep),
            [&](Code& inner, const Operand& phase) {
              round(inner, inner.add_i64(begin, phase), phase);
            },
            1, LoopHint::kUnroll);
      },
      kRowsOfStep);
}

void StepKernel::launch(Code& code, const ArrayPlace& from, const ArrayPlace& to, const Operand& n,
                        const Operand& m) {
  from_ = &from;
  to_ = &to;
  rows_.clear();
  ends_.clear();
  const Operand groups = count_groups(code, n, m);
  Code inner(code.program());
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  {
    const InKernel inside(fn_);
    body(inner, group, thread);
  }
  add_launch(code, {group, thread, groups, const_i64(kThreads), const_i64(0), inner.finish()});
}

}  // namespace skald::imp
