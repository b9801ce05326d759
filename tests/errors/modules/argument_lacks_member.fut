-- SPDX-License-Identifier: Apache-2.0
module type with_size = { val size : i64 }
module make (p: with_size) = { def zeros = replicate p.size 0i32 }
module m = make { def length = 3i64 }
