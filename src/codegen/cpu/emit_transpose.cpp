// SPDX-License-Identifier: Apache-2.0
// Transpositions of blocks of memory (imp::TransposeBlock).
//
// Squares of so many elements on each side as fit into 16 bytes (64 where there are such registers)
// go through registers: as many loads as rows, then rounds in which the registers of the upper and
// of the lower half are zipped.
//
//   a b c d      a i b j      a e i m
//   e f g h  →   c k d l  →   b f j n
//   i j k l      e m f n      c g k o
//   m n o p      g o h p      d h l p
//
// Registers of 32 bytes hold rows of two squares, one below the other: the halves are loaded one by
// one and never cross, so the rounds are as many for twice the elements, and stores are twice as
// long.
//
// A block whose rows follow one another closely is one of many (imp/lower/lanes_transposed.cpp).
// It is read in another order than memory has, which the machine does not foresee; so the same
// place in the block after it is asked for beforehand.
//
// The last squares of a row overlap if they have to.  What is left where there are fewer columns
// than a square has, and at the bottom, is copied element by element.
#include <numeric>

#include "codegen/cpu/function_emitter.h"

namespace skald::cpu {

using llvm::Value;

namespace {

constexpr uint32_t kSquareBytes = 16;
// Of rows that are closer to each other than this, every second one is fetched so far ahead, and
// with it the other one (machines fetch pairs of lines).
constexpr uint64_t kCloseRowBytes = 128, kAheadBytes = 2048;

// Rows further apart than this are read side by side, in the order of memory each.
constexpr uint64_t kMostBetweenRows = 512;

// `rows` are as many registers as a square has rows; each holds a row of `stack` squares.
std::vector<Value*> transpose_squares(llvm::IRBuilder<>& b, std::vector<Value*> rows,
                                      uint32_t stack) {
  const size_t side = rows.size();
  std::vector<int> low, high;
  for (size_t square = 0; square < stack; ++square) {
    for (size_t k = 0; k < side; ++k) {
      const int lane = static_cast<int>(square * side + k / 2 + (k % 2) * side * stack);
      low.push_back(lane);
      high.push_back(lane + static_cast<int>(side / 2));
    }
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

Value* concatenated(llvm::IRBuilder<>& b, std::vector<Value*> parts) {
  while (parts.size() > 1) {
    std::vector<Value*> next;
    for (size_t k = 0; k < parts.size(); k += 2) {
      const uint32_t lanes =
          llvm::cast<llvm::FixedVectorType>(parts[k]->getType())->getNumElements();
      std::vector<int> all(2 * lanes);
      std::iota(all.begin(), all.end(), 0);
      next.push_back(b.CreateShuffleVector(parts[k], parts[k + 1], all));
    }
    parts = std::move(next);
  }
  return parts[0];
}

}  // namespace

void FunctionEmitter::stmt(const imp::TransposeBlock& n) {
  llvm::Type* type = memory_type(m_.context(), n.type);
  const auto size = static_cast<uint32_t>(prim_size(n.type));
  const uint32_t side = kSquareBytes / size;
  auto* vector = llvm::FixedVectorType::get(type, side);
  const llvm::Align align(size);
  Value* src = element(n.src, n.type, n.src_start);
  Value* dest = element(n.dest, n.type, n.dest_start);
  Value* src_stride = value(n.src_stride);
  Value* dest_stride = value(n.dest_stride);
  Value* rows = value(n.rows);
  Value* columns = value(n.columns);
  const auto whole = [&](Value* count, uint32_t step) {
    return b_.CreateAnd(count, b_.getInt64(~uint64_t{step - 1}));
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
  const auto prefetch = [&](Value* address) {
    b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {b_.getPtrTy()},
                       {address, b_.getInt32(0), b_.getInt32(3), b_.getInt32(1)});
  };
  Value* zero = b_.getInt64(0);
  Value* last = b_.CreateSub(columns, b_.getInt64(side));
  Value* in_squares = b_.CreateSelect(b_.CreateICmpSLT(last, zero), zero, columns);
  const auto plus = [&](Value* v, uint32_t k) { return b_.CreateAdd(v, b_.getInt64(k)); };
  // Registers of 64 bytes take larger squares of elements of 4 and 8 bytes; where there are fewer
  // columns, the rest of the registers is neither loaded nor stored.
  const auto wide_bytes = static_cast<uint32_t>(m_.vector_registers().wide_bytes);
  Value* done = zero;
  if (wide_bytes > 0 && size >= 4) {
    use_wide_registers(m_.vector_registers().wide_bytes);
    const uint32_t wide = wide_bytes / size;
    done = whole(rows, wide);
    auto* lanes = llvm::FixedVectorType::get(type, wide);
    // Rows that follow one another are a stream, which should go on while they are transposed.
    Value* close = b_.CreateICmpULT(
        src_stride, b_.getInt64(kCloseRowBytes / static_cast<uint64_t>(prim_size(n.type))));
    Value* ahead = b_.CreateSelect(close, b_.getInt64(kAheadBytes), zero);
    Value* numbers = b_.CreateStepVector(llvm::FixedVectorType::get(b_.getInt64Ty(), wide));
    loop(zero, done, wide, [&](Value* i) {
      loop(zero, columns, wide, [&](Value* j) {
        Value* left = b_.CreateSub(columns, j);
        Value* mask = b_.CreateICmpSLT(numbers, b_.CreateVectorSplat(wide, left));
        std::vector<Value*> square;
        for (uint32_t k = 0; k < wide; ++k) {
          Value* row = at(src, src_stride, plus(i, k), j);
          if (k % 2 == 0) prefetch(b_.CreateGEP(b_.getInt8Ty(), row, ahead));
          llvm::CallInst* x =
              b_.CreateMaskedLoad(lanes, row, align, mask, llvm::Constant::getNullValue(lanes));
          aliases_.annotate(x, n.src);
          square.push_back(x);
        }
        square = transpose_squares(b_, std::move(square), 1);
        llvm::BasicBlock* stored = new_block("stored");
        for (uint32_t k = 0; k < wide; ++k) {
          aliases_.annotate(
              b_.CreateAlignedStore(square[k], at(dest, dest_stride, plus(j, k), i), align),
              n.dest);
          llvm::BasicBlock* next = k + 1 < wide ? new_block("store") : stored;
          if (k + 1 < wide)
            b_.CreateCondBr(b_.CreateICmpEQ(left, b_.getInt64(k + 1)), stored, next);
          else
            b_.CreateBr(stored);
          b_.SetInsertPoint(next);
        }
      });
    });
  }
  const auto* between = llvm::dyn_cast<llvm::ConstantInt>(src_stride);
  const bool next_block = between != nullptr && between->getZExtValue() <= kMostBetweenRows / size;
  const auto load = [&](Value* i, Value* j) -> Value* {
    Value* place = at(src, src_stride, i, j);
    auto* x = b_.CreateAlignedLoad(vector, place, align);
    aliases_.annotate(x, n.src);
    if (next_block) prefetch(b_.CreateGEP(type, place, b_.CreateMul(rows, src_stride)));
    return x;
  };
  // As many whole strips of squares, `stack` below each other, as there are.
  const auto strips = [&](uint32_t stack) {
    Value* end = whole(rows, side * stack);
    loop(done, end, side * stack, [&](Value* i) {
      loop(zero, in_squares, side, [&](Value* next) {
        Value* j = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, next, last);
        std::vector<Value*> squares;
        for (uint32_t k = 0; k < side; ++k) {
          std::vector<Value*> parts;
          for (uint32_t part = 0; part < stack; ++part)
            parts.push_back(load(plus(i, part * side + k), j));
          squares.push_back(concatenated(b_, std::move(parts)));
        }
        squares = transpose_squares(b_, std::move(squares), stack);
        for (uint32_t k = 0; k < side; ++k)
          aliases_.annotate(
              b_.CreateAlignedStore(squares[k], at(dest, dest_stride, plus(j, k), i), align),
              n.dest);
      });
      loop(in_squares, columns, 1, [&](Value* j) {
        for (uint32_t k = 0; k < side * stack; ++k) one(plus(i, k), j);
      });
    });
    done = end;
  };
  if (m_.vector_registers().bytes >= 32) strips(2);
  strips(1);
  loop(done, rows, 1, [&](Value* i) { loop(zero, columns, 1, [&](Value* j) { one(i, j); }); });
}

}  // namespace skald::cpu
