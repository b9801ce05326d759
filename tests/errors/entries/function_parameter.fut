-- SPDX-License-Identifier: Apache-2.0
entry apply (f: i32 -> i32) (x: i32) : i32 = f x
