-- SPDX-License-Identifier: Apache-2.0
def dist (p: (f32, f32)) : f32 = p.0 - p.1
def main (x: f32) (y: f32) : f32 = dist x y
