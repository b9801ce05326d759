-- SPDX-License-Identifier: Apache-2.0
-- Operators can be redefined, in modules and locally; the old ones stay reachable.
-- ==
-- input { 10 3 } output { 7 13 30 1 13 }

module wrong = {
  def (+) (x: i32) (y: i32) = x - y
  def x *^ y = x i32.* y
  def (/) (a: i32) (b: i32) = a % b
}

def main (x: i32) (y: i32) =
  ( wrong.(x + y)
  , x + y
  , x wrong.*^ y
  , x wrong./ y
  , wrong.(x intrinsics.+ y)
  )
