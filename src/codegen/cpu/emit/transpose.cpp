// SPDX-License-Identifier: Apache-2.0
// Transpositions of blocks of memory (imp::TransposeBlock, and rows of lanes).
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
// A block whose rows follow one another closely is one of many
// (imp/lower/cpu/reduce/transposed.cpp). It is read in another order than memory has, which the
// machine does not foresee; so the same place in the block after it is asked for beforehand.
//
// The last squares of a row overlap if they have to.  What is left where there are fewer columns
// than a square has, and at the bottom, is copied element by element.
#include "codegen/cpu/emit/transpose.h"

#include <numeric>

#include "codegen/cpu/emit/statements.h"
#include "codegen/cpu/emit/stream.h"

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

// The loops of one statement.
class TransposeEmitter {
 public:
  TransposeEmitter(FunctionEmitter& f, const Transposition& n);
  void run();

 private:
  // Squares that fill registers of 64 bytes, from the top; what is left of a row is masked.  Gives
  // the row after them.
  Value* wide_squares(uint32_t bytes);
  void store_columns(const std::vector<Value*>& square, Value* i, Value* j, Value* left);
  // Whole strips of squares of 16 bytes from row `begin` on, `stack` below each other; gives the
  // row after them.
  Value* strips(Value* begin, uint32_t stack);
  void squares(Value* i, Value* j, uint32_t stack);
  void one(Value* i, Value* j);

  template <class Body>
  void loop(Value* begin, Value* end, uint32_t step, const Body& body) {
    f_.leave_scalar(f_.count_up(begin, end, step, body));
  }
  Value* whole(Value* count, uint32_t step) {
    return b_.CreateAnd(count, b_.getInt64(~uint64_t{step - 1}));
  }
  Value* plus(Value* v, uint32_t k) { return b_.CreateAdd(v, b_.getInt64(k)); }
  Value* at(Value* base, Value* stride, Value* row, Value* column) {
    return b_.CreateInBoundsGEP(type_, base, b_.CreateAdd(b_.CreateMul(row, stride), column));
  }
  // Addresses of neighbouring rows are a chain that begins anew for each square: as so many that go
  // through all loops they would take the code generator longer than the rest of the kernel.
  Value* first_of_chain(Value* address) { return b_.CreateFreeze(address); }
  Value* next_row(Value* address, Value* stride) {
    return b_.CreateInBoundsGEP(type_, address, stride);
  }
  std::vector<Value*> neighbours(Value* first, Value* stride, uint32_t count) {
    std::vector<Value*> rows = {first_of_chain(first)};
    while (rows.size() < count) rows.push_back(next_row(rows.back(), stride));
    return rows;
  }
  // Memory of lanes is in the cache, and behind it there may be no memory at all: then reading
  // ahead takes as long as finding that out.
  bool reads_ahead() const { return static_cast<bool>(n_.src_block); }
  template <class Access>
  Access* annotate(Access* access, core::Name block) {
    if (block) f_.aliases.annotate(access, block);
    return access;
  }
  void store_at(Value* place, Value* x) {
    annotate(b_.CreateAlignedStore(x, place, align_), n_.dest_block);
  }

  FunctionEmitter& f_;
  llvm::IRBuilder<>& b_;
  const Transposition& n_;
  const uint32_t size_, side_;
  llvm::Type* type_;
  llvm::Align align_;
  Value *src_, *dest_, *src_stride_, *dest_stride_, *rows_, *columns_;
};

TransposeEmitter::TransposeEmitter(FunctionEmitter& f, const Transposition& n)
    : f_(f),
      b_(f.b),
      n_(n),
      size_(static_cast<uint32_t>(prim_size(n.type))),
      side_(kSquareBytes / size_),
      type_(memory_type(f.module.context(), n.type)),
      align_(size_),
      src_(n.src),
      dest_(n.dest),
      src_stride_(n.src_stride),
      dest_stride_(n.dest_stride),
      rows_(n.rows),
      columns_(n.columns) {}

void TransposeEmitter::run() {
  const machine::VectorRegisters& machine = f_.module.vector_registers();
  Value* done = b_.getInt64(0);
  const bool wide = machine.wide_bytes > 0 && size_ >= 4;
  if (wide) done = wide_squares(static_cast<uint32_t>(machine.wide_bytes));
  // What wide squares leave is not worth the time to compile two kinds of strips.
  if (machine.bytes >= 32 && !wide) done = strips(done, 2);
  done = strips(done, 1);
  loop(done, rows_, 1,
       [&](Value* i) { loop(b_.getInt64(0), columns_, 1, [&](Value* j) { one(i, j); }); });
}

void TransposeEmitter::one(Value* i, Value* j) {
  auto* x = b_.CreateAlignedLoad(type_, at(src_, src_stride_, i, j), align_);
  annotate(x, n_.src_block);
  store_at(at(dest_, dest_stride_, j, i), x);
}

// ---- squares of 64 bytes

