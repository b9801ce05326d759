-- SPDX-License-Identifier: Apache-2.0
-- | The prelude: what every file has in scope.  Definitions carry complete types, so that a program
-- pays only for those it uses.

-- ---- higher-order array operations

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
  let p' x = if p x then 0i64 else 1i64
  let (as', is) = intrinsics.partition 2 p' as
  let k = is[0]
  in (as'[:k], as'[k:n] :> [n-k]a)
def partition2 [n] 'a (p1: a -> bool) (p2: a -> bool) (as: [n]a): ?[k][l].([k]a, [l]a, [n-k-l]a) =
  let p' x = if p1 x then 0i64 else if p2 x then 1i64 else 2i64
  let (as', is) = intrinsics.partition 3 p' as
  let k = is[0]
  let l = is[1]
  in (as'[:k], as'[k:k+l] :> [l]a, as'[k+l:n] :> [n-k-l]a)
def flatmap [n] 'a 'b 'c (f: a -> ?[k].([k]b, c)) (as: [n]a): ?[m].([n]i64, [m]bool, [n]i64, [m]b, [n]c) =
  intrinsics.flatmap f as
def flatmap' [n] 'a 'b (f: a -> ?[k].[k]b) (as: [n]a): ?[m].([n]i64, [m]bool, [n]i64, [m]b) =
  let (a, b, c, d, _) = intrinsics.flatmap (\x -> (f x, ())) as
  in (a, b, c, d)

-- ---- zip

def zip [n] 'a 'b (as: [n]a) (bs: [n]b): *[n](a, b) = intrinsics.zip as bs
def zip2 [n] 'a 'b (as: [n]a) (bs: [n]b): *[n](a, b) = intrinsics.zip as bs
def zip3 [n] 'a 'b 'c (as: [n]a) (bs: [n]b) (cs: [n]c): *[n](a, b, c) =
  map3 (\a b c -> (a, b, c)) as bs cs
def zip4 [n] 'a 'b 'c 'd (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d): *[n](a, b, c, d) =
  map4 (\a b c d -> (a, b, c, d)) as bs cs ds
def zip5 [n] 'a 'b 'c 'd 'e (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) (es: [n]e): *[n](a, b, c, d, e) =
  map5 (\a b c d e -> (a, b, c, d, e)) as bs cs ds es
def unzip [n] 'a 'b (xs: [n](a, b)): ([n]a, [n]b) = intrinsics.unzip xs
def unzip2 [n] 'a 'b (xs: [n](a, b)): ([n]a, [n]b) = intrinsics.unzip xs
def unzip3 [n] 'a 'b 'c (xs: [n](a, b, c)): ([n]a, [n]b, [n]c) =
  (map (.0) xs, map (.1) xs, map (.2) xs)
def unzip4 [n] 'a 'b 'c 'd (xs: [n](a, b, c, d)): ([n]a, [n]b, [n]c, [n]d) =
  (map (.0) xs, map (.1) xs, map (.2) xs, map (.3) xs)
def unzip5 [n] 'a 'b 'c 'd 'e (xs: [n](a, b, c, d, e)): ([n]a, [n]b, [n]c, [n]d, [n]e) =
  (map (.0) xs, map (.1) xs, map (.2) xs, map (.3) xs, map (.4) xs)

-- ---- arrays

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

-- ---- functions

def (|>) '^a '^b (x: a) (f: a -> b): b = f x
def (<|) '^a '^b (f: a -> b) (x: a): b = f x
def (>->) '^a '^b '^c (f: a -> b) (g: b -> c) (x: a): c = g (f x)
def (<-<) '^a '^b '^c (g: b -> c) (f: a -> b) (x: a): c = g (f x)
def flip '^a '^b '^c (f: a -> b -> c) (b: b) (a: a): c = f a b
def curry '^a '^b '^c (f: (a, b) -> c) (a: a) (b: b): c = f (a, b)
def uncurry '^a '^b '^c (f: a -> b -> c) (p: (a, b)): c = f p.0 p.1
def const '^a '^b (x: a) (_: b): a = x
def id '^a (x: a): a = x
def iterate 'a (n: i32) (f: a -> a) (x: a): a = loop x for _i < n do f x
def iterate_until 'a (p: a -> bool) (f: a -> a) (x: a): a = loop x while !(p x) do f x
def iterate_while 'a (p: a -> bool) (f: a -> a) (x: a): a = loop x while p x do f x

-- ---- automatic differentiation

def jvp2 'a 'b (f: a -> b) (x: a) (x': a): (b, b) = intrinsics.jvp2 f x x'
def vjp2 'a 'b (f: a -> b) (x: a) (y': b): (b, a) = intrinsics.vjp2 f x y'
def jvp 'a 'b (f: a -> b) (x: a) (x': a): b = (jvp2 f x x').1
def vjp 'a 'b (f: a -> b) (x: a) (y': b): a = (vjp2 f x y').1
def jmp2 'a 'b [n] (f: a -> b) (x: a) (x': [n]a): (b, [n]b) = intrinsics.jmp2 f x x'
def mjp2 'a 'b [n] (f: a -> b) (x: a) (y': [n]b): (b, [n]a) = intrinsics.mjp2 f x y'
def jmp 'a 'b [n] (f: a -> b) (x: a) (x': [n]a): [n]b = (jmp2 f x x').1
def mjp 'a 'b [n] (f: a -> b) (x: a) (y': [n]b): [n]a = (mjp2 f x y').1
def with_vjp 'a 'b (f: a -> b) (f': (res: b) -> (b_adj: b) -> a) (x: a): b = intrinsics.with_vjp f f' x
def with_vjp_tape 'a 'b 'c (f: a -> (c, b)) (f': (c, b) -> a) (x: a): b =
  let (_, b) = f x
  let _unused = f'
  in b

-- ---- numbers

module type from_prim = {
  type t
  val i8 : i8 -> t
  val i16 : i16 -> t
  val i32 : i32 -> t
  val i64 : i64 -> t
  val u8 : u8 -> t
  val u16 : u16 -> t
  val u32 : u32 -> t
  val u64 : u64 -> t
  val f16 : f16 -> t
  val f32 : f32 -> t
  val f64 : f64 -> t
  val bool : bool -> t
}

module type numeric = {
  include from_prim
  val (+) : t -> t -> t
  val (-) : t -> t -> t
  val (*) : t -> t -> t
  val (/) : t -> t -> t
  val (%) : t -> t -> t
  val (**) : t -> t -> t
  val (==) : t -> t -> bool
  val (<) : t -> t -> bool
  val (>) : t -> t -> bool
  val (<=) : t -> t -> bool
  val (>=) : t -> t -> bool
  val (!=) : t -> t -> bool
  val to_i64 : t -> i64
  val neg : t -> t
  val abs : t -> t
  val sgn : t -> t
  val max : t -> t -> t
  val min : t -> t -> t
  val highest : t
  val lowest : t
  val sum [n] : [n]t -> t
  val product [n] : [n]t -> t
  val maximum [n] : [n]t -> t
  val minimum [n] : [n]t -> t
}

module type integral = {
  include numeric
  val (//) : t -> t -> t
  val (%%) : t -> t -> t
  val (&) : t -> t -> t
  val (|) : t -> t -> t
  val (^) : t -> t -> t
  val (<<) : t -> t -> t
  val (>>) : t -> t -> t
  val (>>>) : t -> t -> t
  val not : t -> t
  val num_bits : i32
  val get_bit : i32 -> t -> i32
  val set_bit : i32 -> t -> i32 -> t
  val popc : t -> i32
  val clz : t -> i32
  val ctz : t -> i32
  val mul_hi : (x: t) -> (y: t) -> t
  val mad_hi : (a: t) -> (b: t) -> (c: t) -> t
}

module type real = {
  include numeric
  val recip : t -> t
  val from_fraction : i64 -> i64 -> t
  val to_f64 : t -> f64
  val sqrt : t -> t
  val rsqrt : t -> t
  val cbrt : t -> t
  val exp : t -> t
  val sin : t -> t
  val cos : t -> t
  val tan : t -> t
  val sinpi : t -> t
  val cospi : t -> t
  val tanpi : t -> t
  val asin : t -> t
  val acos : t -> t
  val atan : t -> t
  val asinpi : t -> t
  val acospi : t -> t
  val atanpi : t -> t
  val sinh : t -> t
  val cosh : t -> t
  val tanh : t -> t
  val asinh : t -> t
  val acosh : t -> t
  val atanh : t -> t
  val gamma : t -> t
  val lgamma : t -> t
  val erf : t -> t
  val erfc : t -> t
  val log : t -> t
  val log2 : t -> t
  val log10 : t -> t
  val log1p : t -> t
  val ceil : t -> t
  val floor : t -> t
  val trunc : t -> t
  val round : t -> t
  val atan2 : t -> t -> t
  val atan2pi : t -> t -> t
  val hypot : t -> t -> t
  val lerp : t -> t -> t -> t
  val mad : (a: t) -> (b: t) -> (c: t) -> t
  val fma : (a: t) -> (b: t) -> (c: t) -> t
  val isinf : t -> bool
  val isnan : t -> bool
  val inf : t
  val nan : t
  val pi : t
  val e : t
}

module type float = {
  include real
  type int_t
  val from_bits : int_t -> t
  val to_bits : t -> int_t
  val num_bits : i32
  val get_bit : i32 -> t -> i32
  val set_bit : i32 -> t -> i32 -> t
  val epsilon : t
  val nextafter : (x: t) -> (y: t) -> t
  val copysign : (x: t) -> (y: t) -> t
  val ldexp : t -> i32 -> t
}

module bool : from_prim with t = bool = {
  type t = bool
  def i8 (x: i8): bool = intrinsics.itob_i8_bool (x)
  def i16 (x: i16): bool = intrinsics.itob_i16_bool (x)
  def i32 (x: i32): bool = intrinsics.itob_i32_bool (x)
  def i64 (x: i64): bool = intrinsics.itob_i64_bool (x)
  def u8 (x: u8): bool = intrinsics.itob_i8_bool (intrinsics.sign_i8 (x))
  def u16 (x: u16): bool = intrinsics.itob_i16_bool (intrinsics.sign_i16 (x))
  def u32 (x: u32): bool = intrinsics.itob_i32_bool (intrinsics.sign_i32 (x))
  def u64 (x: u64): bool = intrinsics.itob_i64_bool (intrinsics.sign_i64 (x))
  def f16 (x: f16): bool = intrinsics.ftob_f16_bool x
  def f32 (x: f32): bool = intrinsics.ftob_f32_bool x
  def f64 (x: f64): bool = intrinsics.ftob_f64_bool x
  def bool (x: bool): bool = x
}

module i8 : integral with t = i8 = {
  type t = i8
  def i8 (x: i8): i8 = x
  def i16 (x: i16): i8 = intrinsics.sext_i16_i8 (x)
  def i32 (x: i32): i8 = intrinsics.sext_i32_i8 (x)
  def i64 (x: i64): i8 = intrinsics.sext_i64_i8 (x)
  def u8 (x: u8): i8 = intrinsics.zext_i8_i8 (intrinsics.sign_i8 (x))
  def u16 (x: u16): i8 = intrinsics.zext_i16_i8 (intrinsics.sign_i16 (x))
  def u32 (x: u32): i8 = intrinsics.zext_i32_i8 (intrinsics.sign_i32 (x))
  def u64 (x: u64): i8 = intrinsics.zext_i64_i8 (intrinsics.sign_i64 (x))
  def f16 (x: f16): i8 = intrinsics.fptosi_f16_i8 x
  def f32 (x: f32): i8 = intrinsics.fptosi_f32_i8 x
  def f64 (x: f64): i8 = intrinsics.fptosi_f64_i8 x
  def bool (x: bool): i8 = intrinsics.btoi_bool_i8 x
  def (+) (x: i8) (y: i8): i8 = (intrinsics.+) x y
  def (-) (x: i8) (y: i8): i8 = (intrinsics.-) x y
  def (*) (x: i8) (y: i8): i8 = (intrinsics.*) x y
  def (/) (x: i8) (y: i8): i8 = (intrinsics./) x y
  def (%) (x: i8) (y: i8): i8 = (intrinsics.%) x y
  def (**) (x: i8) (y: i8): i8 = (intrinsics.**) x y
  def (==) (x: i8) (y: i8): bool = (intrinsics.==) x y
  def (<) (x: i8) (y: i8): bool = (intrinsics.<) x y
  def (>) (x: i8) (y: i8): bool = (intrinsics.>) x y
  def (<=) (x: i8) (y: i8): bool = (intrinsics.<=) x y
  def (>=) (x: i8) (y: i8): bool = (intrinsics.>=) x y
  def (!=) (x: i8) (y: i8): bool = (intrinsics.!=) x y
  def (//) (x: i8) (y: i8): i8 = (intrinsics.//) x y
  def (%%) (x: i8) (y: i8): i8 = (intrinsics.%%) x y
  def (&) (x: i8) (y: i8): i8 = (intrinsics.&) x y
  def (|) (x: i8) (y: i8): i8 = (intrinsics.|) x y
  def (^) (x: i8) (y: i8): i8 = (intrinsics.^) x y
  def (<<) (x: i8) (y: i8): i8 = (intrinsics.<<) x y
  def (>>) (x: i8) (y: i8): i8 = (intrinsics.>>) x y
  def (>>>) (x: i8) (y: i8): i8 = (intrinsics.>>>) x y
  def not (x: i8): i8 = !x
  def to_i64 (x: i8): i64 = intrinsics.sext_i8_i64 (x)
  def neg (x: i8): i8 = -x
  def abs (x: i8): i8 = if (intrinsics.<) x 0 then -x else x
  def sgn (x: i8): i8 = if (intrinsics.>) x 0 then 1 else if (intrinsics.<) x 0 then -1 else 0
  def max (x: i8) (y: i8): i8 = intrinsics.smax8 (x, y)
  def min (x: i8) (y: i8): i8 = intrinsics.smin8 (x, y)
  def highest: i8 = 127
  def lowest: i8 = -128
  def sum [n] (xs: [n]i8): i8 = intrinsics.reduce (+) 0 xs
  def product [n] (xs: [n]i8): i8 = intrinsics.reduce (*) 1 xs
  def maximum [n] (xs: [n]i8): i8 = intrinsics.reduce max lowest xs
  def minimum [n] (xs: [n]i8): i8 = intrinsics.reduce min highest xs
  def num_bits: i32 = 8
  def get_bit (b: i32) (x: i8): i32 = intrinsics.sext_i64_i32 ((intrinsics.&) (to_i64 ((intrinsics.>>>) x (i32 b))) 1)
  def set_bit (b: i32) (x: i8) (v: i32): i8 = (intrinsics.|) ((intrinsics.&) x (!((intrinsics.<<) 1 (i32 b)))) ((intrinsics.<<) (i32 v) (i32 b))
  def popc (x: i8): i32 = intrinsics.popc8 x
  def clz (x: i8): i32 = intrinsics.clz8 x
  def ctz (x: i8): i32 = intrinsics.ctz8 x
  def mul_hi (x: i8) (y: i8): i8 = intrinsics.smul_hi8 (x, y)
  def mad_hi (a: i8) (b: i8) (c: i8): i8 = intrinsics.smad_hi8 (a, b, c)
}

module i16 : integral with t = i16 = {
  type t = i16
  def i8 (x: i8): i16 = intrinsics.sext_i8_i16 (x)
  def i16 (x: i16): i16 = x
  def i32 (x: i32): i16 = intrinsics.sext_i32_i16 (x)
  def i64 (x: i64): i16 = intrinsics.sext_i64_i16 (x)
  def u8 (x: u8): i16 = intrinsics.zext_i8_i16 (intrinsics.sign_i8 (x))
  def u16 (x: u16): i16 = intrinsics.zext_i16_i16 (intrinsics.sign_i16 (x))
  def u32 (x: u32): i16 = intrinsics.zext_i32_i16 (intrinsics.sign_i32 (x))
  def u64 (x: u64): i16 = intrinsics.zext_i64_i16 (intrinsics.sign_i64 (x))
  def f16 (x: f16): i16 = intrinsics.fptosi_f16_i16 x
  def f32 (x: f32): i16 = intrinsics.fptosi_f32_i16 x
  def f64 (x: f64): i16 = intrinsics.fptosi_f64_i16 x
  def bool (x: bool): i16 = intrinsics.btoi_bool_i16 x
  def (+) (x: i16) (y: i16): i16 = (intrinsics.+) x y
  def (-) (x: i16) (y: i16): i16 = (intrinsics.-) x y
  def (*) (x: i16) (y: i16): i16 = (intrinsics.*) x y
  def (/) (x: i16) (y: i16): i16 = (intrinsics./) x y
  def (%) (x: i16) (y: i16): i16 = (intrinsics.%) x y
  def (**) (x: i16) (y: i16): i16 = (intrinsics.**) x y
  def (==) (x: i16) (y: i16): bool = (intrinsics.==) x y
  def (<) (x: i16) (y: i16): bool = (intrinsics.<) x y
  def (>) (x: i16) (y: i16): bool = (intrinsics.>) x y
  def (<=) (x: i16) (y: i16): bool = (intrinsics.<=) x y
  def (>=) (x: i16) (y: i16): bool = (intrinsics.>=) x y
  def (!=) (x: i16) (y: i16): bool = (intrinsics.!=) x y
  def (//) (x: i16) (y: i16): i16 = (intrinsics.//) x y
  def (%%) (x: i16) (y: i16): i16 = (intrinsics.%%) x y
  def (&) (x: i16) (y: i16): i16 = (intrinsics.&) x y
  def (|) (x: i16) (y: i16): i16 = (intrinsics.|) x y
  def (^) (x: i16) (y: i16): i16 = (intrinsics.^) x y
  def (<<) (x: i16) (y: i16): i16 = (intrinsics.<<) x y
  def (>>) (x: i16) (y: i16): i16 = (intrinsics.>>) x y
  def (>>>) (x: i16) (y: i16): i16 = (intrinsics.>>>) x y
  def not (x: i16): i16 = !x
  def to_i64 (x: i16): i64 = intrinsics.sext_i16_i64 (x)
  def neg (x: i16): i16 = -x
  def abs (x: i16): i16 = if (intrinsics.<) x 0 then -x else x
  def sgn (x: i16): i16 = if (intrinsics.>) x 0 then 1 else if (intrinsics.<) x 0 then -1 else 0
  def max (x: i16) (y: i16): i16 = intrinsics.smax16 (x, y)
  def min (x: i16) (y: i16): i16 = intrinsics.smin16 (x, y)
  def highest: i16 = 32767
  def lowest: i16 = -32768
  def sum [n] (xs: [n]i16): i16 = intrinsics.reduce (+) 0 xs
  def product [n] (xs: [n]i16): i16 = intrinsics.reduce (*) 1 xs
  def maximum [n] (xs: [n]i16): i16 = intrinsics.reduce max lowest xs
  def minimum [n] (xs: [n]i16): i16 = intrinsics.reduce min highest xs
  def num_bits: i32 = 16
  def get_bit (b: i32) (x: i16): i32 = intrinsics.sext_i64_i32 ((intrinsics.&) (to_i64 ((intrinsics.>>>) x (i32 b))) 1)
  def set_bit (b: i32) (x: i16) (v: i32): i16 = (intrinsics.|) ((intrinsics.&) x (!((intrinsics.<<) 1 (i32 b)))) ((intrinsics.<<) (i32 v) (i32 b))
  def popc (x: i16): i32 = intrinsics.popc16 x
  def clz (x: i16): i32 = intrinsics.clz16 x
  def ctz (x: i16): i32 = intrinsics.ctz16 x
  def mul_hi (x: i16) (y: i16): i16 = intrinsics.smul_hi16 (x, y)
  def mad_hi (a: i16) (b: i16) (c: i16): i16 = intrinsics.smad_hi16 (a, b, c)
}

module i32 : integral with t = i32 = {
  type t = i32
  def i8 (x: i8): i32 = intrinsics.sext_i8_i32 (x)
  def i16 (x: i16): i32 = intrinsics.sext_i16_i32 (x)
  def i32 (x: i32): i32 = x
  def i64 (x: i64): i32 = intrinsics.sext_i64_i32 (x)
  def u8 (x: u8): i32 = intrinsics.zext_i8_i32 (intrinsics.sign_i8 (x))
  def u16 (x: u16): i32 = intrinsics.zext_i16_i32 (intrinsics.sign_i16 (x))
  def u32 (x: u32): i32 = intrinsics.zext_i32_i32 (intrinsics.sign_i32 (x))
  def u64 (x: u64): i32 = intrinsics.zext_i64_i32 (intrinsics.sign_i64 (x))
  def f16 (x: f16): i32 = intrinsics.fptosi_f16_i32 x
  def f32 (x: f32): i32 = intrinsics.fptosi_f32_i32 x
  def f64 (x: f64): i32 = intrinsics.fptosi_f64_i32 x
  def bool (x: bool): i32 = intrinsics.btoi_bool_i32 x
  def (+) (x: i32) (y: i32): i32 = (intrinsics.+) x y
  def (-) (x: i32) (y: i32): i32 = (intrinsics.-) x y
  def (*) (x: i32) (y: i32): i32 = (intrinsics.*) x y
  def (/) (x: i32) (y: i32): i32 = (intrinsics./) x y
  def (%) (x: i32) (y: i32): i32 = (intrinsics.%) x y
  def (**) (x: i32) (y: i32): i32 = (intrinsics.**) x y
  def (==) (x: i32) (y: i32): bool = (intrinsics.==) x y
  def (<) (x: i32) (y: i32): bool = (intrinsics.<) x y
  def (>) (x: i32) (y: i32): bool = (intrinsics.>) x y
  def (<=) (x: i32) (y: i32): bool = (intrinsics.<=) x y
  def (>=) (x: i32) (y: i32): bool = (intrinsics.>=) x y
  def (!=) (x: i32) (y: i32): bool = (intrinsics.!=) x y
  def (//) (x: i32) (y: i32): i32 = (intrinsics.//) x y
  def (%%) (x: i32) (y: i32): i32 = (intrinsics.%%) x y
  def (&) (x: i32) (y: i32): i32 = (intrinsics.&) x y
  def (|) (x: i32) (y: i32): i32 = (intrinsics.|) x y
  def (^) (x: i32) (y: i32): i32 = (intrinsics.^) x y
  def (<<) (x: i32) (y: i32): i32 = (intrinsics.<<) x y
  def (>>) (x: i32) (y: i32): i32 = (intrinsics.>>) x y
  def (>>>) (x: i32) (y: i32): i32 = (intrinsics.>>>) x y
  def not (x: i32): i32 = !x
  def to_i64 (x: i32): i64 = intrinsics.sext_i32_i64 (x)
  def neg (x: i32): i32 = -x
  def abs (x: i32): i32 = if (intrinsics.<) x 0 then -x else x
  def sgn (x: i32): i32 = if (intrinsics.>) x 0 then 1 else if (intrinsics.<) x 0 then -1 else 0
  def max (x: i32) (y: i32): i32 = intrinsics.smax32 (x, y)
  def min (x: i32) (y: i32): i32 = intrinsics.smin32 (x, y)
  def highest: i32 = 2147483647
  def lowest: i32 = -2147483648
  def sum [n] (xs: [n]i32): i32 = intrinsics.reduce (+) 0 xs
  def product [n] (xs: [n]i32): i32 = intrinsics.reduce (*) 1 xs
  def maximum [n] (xs: [n]i32): i32 = intrinsics.reduce max lowest xs
  def minimum [n] (xs: [n]i32): i32 = intrinsics.reduce min highest xs
  def num_bits: i32 = 32
  def get_bit (b: i32) (x: i32): i32 = intrinsics.sext_i64_i32 ((intrinsics.&) (to_i64 ((intrinsics.>>>) x (i32 b))) 1)
  def set_bit (b: i32) (x: i32) (v: i32): i32 = (intrinsics.|) ((intrinsics.&) x (!((intrinsics.<<) 1 (i32 b)))) ((intrinsics.<<) (i32 v) (i32 b))
  def popc (x: i32): i32 = intrinsics.popc32 x
  def clz (x: i32): i32 = intrinsics.clz32 x
  def ctz (x: i32): i32 = intrinsics.ctz32 x
  def mul_hi (x: i32) (y: i32): i32 = intrinsics.smul_hi32 (x, y)
  def mad_hi (a: i32) (b: i32) (c: i32): i32 = intrinsics.smad_hi32 (a, b, c)
}

module i64 : integral with t = i64 = {
  type t = i64
  def i8 (x: i8): i64 = intrinsics.sext_i8_i64 (x)
  def i16 (x: i16): i64 = intrinsics.sext_i16_i64 (x)
  def i32 (x: i32): i64 = intrinsics.sext_i32_i64 (x)
  def i64 (x: i64): i64 = x
  def u8 (x: u8): i64 = intrinsics.zext_i8_i64 (intrinsics.sign_i8 (x))
  def u16 (x: u16): i64 = intrinsics.zext_i16_i64 (intrinsics.sign_i16 (x))
  def u32 (x: u32): i64 = intrinsics.zext_i32_i64 (intrinsics.sign_i32 (x))
  def u64 (x: u64): i64 = intrinsics.zext_i64_i64 (intrinsics.sign_i64 (x))
  def f16 (x: f16): i64 = intrinsics.fptosi_f16_i64 x
  def f32 (x: f32): i64 = intrinsics.fptosi_f32_i64 x
  def f64 (x: f64): i64 = intrinsics.fptosi_f64_i64 x
  def bool (x: bool): i64 = intrinsics.btoi_bool_i64 x
  def (+) (x: i64) (y: i64): i64 = (intrinsics.+) x y
  def (-) (x: i64) (y: i64): i64 = (intrinsics.-) x y
  def (*) (x: i64) (y: i64): i64 = (intrinsics.*) x y
  def (/) (x: i64) (y: i64): i64 = (intrinsics./) x y
  def (%) (x: i64) (y: i64): i64 = (intrinsics.%) x y
  def (**) (x: i64) (y: i64): i64 = (intrinsics.**) x y
  def (==) (x: i64) (y: i64): bool = (intrinsics.==) x y
  def (<) (x: i64) (y: i64): bool = (intrinsics.<) x y
  def (>) (x: i64) (y: i64): bool = (intrinsics.>) x y
  def (<=) (x: i64) (y: i64): bool = (intrinsics.<=) x y
  def (>=) (x: i64) (y: i64): bool = (intrinsics.>=) x y
  def (!=) (x: i64) (y: i64): bool = (intrinsics.!=) x y
  def (//) (x: i64) (y: i64): i64 = (intrinsics.//) x y
  def (%%) (x: i64) (y: i64): i64 = (intrinsics.%%) x y
  def (&) (x: i64) (y: i64): i64 = (intrinsics.&) x y
  def (|) (x: i64) (y: i64): i64 = (intrinsics.|) x y
  def (^) (x: i64) (y: i64): i64 = (intrinsics.^) x y
  def (<<) (x: i64) (y: i64): i64 = (intrinsics.<<) x y
  def (>>) (x: i64) (y: i64): i64 = (intrinsics.>>) x y
  def (>>>) (x: i64) (y: i64): i64 = (intrinsics.>>>) x y
  def not (x: i64): i64 = !x
  def to_i64 (x: i64): i64 = x
  def neg (x: i64): i64 = -x
  def abs (x: i64): i64 = if (intrinsics.<) x 0 then -x else x
  def sgn (x: i64): i64 = if (intrinsics.>) x 0 then 1 else if (intrinsics.<) x 0 then -1 else 0
  def max (x: i64) (y: i64): i64 = intrinsics.smax64 (x, y)
  def min (x: i64) (y: i64): i64 = intrinsics.smin64 (x, y)
  def highest: i64 = 9223372036854775807
  def lowest: i64 = -9223372036854775808
  def sum [n] (xs: [n]i64): i64 = intrinsics.reduce (+) 0 xs
  def product [n] (xs: [n]i64): i64 = intrinsics.reduce (*) 1 xs
  def maximum [n] (xs: [n]i64): i64 = intrinsics.reduce max lowest xs
  def minimum [n] (xs: [n]i64): i64 = intrinsics.reduce min highest xs
  def num_bits: i32 = 64
  def get_bit (b: i32) (x: i64): i32 = intrinsics.sext_i64_i32 ((intrinsics.&) (to_i64 ((intrinsics.>>>) x (i32 b))) 1)
  def set_bit (b: i32) (x: i64) (v: i32): i64 = (intrinsics.|) ((intrinsics.&) x (!((intrinsics.<<) 1 (i32 b)))) ((intrinsics.<<) (i32 v) (i32 b))
  def popc (x: i64): i32 = intrinsics.popc64 x
  def clz (x: i64): i32 = intrinsics.clz64 x
  def ctz (x: i64): i32 = intrinsics.ctz64 x
  def mul_hi (x: i64) (y: i64): i64 = intrinsics.smul_hi64 (x, y)
  def mad_hi (a: i64) (b: i64) (c: i64): i64 = intrinsics.smad_hi64 (a, b, c)
}

module u8 : integral with t = u8 = {
  type t = u8
  def i8 (x: i8): u8 = intrinsics.unsign_i8 (intrinsics.zext_i8_i8 (x))
  def i16 (x: i16): u8 = intrinsics.unsign_i8 (intrinsics.zext_i16_i8 (x))
  def i32 (x: i32): u8 = intrinsics.unsign_i8 (intrinsics.zext_i32_i8 (x))
  def i64 (x: i64): u8 = intrinsics.unsign_i8 (intrinsics.zext_i64_i8 (x))
  def u8 (x: u8): u8 = x
  def u16 (x: u16): u8 = intrinsics.unsign_i8 (intrinsics.zext_i16_i8 (intrinsics.sign_i16 (x)))
  def u32 (x: u32): u8 = intrinsics.unsign_i8 (intrinsics.zext_i32_i8 (intrinsics.sign_i32 (x)))
  def u64 (x: u64): u8 = intrinsics.unsign_i8 (intrinsics.zext_i64_i8 (intrinsics.sign_i64 (x)))
  def f16 (x: f16): u8 = intrinsics.unsign_i8 (intrinsics.sext_i64_i8 (intrinsics.fptosi_f16_i64 x))
  def f32 (x: f32): u8 = intrinsics.unsign_i8 (intrinsics.sext_i64_i8 (intrinsics.fptosi_f32_i64 x))
  def f64 (x: f64): u8 = intrinsics.unsign_i8 (intrinsics.sext_i64_i8 (intrinsics.fptosi_f64_i64 x))
  def bool (x: bool): u8 = intrinsics.unsign_i8 (intrinsics.btoi_bool_i8 x)
  def (+) (x: u8) (y: u8): u8 = (intrinsics.+) x y
  def (-) (x: u8) (y: u8): u8 = (intrinsics.-) x y
  def (*) (x: u8) (y: u8): u8 = (intrinsics.*) x y
  def (/) (x: u8) (y: u8): u8 = (intrinsics./) x y
  def (%) (x: u8) (y: u8): u8 = (intrinsics.%) x y
  def (**) (x: u8) (y: u8): u8 = (intrinsics.**) x y
  def (==) (x: u8) (y: u8): bool = (intrinsics.==) x y
  def (<) (x: u8) (y: u8): bool = (intrinsics.<) x y
  def (>) (x: u8) (y: u8): bool = (intrinsics.>) x y
  def (<=) (x: u8) (y: u8): bool = (intrinsics.<=) x y
  def (>=) (x: u8) (y: u8): bool = (intrinsics.>=) x y
  def (!=) (x: u8) (y: u8): bool = (intrinsics.!=) x y
  def (//) (x: u8) (y: u8): u8 = (intrinsics.//) x y
  def (%%) (x: u8) (y: u8): u8 = (intrinsics.%%) x y
  def (&) (x: u8) (y: u8): u8 = (intrinsics.&) x y
  def (|) (x: u8) (y: u8): u8 = (intrinsics.|) x y
  def (^) (x: u8) (y: u8): u8 = (intrinsics.^) x y
  def (<<) (x: u8) (y: u8): u8 = (intrinsics.<<) x y
  def (>>) (x: u8) (y: u8): u8 = intrinsics.unsign_i8 (intrinsics.ashr8 (intrinsics.sign_i8 x, intrinsics.sign_i8 y))
  def (>>>) (x: u8) (y: u8): u8 = (intrinsics.>>>) x y
  def not (x: u8): u8 = !x
  def to_i64 (x: u8): i64 = intrinsics.zext_i8_i64 (intrinsics.sign_i8 (x))
  def neg (x: u8): u8 = -x
  def abs (x: u8): u8 = x
  def sgn (x: u8): u8 = if (intrinsics.>) x 0 then 1 else 0
  def max (x: u8) (y: u8): u8 = intrinsics.unsign_i8 (intrinsics.umax8 (intrinsics.sign_i8 x, intrinsics.sign_i8 y))
  def min (x: u8) (y: u8): u8 = intrinsics.unsign_i8 (intrinsics.umin8 (intrinsics.sign_i8 x, intrinsics.sign_i8 y))
  def highest: u8 = 255
  def lowest: u8 = 0
  def sum [n] (xs: [n]u8): u8 = intrinsics.reduce (+) 0 xs
  def product [n] (xs: [n]u8): u8 = intrinsics.reduce (*) 1 xs
  def maximum [n] (xs: [n]u8): u8 = intrinsics.reduce max lowest xs
  def minimum [n] (xs: [n]u8): u8 = intrinsics.reduce min highest xs
  def num_bits: i32 = 8
  def get_bit (b: i32) (x: u8): i32 = intrinsics.sext_i64_i32 ((intrinsics.&) (to_i64 ((intrinsics.>>>) x (i32 b))) 1)
  def set_bit (b: i32) (x: u8) (v: i32): u8 = (intrinsics.|) ((intrinsics.&) x (!((intrinsics.<<) 1 (i32 b)))) ((intrinsics.<<) (i32 v) (i32 b))
  def popc (x: u8): i32 = intrinsics.popc8 (intrinsics.sign_i8 x)
  def clz (x: u8): i32 = intrinsics.clz8 (intrinsics.sign_i8 x)
  def ctz (x: u8): i32 = intrinsics.ctz8 (intrinsics.sign_i8 x)
  def mul_hi (x: u8) (y: u8): u8 = intrinsics.unsign_i8 (intrinsics.umul_hi8 ((intrinsics.sign_i8 x), (intrinsics.sign_i8 y)))
  def mad_hi (a: u8) (b: u8) (c: u8): u8 = intrinsics.unsign_i8 (intrinsics.umad_hi8 ((intrinsics.sign_i8 a), (intrinsics.sign_i8 b), (intrinsics.sign_i8 c)))
}

module u16 : integral with t = u16 = {
  type t = u16
  def i8 (x: i8): u16 = intrinsics.unsign_i16 (intrinsics.zext_i8_i16 (x))
  def i16 (x: i16): u16 = intrinsics.unsign_i16 (intrinsics.zext_i16_i16 (x))
  def i32 (x: i32): u16 = intrinsics.unsign_i16 (intrinsics.zext_i32_i16 (x))
  def i64 (x: i64): u16 = intrinsics.unsign_i16 (intrinsics.zext_i64_i16 (x))
  def u8 (x: u8): u16 = intrinsics.unsign_i16 (intrinsics.zext_i8_i16 (intrinsics.sign_i8 (x)))
  def u16 (x: u16): u16 = x
  def u32 (x: u32): u16 = intrinsics.unsign_i16 (intrinsics.zext_i32_i16 (intrinsics.sign_i32 (x)))
  def u64 (x: u64): u16 = intrinsics.unsign_i16 (intrinsics.zext_i64_i16 (intrinsics.sign_i64 (x)))
  def f16 (x: f16): u16 = intrinsics.unsign_i16 (intrinsics.sext_i64_i16 (intrinsics.fptosi_f16_i64 x))
  def f32 (x: f32): u16 = intrinsics.unsign_i16 (intrinsics.sext_i64_i16 (intrinsics.fptosi_f32_i64 x))
  def f64 (x: f64): u16 = intrinsics.unsign_i16 (intrinsics.sext_i64_i16 (intrinsics.fptosi_f64_i64 x))
  def bool (x: bool): u16 = intrinsics.unsign_i16 (intrinsics.btoi_bool_i16 x)
  def (+) (x: u16) (y: u16): u16 = (intrinsics.+) x y
  def (-) (x: u16) (y: u16): u16 = (intrinsics.-) x y
  def (*) (x: u16) (y: u16): u16 = (intrinsics.*) x y
  def (/) (x: u16) (y: u16): u16 = (intrinsics./) x y
  def (%) (x: u16) (y: u16): u16 = (intrinsics.%) x y
  def (**) (x: u16) (y: u16): u16 = (intrinsics.**) x y
  def (==) (x: u16) (y: u16): bool = (intrinsics.==) x y
  def (<) (x: u16) (y: u16): bool = (intrinsics.<) x y
  def (>) (x: u16) (y: u16): bool = (intrinsics.>) x y
  def (<=) (x: u16) (y: u16): bool = (intrinsics.<=) x y
  def (>=) (x: u16) (y: u16): bool = (intrinsics.>=) x y
  def (!=) (x: u16) (y: u16): bool = (intrinsics.!=) x y
  def (//) (x: u16) (y: u16): u16 = (intrinsics.//) x y
  def (%%) (x: u16) (y: u16): u16 = (intrinsics.%%) x y
  def (&) (x: u16) (y: u16): u16 = (intrinsics.&) x y
  def (|) (x: u16) (y: u16): u16 = (intrinsics.|) x y
  def (^) (x: u16) (y: u16): u16 = (intrinsics.^) x y
  def (<<) (x: u16) (y: u16): u16 = (intrinsics.<<) x y
  def (>>) (x: u16) (y: u16): u16 = intrinsics.unsign_i16 (intrinsics.ashr16 (intrinsics.sign_i16 x, intrinsics.sign_i16 y))
  def (>>>) (x: u16) (y: u16): u16 = (intrinsics.>>>) x y
  def not (x: u16): u16 = !x
  def to_i64 (x: u16): i64 = intrinsics.zext_i16_i64 (intrinsics.sign_i16 (x))
  def neg (x: u16): u16 = -x
  def abs (x: u16): u16 = x
  def sgn (x: u16): u16 = if (intrinsics.>) x 0 then 1 else 0
  def max (x: u16) (y: u16): u16 = intrinsics.unsign_i16 (intrinsics.umax16 (intrinsics.sign_i16 x, intrinsics.sign_i16 y))
  def min (x: u16) (y: u16): u16 = intrinsics.unsign_i16 (intrinsics.umin16 (intrinsics.sign_i16 x, intrinsics.sign_i16 y))
  def highest: u16 = 65535
  def lowest: u16 = 0
  def sum [n] (xs: [n]u16): u16 = intrinsics.reduce (+) 0 xs
  def product [n] (xs: [n]u16): u16 = intrinsics.reduce (*) 1 xs
  def maximum [n] (xs: [n]u16): u16 = intrinsics.reduce max lowest xs
  def minimum [n] (xs: [n]u16): u16 = intrinsics.reduce min highest xs
  def num_bits: i32 = 16
  def get_bit (b: i32) (x: u16): i32 = intrinsics.sext_i64_i32 ((intrinsics.&) (to_i64 ((intrinsics.>>>) x (i32 b))) 1)
  def set_bit (b: i32) (x: u16) (v: i32): u16 = (intrinsics.|) ((intrinsics.&) x (!((intrinsics.<<) 1 (i32 b)))) ((intrinsics.<<) (i32 v) (i32 b))
  def popc (x: u16): i32 = intrinsics.popc16 (intrinsics.sign_i16 x)
  def clz (x: u16): i32 = intrinsics.clz16 (intrinsics.sign_i16 x)
  def ctz (x: u16): i32 = intrinsics.ctz16 (intrinsics.sign_i16 x)
  def mul_hi (x: u16) (y: u16): u16 = intrinsics.unsign_i16 (intrinsics.umul_hi16 ((intrinsics.sign_i16 x), (intrinsics.sign_i16 y)))
  def mad_hi (a: u16) (b: u16) (c: u16): u16 = intrinsics.unsign_i16 (intrinsics.umad_hi16 ((intrinsics.sign_i16 a), (intrinsics.sign_i16 b), (intrinsics.sign_i16 c)))
}

module u32 : integral with t = u32 = {
  type t = u32
  def i8 (x: i8): u32 = intrinsics.unsign_i32 (intrinsics.zext_i8_i32 (x))
  def i16 (x: i16): u32 = intrinsics.unsign_i32 (intrinsics.zext_i16_i32 (x))
  def i32 (x: i32): u32 = intrinsics.unsign_i32 (intrinsics.zext_i32_i32 (x))
  def i64 (x: i64): u32 = intrinsics.unsign_i32 (intrinsics.zext_i64_i32 (x))
  def u8 (x: u8): u32 = intrinsics.unsign_i32 (intrinsics.zext_i8_i32 (intrinsics.sign_i8 (x)))
  def u16 (x: u16): u32 = intrinsics.unsign_i32 (intrinsics.zext_i16_i32 (intrinsics.sign_i16 (x)))
  def u32 (x: u32): u32 = x
  def u64 (x: u64): u32 = intrinsics.unsign_i32 (intrinsics.zext_i64_i32 (intrinsics.sign_i64 (x)))
  def f16 (x: f16): u32 = intrinsics.unsign_i32 (intrinsics.sext_i64_i32 (intrinsics.fptosi_f16_i64 x))
  def f32 (x: f32): u32 = intrinsics.unsign_i32 (intrinsics.sext_i64_i32 (intrinsics.fptosi_f32_i64 x))
  def f64 (x: f64): u32 = intrinsics.unsign_i32 (intrinsics.sext_i64_i32 (intrinsics.fptosi_f64_i64 x))
  def bool (x: bool): u32 = intrinsics.unsign_i32 (intrinsics.btoi_bool_i32 x)
  def (+) (x: u32) (y: u32): u32 = (intrinsics.+) x y
  def (-) (x: u32) (y: u32): u32 = (intrinsics.-) x y
  def (*) (x: u32) (y: u32): u32 = (intrinsics.*) x y
  def (/) (x: u32) (y: u32): u32 = (intrinsics./) x y
  def (%) (x: u32) (y: u32): u32 = (intrinsics.%) x y
  def (**) (x: u32) (y: u32): u32 = (intrinsics.**) x y
  def (==) (x: u32) (y: u32): bool = (intrinsics.==) x y
  def (<) (x: u32) (y: u32): bool = (intrinsics.<) x y
  def (>) (x: u32) (y: u32): bool = (intrinsics.>) x y
  def (<=) (x: u32) (y: u32): bool = (intrinsics.<=) x y
  def (>=) (x: u32) (y: u32): bool = (intrinsics.>=) x y
  def (!=) (x: u32) (y: u32): bool = (intrinsics.!=) x y
  def (//) (x: u32) (y: u32): u32 = (intrinsics.//) x y
  def (%%) (x: u32) (y: u32): u32 = (intrinsics.%%) x y
  def (&) (x: u32) (y: u32): u32 = (intrinsics.&) x y
  def (|) (x: u32) (y: u32): u32 = (intrinsics.|) x y
  def (^) (x: u32) (y: u32): u32 = (intrinsics.^) x y
  def (<<) (x: u32) (y: u32): u32 = (intrinsics.<<) x y
  def (>>) (x: u32) (y: u32): u32 = intrinsics.unsign_i32 (intrinsics.ashr32 (intrinsics.sign_i32 x, intrinsics.sign_i32 y))
  def (>>>) (x: u32) (y: u32): u32 = (intrinsics.>>>) x y
  def not (x: u32): u32 = !x
  def to_i64 (x: u32): i64 = intrinsics.zext_i32_i64 (intrinsics.sign_i32 (x))
  def neg (x: u32): u32 = -x
  def abs (x: u32): u32 = x
  def sgn (x: u32): u32 = if (intrinsics.>) x 0 then 1 else 0
  def max (x: u32) (y: u32): u32 = intrinsics.unsign_i32 (intrinsics.umax32 (intrinsics.sign_i32 x, intrinsics.sign_i32 y))
  def min (x: u32) (y: u32): u32 = intrinsics.unsign_i32 (intrinsics.umin32 (intrinsics.sign_i32 x, intrinsics.sign_i32 y))
  def highest: u32 = 4294967295
  def lowest: u32 = 0
  def sum [n] (xs: [n]u32): u32 = intrinsics.reduce (+) 0 xs
  def product [n] (xs: [n]u32): u32 = intrinsics.reduce (*) 1 xs
  def maximum [n] (xs: [n]u32): u32 = intrinsics.reduce max lowest xs
  def minimum [n] (xs: [n]u32): u32 = intrinsics.reduce min highest xs
  def num_bits: i32 = 32
  def get_bit (b: i32) (x: u32): i32 = intrinsics.sext_i64_i32 ((intrinsics.&) (to_i64 ((intrinsics.>>>) x (i32 b))) 1)
  def set_bit (b: i32) (x: u32) (v: i32): u32 = (intrinsics.|) ((intrinsics.&) x (!((intrinsics.<<) 1 (i32 b)))) ((intrinsics.<<) (i32 v) (i32 b))
  def popc (x: u32): i32 = intrinsics.popc32 (intrinsics.sign_i32 x)
  def clz (x: u32): i32 = intrinsics.clz32 (intrinsics.sign_i32 x)
  def ctz (x: u32): i32 = intrinsics.ctz32 (intrinsics.sign_i32 x)
  def mul_hi (x: u32) (y: u32): u32 = intrinsics.unsign_i32 (intrinsics.umul_hi32 ((intrinsics.sign_i32 x), (intrinsics.sign_i32 y)))
  def mad_hi (a: u32) (b: u32) (c: u32): u32 = intrinsics.unsign_i32 (intrinsics.umad_hi32 ((intrinsics.sign_i32 a), (intrinsics.sign_i32 b), (intrinsics.sign_i32 c)))
}

module u64 : integral with t = u64 = {
  type t = u64
  def i8 (x: i8): u64 = intrinsics.unsign_i64 (intrinsics.zext_i8_i64 (x))
  def i16 (x: i16): u64 = intrinsics.unsign_i64 (intrinsics.zext_i16_i64 (x))
  def i32 (x: i32): u64 = intrinsics.unsign_i64 (intrinsics.zext_i32_i64 (x))
  def i64 (x: i64): u64 = intrinsics.unsign_i64 (intrinsics.zext_i64_i64 (x))
  def u8 (x: u8): u64 = intrinsics.unsign_i64 (intrinsics.zext_i8_i64 (intrinsics.sign_i8 (x)))
  def u16 (x: u16): u64 = intrinsics.unsign_i64 (intrinsics.zext_i16_i64 (intrinsics.sign_i16 (x)))
  def u32 (x: u32): u64 = intrinsics.unsign_i64 (intrinsics.zext_i32_i64 (intrinsics.sign_i32 (x)))
  def u64 (x: u64): u64 = x
  def f16 (x: f16): u64 = intrinsics.unsign_i64 (intrinsics.fptoui_f16_i64 x)
  def f32 (x: f32): u64 = intrinsics.unsign_i64 (intrinsics.fptoui_f32_i64 x)
  def f64 (x: f64): u64 = intrinsics.unsign_i64 (intrinsics.fptoui_f64_i64 x)
  def bool (x: bool): u64 = intrinsics.unsign_i64 (intrinsics.btoi_bool_i64 x)
  def (+) (x: u64) (y: u64): u64 = (intrinsics.+) x y
  def (-) (x: u64) (y: u64): u64 = (intrinsics.-) x y
  def (*) (x: u64) (y: u64): u64 = (intrinsics.*) x y
  def (/) (x: u64) (y: u64): u64 = (intrinsics./) x y
  def (%) (x: u64) (y: u64): u64 = (intrinsics.%) x y
  def (**) (x: u64) (y: u64): u64 = (intrinsics.**) x y
  def (==) (x: u64) (y: u64): bool = (intrinsics.==) x y
  def (<) (x: u64) (y: u64): bool = (intrinsics.<) x y
  def (>) (x: u64) (y: u64): bool = (intrinsics.>) x y
  def (<=) (x: u64) (y: u64): bool = (intrinsics.<=) x y
  def (>=) (x: u64) (y: u64): bool = (intrinsics.>=) x y
  def (!=) (x: u64) (y: u64): bool = (intrinsics.!=) x y
  def (//) (x: u64) (y: u64): u64 = (intrinsics.//) x y
  def (%%) (x: u64) (y: u64): u64 = (intrinsics.%%) x y
  def (&) (x: u64) (y: u64): u64 = (intrinsics.&) x y
  def (|) (x: u64) (y: u64): u64 = (intrinsics.|) x y
  def (^) (x: u64) (y: u64): u64 = (intrinsics.^) x y
  def (<<) (x: u64) (y: u64): u64 = (intrinsics.<<) x y
  def (>>) (x: u64) (y: u64): u64 = intrinsics.unsign_i64 (intrinsics.ashr64 (intrinsics.sign_i64 x, intrinsics.sign_i64 y))
  def (>>>) (x: u64) (y: u64): u64 = (intrinsics.>>>) x y
  def not (x: u64): u64 = !x
  def to_i64 (x: u64): i64 = intrinsics.zext_i64_i64 (intrinsics.sign_i64 (x))
  def neg (x: u64): u64 = -x
  def abs (x: u64): u64 = x
  def sgn (x: u64): u64 = if (intrinsics.>) x 0 then 1 else 0
  def max (x: u64) (y: u64): u64 = intrinsics.unsign_i64 (intrinsics.umax64 (intrinsics.sign_i64 x, intrinsics.sign_i64 y))
  def min (x: u64) (y: u64): u64 = intrinsics.unsign_i64 (intrinsics.umin64 (intrinsics.sign_i64 x, intrinsics.sign_i64 y))
  def highest: u64 = 18446744073709551615
  def lowest: u64 = 0
  def sum [n] (xs: [n]u64): u64 = intrinsics.reduce (+) 0 xs
  def product [n] (xs: [n]u64): u64 = intrinsics.reduce (*) 1 xs
  def maximum [n] (xs: [n]u64): u64 = intrinsics.reduce max lowest xs
  def minimum [n] (xs: [n]u64): u64 = intrinsics.reduce min highest xs
  def num_bits: i32 = 64
  def get_bit (b: i32) (x: u64): i32 = intrinsics.sext_i64_i32 ((intrinsics.&) (to_i64 ((intrinsics.>>>) x (i32 b))) 1)
  def set_bit (b: i32) (x: u64) (v: i32): u64 = (intrinsics.|) ((intrinsics.&) x (!((intrinsics.<<) 1 (i32 b)))) ((intrinsics.<<) (i32 v) (i32 b))
  def popc (x: u64): i32 = intrinsics.popc64 (intrinsics.sign_i64 x)
  def clz (x: u64): i32 = intrinsics.clz64 (intrinsics.sign_i64 x)
  def ctz (x: u64): i32 = intrinsics.ctz64 (intrinsics.sign_i64 x)
  def mul_hi (x: u64) (y: u64): u64 = intrinsics.unsign_i64 (intrinsics.umul_hi64 ((intrinsics.sign_i64 x), (intrinsics.sign_i64 y)))
  def mad_hi (a: u64) (b: u64) (c: u64): u64 = intrinsics.unsign_i64 (intrinsics.umad_hi64 ((intrinsics.sign_i64 a), (intrinsics.sign_i64 b), (intrinsics.sign_i64 c)))
}

-- Inside the modules below, u16 and so on are functions.
local module bits16 = u16
local module bits32 = u32
local module bits64 = u64

module f16 : float with t = f16 with int_t = u16 = {
  type int_t = u16
  type t = f16
  def i8 (x: i8): f16 = intrinsics.sitofp_i8_f16 (x)
  def i16 (x: i16): f16 = intrinsics.sitofp_i16_f16 (x)
  def i32 (x: i32): f16 = intrinsics.sitofp_i32_f16 (x)
  def i64 (x: i64): f16 = intrinsics.sitofp_i64_f16 (x)
  def u8 (x: u8): f16 = intrinsics.uitofp_i8_f16 (intrinsics.sign_i8 (x))
  def u16 (x: u16): f16 = intrinsics.uitofp_i16_f16 (intrinsics.sign_i16 (x))
  def u32 (x: u32): f16 = intrinsics.uitofp_i32_f16 (intrinsics.sign_i32 (x))
  def u64 (x: u64): f16 = intrinsics.uitofp_i64_f16 (intrinsics.sign_i64 (x))
  def f16 (x: f16): f16 = x
  def f32 (x: f32): f16 = intrinsics.fpconv_f32_f16 x
  def f64 (x: f64): f16 = intrinsics.fpconv_f64_f16 x
  def bool (x: bool): f16 = intrinsics.btof_bool_f16 x
  def (+) (x: f16) (y: f16): f16 = (intrinsics.+) x y
  def (-) (x: f16) (y: f16): f16 = (intrinsics.-) x y
  def (*) (x: f16) (y: f16): f16 = (intrinsics.*) x y
  def (/) (x: f16) (y: f16): f16 = (intrinsics./) x y
  def (%) (x: f16) (y: f16): f16 = (intrinsics.%) x y
  def (**) (x: f16) (y: f16): f16 = (intrinsics.**) x y
  def (==) (x: f16) (y: f16): bool = (intrinsics.==) x y
  def (<) (x: f16) (y: f16): bool = (intrinsics.<) x y
  def (>) (x: f16) (y: f16): bool = (intrinsics.>) x y
  def (<=) (x: f16) (y: f16): bool = (intrinsics.<=) x y
  def (>=) (x: f16) (y: f16): bool = (intrinsics.>=) x y
  def (!=) (x: f16) (y: f16): bool = (intrinsics.!=) x y
  def to_i64 (x: f16): i64 = intrinsics.fptosi_f16_i64 x
  def to_f64 (x: f16): f64 = intrinsics.fpconv_f16_f64 x
  def neg (x: f16): f16 = -x
  def recip (x: f16): f16 = (intrinsics./) 1 x
  def from_fraction (x: i64) (y: i64): f16 = (intrinsics./) (i64 x) (i64 y)
  def abs (x: f16): f16 = intrinsics.fabs16 x
  def sgn (x: f16): f16 = intrinsics.fsignum16 x
  def max (x: f16) (y: f16): f16 = intrinsics.fmax16 (x, y)
  def min (x: f16) (y: f16): f16 = intrinsics.fmin16 (x, y)
  def inf: f16 = (intrinsics./) 1 0
  def nan: f16 = (intrinsics./) 0 0
  def highest: f16 = inf
  def lowest: f16 = -inf
  def epsilon: f16 = 1.1920929e-7
  def pi: f16 = 3.1415926535897932384626433832795
  def e: f16 = 2.718281828459045235360287471352
  def sum [n] (xs: [n]f16): f16 = intrinsics.reduce (+) 0 xs
  def product [n] (xs: [n]f16): f16 = intrinsics.reduce (*) 1 xs
  def maximum [n] (xs: [n]f16): f16 = intrinsics.reduce max lowest xs
  def minimum [n] (xs: [n]f16): f16 = intrinsics.reduce min highest xs
  def sqrt (x: f16): f16 = intrinsics.sqrt16 x
  def rsqrt (x: f16): f16 = intrinsics.rsqrt16 x
  def cbrt (x: f16): f16 = intrinsics.cbrt16 x
  def exp (x: f16): f16 = intrinsics.exp16 x
  def sin (x: f16): f16 = intrinsics.sin16 x
  def cos (x: f16): f16 = intrinsics.cos16 x
  def tan (x: f16): f16 = intrinsics.tan16 x
  def sinpi (x: f16): f16 = intrinsics.sinpi16 x
  def cospi (x: f16): f16 = intrinsics.cospi16 x
  def tanpi (x: f16): f16 = intrinsics.tanpi16 x
  def asin (x: f16): f16 = intrinsics.asin16 x
  def acos (x: f16): f16 = intrinsics.acos16 x
  def atan (x: f16): f16 = intrinsics.atan16 x
  def asinpi (x: f16): f16 = intrinsics.asinpi16 x
  def acospi (x: f16): f16 = intrinsics.acospi16 x
  def atanpi (x: f16): f16 = intrinsics.atanpi16 x
  def sinh (x: f16): f16 = intrinsics.sinh16 x
  def cosh (x: f16): f16 = intrinsics.cosh16 x
  def tanh (x: f16): f16 = intrinsics.tanh16 x
  def asinh (x: f16): f16 = intrinsics.asinh16 x
  def acosh (x: f16): f16 = intrinsics.acosh16 x
  def atanh (x: f16): f16 = intrinsics.atanh16 x
  def gamma (x: f16): f16 = intrinsics.gamma16 x
  def lgamma (x: f16): f16 = intrinsics.lgamma16 x
  def erf (x: f16): f16 = intrinsics.erf16 x
  def erfc (x: f16): f16 = intrinsics.erfc16 x
  def log (x: f16): f16 = intrinsics.log16 x
  def log2 (x: f16): f16 = intrinsics.log2_16 x
  def log10 (x: f16): f16 = intrinsics.log10_16 x
  def log1p (x: f16): f16 = intrinsics.log1p_16 x
  def ceil (x: f16): f16 = intrinsics.ceil16 x
  def floor (x: f16): f16 = intrinsics.floor16 x
  def trunc (x: f16): f16 = intrinsics.trunc16 x
  def round (x: f16): f16 = intrinsics.round16 x
  def atan2 (x: f16) (y: f16): f16 = intrinsics.atan2_16 (x, y)
  def atan2pi (x: f16) (y: f16): f16 = intrinsics.atan2pi_16 (x, y)
  def hypot (x: f16) (y: f16): f16 = intrinsics.hypot16 (x, y)
  def lerp (v0: f16) (v1: f16) (t: f16): f16 = intrinsics.lerp16 (v0, v1, t)
  def mad (a: f16) (b: f16) (c: f16): f16 = intrinsics.mad16 (a, b, c)
  def fma (a: f16) (b: f16) (c: f16): f16 = intrinsics.fma16 (a, b, c)
  def isinf (x: f16): bool = intrinsics.isinf16 x
  def isnan (x: f16): bool = intrinsics.isnan16 x
  def from_bits (x: u16): f16 = intrinsics.from_bits16 (intrinsics.sign_i16 x)
  def to_bits (x: f16): u16 = intrinsics.unsign_i16 (intrinsics.to_bits16 x)
  def num_bits: i32 = 16
  def get_bit (b: i32) (x: f16): i32 = bits16.get_bit b (to_bits x)
  def set_bit (b: i32) (x: f16) (v: i32): f16 = from_bits (bits16.set_bit b (to_bits x) v)
  def nextafter (x: f16) (y: f16): f16 = intrinsics.nextafter16 (x, y)
  def copysign (x: f16) (y: f16): f16 = intrinsics.copysign16 (x, y)
  def ldexp (x: f16) (k: i32): f16 = intrinsics.ldexp16 (x, k)
}

module f32 : float with t = f32 with int_t = u32 = {
  type int_t = u32
  type t = f32
  def i8 (x: i8): f32 = intrinsics.sitofp_i8_f32 (x)
  def i16 (x: i16): f32 = intrinsics.sitofp_i16_f32 (x)
  def i32 (x: i32): f32 = intrinsics.sitofp_i32_f32 (x)
  def i64 (x: i64): f32 = intrinsics.sitofp_i64_f32 (x)
  def u8 (x: u8): f32 = intrinsics.uitofp_i8_f32 (intrinsics.sign_i8 (x))
  def u16 (x: u16): f32 = intrinsics.uitofp_i16_f32 (intrinsics.sign_i16 (x))
  def u32 (x: u32): f32 = intrinsics.uitofp_i32_f32 (intrinsics.sign_i32 (x))
  def u64 (x: u64): f32 = intrinsics.uitofp_i64_f32 (intrinsics.sign_i64 (x))
  def f16 (x: f16): f32 = intrinsics.fpconv_f16_f32 x
  def f32 (x: f32): f32 = x
  def f64 (x: f64): f32 = intrinsics.fpconv_f64_f32 x
  def bool (x: bool): f32 = intrinsics.btof_bool_f32 x
  def (+) (x: f32) (y: f32): f32 = (intrinsics.+) x y
  def (-) (x: f32) (y: f32): f32 = (intrinsics.-) x y
  def (*) (x: f32) (y: f32): f32 = (intrinsics.*) x y
  def (/) (x: f32) (y: f32): f32 = (intrinsics./) x y
  def (%) (x: f32) (y: f32): f32 = (intrinsics.%) x y
  def (**) (x: f32) (y: f32): f32 = (intrinsics.**) x y
  def (==) (x: f32) (y: f32): bool = (intrinsics.==) x y
  def (<) (x: f32) (y: f32): bool = (intrinsics.<) x y
  def (>) (x: f32) (y: f32): bool = (intrinsics.>) x y
  def (<=) (x: f32) (y: f32): bool = (intrinsics.<=) x y
  def (>=) (x: f32) (y: f32): bool = (intrinsics.>=) x y
  def (!=) (x: f32) (y: f32): bool = (intrinsics.!=) x y
  def to_i64 (x: f32): i64 = intrinsics.fptosi_f32_i64 x
  def to_f64 (x: f32): f64 = intrinsics.fpconv_f32_f64 x
  def neg (x: f32): f32 = -x
  def recip (x: f32): f32 = (intrinsics./) 1 x
  def from_fraction (x: i64) (y: i64): f32 = (intrinsics./) (i64 x) (i64 y)
  def abs (x: f32): f32 = intrinsics.fabs32 x
  def sgn (x: f32): f32 = intrinsics.fsignum32 x
  def max (x: f32) (y: f32): f32 = intrinsics.fmax32 (x, y)
  def min (x: f32) (y: f32): f32 = intrinsics.fmin32 (x, y)
  def inf: f32 = (intrinsics./) 1 0
  def nan: f32 = (intrinsics./) 0 0
  def highest: f32 = inf
  def lowest: f32 = -inf
  def epsilon: f32 = 1.1920929e-7
  def pi: f32 = 3.1415926535897932384626433832795
  def e: f32 = 2.718281828459045235360287471352
  def sum [n] (xs: [n]f32): f32 = intrinsics.reduce (+) 0 xs
  def product [n] (xs: [n]f32): f32 = intrinsics.reduce (*) 1 xs
  def maximum [n] (xs: [n]f32): f32 = intrinsics.reduce max lowest xs
  def minimum [n] (xs: [n]f32): f32 = intrinsics.reduce min highest xs
  def sqrt (x: f32): f32 = intrinsics.sqrt32 x
  def rsqrt (x: f32): f32 = intrinsics.rsqrt32 x
  def cbrt (x: f32): f32 = intrinsics.cbrt32 x
  def exp (x: f32): f32 = intrinsics.exp32 x
  def sin (x: f32): f32 = intrinsics.sin32 x
  def cos (x: f32): f32 = intrinsics.cos32 x
  def tan (x: f32): f32 = intrinsics.tan32 x
  def sinpi (x: f32): f32 = intrinsics.sinpi32 x
  def cospi (x: f32): f32 = intrinsics.cospi32 x
  def tanpi (x: f32): f32 = intrinsics.tanpi32 x
  def asin (x: f32): f32 = intrinsics.asin32 x
  def acos (x: f32): f32 = intrinsics.acos32 x
  def atan (x: f32): f32 = intrinsics.atan32 x
  def asinpi (x: f32): f32 = intrinsics.asinpi32 x
  def acospi (x: f32): f32 = intrinsics.acospi32 x
  def atanpi (x: f32): f32 = intrinsics.atanpi32 x
  def sinh (x: f32): f32 = intrinsics.sinh32 x
  def cosh (x: f32): f32 = intrinsics.cosh32 x
  def tanh (x: f32): f32 = intrinsics.tanh32 x
  def asinh (x: f32): f32 = intrinsics.asinh32 x
  def acosh (x: f32): f32 = intrinsics.acosh32 x
  def atanh (x: f32): f32 = intrinsics.atanh32 x
  def gamma (x: f32): f32 = intrinsics.gamma32 x
  def lgamma (x: f32): f32 = intrinsics.lgamma32 x
  def erf (x: f32): f32 = intrinsics.erf32 x
  def erfc (x: f32): f32 = intrinsics.erfc32 x
  def log (x: f32): f32 = intrinsics.log32 x
  def log2 (x: f32): f32 = intrinsics.log2_32 x
  def log10 (x: f32): f32 = intrinsics.log10_32 x
  def log1p (x: f32): f32 = intrinsics.log1p_32 x
  def ceil (x: f32): f32 = intrinsics.ceil32 x
  def floor (x: f32): f32 = intrinsics.floor32 x
  def trunc (x: f32): f32 = intrinsics.trunc32 x
  def round (x: f32): f32 = intrinsics.round32 x
  def atan2 (x: f32) (y: f32): f32 = intrinsics.atan2_32 (x, y)
  def atan2pi (x: f32) (y: f32): f32 = intrinsics.atan2pi_32 (x, y)
  def hypot (x: f32) (y: f32): f32 = intrinsics.hypot32 (x, y)
  def lerp (v0: f32) (v1: f32) (t: f32): f32 = intrinsics.lerp32 (v0, v1, t)
  def mad (a: f32) (b: f32) (c: f32): f32 = intrinsics.mad32 (a, b, c)
  def fma (a: f32) (b: f32) (c: f32): f32 = intrinsics.fma32 (a, b, c)
  def isinf (x: f32): bool = intrinsics.isinf32 x
  def isnan (x: f32): bool = intrinsics.isnan32 x
  def from_bits (x: u32): f32 = intrinsics.from_bits32 (intrinsics.sign_i32 x)
  def to_bits (x: f32): u32 = intrinsics.unsign_i32 (intrinsics.to_bits32 x)
  def num_bits: i32 = 32
  def get_bit (b: i32) (x: f32): i32 = bits32.get_bit b (to_bits x)
  def set_bit (b: i32) (x: f32) (v: i32): f32 = from_bits (bits32.set_bit b (to_bits x) v)
  def nextafter (x: f32) (y: f32): f32 = intrinsics.nextafter32 (x, y)
  def copysign (x: f32) (y: f32): f32 = intrinsics.copysign32 (x, y)
  def ldexp (x: f32) (k: i32): f32 = intrinsics.ldexp32 (x, k)
}

module f64 : float with t = f64 with int_t = u64 = {
  type int_t = u64
  type t = f64
  def i8 (x: i8): f64 = intrinsics.sitofp_i8_f64 (x)
  def i16 (x: i16): f64 = intrinsics.sitofp_i16_f64 (x)
  def i32 (x: i32): f64 = intrinsics.sitofp_i32_f64 (x)
  def i64 (x: i64): f64 = intrinsics.sitofp_i64_f64 (x)
  def u8 (x: u8): f64 = intrinsics.uitofp_i8_f64 (intrinsics.sign_i8 (x))
  def u16 (x: u16): f64 = intrinsics.uitofp_i16_f64 (intrinsics.sign_i16 (x))
  def u32 (x: u32): f64 = intrinsics.uitofp_i32_f64 (intrinsics.sign_i32 (x))
  def u64 (x: u64): f64 = intrinsics.uitofp_i64_f64 (intrinsics.sign_i64 (x))
  def f16 (x: f16): f64 = intrinsics.fpconv_f16_f64 x
  def f32 (x: f32): f64 = intrinsics.fpconv_f32_f64 x
  def f64 (x: f64): f64 = x
  def bool (x: bool): f64 = intrinsics.btof_bool_f64 x
  def (+) (x: f64) (y: f64): f64 = (intrinsics.+) x y
  def (-) (x: f64) (y: f64): f64 = (intrinsics.-) x y
  def (*) (x: f64) (y: f64): f64 = (intrinsics.*) x y
  def (/) (x: f64) (y: f64): f64 = (intrinsics./) x y
  def (%) (x: f64) (y: f64): f64 = (intrinsics.%) x y
  def (**) (x: f64) (y: f64): f64 = (intrinsics.**) x y
  def (==) (x: f64) (y: f64): bool = (intrinsics.==) x y
  def (<) (x: f64) (y: f64): bool = (intrinsics.<) x y
  def (>) (x: f64) (y: f64): bool = (intrinsics.>) x y
  def (<=) (x: f64) (y: f64): bool = (intrinsics.<=) x y
  def (>=) (x: f64) (y: f64): bool = (intrinsics.>=) x y
  def (!=) (x: f64) (y: f64): bool = (intrinsics.!=) x y
  def to_i64 (x: f64): i64 = intrinsics.fptosi_f64_i64 x
  def to_f64 (x: f64): f64 = x
  def neg (x: f64): f64 = -x
  def recip (x: f64): f64 = (intrinsics./) 1 x
  def from_fraction (x: i64) (y: i64): f64 = (intrinsics./) (i64 x) (i64 y)
  def abs (x: f64): f64 = intrinsics.fabs64 x
  def sgn (x: f64): f64 = intrinsics.fsignum64 x
  def max (x: f64) (y: f64): f64 = intrinsics.fmax64 (x, y)
  def min (x: f64) (y: f64): f64 = intrinsics.fmin64 (x, y)
  def inf: f64 = (intrinsics./) 1 0
  def nan: f64 = (intrinsics./) 0 0
  def highest: f64 = inf
  def lowest: f64 = -inf
  def epsilon: f64 = 2.220446049250313e-16
  def pi: f64 = 3.1415926535897932384626433832795
  def e: f64 = 2.718281828459045235360287471352
  def sum [n] (xs: [n]f64): f64 = intrinsics.reduce (+) 0 xs
  def product [n] (xs: [n]f64): f64 = intrinsics.reduce (*) 1 xs
  def maximum [n] (xs: [n]f64): f64 = intrinsics.reduce max lowest xs
  def minimum [n] (xs: [n]f64): f64 = intrinsics.reduce min highest xs
  def sqrt (x: f64): f64 = intrinsics.sqrt64 x
  def rsqrt (x: f64): f64 = intrinsics.rsqrt64 x
  def cbrt (x: f64): f64 = intrinsics.cbrt64 x
  def exp (x: f64): f64 = intrinsics.exp64 x
  def sin (x: f64): f64 = intrinsics.sin64 x
  def cos (x: f64): f64 = intrinsics.cos64 x
  def tan (x: f64): f64 = intrinsics.tan64 x
  def sinpi (x: f64): f64 = intrinsics.sinpi64 x
  def cospi (x: f64): f64 = intrinsics.cospi64 x
  def tanpi (x: f64): f64 = intrinsics.tanpi64 x
  def asin (x: f64): f64 = intrinsics.asin64 x
  def acos (x: f64): f64 = intrinsics.acos64 x
  def atan (x: f64): f64 = intrinsics.atan64 x
  def asinpi (x: f64): f64 = intrinsics.asinpi64 x
  def acospi (x: f64): f64 = intrinsics.acospi64 x
  def atanpi (x: f64): f64 = intrinsics.atanpi64 x
  def sinh (x: f64): f64 = intrinsics.sinh64 x
  def cosh (x: f64): f64 = intrinsics.cosh64 x
  def tanh (x: f64): f64 = intrinsics.tanh64 x
  def asinh (x: f64): f64 = intrinsics.asinh64 x
  def acosh (x: f64): f64 = intrinsics.acosh64 x
  def atanh (x: f64): f64 = intrinsics.atanh64 x
  def gamma (x: f64): f64 = intrinsics.gamma64 x
  def lgamma (x: f64): f64 = intrinsics.lgamma64 x
  def erf (x: f64): f64 = intrinsics.erf64 x
  def erfc (x: f64): f64 = intrinsics.erfc64 x
  def log (x: f64): f64 = intrinsics.log64 x
  def log2 (x: f64): f64 = intrinsics.log2_64 x
  def log10 (x: f64): f64 = intrinsics.log10_64 x
  def log1p (x: f64): f64 = intrinsics.log1p_64 x
  def ceil (x: f64): f64 = intrinsics.ceil64 x
  def floor (x: f64): f64 = intrinsics.floor64 x
  def trunc (x: f64): f64 = intrinsics.trunc64 x
  def round (x: f64): f64 = intrinsics.round64 x
  def atan2 (x: f64) (y: f64): f64 = intrinsics.atan2_64 (x, y)
  def atan2pi (x: f64) (y: f64): f64 = intrinsics.atan2pi_64 (x, y)
  def hypot (x: f64) (y: f64): f64 = intrinsics.hypot64 (x, y)
  def lerp (v0: f64) (v1: f64) (t: f64): f64 = intrinsics.lerp64 (v0, v1, t)
  def mad (a: f64) (b: f64) (c: f64): f64 = intrinsics.mad64 (a, b, c)
  def fma (a: f64) (b: f64) (c: f64): f64 = intrinsics.fma64 (a, b, c)
  def isinf (x: f64): bool = intrinsics.isinf64 x
  def isnan (x: f64): bool = intrinsics.isnan64 x
  def from_bits (x: u64): f64 = intrinsics.from_bits64 (intrinsics.sign_i64 x)
  def to_bits (x: f64): u64 = intrinsics.unsign_i64 (intrinsics.to_bits64 x)
  def num_bits: i32 = 64
  def get_bit (b: i32) (x: f64): i32 = bits64.get_bit b (to_bits x)
  def set_bit (b: i32) (x: f64) (v: i32): f64 = from_bits (bits64.set_bit b (to_bits x) v)
  def nextafter (x: f64) (y: f64): f64 = intrinsics.nextafter64 (x, y)
  def copysign (x: f64) (y: f64): f64 = intrinsics.copysign64 (x, y)
  def ldexp (x: f64) (k: i32): f64 = intrinsics.ldexp64 (x, k)
}

-- ---- old names

def r32 (x: i32): f32 = f32.i32 x
def t32 (x: f32): i32 = i32.f32 x
def r64 (x: i32): f64 = f64.i32 x
def t64 (x: f64): i32 = i32.f64 x
def not (x: bool): bool = !x
def opaque 't (x: t): t = #[opaque] x
def trace 't (x: t): t = #[trace] x
def break 't (x: t): t = #[break] x
