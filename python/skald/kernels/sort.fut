-- SPDX-License-Identifier: Apache-2.0
-- Order: np.sort, np.argsort, np.unique and their kin on devices.  Keys are sorted by four bits at a time, the least significant
-- first: rows of 128 elements count how many have each digit; then each element knows its place.
--
-- Numbers of each type as keys: 64 bits, in the order of NumPy, where what is not a number comes last.  `key` knows one zero.
module signed (number: integral) = {
  def num_bits = number.num_bits
  def lowest = 1u64 << u64.i32 (num_bits - 1)
  def exact_key (x: number.t) : u64 = (u64.i64 (number.to_i64 x) + lowest) & (u64.highest >> u64.i32 (64 - num_bits))
  def key = exact_key
  def of_key (k: u64) : number.t = number.i64 (i64.u64 (k - lowest))
}
module unsigned (number: integral) = {
  def num_bits = number.num_bits
  def exact_key (x: number.t) : u64 = u64.i64 (number.to_i64 x) & (u64.highest >> u64.i32 (64 - num_bits))
  def key = exact_key
  def of_key (k: u64) : number.t = number.i64 (i64.u64 k)
}
def key_of_bits (sign: u64) (bits: u64) : u64 = if bits & sign != 0 then !bits & (sign | (sign - 1)) else bits | sign
def bits_of_key (sign: u64) (k: u64) : u64 = if k & sign != 0 then k ^ sign else !k & (sign | (sign - 1))
module keys = {
  module f64 = {
    def num_bits = 64i32
    def exact_key (x: f64) : u64 = if f64.isnan x then u64.highest else key_of_bits (1 << 63) (f64.to_bits x)
    def key (x: f64) : u64 = exact_key (if x == 0 then 0 else x)
    def of_key (k: u64) : f64 = if k == u64.highest then f64.nan else f64.from_bits (bits_of_key (1 << 63) k)
  }
  module f32 = {
    def num_bits = 32i32
    def exact_key (x: f32) : u64 = if f32.isnan x then 0xffffffff else key_of_bits (1 << 31) (u64.u32 (f32.to_bits x))
    def key (x: f32) : u64 = exact_key (if x == 0 then 0 else x)
    def of_key (k: u64) : f32 = if k == 0xffffffff then f32.nan else f32.from_bits (u32.u64 (bits_of_key (1 << 31) k))
  }
  module i8 = signed i8
  module i16 = signed i16
  module i32 = signed i32
  module i64 = signed i64
  module u8 = unsigned u8
  module u16 = unsigned u16
  module u32 = unsigned u32
  module u64 = unsigned u64
}
-- The next two lines are written anew for each type of elements.
module number = keys.f64
type number = f64

def block = 128i64

-- Sixteen counts of at most `block`, of eight bits each.
type counts = (u64, u64)

def add ((a, b): counts) ((c, d): counts) : counts = (a + c, b + d)
def one (digit: u64) : counts =
  let bit = 1u64 << (8 * (digit & 7))
  in (if digit < 8 then bit else 0, if digit < 8 then 0 else bit)
def count ((a, b): counts) (digit: u64) : i32 = i32.u64 (((if digit < 8 then a else b) >> (8 * (digit & 7))) & 255)