Value* TransposeEmitter::wide_squares(uint32_t bytes) {
  f_.use_wide_registers(static_cast<int>(bytes));
  const uint32_t wide = bytes / size_;
  Value* zero = b_.getInt64(0);
  Value* end = whole(rows_, wide);
  auto* lanes = llvm::FixedVectorType::get(type_, wide);
  // Rows that follow one another are a stream, which should go on while they are transposed.
  Value* close = b_.CreateICmpULT(src_stride_, b_.getInt64(kCloseRowBytes / size_));
  Value* ahead = b_.CreateSelect(close, b_.getInt64(kAheadBytes), zero);
  Value* numbers = b_.CreateStepVector(llvm::FixedVectorType::get(b_.getInt64Ty(), wide));
  loop(zero, end, wide, [&](Value* i) {
    loop(zero, columns_, wide, [&](Value* j) {
      Value* left = b_.CreateSub(columns_, j);
      Value* mask = b_.CreateICmpSLT(numbers, b_.CreateVectorSplat(wide, left));
      std::vector<Value*> square;
      const std::vector<Value*> rows = neighbours(at(src_, src_stride_, i, j), src_stride_, wide);
      for (uint32_t k = 0; k < wide; ++k) {
        Value* row = rows[k];
        if (k % 2 == 0 && reads_ahead()) prefetch(f_, b_.CreateGEP(b_.getInt8Ty(), row, ahead));
        llvm::CallInst* x =
            b_.CreateMaskedLoad(lanes, row, align_, mask, llvm::Constant::getNullValue(lanes));
        annotate(x, n_.src_block);
        square.push_back(x);
      }
      store_columns(transpose_squares(b_, std::move(square), 1), i, j, left);
    });
  });
  return end;
}

// As many columns as are left.
void TransposeEmitter::store_columns(const std::vector<Value*>& square, Value* i, Value* j,
                                     Value* left) {
  llvm::BasicBlock* stored = f_.new_block("stored");
  Value* place = first_of_chain(at(dest_, dest_stride_, j, i));
  for (uint32_t k = 0; k < square.size(); ++k) {
    if (k > 0) place = next_row(place, dest_stride_);
    store_at(place, square[k]);
    if (k + 1 == square.size()) {
      b_.CreateBr(stored);
      break;
    }
    llvm::BasicBlock* next = f_.new_block("store");
    b_.CreateCondBr(b_.CreateICmpEQ(left, b_.getInt64(k + 1)), stored, next);
    b_.SetInsertPoint(next);
  }
  b_.SetInsertPoint(stored);
}

// ---- squares of 16 bytes

Value* TransposeEmitter::strips(Value* begin, uint32_t stack) {
  Value* zero = b_.getInt64(0);
  Value* last = b_.CreateSub(columns_, b_.getInt64(side_));
  Value* in_squares = b_.CreateSelect(b_.CreateICmpSLT(last, zero), zero, columns_);
  Value* end = whole(rows_, side_ * stack);
  loop(begin, end, side_ * stack, [&](Value* i) {
    loop(zero, in_squares, side_, [&](Value* next) {
      squares(i, b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, next, last), stack);
    });
    loop(in_squares, columns_, 1, [&](Value* j) {
      for (uint32_t k = 0; k < side_ * stack; ++k) one(plus(i, k), j);
    });
  });
  return end;
}

void TransposeEmitter::squares(Value* i, Value* j, uint32_t stack) {
  // As far away as the block after this one, if it follows this one closely.
  Value* next =
      b_.CreateSelect(b_.CreateICmpULE(src_stride_, b_.getInt64(kMostBetweenRows / size_)),
                      b_.CreateMul(rows_, src_stride_), b_.getInt64(0));
  auto* vector = llvm::FixedVectorType::get(type_, side_);
  const std::vector<Value*> sources =
      neighbours(at(src_, src_stride_, i, j), src_stride_, side_ * stack);
  const auto load = [&](Value* place) -> Value* {
    auto* x = b_.CreateAlignedLoad(vector, place, align_);
    annotate(x, n_.src_block);
    if (reads_ahead()) prefetch(f_, b_.CreateGEP(type_, place, next));
    return x;
  };
  std::vector<Value*> rows;
  for (uint32_t k = 0; k < side_; ++k) {
    std::vector<Value*> parts;
    for (uint32_t part = 0; part < stack; ++part) parts.push_back(load(sources[part * side_ + k]));
    rows.push_back(concatenated(b_, std::move(parts)));
  }
  rows = transpose_squares(b_, std::move(rows), stack);
  const std::vector<Value*> results =
      neighbours(at(dest_, dest_stride_, j, i), dest_stride_, side_);
  for (uint32_t k = 0; k < side_; ++k) store_at(results[k], rows[k]);
}

void transpose(FunctionEmitter& f, const Transposition& n) {
  TransposeEmitter(f, n).run();
}

void emit_stmt(FunctionEmitter& f, const imp::TransposeBlock& n) {
  Transposition t{.type = n.type, .src_block = n.src, .dest_block = n.dest};
  t.src = f.element(n.src, n.type, n.src_start);
  t.src_stride = f.value(n.src_stride);
  t.dest = f.element(n.dest, n.type, n.dest_start);
  t.dest_stride = f.value(n.dest_stride);
  t.rows = f.value(n.rows);
  t.columns = f.value(n.columns);
  transpose(f, t);
}

}  // namespace skald::cpu
