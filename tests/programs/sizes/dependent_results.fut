-- SPDX-License-Identifier: Apache-2.0
-- Functions whose result has the size that their argument says, passed through type parameters: the
-- size is that of the application, whatever the parameter was called where the function came from.
-- ==
-- entry: through_identity
-- input { 3i64 } output { 3i64 }
-- ==
-- entry: used_as_argument
-- input { 4i64 } output { [0i64, 1i64, 2i64, 3i64] }
-- ==
-- entry: twice
-- input { 2i64 } output { 5i64 }

def apply '^a '^b (f: a -> b) (x: a) : b = f x

entry through_identity (n: i64) = length (apply (id iota) n)

entry used_as_argument (n: i64) = apply (\(xs: []i64) -> xs) (apply (id iota) n)

entry twice (n: i64) =
  let f = id iota
  in length (apply f n) + length (apply f (n + 1))
