-- SPDX-License-Identifier: Apache-2.0
type point = {x: f32, y: f32}
def origin : point = {x = 0}
