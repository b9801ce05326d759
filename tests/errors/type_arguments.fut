-- SPDX-License-Identifier: Apache-2.0
type t [n] = [n]i32
def x (a: t) = a
