-- SPDX-License-Identifier: Apache-2.0
-- RUN dump --after=place --renumber --device=gpu --explain=place
-- A kernel that prints runs on the host, with copies of what it reads and of what it makes.
entry main [n] (k: i64) (xs: [n]i32) =
  loop ys = copy xs for _i < k do
    map2 (\x y -> #[trace(seen)] (x + y)) xs ys
