-- SPDX-License-Identifier: Apache-2.0
-- An open size cannot be written as a length.
def join [n] 'a (xs: [n]a) (ys: []a) : [n + length ys]a = xs ++ ys
