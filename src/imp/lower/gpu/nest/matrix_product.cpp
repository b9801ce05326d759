// SPDX-License-Identifier: Apache-2.0
// Matrix products of f64 by instructions that 32 threads do together (MatrixSum).  A group has 128
// x 64 results, each 32 threads of it 32 x 32: two rows of four small matrices, whose sums they
// keep in registers.  As in product.cpp, k is taken in pieces that lie in the memory of the group,
// and the next piece is loaded while one is used.  After the last k there are zeros.
#include <algorithm>

#include "core/ir/visit.h"
#include "imp/lower/gpu/launch.h"
#include "imp/lower/gpu/nest/nest.h"
#include "imp/lower/gpu/nest/panel.h"

namespace skald::imp {

namespace {

constexpr TileShape kMatrixTile = {128, 8, 1, 8, 32};
static_assert(kMatrixTile.threads_of_tile() == kGroupThreads);
// Results of 32 threads; of a small matrix; and so many of these along both sides.
constexpr int64_t kRowsOfThreads = 64, kColumnsOfThreads = 32;
constexpr int64_t kMatrixHeight = 16, kMatrixWidth = 8;
constexpr int64_t kDown = kRowsOfThreads / kMatrixHeight;
constexpr int64_t kAcross = kColumnsOfThreads / kMatrixWidth;
constexpr int64_t kBytesOfF64 = 8;
// Fewer groups do not keep a device busy.
constexpr int64_t kManyMatrixGroups = 128;

class MatrixProduct {
 public:
  MatrixProduct(GpuKernel& gpu, const TilePlan& plan)
      : nest_(gpu.kernel, plan),
        rows_(nest_, true, kMatrixTile),
        columns_(nest_, false, kMatrixTile) {}

  Operand count_groups(Code& code);
  void write(Code& code, const Operand& depth);
  Operand is_large(Code& code);

 private:
  void body(Code& code, Name group, Name thread);
  void find_place(Code& code, Name group, Name thread);
  void all_pieces(Code& code);
  void piece(Code& code, const Operand& copy);
  void finish(Code& code);

