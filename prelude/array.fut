-- SPDX-License-Identifier: Apache-2.0
-- | Arrays: their shapes, parts and sequential folds.

import "soacs"

def length [n] 't (_: [n]t): i64 = n
def null [n] 't (_: [n]t): bool = n == 0
def head [n] 't (x: [n]t): t = x[0]
def last [n] 't (x: [n]t): t = x[n-1]
def tail [n] 't (x: [n]t): [n-1]t = x[1:]
def init [n] 't (x: [n]t): [n-1]t = x[:n-1]
def take [n] 't (i: i64) (x: [n]t): [i]t = x[0:i]
def drop [n] 't (i: i64) (x: [n]t): [n-i]t = x[i:]
def sized [m] 't (n: i64) (xs: [m]t): [n]t = xs :> [n]t
def split [n] [m] 't (xs: [n+m]t): ([n]t, [m]t) = (xs[0:n], xs[n:n+m] :> [m]t)
def reverse [n] 't (x: [n]t): [n]t = x[::-1]
def (++) [n] [m] 't (xs: [n]t) (ys: [m]t): *[n+m]t = intrinsics.concat xs ys
def concat [n] [m] 't (xs: [n]t) (ys: [m]t): *[n+m]t = intrinsics.concat xs ys
def iota (n: i64): *[n]i64 = 0..1..<n
def indices [n] 't (_: [n]t): *[n]i64 = iota n
def rotate [n] 't (r: i64) (xs: [n]t): *[n]t = intrinsics.rotate r xs
def replicate 't (n: i64) (x: t): *[n]t = intrinsics.replicate n x
def rep 't [n] (x: t): *[n]t = replicate n x
def copy 't (a: t): *t = intrinsics.manifest a
def manifest 't (a: t): *t = intrinsics.manifest a
def flatten [n] [m] 't (xs: [n][m]t): [n*m]t = intrinsics.flatten xs
def flatten_3d [n] [m] [l] 't (xs: [n][m][l]t): [n*m*l]t = flatten (flatten xs)
def flatten_4d [n] [m] [l] [k] 't (xs: [n][m][l][k]t): [n*m*l*k]t = flatten (flatten_3d xs)
def unflatten 't [n] [m] (xs: [n*m]t): [n][m]t = intrinsics.unflatten n m xs
def unflatten_3d 't [n] [m] [l] (xs: [n*m*l]t): [n][m][l]t = unflatten (unflatten xs)
def unflatten_4d 't [n] [m] [l] [k] (xs: [n*m*l*k]t): [n][m][l][k]t = unflatten (unflatten_3d xs)
def transpose [n] [m] 't (a: [n][m]t): [m][n]t = intrinsics.transpose a
def and [n] (xs: [n]bool): bool = all (\x -> x) xs
def or [n] (xs: [n]bool): bool = any (\x -> x) xs
def foldl [n] 'a 'b (f: a -> b -> a) (acc: a) (bs: [n]b): a = loop acc for b in bs do f acc b
def foldr [n] 'a 'b (f: b -> a -> a) (acc: a) (bs: [n]b): a = foldl (\x y -> f y x) acc (reverse bs)
def tabulate 'a (n: i64) (f: i64 -> a): *[n]a = map f (iota n)
def tabulate_2d 'a (n: i64) (m: i64) (f: i64 -> i64 -> a): *[n][m]a =
  map (\i -> map (f i) (iota m)) (iota n)
def tabulate_3d 'a (n: i64) (m: i64) (o: i64) (f: i64 -> i64 -> i64 -> a): *[n][m][o]a =
  map (\i -> map (\j -> map (f i j) (iota o)) (iota m)) (iota n)
