-- SPDX-License-Identifier: Apache-2.0
-- open, local, include, local opens in expressions, and shadowing.
-- ==
-- input { 10 } output { 11 20 12 110 5 }

module type base = {
  val one : i32
}

module type more = {
  include base
  type t
  val two : t
}

module numbers : more with t = i32 = {
  type t = i32
  def one = 1i32
  def two : t = 2i32
}

module outer = {
  local def hidden = 100i32
  open numbers
  def add (x: i32) = x + hidden
  module inner = {
    def five = two + two + one
  }
}

open outer

def one = 1i32

local module unseen = {
  def double (x: i32) = x * 2
}

def main (x: i32) =
  ( x + one
  , unseen.double x
  , numbers.(x + two)
  , add x
  , inner.five
  )
