-- SPDX-License-Identifier: Apache-2.0
-- Attributes say how, not what: the results are the same.
-- ==
-- input { [1, 2, 3] } output { 12 }

#[noinline]
def far (x: i32) = x + 1

#[inline]
def near (x: i32) = x * 1

def main (xs: []i32) =
  let ys = #[sequential] map far xs
  let zs = #[unknown(thing, 3)] map near ys
  let total = #[unroll] loop acc = 0 for i < 3 do acc + #[unsafe] zs[i]
  let #[attr] same = #[opaque] total
  in if #[flattening(only_inner)] (same == 9) then same + 3 else 0
