// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

namespace {

constexpr int kMost = 32;

bool is_safe(const int64_t* board, int64_t columns, int64_t row) {
  for (int64_t i = 0; i < columns; ++i)
    if (board[i] == row || std::abs(board[i] - row) == columns - i) return false;
  return true;
}

int64_t ways(int64_t* board, int64_t columns, int64_t n) {
  if (columns == n) return 1;
  if (columns < 2)
    return tbb::parallel_reduce(
        Range(0, n, 1), int64_t{0},
        [=](const Range& rows, int64_t sum) {
          int64_t own[kMost];
          std::copy(board, board + columns, own);
          for (int64_t row = rows.begin(); row < rows.end(); ++row) {
            if (!is_safe(own, columns, row)) continue;
            own[columns] = row;
            sum += ways(own, columns + 1, n);
          }
          return sum;
        },
        [](int64_t a, int64_t b) { return a + b; });
  int64_t sum = 0;
  for (int64_t row = 0; row < n; ++row) {
    if (!is_safe(board, columns, row)) continue;
    board[columns] = row;
    sum += ways(board, columns + 1, n);
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const int64_t n = peer.scalar<int64_t>();
  if (n > kMost) die("the board is too large");
  int64_t result = 0;
  peer.time([&] {
    int64_t board[kMost];
    result = ways(board, 0, n);
  });
  peer.write_scalar(result);
}
