-- SPDX-License-Identifier: Apache-2.0
entry f [n] (_: i32) : [n]i32 = rep 0
