-- SPDX-License-Identifier: Apache-2.0
-- A parametric module applied to a type with a size of its own: a box keeps the size of what it
-- was made from, so boxes of one size can be put into an array.
-- ==
-- entry: plain
-- input {} output { [5, 6] }
-- ==
-- entry: sized
-- input {} output { [[true, false], [false, true]] }

module type boxing = {
  type thing
  type box 'a
  val put : thing -> box thing
  val get : box thing -> thing
}

module boxes (T: {type~ thing}) : boxing with thing = T.thing = {
  type~ thing = T.thing
  type box 'a = (i32, a)
  def put x = (0i32, x)
  def get (b: (i32, thing)) = b.1
}

module of_ints = boxes {type thing = i32}
module of_masks = boxes {type~ thing = ?[k].[k]bool}

entry plain = map of_ints.get [of_ints.put 5, of_ints.put 6]
entry sized : [2][2]bool =
  let bs = [of_masks.put [true, false], of_masks.put [false, true]]
  in [of_masks.get bs[0] :> [2]bool, of_masks.get bs[1] :> [2]bool]
