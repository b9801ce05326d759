-- SPDX-License-Identifier: Apache-2.0
type point = {x: f32, y: f32}
def origin : piont = {x = 0, y = 0}
