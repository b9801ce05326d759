-- SPDX-License-Identifier: Apache-2.0
-- The empty tuple is a value like others.

def answer () : i32 = 42

-- ==
-- input { 1i32 } output { 43i32 }
entry main (x: i32) : i32 = let u = () let () = u in answer u + x
