-- SPDX-License-Identifier: Apache-2.0
-- A constant array is computed once and read by functions that are called again and again.
-- ==
-- input { [0i64, 1i64, 2i64] } output { [280i64, 294i64, 308i64] }

#[noinline]
def weights : []i64 = [5, 9, 6]

#[noinline]
def factors : []i64 = [3, 1, 4, 1, 5]

#[noinline]
def both (xs: []i64) (y: i64) : (i64, []i64) = (y + i64.sum xs, copy factors)

#[noinline]
def weigh (x: i64) : i64 =
  let (y, zs) = both weights x
  in y * i64.sum zs

def main (xs: []i64) : []i64 = map weigh xs
