-- SPDX-License-Identifier: Apache-2.0
-- Two are right.
module type s = { type t }
module a = { type t = i32 }
module both (x: s) (y: s) = { type t = (x.t, y.t) }
module c = both a a a
module d = both i32 { }