-- The places of all elements of the rows when they are sorted by one digit.
def places [b] (digits: [b][block]u64) : [b][block]i64 =
  let totals = map (\row -> reduce_comm add (0, 0) (map one row)) digits
  let all = flatten (tabulate_2d 16 b (\d i -> i64.i32 (count totals[i] (u64.i64 d))))
  let starts = map2 (-) (scan (+) 0 all) all
  in map2 (\i row ->
             let sums = scan add (0, 0) (map one row)
             in map2 (\d sum -> #[unsafe] starts[i64.u64 d * b + i] + i64.i32 (count sum d) - 1) row sums)
          (iota b) digits

def digit (shift: i32) (x: u64) : u64 = (x >> u64.i32 shift) & 15
def digits_of_number : i32 = (number.num_bits + 3) / 4

-- What is added to fill the last row has the largest key, and comes last.
def padded [n] (b: i64) (keys: [n]u64) : *[b][block]u64 =
  tabulate_2d b block (\i j -> if i * block + j < n then #[unsafe] keys[i * block + j] else u64.highest)

def sorted_keys [n] (keys: [n]u64) : [n]u64 =
  let b = (n + block - 1) / block
  let (sorted, _) =
    loop (rows, spare) = (padded b keys, replicate (b * block) 0) for k < digits_of_number do
      (unflatten (scatter spare (flatten (places (map (map (digit (4 * k))) rows))) (flatten rows)), flatten rows)
  in take n (flatten sorted)

-- Positions in the order of their keys, equal ones as they were, and then of the rows of `length` elements that they lie in.
def ordered [n] (length: i64) (keys: [n]u64) : [n]i64 =
  let b = (n + block - 1) / block
  let from = unflatten (iota (b * block)) :> [b][block]i64
  let by_digit (digits: [b][block]u64) (keys: [b][block]u64) (from: [b][block]i64) =
    let to = flatten (places digits)
    in (unflatten (scatter (replicate (b * block) 0) to (flatten keys)), unflatten (scatter (replicate (b * block) 0) to (flatten from)))
  let (_, from) =
    loop (keys, from) = (padded b keys, from) for k < digits_of_number do
      by_digit (map (map (digit (4 * k))) keys) keys from
  let rows = if length == 0 then 0 else (n + length - 1) / length
  let digits = if rows <= 1 then 0 else (64 - u64.clz (u64.i64 rows) + 3) / 4
  let from =
    loop from for k < digits do
      let number = map (map (\i -> digit (4 * k) (u64.i64 (i64.min rows (i / length))))) from
      in unflatten (scatter (replicate (b * block) 0) (flatten (places number)) (flatten from))
  in take n (flatten from)

-- ==
-- entry: sorted
-- input { [3f64, 1, f64.nan, -2, 0, -0.0, f64.inf, 2] } output { [-2f64, -0.0, 0, 1, 2, 3, f64.inf, f64.nan] }
-- input { empty([0]f64) } output { empty([0]f64) }
entry sorted [n] (xs: [n]number) : [n]number = map number.of_key (sorted_keys (map number.exact_key xs))

-- Places in the array, of rows of `length` elements that are sorted each by itself.
-- ==
-- entry: order
-- input { 4i64 [3f64, 1, f64.nan, 1, 0, -0.0, 2, -1] } output { [1i64, 3, 0, 2, 7, 4, 5, 6] }
-- input { 8i64 [3f64, 1, f64.nan, 1, 0, -0.0, 2, -1] } output { [7i64, 4, 5, 1, 3, 6, 0, 2] }
entry order [n] (length: i64) (xs: [n]number) : [n]i64 = ordered length (map number.key xs)

-- ==
-- entry: sorted_rows
-- input { 4i64 [3f64, 1, f64.nan, 1, 0, -0.0, 2, -1] } output { [1f64, 1, 3, f64.nan, -1, 0, -0.0, 2] }
entry sorted_rows [n] (length: i64) (xs: [n]number) : [n]number =
  map (\i -> #[unsafe] xs[i]) (ordered length (map number.key xs))

def is_first [n] (keys: [n]u64) : [n]bool = map (\i -> i == 0 || #[unsafe] (keys[i] != keys[i - 1])) (iota n)

-- Each value once, and how often it occurs.
-- ==
-- entry: distinct
-- input { [3f64, 1, 3, f64.nan, 1, f64.nan, 3] } output { [1f64, 3, f64.nan] [2i64, 3, 2] }
-- input { empty([0]f64) } output { empty([0]f64) empty([0]i64) }
entry distinct [n] (xs: [n]number) : ([]number, []i64) =
  let keys = sorted_keys (map number.key xs)
  let firsts = filter (\i -> i == 0 || #[unsafe] (keys[i] != keys[i - 1])) (iota n)
  let k = length firsts
  let counts = map (\j -> (if j + 1 < k then #[unsafe] firsts[j + 1] else n) - #[unsafe] firsts[j]) (iota k)
  in (map (\i -> number.of_key (#[unsafe] keys[i])) firsts, counts)

-- The same with the place where each value occurs first, and for each element which value it is.
-- ==
-- entry: distinct_places
-- input { [3f64, 1, 3, f64.nan, 1, f64.nan] } output { [1f64, 3, f64.nan] [2i64, 2, 2] [1i64, 0, 3] [1i64, 0, 1, 2, 0, 2] }
entry distinct_places [n] (xs: [n]number) : ([]number, []i64, []i64, [n]i64) =
  let keys = map number.key xs
  let from = ordered n keys
  let sorted = map (\i -> #[unsafe] keys[i]) from
  let first = is_first sorted
  let firsts = filter (\i -> #[unsafe] first[i]) (iota n)
  let k = length firsts
  let counts = map (\j -> (if j + 1 < k then #[unsafe] firsts[j + 1] else n) - #[unsafe] firsts[j]) (iota k)
  let number_of = map (\x -> x - 1) (scan (+) 0 (map i64.bool first))
  let places = map (\i -> #[unsafe] from[i]) firsts
  in (map (\i -> #[unsafe] xs[i]) places, counts, places, scatter (replicate n 0) from number_of)
