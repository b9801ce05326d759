-- SPDX-License-Identifier: Apache-2.0
-- Sizes of the function do not look like those of the program.
def f [n] (xs: [n]i32) = split xs
