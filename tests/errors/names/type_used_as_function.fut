-- SPDX-License-Identifier: Apache-2.0
def half (n: i64) : f32 = f32 n / 2
