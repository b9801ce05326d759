-- SPDX-License-Identifier: Apache-2.0
-- The size of `marks` would have to be that of something made in the loop.
def positive [n] (xs: [n]i32) : []i32 = filter (> 0) xs
def main [n] (marks: [n]bool) (xs: [n]i32) =
  loop (marks', xs') = (marks, [1i32]) for _i < 2 do
    let few = positive xs'
    let both = zip few marks'
    in (marks' ++ marks', xs' ++ xs')
