-- SPDX-License-Identifier: Apache-2.0
-- The loop would overwrite the elements that it has still to look at.
def main (xs: *[]i64) =
  loop acc = xs for x in xs do acc with [x % 2] = x
