-- SPDX-License-Identifier: Apache-2.0
entry zeros [n] (x: i32) : [n]i32 = replicate n x
