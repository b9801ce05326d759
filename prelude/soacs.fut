-- SPDX-License-Identifier: Apache-2.0
-- | Second-order array combinators: functions over whole arrays that run in parallel.

def map 'a [n] 'x (f: a -> x) (as: [n]a): *[n]x = intrinsics.map f as
def map1 'a [n] 'x (f: a -> x) (as: [n]a): *[n]x = intrinsics.map f as
def map2 'a 'b [n] 'x (f: a -> b -> x) (as: [n]a) (bs: [n]b): *[n]x =
  intrinsics.map (\(a, b) -> f a b) (intrinsics.zip as bs)
def map3 'a 'b 'c [n] 'x (f: a -> b -> c -> x) (as: [n]a) (bs: [n]b) (cs: [n]c): *[n]x =
  intrinsics.map (\(a, (b, c)) -> f a b c) (intrinsics.zip as (intrinsics.zip bs cs))
def map4 'a 'b 'c 'd [n] 'x (f: a -> b -> c -> d -> x) (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d): *[n]x =
  intrinsics.map (\((a, b), (c, d)) -> f a b c d) (intrinsics.zip (intrinsics.zip as bs) (intrinsics.zip cs ds))
def map5 'a 'b 'c 'd 'e [n] 'x (f: a -> b -> c -> d -> e -> x) (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) (es: [n]e): *[n]x =
  intrinsics.map (\((a, b), (c, (d, e))) -> f a b c d e)
    (intrinsics.zip (intrinsics.zip as bs) (intrinsics.zip cs (intrinsics.zip ds es)))
def reduce [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a): a = intrinsics.reduce op ne as
def reduce_comm [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a): a = intrinsics.reduce_comm op ne as
def scan [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a): *[n]a = intrinsics.scan op ne as
def exscan [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a): *[n]a =
  let s = intrinsics.scan op ne as
  in intrinsics.map (\i -> if i == 0 then ne else s[i - 1]) (0..<n)
def all [n] 'a (f: a -> bool) (as: [n]a): bool = intrinsics.reduce_comm (&&) true (intrinsics.map f as)
def any [n] 'a (f: a -> bool) (as: [n]a): bool = intrinsics.reduce_comm (||) false (intrinsics.map f as)
def hist 'a [n] (op: a -> a -> a) (ne: a) (k: i64) (is: [n]i64) (as: [n]a): *[k]a =
  intrinsics.hist_1d 1 (intrinsics.map (\_ -> ne) (0..<k)) op ne is as
def reduce_by_index 'a [k] [n] (dest: *[k]a) (f: a -> a -> a) (ne: a) (is: [n]i64) (as: [n]a): *[k]a =
  intrinsics.hist_1d 1 dest f ne is as
def reduce_by_index_2d 'a [k] [n] [m] (dest: *[k][m]a) (f: a -> a -> a) (ne: a) (is: [n](i64, i64)) (as: [n]a): *[k][m]a =
  intrinsics.hist_2d 1 dest f ne is as
def reduce_by_index_3d 'a [k] [n] [m] [l] (dest: *[k][m][l]a) (f: a -> a -> a) (ne: a) (is: [n](i64, i64, i64)) (as: [n]a): *[k][m][l]a =
  intrinsics.hist_3d 1 dest f ne is as
def spread 't [n] (k: i64) (x: t) (is: [n]i64) (vs: [n]t): *[k]t =
  intrinsics.scatter (intrinsics.map (\_ -> x) (0..<k)) is vs
def scatter 't [k] [n] (dest: *[k]t) (is: [n]i64) (vs: [n]t): *[k]t = intrinsics.scatter dest is vs
def scatter_2d 't [k] [n] [l] (dest: *[k][n]t) (is: [l](i64, i64)) (vs: [l]t): *[k][n]t =
  intrinsics.scatter_2d dest is vs
def scatter_3d 't [k] [n] [o] [l] (dest: *[k][n][o]t) (is: [l](i64, i64, i64)) (vs: [l]t): *[k][n][o]t =
  intrinsics.scatter_3d dest is vs
def filter [n] 'a (p: a -> bool) (as: [n]a): ?[m].*[m]a = intrinsics.filter p as
def partition [n] 'a (p: a -> bool) (as: [n]a): ?[k].([k]a, [n-k]a) =
  let [k] (yes: [k]a, no) = intrinsics.partition_2 p as
  in (yes, no :> [n-k]a)
def partition2 [n] 'a (p1: a -> bool) (p2: a -> bool) (as: [n]a): ?[k][l].([k]a, [l]a, [n-k-l]a) =
  let [k] [l] (first: [k]a, second: [l]a, neither) = intrinsics.partition_3 p1 p2 as
  in (first, second, neither :> [n-k-l]a)
def flatmap [n] 'a 'b 'c (f: a -> ?[k].([k]b, c)) (as: [n]a): ?[m].([n]i64, [m]bool, [n]i64, [m]b, [n]c) =
  intrinsics.flatmap f as
def flatmap' [n] 'a 'b (f: a -> ?[k].[k]b) (as: [n]a): ?[m].([n]i64, [m]bool, [n]i64, [m]b) =
  let (a, b, c, d, _) = intrinsics.flatmap (\x -> (f x, ())) as
  in (a, b, c, d)
