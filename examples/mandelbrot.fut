-- SPDX-License-Identifier: Apache-2.0
-- The Mandelbrot set: for each point c, how many steps of z -> z*z + c stay inside the circle of radius 2.
--
--   echo '5i64 7i64 50i32' | ./skald-dev run examples/mandelbrot.fut
-- ==
-- input { 3i64 3i64 10i32 } output { [[1i32, 4i32, 2i32], [10i32, 10i32, 3i32], [1i32, 4i32, 2i32]] }
-- input { 1i64 2i64 4i32 } output { [[1i32, 2i32]] }
-- input { 0i64 2i64 4i32 } output { empty([0][2]i32) }
-- compiled input { 120i64 160i64 200i32 }
type complex = {re: f64, im: f64}

def norm_squared (z: complex) : f64 = z.re * z.re + z.im * z.im
def add (a: complex) (b: complex) : complex = {re = a.re + b.re, im = a.im + b.im}
def square (z: complex) : complex = {re = z.re * z.re - z.im * z.im, im = 2 * z.re * z.im}

def escape_time (limit: i32) (c: complex) : i32 =
  let (_, steps) =
    loop (z, steps) = ({re = 0, im = 0}, 0) while steps < limit && norm_squared z <= 4 do
      (add (square z) c, steps + 1)
  in steps

-- The picture shows -2 to 1 from left to right and -1 to 1 from top to bottom.
def main (height: i64) (width: i64) (limit: i32) : [height][width]i32 =
  let at (count: i64) (i: i64) (from: f64) (to: f64) : f64 =
    from + (to - from) * f64.i64 i / f64.i64 (i64.max 1 (count - 1))
  in tabulate_2d height width (\y x -> escape_time limit {re = at width x (-2) 1, im = at height y (-1) 1})
