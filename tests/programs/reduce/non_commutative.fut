-- SPDX-License-Identifier: Apache-2.0
-- The order of elements is kept: the operator is associative but not commutative.

-- Composition of the functions x -> a*x + b.
-- ==
-- entry: affine
-- input { [2i32, 3i32, 1i32] [1i32, 0i32, 5i32] } output { 6i32 8i32 }
-- input { empty([0]i32) empty([0]i32) } output { 1i32 0i32 }
entry affine [n] (as: [n]i32) (bs: [n]i32) : (i32, i32) =
  reduce (\(a1, b1) (a2, b2) -> (a1 * a2, a2 * b1 + b2)) (1, 0) (zip as bs)

-- The last element that is not zero.
-- ==
-- entry: last_nonzero
-- input { [1i32, 0i32, 7i32, 0i32, 0i32] } output { 7i32 }
-- input { [0i32, 0i32] } output { 0i32 }
entry last_nonzero [n] (xs: [n]i32) : i32 = reduce (\a b -> if b == 0 then a else b) 0 xs

-- The same on an array large enough for several threads: 1 + 2 + … digits would show a wrong order.
-- ==
-- entry: large
-- compiled input { 100000i64 } output { 99999i64 0i64 }
entry large (n: i64) : (i64, i64) =
  let keep_last (a: i64, s: i64) (b: i64, t: i64) = if t > 0 then (b, i64.min s t - i64.min s t + 1) else (a, s)
  let (x, s) = reduce keep_last (-1, 0) (map (\i -> (i, 1)) (iota n))
  in (x, s - 1)

-- Every length, with several parts side by side and with branches in the operator: the product of matrices, and the
-- longest run of equal numbers.
-- ==
-- entry: every_length
-- input { 700i64 } output { true }
entry every_length (most: i64) : bool =
  let mul (a: i32, b: i32, c: i32, d: i32) (e: i32, f: i32, g: i32, h: i32) =
    (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)
  let runs (best1: i32, len1: i32, head1: i32, tail1: i32, first1: i32, last1: i32)
           (best2: i32, len2: i32, head2: i32, tail2: i32, first2: i32, last2: i32) =
    if len1 == 0 then (best2, len2, head2, tail2, first2, last2)
    else if len2 == 0 then (best1, len1, head1, tail1, first1, last1)
    else let joined = if last1 == first2 then tail1 + head2 else 0
         in ( i32.max joined (i32.max best1 best2), len1 + len2
            , if head1 == len1 && joined > 0 then joined else head1
            , if tail2 == len2 && joined > 0 then joined else tail2
            , first1, last2)
  let same (n: i64) =
    let xs = map (\i -> i32.i64 (i * i % 11)) (iota n)
    let ms = map (\x -> (x, 1, x - 3, 2)) xs
    let rs = map (\x -> (1, 1, 1, 1, x / 4, x / 4)) xs
    in reduce mul (1, 0, 0, 1) ms == (loop m = (1, 0, 0, 1) for x in ms do mul m x)
       && reduce runs (0, 0, 0, 0, 0, 0) rs == (loop r = (0, 0, 0, 0, 0, 0) for x in rs do runs r x)
       && scan mul (1, 0, 0, 1) ms == map (\i -> loop m = (1, 0, 0, 1) for x in ms[:i + 1] do mul m x) (iota n)
  in all same (map (* 23) (iota (most / 23 + 1))) && all same (iota 40)

-- The same of arrays in memory, of which the lanes read what was transposed before, in rows and in views.
-- ==
-- entry: loaded
-- script input { numbers 0i64 } output { true }
-- script input { numbers 700i64 } output { true }
-- script input { numbers 5555i64 } output { true }
-- compiled script input { numbers 300000i64 } output { true }
entry numbers (n: i64) : [n]i32 = map (\i -> i32.i64 (i * i % 1009 - 7)) (iota n)

entry loaded [n] (xs: [n]i32) : bool =
  let mul (a, b, c, d) (e, f, g, h) : (i32, i32, i32, i32) =
    (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)
  let narrow (a, b, c, d) (e, f, g, h) : (i8, i8, i8, i8) =
    (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)
  let in_turn [k] (as: [k]i32) (bs: [k]i32) =
    loop m = (1, 0, 0, 1) for i < k do mul m (as[i], bs[i], 1, as[i] - bs[i])
  let all_of [k] (as: [k]i32) (bs: [k]i32) =
    reduce mul (1, 0, 0, 1) (map2 (\a b -> (a, b, 1, a - b)) as bs)
  let half = n / 2
  let rows = unflatten (sized (7 * (n / 7)) xs[:7 * (n / 7)])
  let bytes = map (\x -> (i8.i32 x, 1i8, i8.i32 (x / 3), 2i8)) xs
  let running = scan narrow (1, 0, 0, 1) bytes
  in all_of xs xs == in_turn xs xs
     && all_of (take half xs) (sized half xs[n - half:]) == in_turn (take half xs) (sized half xs[n - half:])
     && all_of xs (reverse xs) == in_turn xs (reverse xs)
     && map (\r -> all_of r r) rows == map (\r -> in_turn r r) rows
     && and (map (\i -> running[i] == narrow (if i == 0 then (1, 0, 0, 1) else running[i - 1]) bytes[i]) (iota n))
