-- SPDX-License-Identifier: Apache-2.0
-- Arrays that grow in a loop have a length that is known only inside.
def main (x: [3]f64) = vjp (\a -> loop b = a for i < 3 do b ++ [f64.i64 i * b[0]]) x (replicate 6 1f64)
