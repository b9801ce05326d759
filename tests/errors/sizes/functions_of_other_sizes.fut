-- SPDX-License-Identifier: Apache-2.0
-- What a function takes and returns.
def app (f: [3]i32 -> [2]i32) = f [1, 2, 3]
def takes = app (\(x: [4]i32) -> [x[0], x[1]])
def returns = app (\x -> x)
def joined [n] (xs: [n]i32) = reduce (\a b -> a ++ b) [] (map (\x -> [x]) xs)
