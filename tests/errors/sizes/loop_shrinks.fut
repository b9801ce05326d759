-- SPDX-License-Identifier: Apache-2.0
def halve [n] (xs: [n]i32) : [n]i32 =
  loop ys = xs for i < 3 do ys[1:]
