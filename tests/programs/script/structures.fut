-- SPDX-License-Identifier: Apache-2.0
-- Values of every kind pass from one entry point to the next: records, sums, abstract types, and
-- arrays of them.
-- ==
-- entry: norm
-- script input { {y = 4, x = 3} } output { 25i32 }
-- script input { let p = point 1 2 in {x = p.y, y = p.x} } output { 5i32 }
-- script input { let ps = line 3 in ps[2] } output { 8i32 }

module counter : {
  type state
  val start : i64 -> state
  val next : state -> state
  val get : state -> i64
} = {
  type state = {at: i64, steps: i64}
  def start (n: i64) = {at = n, steps = 0i64}
  def next (s: state) = {at = s.at * 2, steps = s.steps + 1}
  def get (s: state) = s.at + s.steps
}

type point = {x: i32, y: i32}
type shape = #circle point i32 | #empty

entry point (x: i32) (y: i32) : point = {x, y}
entry line (n: i64) : [n]point = tabulate n (\i -> {x = i32.i64 i, y = i32.i64 i})
entry norm (p: point) : i32 = p.x * p.x + p.y * p.y

-- ==
-- entry: area
-- script input { circle (point 1 1) 5 } output { 25i32 }
-- script input { nothing } output { 0i32 }
-- script input { let s = shapes 3 in s[1] } output { 0i32 }
-- script input { let s = shapes 3 in s[2] } output { 4i32 }

entry circle (p: point) (r: i32) : shape = #circle p r
entry nothing : shape = #empty
entry shapes (n: i64) : [n]shape =
  tabulate n (\i -> if i % 2 == 0 then #circle {x = 0, y = 0} (i32.i64 i) else #empty)
entry area (s: shape) : i32 = match s case #circle _ r -> r * r case #empty -> 0

-- ==
-- entry: read_counter
-- script input { advance (advance (start_counter 5)) } output { 22i64 }
-- script input { let (a, b) = two_counters 1 2 in b } output { 2i64 }

entry start_counter (n: i64) : counter.state = counter.start n
entry advance (s: counter.state) : counter.state = counter.next s
entry two_counters (a: i64) (b: i64) : (counter.state, counter.state) =
  (counter.start a, counter.start b)
entry read_counter (s: counter.state) : i64 = counter.get s
