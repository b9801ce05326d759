-- SPDX-License-Identifier: Apache-2.0
module type ring = {
  type t
  val zero : t
  val add : t -> t -> t
}
module ints : ring = {
  type t = i32
  def zero = 0i32
}