  NestWriter nest_;
  Panel rows_, columns_;
  Operand row_tiles_ = const_i64(0), column_tiles_ = const_i64(0), groups_ = const_i64(0);
  Operand first_row_ = const_i64(0), first_column_ = const_i64(0);
  // Of the results of these 32 threads, in the tile; and the numbers of the thread (MatrixSum).
  Operand row_ = const_i64(0), column_ = const_i64(0), g_ = const_i64(0), t_ = const_i64(0);
  std::vector<Name> sums_, left_, right_;
};

Operand MatrixProduct::count_groups(Code& code) {
  row_tiles_ = pieces(code, nest_.n, const_i64(kMatrixTile.side));
  column_tiles_ = pieces(code, nest_.m, const_i64(kMatrixTile.side));
  groups_ = code.mul_i64(row_tiles_, column_tiles_);
  for (size_t d = 0; d < nest_.outer; ++d)
    groups_ = code.mul_i64(groups_, nest_.kernel.facts.dims[d]);
  return groups_;
}

Operand MatrixProduct::is_large(Code& code) {
  const Operand high = code.less_i64(const_i64(kMatrixTile.side - 1), nest_.n);
  const Operand wide = code.less_i64(const_i64(kMatrixTile.side - 1), nest_.m);
  const Operand many = code.less_i64(const_i64(kManyMatrixGroups - 1), count_groups(code));
  return code.both(code.both(high, wide, "large"), many, "matrices");
}

void MatrixProduct::find_place(Code& code, Name group, Name thread) {
  const auto bits = [&](int64_t from, int64_t count) {
    const Operand high = code.binop(BinOpKind::kLshr, thread, const_i64(from), "high");
    return code.binop(BinOpKind::kAnd, high, const_i64((1 << count) - 1), "bits");
  };
  static_assert(kMatrixThreads == 32 && kMatrixTile.side / kColumnsOfThreads == 4);
  t_ = bits(0, 2);
  g_ = bits(2, 3);
  column_ = code.mul_i64(bits(5, 2), const_i64(kColumnsOfThreads));
  row_ = code.mul_i64(bits(7, 1), const_i64(kRowsOfThreads));
  Operand rest = group;
  first_column_ =
      code.mul_i64(NestWriter::split(code, rest, column_tiles_), const_i64(kMatrixTile.side));
  first_row_ = code.mul_i64(NestWriter::split(code, rest, row_tiles_), const_i64(kMatrixTile.side));
  const auto dims = nest_.kernel.facts.dims.begin();
  nest_.outer_indices = unflatten(
      code, rest, std::vector<Operand>(dims, dims + static_cast<std::ptrdiff_t>(nest_.outer)));
  rows_.start(code, const_i64(0), thread, const_i64(0), first_row_);
  columns_.start(code, const_i64(0), thread, const_i64(0), first_column_);
}

void MatrixProduct::piece(Code& code, const Operand& copy) {
  const auto put = [&](Name block, int64_t at, const Operand& value) {
    code.add(Store{Prim::kF64, block, const_i64(at), value});
  };
  const Operand first_row = code.add_i64(row_, g_), first_column = code.add_i64(column_, g_);
  for (const int64_t half : {0, 1}) {
    const Operand k = code.add_i64(t_, const_i64(4 * half));
    for (int64_t i = 0; i < kDown; ++i)
      for (const int64_t lower : {0, 1}) {
        const Operand line = code.add_i64(first_row, const_i64(i * kMatrixHeight + 8 * lower));
        put(left_[static_cast<size_t>(i)], 2 * half + lower, rows_.at(code, copy, k, line));
      }
    for (int64_t j = 0; j < kAcross; ++j) {
      const Operand line = code.add_i64(first_column, const_i64(j * kMatrixWidth));
      put(right_[static_cast<size_t>(j)], half, columns_.at(code, copy, k, line));
    }
  }
  for (int64_t i = 0; i < kDown; ++i)
    for (int64_t j = 0; j < kAcross; ++j)
      code.add(MatrixSum{sums_[static_cast<size_t>(i * kAcross + j)], left_[static_cast<size_t>(i)],
                         right_[static_cast<size_t>(j)]});
}

void MatrixProduct::all_pieces(Code& code) {
  const Operand depth = const_i64(kMatrixTile.depth);
  const auto copy_of = [](Code& at, const Operand& number) {
    return at.binop(BinOpKind::kAnd, number, const_i64(1), "copy");
  };
  rows_.fetch(code, const_i64(0));
  columns_.fetch(code, const_i64(0));
  rows_.put(code, const_i64(0));
  columns_.put(code, const_i64(0));
  code.add(Barrier{});
  code.loop(const_i64(0), pieces(code, nest_.q, depth), [&](Code& at, const Operand& number) {
    const Operand next = at.add_i64(number, const_i64(1));
    const Operand after = at.mul_i64(next, depth);
    const Operand more = at.less_i64(after, nest_.q);
    at.branch(more, [&](Code& here) {
      rows_.fetch(here, after);
      columns_.fetch(here, after);
    });
    piece(at, copy_of(at, number));
    at.branch(more, [&](Code& here) {
      rows_.put(here, copy_of(here, next));
      columns_.put(here, copy_of(here, next));
    });
    at.add(Barrier{});
  });
}

void MatrixProduct::finish(Code& code) {
  const Operand first_row = code.add_i64(first_row_, code.add_i64(row_, g_));
  const Operand first_column =
      code.add_i64(first_column_, code.add_i64(column_, code.mul_i64(t_, const_i64(2))));
  for (int64_t i = 0; i < kDown; ++i)
    for (int64_t j = 0; j < kAcross; ++j)
      for (int64_t e = 0; e < 4; ++e) {
        const Operand row = code.add_i64(first_row, const_i64(i * kMatrixHeight + e / 2 * 8));
        const Operand column = code.add_i64(first_column, const_i64(j * kMatrixWidth + e % 2));
        const Operand is_row = code.less_i64(row, nest_.n);
        const Operand inside = code.both(is_row, code.less_i64(column, nest_.m), "inside");
        code.branch(inside, [&](Code& at) {
          const Name sums = sums_[static_cast<size_t>(i * kAcross + j)];
          nest_.store(at, row, column, {at.load(Prim::kF64, sums, const_i64(e), "result")});
        });
      }
}

void MatrixProduct::body(Code& code, Name group, Name thread) {
  const auto registers = [&](int64_t count, std::string_view name) {
    return code.alloc(Space::kPrivate, const_i64(count * kBytesOfF64), name);
  };
  rows_.make_room(code);
  columns_.make_room(code);
  for (int64_t i = 0; i < kDown; ++i) left_.push_back(registers(4, "left"));
  for (int64_t j = 0; j < kAcross; ++j) right_.push_back(registers(2, "right"));
  const Operand zero = nest_.look_up(nest_.plan.accs[0].init, {});
  for (int64_t k = 0; k < kDown * kAcross; ++k) {
    sums_.push_back(registers(4, "sums"));
    for (int64_t e = 0; e < 4; ++e) code.add(Store{Prim::kF64, sums_.back(), const_i64(e), zero});
  }
  find_place(code, group, thread);
  // Zeros cost much: a value must be there before it is chosen, not only when it is put away.
  const auto inside = [&](const Operand& first, const Operand& size) {
    return code.less_i64(code.add_i64(first, const_i64(kMatrixTile.side - 1)), size);
  };
  const Operand rest =
      code.binop(BinOpKind::kAnd, nest_.q, const_i64(kMatrixTile.depth - 1), "rest");
  const Operand even =
      code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, rest, const_i64(0)}, "even");
  const Operand tile =
      code.both(inside(first_row_, nest_.n), inside(first_column_, nest_.m), "tile");
  code.branch(
      code.both(tile, even, "whole"),
      [&](Code& at) {
        rows_.fetch_whole();
        columns_.fetch_whole();
        all_pieces(at);
      },
      [&](Code& at) {
        rows_.fetch_with_zeros();
        columns_.fetch_with_zeros();
        all_pieces(at);
      });
  finish(code);
}

