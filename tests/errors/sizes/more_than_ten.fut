-- SPDX-License-Identifier: Apache-2.0
-- After ten in one definition it is enough.
def f [n] (x: [n]i32) =
  (zip "a" "ab", zip "a" "abc", zip "a" "abcd", zip "a" "abcde",
   zip "ab" "a", zip "ab" "abc", zip "ab" "abcd", zip "ab" "abcde",
   zip "abc" "a", zip "abc" "ab", zip "abc" "abcd", zip x "a")
