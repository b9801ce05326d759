-- SPDX-License-Identifier: Apache-2.0
-- Everything that a module lacks is reported.
module type shape = {
  type t
  val area : t -> f64
  val scale : f64 -> t -> t
  val name : [4]u8
}
module square : shape = {
  type t = f64
  def area (x: t) : f32 = f32.f64 (x * x)
  def scal (k: f64) (x: t) : t = k * x
  def name = "sq"
}
