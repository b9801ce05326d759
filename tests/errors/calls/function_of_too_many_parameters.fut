-- SPDX-License-Identifier: Apache-2.0
def cell (grid: [][]i32) (i: i64) (j: i64) : i32 = grid[i, j]
def copy_of (g: [][]i32) = tabulate_2d 3 3 cell
