-- SPDX-License-Identifier: Apache-2.0
fun f (x: i32) = x
