-- SPDX-License-Identifier: Apache-2.0
def main (n: i32) = loop x = 0i32 for i < n do f32.i32 x
