-- SPDX-License-Identifier: Apache-2.0
-- | Arrays of tuples and tuples of arrays.

import "soacs"

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
