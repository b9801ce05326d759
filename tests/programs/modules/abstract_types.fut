-- SPDX-License-Identifier: Apache-2.0
-- Abstract types hide their definition; type parameters, sizes and `with` in module types.
-- ==
-- input { [3, 1, 2] } output { 6 3i64 [1, 2, 3] }

module type container = {
  type~ c 'a
  val from [n] 'a : [n]a -> c a
  val size 'a : c a -> i64
  val fold 'a : (a -> a -> a) -> a -> c a -> a
}

module boxed : container = {
  type~ c 'a = {items: []a}
  def from 'a (items: []a) : c a = {items}
  def size 'a (c: c a) : i64 = length c.items
  def fold 'a (f: a -> a -> a) (zero: a) (c: c a) : a = reduce f zero c.items
}

module type stack = {
  type stack [n]
  val start : stack [0]
  val push [n] : i32 -> stack [n] -> stack [n + 1]
  val all [n] : stack [n] -> [n]i32
}

module array_stack : stack = {
  type stack [n] = [n]i32
  def start : stack [0] = []
  def push [n] (x: i32) (s: stack [n]) : stack [n + 1] = s ++ [x] :> [n + 1]i32
  def all [n] (s: stack [n]) : [n]i32 = s
}

def main (xs: []i32) =
  let b = boxed.from xs
  let s = array_stack.(start |> push 1 |> push 2 |> push 3)
  in (boxed.fold (+) 0 b, boxed.size b, array_stack.all s)
