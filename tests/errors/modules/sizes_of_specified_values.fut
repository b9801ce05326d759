-- SPDX-License-Identifier: Apache-2.0
-- Sizes of parameters must have names.
module type t = {
  val f : []i32 -> i32
  val g [n] : [n]i32 -> [][]i32 -> []i32
}
