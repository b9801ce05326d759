-- SPDX-License-Identifier: Apache-2.0
type^ f = i32 -> i32
type t = f
