-- SPDX-License-Identifier: Apache-2.0
-- Functions and sizes in types that must be plain.
module type s = { type t val f : t -> i32 }
module a : s = { type^ t = i32 -> i32 def f (g: t) = g 3 }
module b : s = { type~ t = ?[n].[n]i32 def f (g: t) = i32.i64 (length g) }
