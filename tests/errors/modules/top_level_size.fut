-- SPDX-License-Identifier: Apache-2.0
-- The type t hides a size, and x has nothing else that tells it.
module type has_x = { type~ t val x : t }
module m: has_x = { type~ t = ?[n].[n]i32 def x : []i32 = [1, 2, 3] }
