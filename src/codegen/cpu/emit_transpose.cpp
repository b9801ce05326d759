// SPDX-License-Identifier: Apache-2.0
// Transpositions of blocks of memory (imp::TransposeBlock).
//
// Squares of so many elements on each side as fit into 16 bytes go through registers: as many loads
// as rows, then rounds in which the registers of the upper and of the lower half are zipped.
//
//   a b c d      a i b j      a e i m
//   e f g h  →   c k d l  →   b f j n
//   i j k l      e m f n      c g k o
//   m n o p      g o h p      d h l p
//
// What is left at the right and at the bottom is copied element by element.
#include "codegen/cpu/function_emitter.h"

namespace skald::cpu {

using llvm::Value;

namespace {

constexpr uint32_t kSquareBytes = 16;

std::vector<Value*> transpose_square(llvm::IRBuilder<>& b, std::vector<Value*> rows) {
  const size_t side = rows.size();
  std::vector<int> low, high;
  for (size_t k = 0; k < side; ++k) {
    const int lane = static_cast<int>(k / 2 + (k % 2) * side);
    low.push_back(lane);
    high.push_back(lane + static_cast<int>(side / 2));
  }
  for (size_t done = 1; done < side; done *= 2) {
    std::vector<Value*> next;
    for (size_t k = 0; k < side / 2; ++k) {
      next.push_back(b.CreateShuffleVector(rows[k], rows[k + side / 2], low));
      next.push_back(b.CreateShuffleVector(rows[k], rows[k + side / 2], high));
    }
    rows = std::move(next);
  }
  return rows;
}

}  // namespace

void FunctionEmitter::stmt(const imp::TransposeBlock& n) {
  llvm::Type* type = memory_type(m_.context(), n.type);
  const uint32_t side = kSquareBytes / static_cast<uint32_t>(prim_size(n.type));
  auto* vector = llvm::FixedVectorType::get(type, side);
  const llvm::Align align(static_cast<uint64_t>(prim_size(n.type)));
  Value* src = element(n.src, n.type, n.src_start);
  Value* dest = element(n.dest, n.type, n.dest_start);
  Value* src_stride = value(n.src_stride);
  Value* dest_stride = value(n.dest_stride);
  Value* rows = value(n.rows);
  Value* columns = value(n.columns);
  const auto whole = [&](Value* count) {
    return b_.CreateAnd(count, b_.getInt64(~uint64_t{side - 1}));
  };
  const auto loop = [&](Value* begin, Value* end, uint32_t step, const auto& body) {
    leave_scalar(count_up(begin, end, step, body));
  };
  const auto at = [&](Value* base, Value* stride, Value* row, Value* column) {
    return b_.CreateInBoundsGEP(type, base, b_.CreateAdd(b_.CreateMul(row, stride), column));
  };
  const auto one = [&](Value* i, Value* j) {
    auto* x = b_.CreateAlignedLoad(type, at(src, src_stride, i, j), align);
    aliases_.annotate(x, n.src);
    aliases_.annotate(b_.CreateAlignedStore(x, at(dest, dest_stride, j, i), align), n.dest);
  };
  Value* zero = b_.getInt64(0);
  Value* whole_rows = whole(rows);
  Value* whole_columns = whole(columns);
  const auto plus = [&](Value* v, uint32_t k) { return b_.CreateAdd(v, b_.getInt64(k)); };
  loop(zero, whole_rows, side, [&](Value* i) {
    loop(zero, whole_columns, side, [&](Value* j) {
      std::vector<Value*> square;
      for (uint32_t k = 0; k < side; ++k) {
        auto* x = b_.CreateAlignedLoad(vector, at(src, src_stride, plus(i, k), j), align);
        aliases_.annotate(x, n.src);
        square.push_back(x);
      }
      square = transpose_square(b_, std::move(square));
      for (uint32_t k = 0; k < side; ++k)
        aliases_.annotate(
            b_.CreateAlignedStore(square[k], at(dest, dest_stride, plus(j, k), i), align), n.dest);
    });
    loop(whole_columns, columns, 1, [&](Value* j) {
      for (uint32_t k = 0; k < side; ++k) one(plus(i, k), j);
    });
  });
  loop(whole_rows, rows, 1,
       [&](Value* i) { loop(zero, columns, 1, [&](Value* j) { one(i, j); }); });
}

}  // namespace skald::cpu
