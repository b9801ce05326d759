-- SPDX-License-Identifier: Apache-2.0
-- Scalar loops that divide by what does not change in them, with every rounding and type; by 0 the quotient is 0.

-- ==
-- entry: test_i32
-- input { 0 [0i64, 3, 1, 2, 4, 5, 6, 7, 8, 9] [-2147483648, 2147483647, -1, 0, 1, 7, -7, 6, -6, 123456789] } output { true }
-- input { 1 [0i64, 3, 1, 2, 4, 5, 6, 7, 8, 9] [-2147483648, 2147483647, -1, 0, 1, 7, -7, 6, -6, 123456789] } output { true }
-- input { -1 [0i64, 3, 1, 2, 4, 5, 6, 7, 8, 9] [-2147483648, 2147483647, -1, 0, 1, 7, -7, 6, -6, 123456789] } output { true }
-- input { 2 [0i64, 3, 1, 2, 4, 5, 6, 7, 8, 9] [-2147483648, 2147483647, -1, 0, 1, 7, -7, 6, -6, 123456789] } output { true }
-- input { -2 [0i64, 3, 1, 2, 4, 5, 6, 7, 8, 9] [-2147483648, 2147483647, -1, 0, 1, 7, -7, 6, -6, 123456789] } output { true }
-- input { 3 [0i64, 3, 1, 2, 4, 5, 6, 7, 8, 9] [-2147483648, 2147483647, -1, 0, 1, 7, -7, 6, -6, 123456789] } output { true }
-- input { -7 [0i64, 3, 1, 2, 4, 5, 6, 7, 8, 9] [-2147483648, 2147483647, -1, 0, 1, 7, -7, 6, -6, 123456789] } output { true }
-- input { 641 [0i64, 3, 1, 2, 4, 5, 6, 7, 8, 9] [-2147483648, 2147483647, -1, 0, 1, 7, -7, 6, -6, 123456789] } output { true }
-- input { 65537 [0i64, 3, 1, 2, 4, 5, 6, 7, 8, 9] [-2147483648, 2147483647, -1, 0, 1, 7, -7, 6, -6, 123456789] } output { true }
-- input { 2147483647 [0i64, 3, 1, 2, 4, 5, 6, 7, 8, 9] [-2147483648, 2147483647, -1, 0, 1, 7, -7, 6, -6, 123456789] } output { true }
-- input { -2147483647 [0i64, 3, 1, 2, 4, 5, 6, 7, 8, 9] [-2147483648, 2147483647, -1, 0, 1, 7, -7, 6, -6, 123456789] } output { true }
-- input { -2147483648 [0i64, 3, 1, 2, 4, 5, 6, 7, 8, 9] [-2147483648, 2147483647, -1, 0, 1, 7, -7, 6, -6, 123456789] } output { true }
entry test_i32 [n] (d: i32) (is: [n]i64) (xs: [n]i32) : bool =
  let put (f: i32 -> i32) = reduce_by_index (replicate n 0) (+) 0 is (map f xs)
  let wide (f: i64 -> i64 -> i64) x = i32.i64 (f (i64.i32 x) (i64.i32 d))
  let quot f = put (\x -> if d == 0 then 0 else wide f x)
  let rest f = put (\x -> if d == 0 then x else wide f x)
  in put (\x -> #[unsafe] x / d) == quot (i64./) && put (\x -> #[unsafe] x % d) == rest (i64.%)
     && put (\x -> #[unsafe] x // d) == quot (i64.//) && put (\x -> #[unsafe] x %% d) == rest (i64.%%)

-- ==
-- entry: test_i8
-- input { 0i8 300i64 } output { true }
-- input { 1i8 300i64 } output { true }
-- input { -1i8 300i64 } output { true }
-- input { 3i8 300i64 } output { true }
-- input { -128i8 300i64 } output { true }
-- input { 127i8 300i64 } output { true }
-- input { -5i8 300i64 } output { true }
entry test_i8 (d: i8) (n: i64) : bool =
  let put (f: i8 -> i8) =
    reduce_by_index (replicate n 0) (+) 0 (map (\i -> i * 7 % 300) (iota n)) (map (\i -> f (i8.i64 i)) (iota n))
  let wide (f: i64 -> i64 -> i64) x = i8.i64 (f (i64.i8 x) (i64.i8 d))
  in put (\x -> #[unsafe] x / d) == put (\x -> if d == 0 then 0 else wide (i64./) x)
     && put (\x -> #[unsafe] x %% d) == put (\x -> if d == 0 then x else wide (i64.%%) x)

-- ==
-- entry: test_u16
-- input { 0u16 300i64 } output { true }
-- input { 1u16 300i64 } output { true }
-- input { 3u16 300i64 } output { true }
-- input { 255u16 300i64 } output { true }
-- input { 32768u16 300i64 } output { true }
-- input { 65535u16 300i64 } output { true }
entry test_u16 (d: u16) (n: i64) : bool =
  let put (f: u16 -> u16) =
    reduce_by_index (replicate n 0) (+) 0 (map (\i -> i * 7 % 300) (iota n)) (map (\i -> f (u16.i64 (i - 150))) (iota n))
  let wide (f: i64 -> i64 -> i64) x = u16.i64 (f (i64.u16 x) (i64.u16 d))
  in put (\x -> #[unsafe] x / d) == put (\x -> if d == 0 then 0 else wide (i64./) x)
     && put (\x -> #[unsafe] x % d) == put (\x -> if d == 0 then x else wide (i64.%) x)
