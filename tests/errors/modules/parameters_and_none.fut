-- SPDX-License-Identifier: Apache-2.0
-- With a parameter and without.
module type f = (x: { val a : i32 }) -> { val b : i32 }
module g : f = { def b = 3i32 }
module h : { val b : i32 } = \(x: { val a : i32 }) -> { def b = x.a }
module type inc = { include f val z : i32 }