void MatrixProduct::write(Code& code, const Operand& depth) {
  nest_.q = depth;
  Code inner(code.program());
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  {
    const InKernel inside(nest_.fn);
    body(inner, group, thread);
  }
  add_launch(code,
             {group, thread, groups_, const_i64(kGroupThreads), const_i64(0), inner.finish()});
}

}  // namespace

bool is_matrix_product(const TilePlan& plan) {
  if (!plan.is_reduction || plan.accs.size() != 1 || plan.accs[0].type != Prim::kF64 ||
      !plan.before.empty() || plan.row_values.size() != 1 || plan.column_values.size() != 1 ||
      plan.row_values[0].type != Prim::kF64 || plan.column_values[0].type != Prim::kF64)
    return false;
  const auto same = [&](Operand operand) {
    core::substitute(operand, plan.same);
    return operand;
  };
  // The statement that binds a name, if it is this operator on f64.
  const auto made_by = [&](const Operand& operand, BinOpKind op) -> const core::BinOp* {
    for (const core::Stmt* stmt : plan.point_stmts) {
      const auto* node = core::as<core::BinOp>(stmt->exp);
      if (node != nullptr && node->op == op && node->type == Prim::kF64 &&
          same(stmt->pat[0].name) == same(operand))
        return node;
    }
    return nullptr;
  };
  const core::BinOp* sum = made_by(plan.accs[0].next, BinOpKind::kAdd);
  if (sum == nullptr || plan.point_stmts.size() != 2) return false;
  const Operand acc = plan.accs[0].param, row = plan.row_values[0].name,
                column = plan.column_values[0].name;
  for (const bool left : {false, true}) {
    if (!(same(left ? sum->rhs : sum->lhs) == acc)) continue;
    const core::BinOp* product = made_by(left ? sum->lhs : sum->rhs, BinOpKind::kMul);
    if (product == nullptr) continue;
    const Operand a = same(product->lhs), b = same(product->rhs);
    if ((a == row && b == column) || (a == column && b == row)) return true;
  }
  return false;
}

void write_matrix_product(GpuKernel& gpu, const TilePlan& plan, Code& code, const Operand& depth,
                          const Otherwise& otherwise) {
  MatrixProduct product(gpu, plan);
  code.branch(product.is_large(code), [&](Code& at) { product.write(at, depth); }, otherwise);
}

}  // namespace skald::imp
