-- SPDX-License-Identifier: Apache-2.0
-- How often a pattern occurs in a text.
def main [n] [m] (text: [n]u8) (pattern: [m]u8) : i64 =
  let at i = loop ok = true for j < m do ok && text[i + j] == pattern[j]
  in i64.sum (map (\i -> i64.bool (at i)) (iota (n - m + 1)))
