-- SPDX-License-Identifier: Apache-2.0
-- The type of x is decided outside, but would have to be a type parameter of g.
def main x =
  let g 't (y: t) = [x, y]
  in g 1
