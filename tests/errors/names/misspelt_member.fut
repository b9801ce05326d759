-- SPDX-License-Identifier: Apache-2.0
def root (x: f32) : f32 = f32.sqr x
