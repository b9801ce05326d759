-- SPDX-License-Identifier: Apache-2.0
module vector = { def zero : f32 = 0 }
def origin : f32 = vectr.zero
