-- SPDX-License-Identifier: Apache-2.0
module type shape = {
  val area : f32 -> f32
}
module square : shape = {
  def area (x: f64) : f64 = x * x
}
