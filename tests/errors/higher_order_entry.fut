-- SPDX-License-Identifier: Apache-2.0
entry f (g: i32 -> i32) = g 1
