-- SPDX-License-Identifier: Apache-2.0
-- A loop of n rounds over m numbers, for tapes.py: the tape of all rounds takes 8 n m bytes.

entry reverse (n: i64) (m: i64) : [m]f64 =
  let start = map (\i -> f64.i64 i / f64.i64 m) (iota m)
  in vjp (\xs -> loop xs for i < n do map2 (\x y -> f64.sin (x + 0.5 * y)) xs (rotate 1 xs)) start (map (const 1) start)
