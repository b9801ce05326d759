-- SPDX-License-Identifier: Apache-2.0
type point = {x: f32, y: f32}
def lift (p: point) : point = p with z = 1
