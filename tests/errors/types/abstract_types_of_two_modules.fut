-- SPDX-License-Identifier: Apache-2.0
-- Both types are called t; the message says whose they are.
module type number = { type t val one : t val next : t -> t }
module a: number = { type t = i32 def one : t = 1 def next (x: t) = x + 1 }
module b: number = { type t = i32 def one : t = 1 def next (x: t) = x + 2 }
def main = a.next b.one
