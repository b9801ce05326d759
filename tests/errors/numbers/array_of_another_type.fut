-- SPDX-License-Identifier: Apache-2.0
def main (xs: []i32) : f32 = f32.sum xs
