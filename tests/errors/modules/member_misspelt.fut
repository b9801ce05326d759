-- SPDX-License-Identifier: Apache-2.0
module type counter = { val step : i32 -> i32 }
module up : counter = {
  def stepp (x: i32) = x + 1
}
