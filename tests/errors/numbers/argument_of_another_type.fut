-- SPDX-License-Identifier: Apache-2.0
def half (x: f32) : f32 = x / 2
def main (n: i32) : f32 = half n
